"""Requests at work: queries in lanes, a few at a time, and updates one after the other."""

from __future__ import annotations

import asyncio
import ctypes
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from reasoner.dynamic_session import DynamicSession
from reasoner.quads import WantedQuads
from reasoner.server.committed import Committed, Version
from reasoner.server.lanes import Lanes, Turn
from reasoner.server.refusal import CLIENT_GONE, UNAVAILABLE, RefusalError
from reasoner.sparql.budget import Budget, MemoryPool
from reasoner.sparql.errors import QueryTimeoutError

if TYPE_CHECKING:
    from starlette.requests import Request

    from reasoner.delta import Delta
    from reasoner.reasoner import Reasoner
    from reasoner.server.metrics import Metrics
    from reasoner.server.settings import Settings

T = TypeVar("T")

# What a query may take beyond its time limit, which it looks at between its steps, before nobody waits for it any more.
_PATIENCE = 1.0


# Bytes of a query from which on it is worth to ask the allocator for what it keeps.
_MUCH = 64 << 20


class Readers:
    """Runs queries, a few at a time, within the limits of the server."""

    def __init__(self, settings: Settings, pool: MemoryPool) -> None:
        self._settings = settings
        self._timeout = settings.timeout
        self._lanes = Lanes(settings)
        self._pool = pool
        self._under_way: set[Budget] = set()

    async def run(self, request: Request, work: Callable[[Budget], T]) -> T:
        """Return what a piece of work gives; it is told what it may use.

        Work whose client has gone is not begun, or stopped.
        """
        turns: list[Turn] = []
        budget = _budget(self._settings, self._pool, lambda: self._step(turns, budget))

        def begin(turn: Turn) -> T:
            try:
                budget.check()
            except QueryTimeoutError as error:
                raise _busy(self._timeout) from error
            turns.append(turn)
            try:
                return work(budget)
            except QueryTimeoutError as error:
                raise _stopped(self._timeout) from error
            finally:
                _give_back(budget)

        client = request.client.host if request.client is not None else ""
        self._under_way.add(budget)
        try:
            future = self._lanes.submit(client, begin)
            return await _answer(request, future, self._timeout, self._timeout + _PATIENCE)
        except BaseException:
            budget.stop()
            raise
        finally:
            self._under_way.discard(budget)

    def close(self) -> None:
        """Drop what has not begun, and let what has end at its next step; nobody waits for it."""
        self._lanes.close()
        for budget in list(self._under_way):
            budget.stop()

    def _step(self, turns: list[Turn], budget: Budget) -> None:
        """Let a query pause if it has run for long and others have too; its time goes on meanwhile."""
        if turns:
            self._lanes.step(turns[0], lambda: budget.left <= 0 or budget.is_stopped)


class Writer:
    """Makes changes through a dynamic session: those that come while others are made share a commit.

    Each has the outcome that it has after those before it, and is published to readers before its client hears of it.
    """

    def __init__(
        self, kb: Reasoner, committed: Committed, settings: Settings, pool: MemoryPool, metrics: Metrics
    ) -> None:
        self._pool = pool
        self._committed = committed
        self._settings = settings
        self._timeout = settings.timeout
        self._metrics = metrics
        self._closing = False
        self._budget: Budget | None = None
        self._session = DynamicSession(kb, on_commit=committed.publish)
        self._session.start()

    async def run(
        self, request: Request, change: WantedQuads | Callable[[Reasoner, Budget], Delta]
    ) -> tuple[Delta, Version]:
        """Make a change, of quads or by whatever reads and commits; return what its commit did, and the new version.

        What reads is told what it may use. A change that waits longer than the time limit is not begun; one that has
        begun is finished, whether or not its client is still there.
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
            ticket = self._session.submit_change(lambda kb: self._changed(kb, change), begin=begin)
        ticket.when_settled(settle)
        return await _answer(request, future, self._timeout, None)

    def close(self, seconds: float) -> bool:
        """Drop what has not begun, and tell whether the commit under way was finished within so many seconds."""
        self._closing = True
        if self._budget is not None:
            self._budget.stop()
        # The session waits for its thread without end; a thread that waits for it can be left behind.
        closing = threading.Thread(target=self._session.close, name="closing", daemon=True)
        closing.start()
        closing.join(seconds)
        return not closing.is_alive()

    def _changed(self, kb: Reasoner, change: Callable[[Reasoner, Budget], Delta]) -> Delta:
        """Make a change, with a limit of time that begins now."""
        self._budget = budget = _budget(self._settings, self._pool)
        try:
            return change(kb, budget)
        finally:
            _give_back(budget)


def _give_back(budget: Budget) -> None:
    """Let others have the memory of a query that has ended; if it was much, the system as well."""
    if budget.close() > _MUCH:
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


def _budget(settings: Settings, pool: MemoryPool, at_check: Callable[[], None] | None = None) -> Budget:
    """Return what a query may use; memory bounds the rows of its steps."""
    return Budget(
        settings.timeout,
        sys.maxsize,
        most_memory=settings.most_memory,
        most_characters=settings.most_characters,
        most_digits=settings.most_digits,
        pool=pool,
        at_check=at_check,
    )


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
