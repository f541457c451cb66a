"""The threads that requests are worked on in: a few for queries, one for updates."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from reasoner.server.committed import Committed, Version
from reasoner.server.refusal import CLIENT_GONE, UNAVAILABLE, RefusalError
from reasoner.sparql.budget import Budget
from reasoner.sparql.errors import QueryTimeoutError

if TYPE_CHECKING:
    from starlette.requests import Request

    from reasoner.reasoner import Reasoner
    from reasoner.server.metrics import Metrics

T = TypeVar("T")

# Rows of a single step on the way to an answer, so that a few queries at a time do not take all memory.
ROWS_OF_A_STEP = 20_000_000

# What a query may take beyond its time limit, which it looks at between its steps, before nobody waits for it any more.
_PATIENCE = 1.0


class Readers:
    """Runs queries, a few at a time and in the order in which they came."""

    def __init__(self, count: int, timeout: float) -> None:
        self._threads = ThreadPoolExecutor(count, "reader")
        self._timeout = timeout

    async def run(self, request: Request, work: Callable[[Budget], T]) -> T:
        """Return what a piece of work gives; it is told what it may use.

        Work whose client has gone is not begun, or stopped.
        """
        budget = Budget(self._timeout, ROWS_OF_A_STEP)

        def begin() -> T:
            try:
                budget.check()
            except QueryTimeoutError as error:
                raise _busy(self._timeout) from error
            try:
                return work(budget)
            except QueryTimeoutError as error:
                raise _stopped(self._timeout) from error

        try:
            return await _answer(request, self._threads.submit(begin), self._timeout, self._timeout + _PATIENCE)
        except BaseException:
            budget.stop()
            raise

    def close(self) -> None:
        """Drop what has not begun; what has ends at its time limit, and nobody waits for it."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class Writer:
    """Makes commits, one at a time; each is published to readers before its client hears of it."""

    def __init__(self, kb: Reasoner, committed: Committed, timeout: float, metrics: Metrics) -> None:
        self._kb = kb
        self._committed = committed
        self._timeout = timeout
        self._metrics = metrics
        self._thread = ThreadPoolExecutor(1, "writer")

    async def run(self, request: Request, change: Callable[[Reasoner], T]) -> tuple[T, Version]:
        """Return what a change gives, and the version that it led to.

        A change that waits longer than the time limit is not begun; one that has begun is finished, whether or not its
        client is still there.
        """
        end = time.monotonic() + self._timeout

        def begin() -> tuple[T, Version]:
            if time.monotonic() > end:
                raise _busy(self._timeout)
            with self._metrics.commit():
                result = change(self._kb)
                return result, self._committed.publish()

        return await _answer(request, self._thread.submit(begin), self._timeout, None)

    def close(self) -> None:
        """Finish the commit under way; drop what has not begun."""
        self._thread.shutdown(wait=True, cancel_futures=True)


async def _answer(request: Request, future: Future[T], timeout: float, patience: float | None) -> T:
    """Wait for a result, for the client to go away, or for patience to end."""
    result = asyncio.ensure_future(asyncio.wrap_future(future))
    gone = asyncio.ensure_future(_gone(request))
    either: set[asyncio.Future[Any]] = {result, gone}
    try:
        await asyncio.wait(either, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        if result.done():
            return result.result()
        if gone.done():
            raise RefusalError(CLIENT_GONE, "the client has gone")
        raise _stopped(timeout)
    finally:
        gone.cancel()
        if not result.done():
            # What has begun goes on in its thread; nobody is left to hear how it ended.
            result.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _stopped(timeout: float) -> RefusalError:
    return RefusalError(
        UNAVAILABLE, f"the query was stopped at the time limit of {timeout:g} s of this server; narrow it, or add LIMIT"
    )


def _busy(timeout: float) -> RefusalError:
    return RefusalError(
        UNAVAILABLE, f"the server was busy for all of the time limit of {timeout:g} s; try again", {"Retry-After": "1"}
    )
