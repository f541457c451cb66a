"""Telling how far a load has come, once it takes longer than a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

_PATIENCE = 1.0
_INTERVAL = 0.25


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a load has come; ``bytes_total`` is None if a source does not know its size."""

    file: str
    files_done: int
    files_total: int
    statements: int
    bytes_read: int
    bytes_total: int | None
    seconds: float

    @property
    def fraction(self) -> float | None:
        """The part of the work that is done, from 0 to 1, if it can be told."""
        if self.bytes_total is None:
            return None
        return min(1.0, self.bytes_read / self.bytes_total) if self.bytes_total else 1.0

    @property
    def rate(self) -> float:
        """Statements a second."""
        return self.statements / self.seconds if self.seconds else 0.0

    def __str__(self) -> str:
        part = "" if self.fraction is None else f", {self.fraction:.0%}"
        return f"{self.file}: {self.statements:,} statements{part}, {self.rate:,.0f} a second"


class Reporter:
    """Calls ``callback`` after a second, and then a few times a second."""

    def __init__(self, callback: Callable[[Progress], None] | None, files_total: int, bytes_total: int | None) -> None:
        self._callback = callback
        self._files_total = files_total
        self._bytes_total = bytes_total
        self._start = time.perf_counter()
        self._next = self._start + _PATIENCE
        self._bytes_of_files_done = 0
        self._reported = False
        self.files_done = 0

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return time.perf_counter() - self._start

    def update(self, file: str, statements: int, bytes_read: int) -> None:
        """Report if it is time to; ``bytes_read`` is of the current file."""
        now = time.perf_counter()
        if self._callback is not None and now >= self._next:
            self._next = now + _INTERVAL
            self._report(file, statements, bytes_read)

    def file_done(self, file: str, statements: int, bytes_read: int) -> None:
        """Count a file as done; the last one is reported if anything was."""
        self.files_done += 1
        self._bytes_of_files_done += bytes_read
        if self._reported and self.files_done == self._files_total:
            self._report(file, statements, 0)
        else:
            self.update(file, statements, 0)

    def _report(self, file: str, statements: int, bytes_read: int) -> None:
        if self._callback is None:
            return
        self._reported = True
        total = self._bytes_of_files_done + bytes_read
        self._callback(
            Progress(file, self.files_done, self._files_total, statements, total, self._bytes_total, self.seconds)
        )
