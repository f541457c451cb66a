"""The limits of one query: time, rows of a single step, memory, and the size of what expressions compute."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from reasoner.sparql.errors import (
    PoolExhaustedError,
    QueryMemoryError,
    QueryStoppedError,
    QueryTimeoutError,
    QueryTooLargeError,
    ValueTooLargeError,
)

MOST_ROWS = 50_000_000

# What an expression may compute if nobody says otherwise: so many characters of a string, and digits of a number.
MOST_CHARACTERS = 1 << 28
MOST_DIGITS = 20_000

_BETWEEN_CHECKS = 1024
_WORD = 8

# Columns of numbers that a step needs besides those of its rows, and the bytes of a text besides its characters.
_WORKING_COLUMNS = 2
_OF_A_TEXT = 400

# Texts are small: they are told to the pool by the megabyte, and what a step did not need goes back if it is as much.
_TOLD = 1 << 20

T = TypeVar("T")


class MemoryPool:
    """The bytes that several queries may hold together; threads may share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0
        self._lock = threading.Lock()

    @property
    def taken(self) -> int:
        """The bytes that are taken."""
        return self._taken

    def take(self, size: int) -> None:
        """Take bytes, or refuse them."""
        with self._lock:
            if self._taken + size > self._most:
                raise PoolExhaustedError(self._most)
            self._taken += size

    def give(self, size: int) -> None:
        """Give bytes back."""
        with self._lock:
            self._taken -= size


class Budget:
    """Raises once a query has used up its time, or before a step gives more rows, or takes more memory, than allowed.

    ``most_memory`` is in bytes, and about the columns that are alive, those that a step is about to make, and the texts
    that the query made; None is as much as there is. A ``pool`` bounds what several queries hold together: a step takes
    what it needs from the pool before it begins, and ``close`` gives back what is left. ``at_check`` is called at every
    check, and may wait or raise; ``at_runaway`` before a step that nothing but the end of its process can stop.
    ``is_killable`` says that the process of this query is ended at its limit, so that such a step is taken right here.
    """

    def __init__(
        self,
        timeout: float | None = None,
        most_rows: int = MOST_ROWS,
        *,
        most_memory: int | None = None,
        most_characters: int = MOST_CHARACTERS,
        most_digits: int = MOST_DIGITS,
        pool: MemoryPool | None = None,
        at_check: Callable[[], None] | None = None,
        at_runaway: Callable[[], None] | None = None,
        is_killable: bool = False,
    ) -> None:
        self._timeout = timeout
        self._end = None if timeout is None else time.monotonic() + timeout
        self._most = most_rows
        self._most_memory = most_memory
        self._most_characters = most_characters
        self._most_digits = most_digits
        self._at_check = at_check
        self._at_runaway = at_runaway
        self.is_killable = is_killable
        self._pool = pool
        self._held = 0
        self._pooled = 0
        self._columns: dict[int, weakref.ref[Any]] = {}
        self._stopped = False

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return float("inf") if self._end is None else max(self._end - time.monotonic(), 0.0)

    @property
    def most_characters(self) -> int:
        """How long a string may be that the query computes."""
        return self._most_characters

    @property
    def is_memory_bounded(self) -> bool:
        """Whether memory is counted at all."""
        return self._most_memory is not None

    @property
    def memory_left(self) -> float:
        """The bytes that are left."""
        return float("inf") if self._most_memory is None else max(self._most_memory - self._held, 0)

    @property
    def is_stopped(self) -> bool:
        """Whether somebody said so."""
        return self._stopped

    def stop(self) -> None:
        """Let the query end at its next step; another thread may say so."""
        self._stopped = True

    def check(self, rows: float = 0, columns: int = 1) -> None:
        """Check the time, and the rows that a step is about to give, each of so many columns."""
        if rows > self._most:
            raise QueryTooLargeError(rows, self._most)
        if self._stopped:
            raise QueryStoppedError
        if self._end is not None and time.monotonic() > self._end:
            assert self._timeout is not None
            raise QueryTimeoutError(self._timeout)
        if self._most_memory is not None and rows:
            needed = self._held + rows * _WORD * (columns + _WORKING_COLUMNS)
            if needed > self._most_memory:
                raise QueryMemoryError(needed, self._most_memory, rows)
            self._reserve(int(needed))
        if self._at_check is not None:
            self._at_check()

    def check_runaway(self) -> None:
        """Check the limits before a step that looks at none of them."""
        self.check()
        if self._at_runaway is not None:
            self._at_runaway()

    def hold(self, columns: Iterable[Any]) -> None:
        """Count the arrays of a result for as long as they live; one that is counted already is not counted twice.

        What its step reserved and did not need is given back.
        """
        if self._most_memory is None:
            return
        for column in columns:
            key, size = id(column), column.nbytes
            if key not in self._columns:
                self._columns[key] = weakref.ref(column, lambda _, key=key, size=size: self._release(key, size))  # type: ignore[misc]
                self._held += size
        if self._held > self._most_memory:
            raise QueryMemoryError(self._held, self._most_memory)
        self._reserve(self._held)
        self._give_excess()

    def keep(self, characters: int) -> None:
        """Count a text that stays until the end of the query."""
        self._held += characters + _OF_A_TEXT
        if self._most_memory is not None and self._held > self._most_memory:
            raise QueryMemoryError(self._held, self._most_memory)
        if self._held - self._pooled > _TOLD:
            self._reserve(self._held + _TOLD)

    def close(self) -> int:
        """Give back what the query held, and return how many bytes that was."""
        pooled, pool, self._pool = self._pooled, self._pool, None
        if pool is not None:
            pool.give(pooled)
        return pooled

    def allow_characters(self, count: int, what: str) -> None:
        """Refuse a string that is longer than an expression may make."""
        if count > self._most_characters:
            raise ValueTooLargeError(what, count, "characters", self._most_characters, "most_characters")

    def allow_digits(self, count: int, what: str) -> None:
        """Refuse a number that has more digits than an expression may compute with."""
        if count > self._most_digits:
            raise ValueTooLargeError(what, count, "digits", self._most_digits, "most_digits")

    def counted(self, items: Sequence[T]) -> Iterator[tuple[int, T]]:
        """Enumerate the items of a long loop, with the time checked now and then."""
        for start in range(0, len(items), _BETWEEN_CHECKS):
            self.check()
            yield from enumerate(items[start : start + _BETWEEN_CHECKS], start)

    def _release(self, key: int, size: int) -> None:
        # This may be called in the middle of a step, which needs all that it reserved.
        self._columns.pop(key, None)
        self._held -= size

    def _reserve(self, size: int) -> None:
        """Let the pool know of so many bytes in all, before they are allocated."""
        if self._pool is not None and size > self._pooled:
            self._pool.take(size - self._pooled)
            self._pooled = size

    def _give_excess(self) -> None:
        if self._pool is not None and self._pooled - self._held > _TOLD:
            more = self._pooled - self._held
            self._pooled -= more
            self._pool.give(more)
