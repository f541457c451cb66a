"""Hostile requests against a server of its own on loopback, beside honest ones: ``make siege``.

The server is a process that is started with its usual limits. Clients of other addresses send what is made to harm it:
requests that are none, queries that would take all time or memory, documents that are built to break parsers, and
connections that send nothing. Beside them an honest client, in a process of its own so that it does not wait for the
hostile ones, asks for what it knows, asks for the health of the server, and inserts triples. The last line says how it
fared. ``--seed`` repeats a campaign.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import multiprocessing
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

ROOT = Path(__file__).resolve().parent.parent
TOKEN = "open-sesame"
CHAIN = 1000
SENDERS = 12
_PATIENCE = 60.0

# What is promised, on a machine with two cores that does nothing else: the part of point queries that succeed, the
# milliseconds that 99 % of them take, those of /health, and the memory of the server and all its processes.
PROMISED_PART, PROMISED_POINT, PROMISED_HEALTH, PROMISED_MEMORY = 0.99, 500, 100, 1536 << 20

RUNAWAY = (
    "SELECT (COUNT(*) AS ?n) { ?a (<urn:next>|^<urn:next>|<urn:name>)* ?b }",
    "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d FILTER(REGEX(SHA512(CONCAT(STR(?a), STR(?c))), '^none')) }",
    "SELECT * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }",
    "ASK { ?x <urn:name> ?o FILTER(REGEX(CONCAT(?o, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'), '^(a+)+(?!b)$')) }",
    "SELECT ?a { ?a ?p ?b . ?c ?q ?d } ORDER BY SHA512(CONCAT(STR(?a), STR(?d)))",
)


@dataclass
class Outcome:
    """What a campaign did, and how the honest client fared."""

    seed: int
    requests: int = 0
    runaways: int = 0
    sockets: int = 0
    points: list[float] = field(default_factory=list)
    healths: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    inserted: int = 0
    found: int = 0
    deaths: int = 0
    # Bytes of the server and all its processes at one moment, and the most that the server alone ever had.
    memory: int = 0
    own_memory: int = 0
    left_over: int = 0
    end_seconds: float = 0.0
    seconds: float = 0.0

    @property
    def is_well(self) -> bool:
        """Whether the server lived, answered honest requests, kept what it confirmed, and stayed within its memory.

        How fast it was is told and not judged: that depends on what else the machine does.
        """
        return (
            len(self.failures) <= (1 - PROMISED_PART) * self.honest
            and self.deaths == self.left_over == 0
            and self.found == self.inserted
            and self.memory < PROMISED_MEMORY
        )

    @property
    def honest(self) -> int:
        """How many honest requests there were."""
        return len(self.points) + len(self.healths) + self.inserted + len(self.failures)

    @property
    def is_fast(self) -> bool:
        """Whether point queries and /health took no longer than is promised."""
        times = ((self.points, PROMISED_POINT), (self.healths, PROMISED_HEALTH))
        return all(_percentile(seconds, 99) < most for seconds, most in times)

    def __str__(self) -> str:
        rate = 100 * (1 - len(self.failures) / max(self.honest, 1))
        return (
            f"siege: seed {self.seed}, {self.requests:,} hostile requests, {self.runaways} runaway queries at a time, "
            f"{self.sockets:,} slow sockets, {self.seconds:.0f} s; "
            f"{rate:.2f} % of {self.honest:,} honest requests answered; "
            f"point queries p50 {_percentile(self.points, 50):.0f} ms, p99 {_percentile(self.points, 99):.0f} ms; "
            f"/health p50 {_percentile(self.healths, 50):.0f} ms, p99 {_percentile(self.healths, 99):.0f} ms; "
            f"{self.found:,} of {self.inserted:,} confirmed updates there; "
            f"peak memory {self.memory >> 20:,} MB with all processes, {self.own_memory >> 20:,} MB without; "
            f"deaths {self.deaths}; ended in {self.end_seconds:.1f} s, {self.left_over} processes left over; "
            f"{'as' if self.is_well and self.is_fast else 'not as'} promised"
        )


def main(arguments: list[str] | None = None) -> int:
    """Run a campaign; return 0 if the server lived and kept its promises, those about speed aside."""
    parser = argparse.ArgumentParser(prog="python -m tests.siege", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--requests", type=int, default=10_000, help="hostile requests (10,000)")
    parser.add_argument("--runaways", type=int, default=20, help="runaway queries at a time (20)")
    parser.add_argument("--sockets", type=int, default=2000, help="slow sockets, as far as files allow (2,000)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the seed (the time)")
    options = parser.parse_args(arguments)
    outcome = campaign(options.requests, options.runaways, options.sockets, options.seed)
    for failure in outcome.failures[:20]:
        print(failure, flush=True)
    print(outcome, flush=True)
    return 0 if outcome.is_well else 1


def campaign(requests: int, runaways: int, sockets: int, seed: int) -> Outcome:
    """Start a server, besiege it, stop it, and tell how it went."""
    outcome = Outcome(seed, requests, runaways, min(sockets, _possible_sockets()))
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "chain.nt"
        lines = (f'<urn:n{n}> <urn:next> <urn:n{n + 1}> .\n<urn:n{n}> <urn:name> "name {n}" .\n' for n in range(CHAIN))
        data.write_text("".join(lines), encoding="utf-8")
        with _serving(data) as (process, port):
            began, over = time.monotonic(), threading.Event()
            context = multiprocessing.get_context("spawn")
            asked, honest_over = context.Queue(), context.Event()
            honest = context.Process(target=_ask_honestly, args=(port, honest_over, outcome, asked))
            watching = threading.Thread(target=_watch, args=(process, over, outcome))
            others = [
                threading.Thread(target=_run_away, args=(port, over, number), daemon=True) for number in range(runaways)
            ]
            others.append(threading.Thread(target=_hold, args=(port, over, outcome.sockets), daemon=True))
            for thread in (honest, watching, *others):
                thread.start()
            with ThreadPoolExecutor(SENDERS) as senders:
                list(senders.map(lambda number: _harm(port, random.Random(f"{seed} {number}")), range(requests)))
            honest_over.set()
            told = asked.get(timeout=2 * _PATIENCE)
            honest.join()
            over.set()
            watching.join()
            outcome.points, outcome.healths = told.points, told.healths
            outcome.failures, outcome.inserted = told.failures, told.inserted
            outcome.seconds = time.monotonic() - began
            if process.poll() is None:
                outcome.found = _inserted(port)
                family = _family(process.pid)
                began = time.monotonic()
                process.send_signal(signal.SIGTERM)
                process.wait(_PATIENCE)
                outcome.end_seconds = time.monotonic() - began
                outcome.left_over = _left_over(family)
    return outcome


@contextlib.contextmanager
def _serving(data: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    command = [sys.executable, "-m", "reasoner", "serve", "--port", "0", "--update", "--quiet", "--profile", "none"]
    variables = {**os.environ, "PYTHONUNBUFFERED": "1", "REASONER_TOKEN": TOKEN}
    with subprocess.Popen(
        [*command, str(data)],
        cwd=ROOT,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Those who besiege it have as many files open as it has.
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r":(\d+)/sparql", process.stdout.readline())
            assert found is not None, "the server did not start"
            yield process, int(found[1])
        finally:
            process.kill()


def _ask_honestly(port: int, over: Any, outcome: Outcome, asked: Any) -> None:
    """Ask for what is known until the siege is over, at least once, and tell how it went."""
    _ask(port, over, outcome)
    asked.put(outcome)


def _ask(port: int, over: Any, outcome: Outcome) -> None:
    """Ask, and note how long that takes; an answer that is wrong is a failure."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/sparql-results+json"}
    with httpx.Client(
        base_url=f"http://127.0.0.1:{port}", timeout=_PATIENCE, headers=headers, trust_env=False
    ) as client:
        for number in count():
            place = number * 7 % CHAIN
            text = f"SELECT ?o {{ <urn:n{place}> <urn:name> ?o }}"
            with _noting(outcome, outcome.points):
                answer = client.get("/sparql", params={"query": text})
                assert answer.status_code == 200, answer.text
                assert [row["o"]["value"] for row in answer.json()["results"]["bindings"]] == [f"name {place}"]
            with _noting(outcome, outcome.healths):
                assert client.get("/health").json()["status"] == "ok"
            if number % 10 == 0:
                with _noting(outcome, []):
                    update = f"INSERT DATA {{ <urn:kept> <urn:number> {number} }}"
                    answer = client.post("/update", data={"update": update})
                    assert answer.status_code == 200, answer.text
                    outcome.inserted += 1
            if over.wait(0.02):
                return


@contextlib.contextmanager
def _noting(outcome: Outcome, times: list[float]) -> Iterator[None]:
    began = time.perf_counter()
    try:
        yield
    except (AssertionError, httpx.HTTPError, ValueError, KeyError) as error:
        outcome.failures.append(f"after {time.perf_counter() - began:.1f} s: {type(error).__name__}: {error}")
    else:
        times.append(time.perf_counter() - began)


def _watch(process: subprocess.Popen[str], over: threading.Event, outcome: Outcome) -> None:
    """Note the most memory that the server and its processes had at one moment, and whether it died."""
    while not over.wait(0.2) and process.poll() is None:
        outcome.memory = max(outcome.memory, sum(map(_memory_of, _family(process.pid))))
        with contextlib.suppress(OSError):
            found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
            outcome.own_memory = int(found[1]) << 10 if found else 0
    outcome.deaths = int(process.poll() is not None)


def _family(pid: int) -> list[int]:
    """Return a process and all that it and its children started."""
    parents: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(status.parent.name))
    found = [pid]
    for member in found:
        found += parents.get(member, [])
    return found


def _memory_of(pid: int) -> int:
    """Return the bytes of a process; what it shares with others is counted in parts."""
    with contextlib.suppress(OSError):
        found = re.search(r"Pss:\s*(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text())
        return int(found[1]) << 10 if found else 0
    return 0


def _left_over(family: list[int]) -> int:
    """Count the processes of a server that are still there when it has ended, a moment later."""
    time.sleep(1)
    return sum(_memory_of(pid) > 0 for pid in family)


def _inserted(port: int) -> int:
    query = "SELECT (COUNT(*) AS ?n) { <urn:kept> <urn:number> ?x }"
    answer = httpx.get(
        f"http://127.0.0.1:{port}/sparql",
        params={"query": query},
        headers={"Accept": "text/csv"},
        timeout=_PATIENCE,
        trust_env=False,
    )
    return int(answer.text.split()[1])


def _run_away(port: int, over: threading.Event, number: int) -> None:
    """Send one query that takes too long after the other."""
    while not over.is_set():
        text = RUNAWAY[number % len(RUNAWAY)] + " " * random.randrange(1000)
        _exchange(port, _get(f"/sparql?query={quote(text)}"), seconds=40)
        over.wait(0.1)


def _hold(port: int, over: threading.Event, most: int) -> None:
    """Keep connections open that send a part of a request, and open others for those that are ended."""
    held: list[socket.socket] = []
    while not over.is_set():
        while len(held) < most and not over.is_set():
            with contextlib.suppress(OSError):
                held.append(_connected(port, 5))
                held[-1].sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ")
                held[-1].setblocking(False)
        over.wait(1)
        kept = []
        for connection in held:
            try:
                connection.sendall(b"x")
                kept.append(connection)
            except OSError:
                connection.close()
        held = kept
    for connection in held:
        connection.close()


def _harm(port: int, chance: random.Random) -> None:
    """Send one hostile request of some kind."""
    kind = chance.choice(KINDS)
    sent = kind(chance)
    _exchange(port, sent, seconds=chance.choice([0.05, 2, 10]), source=f"127.0.0.{chance.randrange(2, 20)}")


def _exchange(port: int, data: bytes, seconds: float, source: str = "127.0.0.200") -> None:
    """Send, read for a while, and go, half of the time without a farewell."""
    with contextlib.suppress(OSError), _connected(port, seconds, source) as connection:
        if seconds < 1:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        connection.sendall(data)
        end = time.monotonic() + seconds
        while time.monotonic() < end and connection.recv(65536):
            pass


def _connected(port: int, seconds: float, source: str = "127.0.0.201") -> socket.socket:
    try:
        return socket.create_connection(("127.0.0.1", port), timeout=seconds, source_address=(source, 0))
    except OSError as error:
        if error.errno is not None and "assign" in (error.strerror or ""):
            # Some systems have one address on loopback.
            return socket.create_connection(("127.0.0.1", port), timeout=seconds)
        raise


def _get(path: str, more: str = "") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: siege\r\nConnection: close\r\n{more}\r\n".encode()


def _post(path: str, media: str, body: bytes, method: str = "POST", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    head = f"{method} {path} HTTP/1.1\r\nHost: siege\r\nConnection: close\r\nAuthorization: Bearer {TOKEN}\r\n"
    return f"{head}Content-Type: {media}\r\nContent-Length: {size}\r\n\r\n".encode() + body


def _query(text: str) -> bytes:
    return _post("/sparql", "application/sparql-query", text.encode())


def _garbage(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(1, 5000)) + b"\r\n\r\n"


def _long_head(chance: random.Random) -> bytes:
    return _get(
        "/" + "x" * chance.choice([10, 10_000, 300_000]), "X-Long: " + "y" * chance.choice([10, 300_000]) + "\r\n"
    )


def _no_query(chance: random.Random) -> bytes:
    return _query("".join(chance.choices("{}()<>?!|&\"'\\ selctahrpfox:.;,*+/^@#\n", k=chance.randrange(500))))


def _long_text(chance: random.Random) -> bytes:
    return _query("ASK { ?x ?y ?z } #" + "x" * chance.choice([10_000, 500_000, 3_000_000]))


def _deep_query(chance: random.Random) -> bytes:
    opening, closing = chance.choice([("{", "}"), ("(", ")"), ("FILTER(", ")"), ("[ <urn:p> ", "]")])
    times = chance.choice([50, 500, 20_000])
    return _query("ASK { " + opening * times + closing * times + " }")


def _explosion(chance: random.Random) -> bytes:
    first, step = chance.choice(
        [
            ("9999", "?x * ?x"),
            ("0.1", "?x * ?x"),
            ("'aaaaaaaa'", "CONCAT(?x, ?x, ?x)"),
            ("'aaaaaaaa'", "REPLACE(?x, 'a', 'aaaaaaaa')"),
            ("'aaaaaaaa'", "REPLACE(?x, '(a)(?=a|$)', '$1$1$1$1')"),
            ("'ä'", "ENCODE_FOR_URI(?x)"),
        ]
    )
    steps = " ".join(f"BIND({step.replace('?x', f'?x{n}')} AS ?x{n + 1})" for n in range(chance.randrange(10, 40)))
    return _query(f"SELECT * {{ BIND({first} AS ?x0) {steps} }}")


def _large_answer(chance: random.Random) -> bytes:
    return _get(f"/sparql?query={quote('SELECT * { ?a ?p ?b . ?c ?q <urn:n' + str(chance.randrange(CHAIN)) + '> }')}")


def _update(chance: random.Random) -> bytes:
    text = chance.choice(
        [
            "LOAD <file:///etc/passwd>",
            "INSERT { ?a <urn:x> ?c } WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }",
            "INSERT DATA { <s> <p> <o> ",
            "DROP GRAPH <urn:reasoner:asserted>",
            "DELETE DATA { <urn:none> <urn:none> <urn:none> }",
        ]
    )
    return _post("/update", "application/sparql-update", text.encode())


def _wrong_token(chance: random.Random) -> bytes:
    return _post("/update", "application/sparql-update", b"CLEAR ALL").replace(
        TOKEN.encode(), b"x" * chance.randrange(99)
    )


def _document(chance: random.Random) -> bytes:
    times = chance.choice([10, 1000, 30_000])
    media, text = chance.choice(
        [
            ("application/ld+json", '{"urn:p":' * times + "1" + "}" * times),
            ("application/ld+json", "[" * times),
            ("text/turtle", "<urn:s> <urn:p> " + "(" * times),
            ("text/turtle", "<urn:s> <urn:p> " + '"' * times),
            ("application/n-triples", "<urn:s> " * times),
            ("application/rdf+xml", f'<!DOCTYPE x [<!ENTITY a "{"x" * 99}"><!ENTITY z "{"&a;" * times}">]><x>&z;</x>'),
            ("application/rdf+xml", "<a>" * times),
        ]
    )
    return _post(f"/data?graph=urn:g{chance.randrange(5)}", media, text.encode(), "PUT")


def _path(chance: random.Random) -> bytes:
    path = chance.choice(
        ["/graphs/a%3E%20x", "/data?graph=x", "/../../etc/passwd", "/%00", "/data?graph=urn:reasoner:closure"]
    )
    return _post(path, "text/turtle", b"", chance.choice(["DELETE", "PUT", "GET", "WORD", "PATCH"]))


def _lie(chance: random.Random) -> bytes:
    """Announce another length than comes."""
    return _post("/update", "application/sparql-update", b"x" * 100, length=chance.choice([0, 50, 1000, 10**12]))


def _chunks(chance: random.Random) -> bytes:
    head = "POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Type: application/sparql-query\r\n"
    return (
        f"{head}Transfer-Encoding: chunked\r\n\r\n".encode()
        + b"1\r\nx\r\n" * chance.randrange(10_000)
        + chance.choice([b"", b"0\r\n\r\n", b"zz\r\n"])
    )


def _headers(chance: random.Random) -> bytes:
    accept = ",".join(f"a/b{n};q=0.{n}" for n in range(chance.choice([1, 10_000])))
    return _get(f"/sparql?query={quote('ASK {}')}", f"Accept: {accept}\r\n")


def _subscription(chance: random.Random) -> bytes:
    texts = ("ASK { ?x ?y ?z }", "SELECT * { ?a ?b ?c . ?d ?e ?f }", "{" * 500, "CONSTRUCT WHERE { ?s ?p ?o }")
    return _get(f"/subscribe?initial=1&query={quote(chance.choice(texts))}")


KINDS: tuple[Callable[[random.Random], bytes], ...] = (
    *(_garbage, _long_head, _no_query, _long_text, _deep_query, _explosion, _large_answer, _update, _wrong_token),
    *(_document, _path, _lie, _chunks, _headers, _subscription),
)


def _possible_sockets() -> int:
    """Return how many files this process may open, those of others aside; raise the limit if that is possible."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4096 if hard == resource.RLIM_INFINITY else min(hard, 4096)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return max(soft - 300, 10)


def _percentile(seconds: list[float], percent: int) -> float:
    """Return the milliseconds within which so many of a hundred requests were answered."""
    if len(seconds) < 2:
        return math.nan
    return statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1] * 1000


if __name__ == "__main__":
    sys.exit(main())
