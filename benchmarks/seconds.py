"""Processor and elapsed time, and a stopwatch that takes both for named phases."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seconds:
    """How long something took: ``cpu`` is the processor time of the process, ``wall`` the time that passed.

    >>> Seconds(3.0, 4.0) - Seconds(1.0, 1.0)
    Seconds(cpu=2.0, wall=3.0)
    """

    cpu: float = 0.0
    wall: float = 0.0

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(self.cpu + other.cpu, self.wall + other.wall)

    def __sub__(self, other: Seconds) -> Seconds:
        return Seconds(self.cpu - other.cpu, self.wall - other.wall)

    @staticmethod
    def now() -> Seconds:
        """Return the two clocks, of which only differences mean anything."""
        return Seconds(time.process_time(), time.perf_counter())


class Stopwatch:
    """Takes the time of phases by name; a name that comes again adds to its phase."""

    def __init__(self) -> None:
        self.phases: dict[str, Seconds] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time the body of a with statement; a body that raises is not timed."""
        began = Seconds.now()
        yield
        self.phases[name] = self.phases.get(name, Seconds()) + (Seconds.now() - began)
