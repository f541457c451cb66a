"""Requests at work: queries in lanes, a few at a time, and updates one after the other."""

from __future__ import annotations

import asyncio
import ctypes
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from reasoner.dynamic.session import DynamicSession
from reasoner.requests.update import matched_quads
from reasoner.server.backend.committed import Committed, CommittedVersion
from reasoner.server.backend.forks import Forks, Work, can_fork, warm_up
from reasoner.server.backend.lanes import Lanes, Turn
from reasoner.server.backend.refusal import CLIENT_GONE, UNAVAILABLE, RefusalError
from reasoner.sparql.budget import Budget, MemoryPool
from reasoner.sparql.errors import QueryMemoryError, QueryTimeoutError, ValueTooLargeError
from reasoner.sparql.operation import Modify
from reasoner.terms.quads import PendingQuads, TextQuad

if TYPE_CHECKING:
    from starlette.requests import Request

    from reasoner.reasoner import Reasoner
    from reasoner.server.backend.metrics import Metrics
    from reasoner.server.backend.settings import Settings
    from reasoner.state.delta import Delta
    from reasoner.state.session import KnowledgeBase

T = TypeVar("T")

# What a query may take beyond its time limit, which it looks at between its steps, before nobody waits for it any more.
_PATIENCE = 1.0


# Seconds from which on a query is not tried in the server again, how many such are remembered, and for how long.
_LONG = 2.0
_MOST_REMEMBERED = 1024
_REMEMBERED = 60.0

# Bytes of a query from which on it is worth to ask the allocator for what it keeps.
_MUCH = 64 << 20


class _LongError(Exception):
    """A query that takes more than a short one may, and is to be begun anew in a process of its own."""


class _Remembered:
    """The last queries that took long, for a while; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since: OrderedDict[int, float] = OrderedDict()

    def add(self, key: int) -> None:
        """Remember a query."""
        with self._lock:
            self._since[key] = time.monotonic()
            if len(self._since) > _MOST_REMEMBERED:
                self._since.popitem(last=False)

    def has(self, key: int) -> bool:
        """Tell whether a query is remembered; what has changed since may have made it short."""
        with self._lock:
            return time.monotonic() - self._since.get(key, -_REMEMBERED) < _REMEMBERED


class Readers:
    """Runs queries, a few at a time, within the limits of the server.

    Nobody knows beforehand how long a query takes. So ``ask`` begins it right here, with a little time and memory; if
    these do not suffice, it begins anew in a process of its own, where it has the time and memory of the settings.
    """

    def __init__(self, settings: Settings, pool: MemoryPool) -> None:
        self._settings = settings
        self._timeout = settings.timeout
        self._lanes = Lanes(settings)
        self._pool = pool
        self._forks = Forks(settings, pool) if can_fork() else None
        warm_up()
        self._long = _Remembered()
        self._under_way: dict[Budget, Turn | None] = {}

    async def run(self, request: Request, work: Callable[[Budget], T]) -> T:
        """Return what a piece of work gives; it is told what it may use.

        Work whose client has gone is not begun, or stopped.
        """
        budget = _budget(self._settings, self._pool, lambda: self._step(budget))

        def begin(turn: Turn) -> T:
            try:
                budget.check()
            except QueryTimeoutError as error:
                raise _busy(self._timeout) from error
            self._under_way[budget] = turn
            try:
                return work(budget)
            except QueryTimeoutError as error:
                raise _stopped(self._timeout) from error
            finally:
                _give_back(budget)

        client = request.client.host if request.client is not None else ""
        self._under_way[budget] = None
        try:
            future = self._lanes.submit(client, begin)
            return await _answer(request, future, self._timeout, self._timeout + _PATIENCE)
        except BaseException:
            budget.stop()
            raise
        finally:
            self._under_way.pop(budget, None)

    def start(self) -> None:
        """Start what long queries need before the first one comes."""
        if self._forks is not None:
            self._forks.start()

    def ask(self, version: CommittedVersion, work: Work[T], budget: Budget, key: int = 0) -> T:
        """Return what a question gives in a version; for the work of a client that ``run`` has begun with this budget.

        Work that nobody began in this way is that of the server itself. What took long is remembered for a while by its
        ``key``, if it has one, and not tried here again.
        """
        if self._forks is None or version.kb.store.is_distributed:
            return work(version.kb, budget)
        if not (key and self._long.has(key)):
            with suppress(_LongError, QueryMemoryError):
                return self._begun(version.kb, work, budget)
        turn = self._under_way.get(budget)
        if turn is not None:
            self._lanes.leave(turn)
        began = time.monotonic()
        try:
            return self._forks.ask(version, work, budget, None if turn is None else turn.client)
        finally:
            if key and time.monotonic() - began > _LONG:
                self._long.add(key)

    def close(self) -> None:
        """Drop what has not begun, and let what has end at its next step; nobody waits for it."""
        self._lanes.close()
        for budget in list(self._under_way):
            budget.stop()
        if self._forks is not None:
            self._forks.close()

    def _step(self, budget: Budget) -> None:
        """Let a query pause if it has run for long and others have too; its time goes on meanwhile."""
        turn = self._under_way.get(budget)
        if turn is not None:
            self._lanes.step(turn, lambda: budget.left <= 0 or budget.is_stopped)

    def _begun(self, kb: Reasoner, work: Work[T], budget: Budget) -> T:
        try:
            return work(kb, self._little(budget))
        except ValueTooLargeError as error:
            if error.setting == "most_characters":
                raise _LongError from error
            raise

    def _little(self, budget: Budget) -> Budget:
        """Return the budget of a short query, within that of a request."""
        settings = self._settings
        end = time.thread_time() + settings.time_slice

        def check() -> None:
            budget.check()
            if time.thread_time() > end:
                raise _LongError

        def refuse() -> None:
            raise _LongError

        memory = min(settings.short_memory, settings.most_memory)
        return Budget(
            None,
            sys.maxsize,
            most_memory=memory,
            # A string and what it is made of are there at the same time, with up to four bytes for a character.
            most_characters=min(settings.most_characters, memory // 16),
            most_digits=settings.most_digits,
            at_check=check,
            at_runaway=refuse,
        )


class _Line:
    """Lets changes in, in the order in which they come: many of quads together, one that reads only alone.

    A change that reads alone reads a committed version, which the process for long queries knows. For the thread that
    serves.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[bool, asyncio.Future[None]]] = deque()
        self._inside = 0
        self._is_alone = False

    async def enter(self, alone: bool) -> None:
        """Wait for the turn of a change."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((alone, turn))
        self._let_in()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Note that a change has ended."""
        self._inside -= 1
        self._is_alone = False
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and not self._is_alone:
            alone, turn = self._waiting[0]
            if alone and self._inside and not turn.done():
                return
            self._waiting.popleft()
            if not turn.done():
                self._inside += 1
                self._is_alone = alone
                turn.set_result(None)


class Writer:
    """Makes changes through a dynamic session: those that come while others are made share a commit.

    Each has the outcome that it has after those before it, and is published to readers before its client hears of it.
    """

    def __init__(
        self,
        kb: Reasoner,
        committed: Committed,
        settings: Settings,
        pool: MemoryPool,
        readers: Readers,
        metrics: Metrics,
    ) -> None:
        self._pool = pool
        self._readers = readers
        self._committed = committed
        self._settings = settings
        self._timeout = settings.timeout
        self._metrics = metrics
        self._closing = False
        self._budget: Budget | None = None
        self._line = _Line()
        self._session = DynamicSession(kb, on_commit=committed.publish)
        self._session.start()

    async def run(
        self,
        request: Request,
        change: PendingQuads | Callable[[Reasoner, Budget], Delta],
        when_settled: Callable[[bool], None] = lambda was_committed: None,
    ) -> tuple[Delta, CommittedVersion]:
        """Make a change, of quads or by whatever reads and commits; return what its commit did, and the new version.

        What reads is told what it may use. A change that waits longer than the time limit is not begun; one that has
        begun is finished, whether or not its client is still there, and ``when_settled`` is told whether it was
        committed.
        """
        end, began = time.monotonic() + self._timeout, 0.0
        future: Future[tuple[Delta, CommittedVersion]] = Future()

        def begin() -> None:
            nonlocal began
            if not future.set_running_or_notify_cancel():
                raise RefusalError(CLIENT_GONE, "the client has gone")
            began = time.perf_counter()
            if self._closing or time.monotonic() > end:
                raise _busy(self._timeout)

        def settle() -> None:
            with suppress(RuntimeError):
                # The server may have ended.
                loop.call_soon_threadsafe(self._line.leave)
            if not future.running():
                return
            try:
                result = ticket.delta, self._committed.last
            except BaseException as error:
                when_settled(False)
                self._metrics.commit("failed", time.perf_counter() - began)
                future.set_exception(error)
            else:
                when_settled(True)
                self._metrics.commit("done", time.perf_counter() - began)
                future.set_result(result)

        loop = asyncio.get_running_loop()
        await self._line.enter(alone=not isinstance(change, PendingQuads))
        try:
            if isinstance(change, PendingQuads):
                ticket = self._session.submit_quads(change, begin=begin)
            else:
                ticket = self._session.submit_change(lambda kb: self._changed(kb, change), begin=begin)
        except BaseException:
            self._line.leave()
            raise
        ticket.when_settled(settle)
        return await _answer(request, future, self._timeout, None)

    def match(self, kb: KnowledgeBase, budget: Budget, operation: Modify) -> tuple[list[TextQuad], list[TextQuad]]:
        """Find the quads of an operation with a WHERE, in a process of its own if that takes long.

        That process knows committed versions: what asks for changes that wait for their commit is answered right here.
        """
        version = self._committed.last
        if kb.store.is_distributed or kb.store.state is not version.kb.store.state:
            return matched_quads(kb, budget, operation)
        return self._readers.ask(version, partial(matched_quads, operation=operation), budget)

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
