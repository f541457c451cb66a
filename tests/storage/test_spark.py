"""Spark on S3 and HDFS: executors write and read the files of a store there, and the other engine opens it."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from reasoner import Reasoner
from reasoner.store.file_system import file_system, place_of
from tests.spark.fault_driver import changed, loaded
from tests.storage import servers
from tests.storage.test_documents import content, put

MORE = ("<http://e.org/more>", "<http://e.org/parent>", "<http://e.org/n1>")


def test_a_store_is_made_changed_opened_and_tidied_by_spark_and_read_by_the_other_engine(base):
    if base.startswith("s3") and not servers.connector().exists():
        pytest.skip("no hadoop-aws: make storage-servers fetches it")
    put(f"{base}/more.nt", f"{' '.join(MORE)} .\n".encode())
    expected = loaded(Reasoner(profile="none"))
    parts = len(list(expected.triples()))
    expected.add([MORE])
    changed(expected)

    done = subprocess.run(
        [sys.executable, "-m", "tests.storage.spark_driver", base],
        timeout=600,
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    triples = sorted(expected.triples())
    assert [tuple(triple) for triple in told["triples"]] == triples
    assert told["parts"] == parts
    by_tasks = re.compile(r"facts/[0-9]{8}-base-(all|p[0-9]+)-[0-9]+-[0-9a-f]{16}\.parquet")
    assert any(by_tasks.fullmatch(name) for name in file_system(place_of(base)).files(place_of(base) / "kb/data"))
    with Reasoner.open(f"{base}/kb") as kb:
        assert kb.version == told["version"]
        assert sorted(kb.triples()) == triples
        kb.add([("<http://e.org/last>", "<http://e.org/parent>", "<http://e.org/n1>")])
    assert sorted(content(f"{base}/all.nt").decode().splitlines()) == sorted(f"{' '.join(each)} ." for each in triples)
    written = [name for name in file_system(place_of(base)).files(place_of(base) / "parts") if "part-" in name]
    lines = b"".join(content(f"{base}/parts/{name}") for name in written)
    assert lines.count(b"\n") == parts
