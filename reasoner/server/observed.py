"""Counts every request and its time, and writes a line about it if asked to."""

from __future__ import annotations

import sys
import time
from datetime import datetime

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reasoner.server.metrics import Metrics
from reasoner.server.refusal import FAILED

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
