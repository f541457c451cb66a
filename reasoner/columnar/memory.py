"""A bound on the memory of the process, checked before large columns are made.

How many rows a join or a closure gives is known before they are written out. What would not fit is refused with an
error that names the rule, the predicate and the counts, instead of an end by the system that leaves no trace. Whoever
makes large columns asks ``require_memory`` first. A session says which limit holds while it works (``within_memory``);
without one it is that of the environment or of the machine.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from reasoner.rules.errors import ReasonerError

VARIABLE = "REASONER_MEMORY"

# Of what the machine has free a process takes this part if nobody says how much it may take.
_PART = 0.75

# Less than this is made without asking: looking at the memory of the process takes about 15 microseconds.
_CHECKED_FROM = 4 << 20

# Less than this is not compared with what the machine has free, which takes about 200 microseconds to find out.
_COMPARED_FROM = 64 << 20

# Where the two versions of control groups say what a group may take, has taken, and holds of files that nobody uses.
_GROUP_FILES = (
    (".", "memory.max", "memory.current", "inactive_file"),
    ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)

_WORD = 8
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", re.IGNORECASE)


class MemoryLimitError(ReasonerError):
    """A step that was not begun because it would take more memory than there is.

    ``rows`` and ``needed`` bytes are those of the step, ``rule`` and ``predicate`` what it was for, as far as known.
    """

    def __init__(self, rows: int, needed: int, left: int, bound: str) -> None:
        self.rows = rows
        self.needed = needed
        self.left = max(0, left)
        self.rule: str | None = None
        self.predicate: str | None = None
        self._bound = bound
        self._predicate_id: int | None = None
        self._step = "this step gives"
        super().__init__(rows, needed, left, bound)

    def of_join(self, matches: int, facts: int, predicate: int) -> MemoryLimitError:
        """Return the error as one of a join of matches with the facts of a predicate."""
        return self._of(f"joining {matches:,} matches with {facts:,} facts of", predicate)

    def of_closure(self, facts: int, predicate: int) -> MemoryLimitError:
        """Return the error as one of closing the facts of a predicate."""
        return self._of(f"the closure of {facts:,} facts of", predicate)

    def of_union(self, predicate: int) -> MemoryLimitError:
        """Return the error as one of putting facts of a predicate together."""
        return self._of("a table of", predicate)

    def _of(self, step: str, predicate: int) -> MemoryLimitError:
        if self._predicate_id is None:
            self._step, self._predicate_id = step, predicate
        return self

    def named(self, text: Callable[[int], str], rule: str | None = None) -> MemoryLimitError:
        """Return the error with the texts of terms, and with the rule that asked for the step."""
        if self._predicate_id is not None and self.predicate is None:
            self.predicate = text(self._predicate_id)
            self._step = f"{self._step} {self.predicate} gives"
        self.rule = self.rule or rule
        return self

    def __str__(self) -> str:
        whose = f"rule {self.rule}: " if self.rule else ""
        step = self._step if self.predicate or self._predicate_id is None else f"{self._step} one predicate gives"
        return (
            f"{whose}{step} {self.rows:,} rows, which takes {_shown(self.needed)} of memory, and {_shown(self.left)} "
            f"{self._bound}; nothing was changed. Allow more (memory=, --memory, {VARIABLE}), or leave out what the "
            "rule or the facts multiply"
        )


class MemoryLimit:
    """How many bytes the process may hold in memory of its own; None is a part of what the machine has free."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most

    @classmethod
    def of(cls, given: int | str | None) -> MemoryLimit:
        """Return the limit that an argument names, else the environment, else the machine.

        >>> MemoryLimit.of("1.5G").most
        1610612736
        """
        text, name = (given, "memory") if given is not None else (os.environ.get(VARIABLE), VARIABLE)
        return cls(None if text is None else bytes_of(text, name))

    @property
    def most(self) -> int:
        """The bytes that the process may hold."""
        if self._most is None:
            free = free_memory()
            self._most = sys.maxsize if free is None else used_memory() + int(free * _PART)
        return self._most

    def require(self, rows: int, needed: int) -> None:
        """Raise a ``MemoryLimitError`` if rows that take so many bytes would not fit."""
        left = self.most - used_memory()
        if needed > left:
            raise MemoryLimitError(rows, needed, left, f"is left of the {_shown(self.most)} that the process may hold")
        free = free_memory() if needed >= _COMPARED_FROM else None
        if free is not None and needed > free:
            raise MemoryLimitError(rows, needed, free, "is free on this machine")


@contextmanager
def within_memory(limit: MemoryLimit) -> Iterator[None]:
    """Let a limit hold for what this thread does in a block."""
    token = _LIMIT.set(limit)
    try:
        yield
    finally:
        _LIMIT.reset(token)


def require_memory(rows: int, words: int) -> None:
    """Raise a ``MemoryLimitError`` if rows of so many 64-bit words would not fit; little is not looked at."""
    needed = rows * words * _WORD
    if needed >= _CHECKED_FROM:
        limit = _LIMIT.get()
        (limit if limit is not None else _default()).require(rows, needed)


def bytes_of(text: int | str, name: str = "memory") -> int:
    """Return a number of bytes that is written as a number, perhaps with a unit; ``name`` is what it is for.

    >>> bytes_of("512M"), bytes_of("2 GiB"), bytes_of(1000)
    (536870912, 2147483648, 1000)
    """
    found = _SIZE.fullmatch(str(text))
    if found is None or (size := int(float(found[1]) * _UNITS[found[2].upper()])) < 1:
        raise ReasonerError(f"{name} is {text!r}; give a number of bytes, or one with a unit such as 500M or 4G")
    return size


def used_memory() -> int:
    """Return the bytes of memory that the process has of its own: pages of mapped files are not counted."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
            _, resident, shared, *_ = file.read().split()
    except OSError:
        import resource

        # The most that it ever had, where the system tells no more; macOS counts it in bytes, others in kibibytes.
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def free_memory() -> int | None:
    """Return the bytes that the machine, or the control group of the process, can still give; None if it is unknown."""
    found = [free for free in (_free_on_machine(), _free_in_group()) if free is not None]
    return min(found, default=None)


def _free_on_machine() -> int | None:
    try:
        fields = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        return sum(int(fields[name].split()[0]) * 1024 for name in ("MemAvailable", "SwapFree"))
    except (OSError, KeyError, ValueError):
        try:
            return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (ValueError, OSError):
            return None


def _free_in_group(groups: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return what the control group may still take; pages of files that nobody uses can be had again."""
    for folder, most, taken, unused in _GROUP_FILES:
        try:
            limit = (groups / folder / most).read_text().strip()
            statistics = dict(line.split() for line in (groups / folder / "memory.stat").read_text().splitlines())
            held = int((groups / folder / taken).read_text()) - int(statistics.get(unused, 0))
            return None if limit == "max" else max(0, int(limit) - held)
        except (OSError, ValueError):
            continue
    return None


def _shown(size: int) -> str:
    return f"{size / _UNITS['G']:,.1f} GiB" if size >= _UNITS["G"] else f"{size / _UNITS['M']:,.0f} MiB"


_LIMIT: ContextVar[MemoryLimit | None] = ContextVar("memory limit", default=None)


@cache
def _default() -> MemoryLimit:
    """Return the limit for whoever works without a session."""
    return MemoryLimit.of(None)
