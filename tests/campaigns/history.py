"""Many clients of one server, and whether what they saw is one history: ``make history``.

Half of the clients write: each replaces its number by the next one, as two facts in one update. The others read all
numbers in one query. Afterwards the reads are checked against the times at which updates were sent and acknowledged:

- both facts of a writer have the same number in every read (a commit is seen whole or not at all);
- a read sees every update that was acknowledged before it was sent, and none that was sent after its answer;
- any two reads can be put in an order: one has seen at least as much as the other of every writer (one history).

At last the server is killed, and its store has every acknowledged update.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import httpx

from reasoner import Reasoner
from tests.campaigns.record import ROOT, Record

TOKEN = "open-sesame"
READ = "SELECT ?w ?a ?b { ?w <urn:a> ?a ; <urn:b> ?b }"
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Write:
    """An update of a writer to a number, when it was sent, and when it was acknowledged."""

    writer: int
    number: int
    sent: float
    acknowledged: float


@dataclass(frozen=True, slots=True)
class Read:
    """The numbers of all writers in one answer, when it was asked for, and when it was there."""

    numbers: tuple[int, ...]
    sent: float
    answered: float


@dataclass(slots=True)
class History:
    """What clients did and saw."""

    writers: int
    writes: list[Write] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def main(arguments: list[str] | None = None) -> int:
    """Let clients work for a while and check their history; return 0 if it is one."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.history", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--clients", type=int, default=50, help="clients at a time, half of them writers (50)")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long they work (60)")
    options = parser.parse_args(arguments)
    record = Record("history")
    history = run(options.clients, options.seconds)
    problems = [*history.problems, *check(history)]
    for problem in problems[:20]:
        print(problem, flush=True)
    counts = Counter({"acknowledged writes": len(history.writes), "reads": len(history.reads)})
    record.add(record.next_seed, counts, len(problems))
    print(record.summary(f"requests of {options.clients} clients"), flush=True)
    return 1 if problems else 0


def run(clients: int, seconds: float) -> History:
    """Serve a store on disk to clients, kill the server, and look for what it had acknowledged."""
    history = History(max(1, clients // 2))
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "kb"
        with Reasoner.open(store, create=True, profile="none") as kb:
            kb.add([(f"<urn:w{writer}>", f"<urn:{name}>", '"0"') for writer in range(history.writers) for name in "ab"])
        with _serving(store) as port:
            over = threading.Event()
            jobs = [threading.Thread(target=_write, args=(port, n, over, history)) for n in range(history.writers)]
            jobs += [threading.Thread(target=_read, args=(port, over, history)) for _ in range(clients - len(jobs))]
            for job in jobs:
                job.start()
            over.wait(seconds)
            over.set()
            for job in jobs:
                job.join()
        with Reasoner.open(store) as kb:
            rows = [(row.w, row.a, row.b) for row in kb.query(READ, terms="text")]
        now = time.monotonic()
        _note(history, rows, now, now)
    return history


def check(history: History) -> Iterator[str]:
    """Yield what keeps the reads from being one history of the writes."""
    by_writer: dict[int, list[Write]] = {}
    for write in history.writes:
        by_writer.setdefault(write.writer, []).append(write)
    for read in history.reads:
        for writer, number in enumerate(read.numbers):
            writes = by_writer.get(writer, [])
            least = max((write.number for write in writes if write.acknowledged <= read.sent), default=0)
            late = min((write.number for write in writes if write.sent > read.answered), default=number + 1)
            if number < least:
                yield f"writer {writer}: a read sees {number} after {least} was acknowledged"
            if number >= late:
                yield f"writer {writer}: a read sees {number} before it was sent"
    ordered = sorted(history.reads, key=lambda read: sum(read.numbers))
    for before, after in pairwise(ordered):
        if any(one > other for one, other in zip(before.numbers, after.numbers, strict=True)):
            yield f"two reads saw different histories: {before.numbers} and {after.numbers}"


def _write(port: int, writer: int, over: threading.Event, history: History) -> None:
    with _client(port) as client:
        number = 0
        while not over.is_set():
            old = " ".join(f'<urn:w{writer}> <urn:{name}> "{number}" .' for name in "ab")
            new = " ".join(f'<urn:w{writer}> <urn:{name}> "{number + 1}" .' for name in "ab")
            sent = time.monotonic()
            answer = client.post("/update", data={"update": f"DELETE DATA {{ {old} }} ; INSERT DATA {{ {new} }}"})
            if answer.status_code in (429, 503):
                over.wait(0.05)
                continue
            if answer.status_code != 200:
                history.problems.append(f"an update was refused: {answer.status_code} {answer.text[:200]}")
                return
            number += 1
            history.writes.append(Write(writer, number, sent, time.monotonic()))


def _read(port: int, over: threading.Event, history: History) -> None:
    with _client(port) as client:
        while not over.is_set():
            sent = time.monotonic()
            answer = client.get("/sparql", params={"query": READ})
            answered = time.monotonic()
            if answer.status_code in (429, 503):
                over.wait(0.05)
                continue
            if answer.status_code != 200:
                history.problems.append(f"a read was refused: {answer.status_code} {answer.text[:200]}")
                return
            rows = [
                (f"<{row['w']['value']}>", *(f'"{row[name]["value"]}"' for name in "ab"))
                for row in answer.json()["results"]["bindings"]
            ]
            _note(history, rows, sent, answered)


def _note(history: History, rows: list[tuple[str, str, str]], sent: float, answered: float) -> None:
    numbers = {int(w[6:-1]): int(a[1:-1]) for w, a, b in rows if a == b}
    if len(rows) != history.writers or len(numbers) != history.writers:
        history.problems.append(f"a commit was seen in part: {[row for row in rows if row[1] != row[2]][:3]}")
    else:
        history.reads.append(Read(tuple(numbers[writer] for writer in range(history.writers)), sent, answered))


def _client(port: int) -> httpx.Client:
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/sparql-results+json"}
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=_PATIENCE, headers=headers, trust_env=False)


@contextmanager
def _serving(store: Path) -> Iterator[int]:
    """Serve a store in a process of its own, which is killed in the end."""
    command = [sys.executable, "-m", "reasoner", "serve", str(store), "--port", "0", "--update", "--quiet"]
    variables = {**os.environ, "PYTHONUNBUFFERED": "1", "REASONER_TOKEN": TOKEN}
    with subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r":(\d+)/sparql", process.stdout.readline())
            assert found is not None, "the server did not start"
            yield int(found[1])
        finally:
            process.kill()


if __name__ == "__main__":
    sys.exit(main())
