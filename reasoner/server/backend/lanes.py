"""Turns for queries: short ones keep their share whatever long ones do, and clients theirs whatever others ask.

Nobody knows beforehand how long a query takes. So every query begins in one of a few places for short work. One that is
not done within a time slice loses that place to the next in the line. If it has computed all the while it goes on in
one of fewer places for long work; if these are taken it pauses at its next step, with what it has found so far, until
one is free; and if as many pause already as there are places, it is refused. One that rather waited, for its text to be
read or for a machine that is busy, just goes on. Those in the line take turns by client, so that a client with a
hundred requests waits for its own.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from reasoner.server.backend.refusal import UNAVAILABLE, RefusalError
from reasoner.server.backend.settings import Settings

T = TypeVar("T")

# How often one that pauses looks whether it should end.
_STEP = 0.05


@dataclass(eq=False)
class Turn:
    """One piece of work: since when it runs, and where it is; ``is_away`` if its place was given to another one."""

    client: str
    work: Callable[[], None]
    began: float = 0.0
    clock: int | None = None
    began_computing: float = 0.0
    is_away: bool = False
    is_long: bool = False
    must_pause: bool = False
    is_refused: bool = False
    has_place: threading.Event = field(default_factory=threading.Event)

    def begin(self) -> None:
        """Note the clock of the thread that this is worked on in, where the system has one."""
        with suppress(AttributeError, OSError):
            clock = time.pthread_getcpuclockid(threading.get_ident())
            self.began_computing, self.clock = time.clock_gettime(clock), clock

    @property
    def computed(self) -> float:
        """The seconds that it has computed for; without such a clock, those that have passed."""
        if self.clock is None:
            return time.monotonic() - self.began
        return time.clock_gettime(self.clock) - self.began_computing


class Lanes:
    """Runs work in threads of its own, which end with the process."""

    def __init__(self, settings: Settings) -> None:
        self._short = settings.readers
        self._long = settings.slow_readers
        self._slice = settings.time_slice
        self._most_waiting = settings.most_waiting
        self._lock = threading.Condition()
        self._line: OrderedDict[str, deque[Turn]] = OrderedDict()
        self._waiting = 0
        self._running: set[Turn] = set()
        self._long_running = 0
        self._pausing: deque[Turn] = deque()
        self._closed = False
        threading.Thread(target=self._watch, name="lanes", daemon=True).start()

    def submit(self, client: str, work: Callable[[Turn], T]) -> Future[T]:
        """Put work at the end of the line of a client; it is told its turn, which it must offer to ``step``."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = work(turn)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        turn = Turn(client, run)
        with self._lock:
            if self._closed:
                raise RefusalError(UNAVAILABLE, "the server is about to end; ask another one")
            if self._waiting >= self._most_waiting:
                raise RefusalError(
                    UNAVAILABLE,
                    f"{self._waiting:,} requests wait already, as many as may (--max-waiting); try again",
                    {"Retry-After": "1"},
                )
            self._line.setdefault(client, deque()).append(turn)
            self._waiting += 1
            self._start_next()
        return future

    @property
    def waiting(self) -> int:
        """How many wait for their first turn."""
        return self._waiting

    def step(self, turn: Turn, should_end: Callable[[], bool]) -> None:
        """Pause, between two steps of work that takes long, while all places for such work are taken."""
        if turn.is_refused:
            raise self._too_many()
        if not turn.must_pause:
            return
        while not turn.has_place.wait(_STEP):
            if should_end():
                return

    def leave(self, turn: Turn) -> None:
        """Give the place of a turn to the next one in the line: its work waits for something else from now on."""
        with self._lock:
            turn.is_away = True
            self._start_next()

    def close(self) -> None:
        """Begin nothing any more."""
        with self._lock:
            self._closed = True
            self._line.clear()
            self._waiting = 0
            self._lock.notify_all()

    def _start_next(self) -> None:
        """Begin the work of the client whose turn it is, as long as there are places; the lock is held."""
        while self._line and sum(not (turn.is_long or turn.is_away) for turn in self._running) < self._short:
            client, turns = self._line.popitem(last=False)
            turn = turns.popleft()
            self._waiting -= 1
            if turns:
                # The client's next one comes after those of all others.
                self._line[client] = turns
            turn.began = time.monotonic()
            self._running.add(turn)
            threading.Thread(target=self._run, args=(turn,), name="reader", daemon=True).start()
            self._lock.notify_all()

    def _run(self, turn: Turn) -> None:
        turn.begin()
        try:
            turn.work()
        finally:
            with self._lock:
                self._running.discard(turn)
                if turn.must_pause and not turn.has_place.is_set():
                    self._pausing.remove(turn)
                elif turn.is_long:
                    self._long_running -= 1
                    self._let_one_go_on()
                self._start_next()

    def _let_one_go_on(self) -> None:
        if self._pausing:
            turn = self._pausing.popleft()
            self._long_running += 1
            turn.has_place.set()

    def _watch(self) -> None:
        """Take their places from those whose time slice is over; runs until the server ends."""
        with self._lock:
            while not self._closed:
                for turn in self._within_slice():
                    if self._left(turn) <= 0:
                        turn.is_away = True
                        if turn.computed >= self._slice:
                            self._become_long(turn)
                # Those that begin now are watched as well.
                self._start_next()
                ends = [self._left(turn) for turn in self._within_slice()]
                self._lock.wait(max(min(ends), _STEP) if ends else None)

    def _within_slice(self) -> list[Turn]:
        return [turn for turn in self._running if not (turn.is_long or turn.is_refused)]

    def _left(self, turn: Turn) -> float:
        """Return after how many seconds to look at a turn again."""
        if turn.is_away:
            return self._slice - turn.computed
        return turn.began + self._slice - time.monotonic()

    def _become_long(self, turn: Turn) -> None:
        if self._long_running < self._long:
            turn.is_long = True
            self._long_running += 1
        elif len(self._pausing) < self._long:
            turn.is_long = turn.must_pause = True
            self._pausing.append(turn)
        else:
            # It has its place again until its next step, so that no more run than there are places.
            turn.is_refused, turn.is_away = True, False

    def _too_many(self) -> RefusalError:
        return RefusalError(
            UNAVAILABLE,
            f"{self._long} long queries run and as many wait for them, which is all that may (--slow-readers); "
            f"ask for less than {self._slice:g} s of work (--time-slice), or try again",
            {"Retry-After": "5"},
        )
