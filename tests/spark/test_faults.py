"""Faults: workers that die while they work, a driver that dies while it commits, a disk that is full."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reasoner import Reasoner
from tests.spark.fault_driver import changed, loaded
from tests.spark.standalone import ROOT, Cluster, environment

pytestmark = pytest.mark.slow


def run(*arguments: object, seconds: float = 240, **more: str) -> tuple[int, list[dict], str]:
    """Run a driver; return how it ended, what it said, and what it complained of."""
    command = [sys.executable, "-m", "tests.spark.fault_driver", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=ROOT, env={**environment(), **more}, capture_output=True, text=True, timeout=seconds, check=False
    )
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.returncode, said, done.stderr[-3000:]


def triples(kb: Reasoner) -> list[str]:
    return sorted(" ".join(triple) for triple in kb.triples())


def test_a_worker_that_dies_changes_nothing_of_a_materialisation_or_an_update(tmp_path):
    kb = loaded(Reasoner(profile="none"))
    kb.materialise()
    materialised = triples(kb)
    changed(kb)

    with Cluster(tmp_path) as cluster:
        first, second, _ = (cluster.worker() for _ in range(3))
        status, said, complaints = run("workers", cluster.master, first.pid, second.pid, seconds=400)

    assert status == 0, complaints
    assert [line["killed"] for line in said if "killed" in line] == [first.pid, second.pid]
    assert [line["triples"] for line in said if "triples" in line] == [materialised, triples(kb)]


def test_a_driver_that_dies_in_a_commit_leaves_the_version_before(tmp_path):
    status, said, complaints = run("commit", tmp_path / "store")

    assert status == -signal.SIGKILL, complaints
    with Reasoner.open(tmp_path / "store") as kb:
        assert kb.version == said[0]["version"]
        before = loaded(Reasoner(profile="none"))
        assert triples(kb) == triples(before)
        # The next commit takes the number that the dead one had.
        changed(kb)
        assert kb.version == said[0]["version"] + 1
        changed(before)
        assert triples(kb) == triples(before)


def test_a_stream_goes_on_where_a_dead_driver_left_it(spark, tmp_path):
    folder, store, at = tmp_path / "in", tmp_path / "store", tmp_path / "at"
    folder.mkdir()
    for number, rows in enumerate(("A <e:a> <e:p> <e:b> .", "D <e:a> <e:p> <e:b> .\nA <e:a> <e:p> <e:c> .")):
        path = folder / f"{number}.rdfp"
        path.write_text(rows + "\n")
        # Spark takes files in the order of their times.
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
    status, _, complaints = run("follow", store, folder, at)

    assert status == -signal.SIGKILL, complaints
    assert (at / "offsets" / "1").exists() and not (at / "commits" / "1").exists()
    with Reasoner.open(store) as kb:
        assert kb.followed() == {"stream": 1}
        version = kb.version
        lines = spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder))
        query = kb.follow(lines, format="patch", checkpoint=str(at), trigger={"availableNow": True})
        query.awaitTermination(120)
        assert (at / "commits" / "1").exists()
        assert (kb.version, triples(kb)) == (version, ["<e:a> <e:p> <e:c>"])


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk is not permitted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_told_and_leaves_the_store_as_it_was(tmp_path, small_disk: Path):
    _, said, complaints = run("spill", tmp_path / "store", small_disk)

    assert [line.get("error", "")[:52] for line in said[1:]] == [
        "Spark has failed: there is no space left for what Sp"
    ], complaints
    with Reasoner.open(tmp_path / "store") as kb:
        assert kb.version == said[0]["version"]
        assert triples(kb) == triples(loaded(Reasoner(profile="none")))
