"""A driver that a test starts as a process of its own: it reasons on a cluster while workers die, or dies itself.

    python -m tests.spark.fault_driver workers MASTER FIRST SECOND   kill a worker while a job runs, twice over
    python -m tests.spark.fault_driver commit STORE                  die right before a commit takes effect
    python -m tests.spark.fault_driver spill STORE FOLDER            reason with a scratch folder that is too small
    python -m tests.spark.fault_driver follow STORE INPUT CHECKPOINT die after the commit of a batch

Numbers name groups of processes that the test has started for it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from reasoner import Reasoner, ReasonerError
from reasoner.spark.session import spark_session
from reasoner.spark.store import SparkStore

E = "http://e.org/"
RULES = f"""
?x <{E}ancestor> ?y :- ?x <{E}parent> ?y .
?x <{E}ancestor> ?z :- ?x <{E}parent> ?y, ?y <{E}ancestor> ?z .
"""
SMALL = {
    "spark.sql.shuffle.partitions": 2,
    "spark.driver.memory": "768m",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

Triple = tuple[str, str, str]


def family(size: int) -> Iterator[Triple]:
    """Yield a tree in which everybody has a few children: many facts by few rounds."""
    for number in range(1, size):
        yield f"<{E}n{number}>", f"<{E}parent>", f"<{E}n{(number - 1) // 3}>"


def change() -> tuple[list[Triple], list[Triple]]:
    """Return facts to add and to remove."""
    removed = [(f"<{E}n{n}>", f"<{E}parent>", f"<{E}n{(n - 1) // 3}>") for n in (2, 13, 40)]
    return [(f"<{E}n{n}>", f"<{E}parent>", f"<{E}m>") for n in (2, 3)], removed


def loaded(kb: Reasoner, size: int = 60) -> Reasoner:
    kb.add_rules(RULES)
    kb.add(family(size))
    return kb


def changed(kb: Reasoner) -> None:
    added, removed = change()
    with kb.transaction(strategy="dred") as update:
        update.remove(removed)
        update.add(added)


def on_spark(master: str, folder: str | None = None, **settings: Any) -> Reasoner:
    """Return a reasoner all of whose facts are in files, so that everything is a job."""
    session = spark_session(master=master, settings={**SMALL, **settings})
    kb = Reasoner.open(folder, create=True, profile="none", engine="spark") if folder else None
    kb = kb or Reasoner(profile="none", engine="spark", session=session)
    if folder is None:
        kb.store = SparkStore(session, driver_rows=0)
    return kb


def kill_while_a_job_runs(session: Any, group: int) -> threading.Thread:
    """Kill a group of processes as soon as Spark is at work."""

    def watch() -> None:
        tracker = session.sparkContext.statusTracker()
        while not tracker.getActiveStageIds():
            time.sleep(0.01)
        os.killpg(group, signal.SIGKILL)
        print(json.dumps({"killed": group}), flush=True)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def workers(master: str, first: int, second: int) -> None:
    kb = on_spark(master, **{"spark.executor.memory": "512m", "spark.network.timeout": "60s"})
    loaded(kb)
    session: Any = kb.store.session  # type: ignore[attr-defined]
    for step, group in ((kb.materialise, first), (lambda: changed(kb), second)):
        thread = kill_while_a_job_runs(session, group)
        step()
        thread.join()
        found = sorted(" ".join(triple) for triple in kb.triples())
        print(json.dumps({"triples": found}), flush=True)
    kb.store.close()  # type: ignore[attr-defined]
    session.stop()


def commit(store: str) -> None:
    from reasoner.columnar import home

    kb = loaded(on_spark("local[1]", store))
    kb.materialise()
    print(json.dumps({"version": kb.version}), flush=True)

    def die(*arguments: Any) -> None:
        # All files are written, and only the last step is missing.
        os.kill(os.getpid(), signal.SIGKILL)

    import reasoner.store.folder as publishing

    publishing.replace = die
    assert home.publish is publishing.publish
    changed(kb)


def spill(store: str, folder: str) -> None:
    os.environ["TMPDIR"] = folder
    session = spark_session(master="local[1]", settings={**SMALL, "spark.local.dir": folder})
    kb = Reasoner.open(store, create=True, profile="none", engine="spark", session=session)
    loaded(kb).materialise()
    print(json.dumps({"version": kb.version}), flush=True)
    kb.store.spark.place.driver_rows = 0  # type: ignore[attr-defined]
    kb.add(family(60_000))
    try:
        kb.materialise()
    except ReasonerError as error:
        print(json.dumps({"error": str(error)}), flush=True)
    session.stop()


def follow(store: str, folder: str, checkpoint: str) -> None:
    from reasoner.spark.streaming import Following

    session = spark_session(master="local[1]", settings=SMALL)
    process = Following.process

    def dying(self: Following, rows: Any, batch: int) -> None:
        process(self, rows, batch)
        if batch == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    Following.process = dying  # type: ignore[method-assign]
    kb = Reasoner.open(store, create=True, profile="none")
    lines = session.readStream.option("maxFilesPerTrigger", 1).text(folder)
    kb.follow(lines, format="patch", checkpoint=checkpoint).awaitTermination()


if __name__ == "__main__":
    mode, *rest = sys.argv[1:]
    if mode == "workers":
        workers(rest[0], int(rest[1]), int(rest[2]))
    elif mode == "commit":
        commit(rest[0])
    elif mode == "follow":
        follow(*rest)
    else:
        spill(rest[0], rest[1])
