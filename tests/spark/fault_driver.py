"""A driver that a test starts as a process of its own: it reasons on a cluster while workers die, or dies itself.

    python -m tests.spark.fault_driver workers MASTER                       kill workers while jobs run, in three steps
    python -m tests.spark.fault_driver views MASTER SEEN HIDDEN FILE        reason while a worker loses sight of folders
    python -m tests.spark.fault_driver exceed                               exceed what the driver, and a task, may hold
    python -m tests.spark.fault_driver commit STORE                         die right before a commit takes effect
    python -m tests.spark.fault_driver spill STORE FOLDER                   reason with a scratch folder on a small disk
    python -m tests.spark.fault_driver limit STORE BYTES                    reason where no file may be larger than that
    python -m tests.spark.fault_driver follow STORE INPUT CHECKPOINT ENGINE die after the commit of a batch

The first is given a group of processes to kill before each step, by a line of its input each; the test has started
them for it. Facts are in files here, so that everything is a job.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from reasoner import Reasoner, ReasonerError
from reasoner.spark.platform.failures import meaning
from reasoner.spark.platform.python_tasks import mapped
from reasoner.spark.platform.session import spark_session
from reasoner.spark.store import SparkStore
from tests.spark.standalone import BRIEF

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
    "spark.driver.extraJavaOptions": BRIEF,
    "spark.executor.extraJavaOptions": BRIEF,
    # Compiling code for a few rows takes longer than running it.
    "spark.sql.codegen.wholeStage": False,
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

Triple = tuple[str, str, str]

# With more of them there are fewer rounds, of some jobs each.
CHILDREN = 8


def family(size: int, children: int = CHILDREN) -> Iterator[Triple]:
    """Yield a tree in which everybody has some children: many facts by few rounds."""
    for number in range(1, size):
        yield f"<{E}n{number}>", f"<{E}parent>", f"<{E}n{(number - 1) // children}>"


def change() -> tuple[list[Triple], list[Triple]]:
    """Return facts to add and to remove."""
    removed = [(f"<{E}n{n}>", f"<{E}parent>", f"<{E}n{(n - 1) // CHILDREN}>") for n in (2, 13, 40)]
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


def changed_back(kb: Reasoner) -> None:
    removed, added = change()
    with kb.transaction(strategy="dred") as update:
        update.remove(removed)
        update.add(added)


def on_spark(master: str, folder: str | None = None, *, driver_rows: int = 0, **settings: Any) -> Reasoner:
    """Return a reasoner none of whose facts are at the driver, or a few."""
    SparkStore.__init__.__kwdefaults__["driver_rows"] = driver_rows
    session = spark_session(master=master, settings={**SMALL, **settings})
    if folder is None:
        return Reasoner(profile="none", engine="spark", session=session)
    return Reasoner.open(folder, create=True, profile="none", engine="spark", session=session)


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def kill_while_a_job_runs(session: Any, group: int) -> threading.Thread:
    """Kill a group of processes as soon as Spark is at work."""

    def watch() -> None:
        tracker = session.sparkContext.statusTracker()
        while not tracker.getActiveStageIds():
            time.sleep(0.01)
        os.killpg(group, signal.SIGKILL)
        say(killed=group)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def workers(master: str) -> None:
    """Reason, update near the change, and update by jobs alone; a worker dies in each."""
    kb = on_spark(master, **{"spark.executor.memory": "512m", "spark.network.timeout": "60s"})
    loaded(kb)
    store: Any = kb.store
    small = store._small
    maintained = small.maintained

    def noted(*given: Any, **more: Any) -> Any:
        found = maintained(*given, **more)
        say(small=found is not None)
        return found

    small.maintained = noted

    def change_back() -> None:
        small.most = 0
        changed_back(kb)

    for step in (kb.materialise, lambda: changed(kb), change_back):
        thread = kill_while_a_job_runs(store.session, int(sys.stdin.readline()))
        step()
        thread.join()
        say(triples=sorted(" ".join(triple) for triple in kb.triples()))
    store.close()
    store.session.stop()


def views(master: str, seen: str, hidden: str, file: str) -> None:
    """Work in folders that all workers see, until the test hides them from one; after that nothing may be lost."""
    from reasoner.spark import store_write

    store_write.SMALL_BYTES = 0
    SparkStore.__init__.__kwdefaults__["driver_rows"] = 0
    session = spark_session(master=master, settings={**SMALL, "spark.executor.memory": "512m"})
    kb = Reasoner(profile="none", engine="spark", session=session, scratch=seen)
    kb.add_rules(RULES.splitlines()[1])
    kb.load(file)
    say(facts=kb.materialise().facts)
    sys.stdin.readline()
    rows = "SELECT /*+ REPARTITION(8) */ id AS s, 5L AS p, id AS o FROM range(1000)"
    for work in (
        lambda: Reasoner(profile="none", engine="spark", session=session, scratch=hidden).load(file),
        lambda: kb.store.spark.scratch.written(rows),  # type: ignore[attr-defined]
        lambda: kb.save(f"{hidden}/store"),
    ):
        try:
            work()
        except ReasonerError as error:
            say(error=str(error))
        else:
            say(error="none")
    try:
        # Whatever an executor is given to do, it dies of it.
        mapped(session.range(2), _die, "id long").count()
    except Exception as error:
        say(error=meaning(str(error)))
    session.stop()


def _die(batches: Any) -> Iterator[Any]:
    """Kill the Java that this Python process works for, by the process between the two."""
    parents = Path(f"/proc/{os.getppid()}/status").read_text()
    os.kill(int(parents.partition("PPid:")[2].split()[0]), signal.SIGKILL)
    yield from batches


def exceed() -> None:
    """Fetch more than the driver takes, and make more than a task can hold."""
    kb = on_spark("local[1]", **{"spark.driver.maxResultSize": "1m"})
    scratch = kb.store.spark.scratch  # type: ignore[attr-defined]
    for query in (
        "SELECT id AS s, 5L AS p, id AS o FROM range(200000)",
        "SELECT size(sequence(0L, id + 400000000L)) AS n FROM range(1)",
    ):
        try:
            scratch.rows(query)
        except ReasonerError as error:
            say(error=str(error), cause=type(error.__cause__).__module__, kind=type(error).__name__)


def commit(folder: str) -> None:
    from reasoner.store import vacuum
    from reasoner.store.local_disk import LocalDisk

    kb = loaded(on_spark("local[1]", folder))
    kb.materialise()
    say(version=kb.version)

    def die(*arguments: Any) -> None:
        # All files are written, and only the last step is missing.
        os.kill(os.getpid(), signal.SIGKILL)

    LocalDisk.replace = die  # type: ignore[method-assign]
    # Any change is then large enough for the executors to write the tables anew.
    vacuum._FEW, vacuum._PART_OF_BASE = 0, 1 << 30
    changed(kb)


def spill(store: str, folder: str) -> None:
    os.environ["TMPDIR"] = folder
    overreach(on_spark("local[1]", store, driver_rows=1000, **{"spark.local.dir": folder}))


def limit(store: str, most: str) -> None:
    import resource

    kb = on_spark("local[1]", store, driver_rows=1000)
    session: Any = kb.store.session  # type: ignore[attr-defined]

    def lower() -> None:
        # Java unpacks the library that it compresses with into a file, when it first needs it.
        session.range(1).write.parquet(f"{store}-unpacked")
        java = session._jvm.java.lang.ProcessHandle.current().pid()
        resource.prlimit(java, resource.RLIMIT_FSIZE, (int(most), int(most)))

    overreach(kb, lower)


def overreach(kb: Reasoner, before: Callable[[], None] = lambda: None) -> None:
    """Write a version, and then try one that is too large."""
    loaded(kb).materialise()
    say(version=kb.version)
    kb.add(family(60_000, 3))
    before()
    try:
        kb.materialise()
    except ReasonerError as error:
        say(error=str(error))
    kb.store.session.stop()  # type: ignore[attr-defined]


def follow(store: str, folder: str, checkpoint: str, engine: str) -> None:
    from reasoner.spark.streaming.following import Following

    process = Following.process

    def dying(self: Following, rows: Any, batch: int) -> None:
        process(self, rows, batch)
        if batch == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    Following.process = dying  # type: ignore[method-assign]
    session = spark_session(master="local[1]", settings=SMALL)
    kb = on_spark("local[1]", store) if engine == "spark" else Reasoner.open(store, create=True, profile="none")
    lines = session.readStream.option("maxFilesPerTrigger", 1).text(folder)
    kb.follow(lines, format="patch", checkpoint=checkpoint).awaitTermination()


if __name__ == "__main__":
    mode, *rest = sys.argv[1:]
    {
        "workers": workers,
        "views": views,
        "exceed": exceed,
        "commit": commit,
        "spill": spill,
        "limit": limit,
        "follow": follow,
    }[mode](*rest)
