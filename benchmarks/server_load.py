"""Fifty readers while a writer commits.

Data set: LUBM(1) under DLP, served by ``reasoner serve`` on loopback. Fifty clients ask one query after the other,
drawn from seven: a resource, four of the queries of LUBM, a count, and the facts of the last commit, which must be
there whole. One client commits without a pause: a hundred facts that replace those of the commit before.

Peer: none. Times are by the clock, from the sending of a request to the last byte of its answer; server and clients
share the machine.

Target: no error, and the slowest hundredth of the answers within 20 times the median.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from benchmarks.data import DataFiles
from benchmarks.figure import Figure
from benchmarks.measure import ROOT, Bench, BenchmarkError

NAME = "server-readers"
READERS = 50
BATCH = 100

_UB = "PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#> "
_DEPARTMENT = "http://www.Department0.University0.edu"
_MARK = "<http://e.org/commit>"
QUERIES = (
    f"SELECT * {{ <{_DEPARTMENT}/FullProfessor0> ?p ?o }}",
    f"SELECT ?x {{ ?x a ub:GraduateStudent ; ub:takesCourse <{_DEPARTMENT}/GraduateCourse0> }}",
    f"SELECT * {{ ?x a ub:Professor ; ub:worksFor <{_DEPARTMENT}> ; ub:name ?n ; ub:emailAddress ?e }}",
    f"SELECT ?x {{ ?x a ub:Person ; ub:memberOf <{_DEPARTMENT}> }}",
    f"SELECT * {{ ?x a ub:Student . ?y a ub:Course . ?x ub:takesCourse ?y . "
    f"<{_DEPARTMENT}/AssociateProfessor0> ub:teacherOf ?y }}",
    "SELECT ?d (COUNT(*) AS ?n) { ?x a ub:Student ; ub:memberOf ?d } GROUP BY ?d",
)
_WHOLE = f"SELECT ?c (COUNT(*) AS ?n) {{ ?x {_MARK} ?c }} GROUP BY ?c"


def run(bench: Bench) -> list[Figure]:
    files = bench.data.get("lubm", universities=1)
    bench.progress(f"{READERS} readers and a writer")
    with _served(files) as address:
        load = asyncio.run(_loaded(address, seconds=3.0 if bench.quick else 20.0))
    if load.errors:
        raise BenchmarkError(f"{len(load.errors)} of {len(load.latencies)} answers are wrong: {load.errors[0]}")
    median, slowest = load.quantile(0.5), load.quantile(0.99)
    commit = sorted(load.commits)[len(load.commits) // 2]
    told = f"{len(load.latencies) / load.seconds:,.0f} answers/s, {len(load.commits) / load.seconds:.1f} commits/s"
    return [
        Figure(
            NAME,
            f"{READERS} readers beside a writer: the slowest hundredth against the median",
            slowest / median,
            "times",
            20,
            at_least=False,
            wall=slowest / median,
            ours=f"{slowest * 1000:.0f} ms",
            peer=f"{median * 1000:.0f} ms",
        ),
        Figure(NAME, f"the median answer ({told})", median, "seconds", wall=median),
        Figure(NAME, f"the median commit of {2 * BATCH} changes", commit, "seconds", wall=commit),
    ]


@dataclass(slots=True)
class Load:
    """What the clients met with."""

    seconds: float
    latencies: list[float] = field(default_factory=list)
    commits: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def quantile(self, part: float) -> float:
        ordered = sorted(self.latencies)
        return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


class Connection:
    """One connection that is kept, with as little work on this side as can be: the machine is the server's too."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname, parts.port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, query: str) -> tuple[int, bytes]:
        return await self._send(f"GET /sparql?query={quote(query)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())

    async def update(self, text: str) -> tuple[int, bytes]:
        head = "POST /update HTTP/1.1\r\nHost: x\r\nContent-Type: application/sparql-update\r\n"
        return await self._send(f"{head}Content-Length: {len(text)}\r\n\r\n{text}".encode())

    async def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            await self._streams[1].wait_closed()

    async def _send(self, request: bytes) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        return int(head.split()[1]), await reader.readexactly(length)


async def _loaded(address: str, seconds: float) -> Load:
    load = Load(seconds)
    first = Connection(address)
    await _commit(first, 0)
    for query in QUERIES:
        await first.ask(_UB + query)  # What is compiled and kept for the next time is no part of the load.
    await first.ask(_WHOLE)
    end = time.monotonic() + seconds
    await asyncio.gather(
        _writer(first, end, load), *(_reader(Connection(address), n, end, load) for n in range(READERS))
    )
    return load


async def _reader(connection: Connection, seed: int, end: float, load: Load) -> None:
    draw = random.Random(seed)
    while time.monotonic() < end:
        text = draw.choice((*(_UB + query for query in QUERIES), _WHOLE))
        began = time.perf_counter()
        status, body = await connection.ask(text)
        load.latencies.append(time.perf_counter() - began)
        if status != 200:
            load.errors.append(f"{status}: {body.decode()}")
        elif text is _WHOLE and (body.count(b'"c":') != 1 or f'"{BATCH}"'.encode() not in body):
            load.errors.append(f"a commit was seen in part: {body.decode()}")
    await connection.close()


async def _writer(connection: Connection, end: float, load: Load) -> None:
    number = 0
    while time.monotonic() < end:
        number += 1
        began = time.perf_counter()
        status, body = await _commit(connection, number)
        load.commits.append(time.perf_counter() - began)
        if status != 200:
            load.errors.append(f"{status}: {body.decode()}")
    await connection.close()


async def _commit(connection: Connection, number: int) -> tuple[int, bytes]:
    facts = " ".join(f"<http://e.org/{number}/{place}> {_MARK} {number} ." for place in range(BATCH))
    return await connection.update(f"DELETE WHERE {{ ?x {_MARK} ?c }} ; INSERT DATA {{ {facts} }}")


@contextmanager
def _served(files: DataFiles) -> Iterator[str]:
    """Serve a data set in a process of its own."""
    arguments = [str(files.facts), "--ontology", str(files.ontology), "--profile", "dlp", "--update", "--port", "0"]
    command = [sys.executable, "-m", "reasoner", "serve", *arguments, "--quiet"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            if not address:
                raise BenchmarkError(f"the server did not start: {' '.join(command)}")
            yield address
        finally:
            process.terminate()
