"""The threads that requests are worked on in: a few for queries, one for updates."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from reasoner.dynamic_session import DynamicSession
from reasoner.quads import WantedQuads
from reasoner.server.committed import Committed, Version
from reasoner.server.refusal import CLIENT_GONE, UNAVAILABLE, RefusalError
from reasoner.sparql.budget import Budget
from reasoner.sparql.errors import QueryTimeoutError

if TYPE_CHECKING:
    from starlette.requests import Request

    from reasoner.delta import Delta
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
    """Makes changes through a dynamic session: those that come while others are made share a commit.

    Each has the outcome that it has after those before it, and is published to readers before its client hears of it.
    """

    def __init__(self, kb: Reasoner, committed: Committed, timeout: float, metrics: Metrics) -> None:
        self._committed = committed
        self._timeout = timeout
        self._metrics = metrics
        self._closing = False
        self._session = DynamicSession(kb, on_commit=committed.publish)
        self._session.start()

    async def run(self, request: Request, change: WantedQuads | Callable[[Reasoner], Delta]) -> tuple[Delta, Version]:
        """Make a change, of quads or by whatever reads and commits; return what its commit did, and the new version.

        A change that waits longer than the time limit is not begun; one that has begun is finished, whether or not its
        client is still there.
        """
        end, began = time.monotonic() + self._timeout, 0.0
        future: Future[tuple[Delta, Version]] = Future()

        def begin() -> None:
            nonlocal began
            if not future.set_running_or_notify_cancel():
                raise RefusalError(CLIENT_GONE, "the client has gone")
            began = time.perf_counter()
            if self._closing or time.monotonic() > end:
                raise _busy(self._timeout)

        def settle() -> None:
            if not future.running():
                return
            try:
                result = ticket.delta, self._committed.last
            except BaseException as error:
                self._metrics.commit("failed", time.perf_counter() - began)
                future.set_exception(error)
            else:
                self._metrics.commit("done", time.perf_counter() - began)
                future.set_result(result)

        if isinstance(change, WantedQuads):
            ticket = self._session.submit_quads(change, begin=begin)
        else:
            ticket = self._session.submit_change(change, begin=begin)
        ticket.when_settled(settle)
        return await _answer(request, future, self._timeout, None)

    def close(self) -> None:
        """Finish the commit under way; drop what has not begun."""
        self._closing = True
        self._session.close()


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
