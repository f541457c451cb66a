"""Faults: workers that die while they work, a driver that dies while it commits, a disk that is full."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from reasoner import Reasoner
from reasoner.spark.store import SparkStore
from tests.spark.fault_driver import changed, family, loaded
from tests.spark.standalone import ROOT, Cluster, end, environment

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
    """Of an update near its change, which is a few lookups, and of one that the executors do all of."""
    kb = loaded(Reasoner(profile="none"))
    kb.materialise()
    materialised = triples(kb)
    changed(kb)

    with Cluster(tmp_path) as cluster:
        killed, said, complaints = run_while_workers_die(cluster, tmp_path / "complaints", steps=3)

    assert [line["killed"] for line in said if "killed" in line] == killed, complaints
    assert [line["small"] for line in said if "small" in line] == [True, False]
    assert [line["triples"] for line in said if "triples" in line] == [materialised, triples(kb), materialised]


def run_while_workers_die(cluster: Cluster, errors: Path, steps: int) -> tuple[list[int], list[dict], str]:
    """Run a driver on two workers, of which the older one dies in each step; then another takes its place.

    Return the groups of those that died, what the driver said, and what it complained of.
    """
    working = [worker.pid for worker in cluster.workers(2)]
    killed: list[int] = []
    said: list[dict] = []
    with errors.open("wb") as target, driver("workers", cluster.master, stderr=target) as process:
        for _ in range(steps):
            killed.append(working.pop(0))
            process.stdin.write(f"{killed[-1]}\n")
            process.stdin.flush()
            for line in process.stdout:
                if not line.startswith("{"):
                    continue
                said.append(json.loads(line))
                if "killed" in said[-1]:
                    working += [worker.pid for worker in cluster.workers(1)]
                if "triples" in said[-1]:
                    break
    return killed, said, errors.read_text()[-3000:]


def test_a_folder_that_one_worker_does_not_see_is_an_error_and_loses_nothing(tmp_path):
    """Before the first write a trial tells it, and later the rows that executors have written are counted."""
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        pytest.skip("a worker with a view of its own is not permitted here")
    seen, hidden, file = tmp_path / "seen", tmp_path / "hidden", tmp_path / "family.nt"
    hidden.mkdir()
    file.write_text("".join(f"{' '.join(triple)} .\n" for triple in family(400)))
    with Cluster(tmp_path) as cluster, (tmp_path / "complaints").open("wb") as errors:
        cluster.workers(1)
        (apart,) = cluster.workers(1, apart=True)
        with driver("views", cluster.master, seen, hidden, file, stderr=errors) as process:
            said = [json.loads(next(line for line in process.stdout if line.startswith("{")))]
            for folder in (hidden, *seen.iterdir()):
                hide = ["mount", "-t", "tmpfs", "tmpfs", str(folder)]
                subprocess.run(["nsenter", "--mount", "--target", str(apart.pid), *hide], check=True)
            process.stdin.write("\n")
            process.stdin.flush()
            said += [json.loads(line) for line in process.stdout if line.startswith("{")]

    assert said[0] == {"facts": 2 * 399}
    *told, lost = (line["error"] for line in said[1:])
    assert lost.startswith("executors were lost again and again"), lost
    assert all(text.startswith("not every machine sees the same ") for text in told), told
    assert "do not see what the driver writes there; name a folder" in told[0]
    assert "executors wrote 1,000 rows there, and the driver sees" in told[1]
    assert all("scratch=..., --scratch or REASONER_SCRATCH" in text for text in told)
    assert not (hidden / "store" / "CURRENT").exists()


def test_more_than_the_driver_or_a_task_may_hold_is_told_with_the_setting_to_raise():
    _, said, complaints = run("exceed")

    assert [line["kind"] for line in said] == ["SparkFailure"] * 2, complaints
    assert said[0]["cause"] == "py4j.protocol"
    assert "a result is larger than the driver takes; raise spark.driver.maxResultSize" in said[0]["error"]
    # Spark ends its process when that has no memory left, or has the time to tell.
    assert "ran out of memory; raise spark.driver.memory" in said[1]["error"].replace("has run out", "ran out")


@contextmanager
def driver(*arguments: object, seconds: float = 500, **streams: Any) -> Iterator[subprocess.Popen[str]]:
    """Start a driver that is talked to, and let it end; one that takes too long is killed."""
    command = [sys.executable, "-m", "tests.spark.fault_driver", *map(str, arguments)]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **streams,
    )
    limit = threading.Timer(seconds, end, [process])
    limit.start()
    try:
        yield process
        assert process.wait(60) == 0
    finally:
        limit.cancel()
        end(process)
        process.stdin.close()
        process.stdout.close()


@pytest.mark.parametrize("engine", ["columnar", "spark"])
def test_a_driver_that_dies_in_a_commit_leaves_the_version_before(spark, died, tmp_path, monkeypatch, engine):
    """The executors have written the tables of the new version, and nobody names their files."""
    monkeypatch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 0)
    folder, version = died
    store = shutil.copytree(folder, tmp_path / "store")
    place = {"engine": "spark", "session": spark} if engine == "spark" else {}

    assert list((store / "data" / "facts").glob(f"{version + 1:08d}-base-*.parquet"))
    with Reasoner.open(store, **place) as kb:
        assert kb.version == version
        before = loaded(Reasoner(profile="none"))
        assert triples(kb) == triples(before)
        # The next commit takes the number that the dead one had.
        changed(kb)
        assert kb.version == version + 1
        changed(before)
        assert triples(kb) == triples(before)


@pytest.fixture(scope="module")
def died(tmp_path_factory) -> tuple[Path, int]:
    """Let a driver die in a commit; return the folder of its store, and the version before."""
    folder = tmp_path_factory.mktemp("died") / "store"
    status, said, complaints = run("commit", folder)
    assert status == -signal.SIGKILL, complaints
    return folder, said[0]["version"]


@pytest.mark.parametrize("engine", ["columnar", "spark"])
def test_a_stream_goes_on_where_a_dead_driver_left_it(spark, tmp_path, monkeypatch, engine):
    monkeypatch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 0)
    folder, store, at = tmp_path / "in", tmp_path / "store", tmp_path / "at"
    folder.mkdir()
    for number, rows in enumerate(("A <e:a> <e:p> <e:b> .", "D <e:a> <e:p> <e:b> .\nA <e:a> <e:p> <e:c> .")):
        path = folder / f"{number}.rdfp"
        path.write_text(rows + "\n")
        # Spark takes files in the order of their times.
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
    status, _, complaints = run("follow", store, folder, at, engine)

    assert status == -signal.SIGKILL, complaints
    assert (at / "offsets" / "1").exists() and not (at / "commits" / "1").exists()
    with Reasoner.open(store, **({"engine": "spark", "session": spark} if engine == "spark" else {})) as kb:
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
        pytest.skip("mounting a small disk is not permitted here; the limit of a file's size is tested all the same")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def assert_told_and_left_as_it_was(store: Path, said: list[dict], complaints: str, told: str) -> None:
    assert [line.get("error", "")[: len(told)] for line in said[1:]] == [told], complaints
    with Reasoner.open(store) as kb:
        assert kb.version == said[0]["version"]
        assert triples(kb) == triples(loaded(Reasoner(profile="none")))


def test_a_full_disk_is_told_and_leaves_the_store_as_it_was(tmp_path, small_disk: Path):
    _, said, complaints = run("spill", tmp_path / "store", small_disk)

    told = "Spark has failed: there is no space left for what Spark writes"
    assert_told_and_left_as_it_was(tmp_path / "store", said, complaints, told)


def test_files_that_may_not_grow_are_told_and_leave_the_store_as_it_was(tmp_path):
    """What the system refuses to write is refused here without the rights that a small disk takes."""
    _, said, complaints = run("limit", tmp_path / "store", 1 << 18)

    told = "Spark has failed: a file that Spark writes on the way is larger than this process may make"
    assert_told_and_left_as_it_was(tmp_path / "store", said, complaints, told)
