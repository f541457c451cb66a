"""What a server counts, in the text format of Prometheus.

Counts every request and its time, and writes a line about it if asked to.
"""

from __future__ import annotations

import sys
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reasoner.server.backend.committed import CommittedVersion
from reasoner.server.backend.refusal import FAILED

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

# Seconds, from an answer out of the cache to a query at its limit.
_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Histogram:
    """Counts durations by the smallest bound that they do not exceed."""

    def __init__(self) -> None:
        self._counts = [0] * (len(_BOUNDS) + 1)
        self._sum = 0.0

    def observe(self, seconds: float) -> None:
        self._counts[bisect_left(_BOUNDS, seconds)] += 1
        self._sum += seconds

    def lines(self, name: str, labels: Mapping[str, str]) -> Iterator[str]:
        """Yield the lines of this histogram; every bucket counts those before it too."""
        total = 0
        for bound, count in zip((*map(str, _BOUNDS), "+Inf"), self._counts, strict=True):
            total += count
            yield _line(f"{name}_bucket", {**labels, "le": bound}, total)
        yield _line(f"{name}_sum", labels, round(self._sum, 6))
        yield _line(f"{name}_count", labels, total)


class Metrics:
    """All that is counted; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._latencies: dict[str, Histogram] = {}
        self._commits: Counter[str] = Counter()
        self._commit_seconds = Histogram()
        self._under_way = 0

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Count a request while it is worked on."""
        with self._lock:
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1

    def request(self, endpoint: str, method: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        with self._lock:
            self._requests[endpoint, method, status] += 1
            self._latencies.setdefault(endpoint, Histogram()).observe(seconds)

    def commit(self, outcome: str, seconds: float) -> None:
        """Count a change that is ``done``, or ``failed``, and how long it took."""
        with self._lock:
            self._commits[outcome] += 1
            self._commit_seconds.observe(seconds)

    def text(self, version: CommittedVersion) -> str:
        """Return everything, with the sizes of a version."""
        with self._lock:
            return "\n".join((*self._lines(version), ""))

    def _lines(self, version: CommittedVersion) -> Iterator[str]:
        store = version.kb.store
        yield from _head("reasoner_requests_total", "counter", "Requests answered.")
        for (endpoint, method, status), count in sorted(self._requests.items()):
            labels = {"endpoint": endpoint, "method": method, "status": str(status)}
            yield _line("reasoner_requests_total", labels, count)
        yield from _head("reasoner_request_seconds", "histogram", "From the arrival of a request to its answer.")
        for endpoint, histogram in sorted(self._latencies.items()):
            yield from histogram.lines("reasoner_request_seconds", {"endpoint": endpoint})
        yield from _head("reasoner_commits_total", "counter", "Changes that were made, or failed.")
        for outcome in ("done", "failed"):
            yield _line("reasoner_commits_total", {"outcome": outcome}, self._commits[outcome])
        yield from _head("reasoner_commit_seconds", "histogram", "From the beginning of a change to its publication.")
        yield from self._commit_seconds.lines("reasoner_commit_seconds", {})
        for name, help, value in (
            ("requests_under_way", "Requests that are worked on, this one included.", self._under_way),
            ("version", "The number of states that were committed since the start.", version.number),
            ("version_seconds", "When the last state was committed, in Unix time.", round(version.since, 3)),
            ("explicit_facts", "Facts that were asserted.", len(store.state.explicit)),
            ("facts", "Facts that are stored, over representatives.", len(store.state.facts)),
            ("terms", "Terms that the dictionary knows.", len(store.dictionary)),
        ):
            yield from _head(f"reasoner_{name}", "gauge", help)
            yield _line(f"reasoner_{name}", {}, value)


def _head(name: str, kind: str, help: str) -> Iterator[str]:
    yield f"# HELP {name} {help}"
    yield f"# TYPE {name} {kind}"


def _line(name: str, labels: Mapping[str, str], value: float) -> str:
    shown = ",".join(f'{key}="{text}"' for key, text in labels.items())
    return f"{name}{{{shown}}} {value}" if shown else f"{name} {value}"


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})


class Observed:
    """The outermost layer of the application.

    ``known`` are the first words of the paths that are counted apart; all others, such as the guesses of a scanner, are
    one.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, known: frozenset[str], log: bool) -> None:
        self._app = app
        self._metrics = metrics
        self._known = known
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, sent = time.perf_counter(), FAILED, 0

        async def watched(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
            sent += len(message.get("body", b""))
            await send(message)

        try:
            with self._metrics.under_way():
                await self._app(scope, receive, watched)
        finally:
            seconds = time.perf_counter() - began
            first = first_word(scope["path"])
            endpoint = first if first in self._known else "other"
            # Whatever word a client invents, there are few methods to count.
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.request(endpoint, method, status, seconds)
            if self._log:
                self._write(scope, status, sent, seconds)

    def _write(self, scope: Scope, status: int, sent: int, seconds: float) -> None:
        client = scope["client"][0] if scope.get("client") else "-"
        moment = datetime.now().astimezone().isoformat(timespec="milliseconds")
        what = f"{scope['method']} {scope['path']}".encode("unicode_escape").decode()
        print(f"{moment} {client} {what} {status} {sent} bytes {seconds * 1000:.1f} ms", file=sys.stderr, flush=True)


def first_word(path: str) -> str:
    """Return what a path begins with.

    >>> first_word("/graphs/a/b")
    'graphs'
    """
    return path.lstrip("/").partition("/")[0]
