"""A session of Spark Connect does for a reasoner what memory does, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from reasoner import Reasoner
from reasoner.sparql.errors import QueryTimeoutError
from tests.spark.connect_facts import FACTS, QUERY, RULES, UPDATE
from tests.spark.standalone import ROOT


@pytest.mark.slow
def test_a_session_of_spark_connect_loads_reasons_answers_updates_and_saves_and_refuses_streams(tmp_path):
    """A process has sessions of one kind only, so that this one has its own; it takes pyspark[connect]."""
    pytest.importorskip("grpc_status")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}

    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.connect_driver", str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    kb = Reasoner("none")
    kb.add_rules(RULES)
    (tmp_path / "same.nt").write_text(FACTS)
    kb.load(tmp_path / "same.nt")
    assert told["is distributed"]
    assert told["closure"] == sorted(map(list, kb.triples()))
    assert told["answers"] == sorted(row.x.n3() for row in kb.query(QUERY))
    kb.update(UPDATE)
    assert told["violations"] == sorted(str(violation) for violation in kb.violations()) != []
    assert told["reopened"] == sorted(map(list, kb.triples()))
    assert told["stream"].startswith(
        "a session of Spark Connect hands batches to functions in the process of its server"
    )
    assert told["timeout"] == QueryTimeoutError.__name__
    assert told["settings kept"]
