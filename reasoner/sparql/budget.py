"""The limits of one query: time, and rows of a single step."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

from reasoner.sparql.errors import QueryStoppedError, QueryTimeoutError, QueryTooLargeError

MOST_ROWS = 50_000_000
_BETWEEN_CHECKS = 1024

T = TypeVar("T")


class Budget:
    """Raises once a query has used up its time, or before a step gives more rows than allowed."""

    def __init__(self, timeout: float | None = None, most_rows: int = MOST_ROWS) -> None:
        self._timeout = timeout
        self._end = None if timeout is None else time.monotonic() + timeout
        self._most = most_rows
        self._stopped = False

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return float("inf") if self._end is None else max(self._end - time.monotonic(), 0.0)

    def stop(self) -> None:
        """Let the query end at its next step; another thread may say so."""
        self._stopped = True

    def check(self, rows: float = 0) -> None:
        """Check the time, and the rows that a step is about to give."""
        if rows > self._most:
            raise QueryTooLargeError(rows, self._most)
        if self._stopped:
            raise QueryStoppedError
        if self._end is not None and time.monotonic() > self._end:
            assert self._timeout is not None
            raise QueryTimeoutError(self._timeout)

    def counted(self, items: Sequence[T]) -> Iterator[tuple[int, T]]:
        """Enumerate the items of a long loop, with the time checked now and then."""
        for start in range(0, len(items), _BETWEEN_CHECKS):
            self.check()
            yield from enumerate(items[start : start + _BETWEEN_CHECKS], start)
