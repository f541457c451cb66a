"""Many measurements that belong together: a table to read, and curves to draw."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of a plot."""

    label: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one benchmark found out about one data set, where a single figure would not tell it.

    ``x`` and ``y`` say what the curves are over and of; both axes are logarithmic.
    """

    benchmark: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    curves: tuple[Curve, ...] = ()
    x: str = ""
    y: str = ""

    @property
    def file_name(self) -> str:
        """Return a name for a file, without a suffix.

        >>> Sheet("four-way", "Cliques (20 of 30)", (), ()).file_name
        'four-way-cliques-20-of-30'
        """
        return re.sub(r"[^a-z0-9]+", "-", f"{self.benchmark} {self.title}".lower()).strip("-")


def number_text(number: float) -> str:
    """Write a count as the papers do.

    >>> number_text(950), number_text(13_960), number_text(26_956_000)
    ('950', '14.0k', '27.0M')
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if number >= size:
            return f"{number / (1e3 if unit == 'k' else size):.1f}{unit}"
    return f"{number:g}"


def milliseconds_text(seconds: float) -> str:
    """Write a time that may be short.

    >>> milliseconds_text(0.00042), milliseconds_text(1.5)
    ('0.42 ms', '1,500 ms')
    """
    taken = seconds * 1000
    return f"{taken:,.0f} ms" if taken >= 100 else f"{taken:.1f} ms" if taken >= 1 else f"{taken:.2f} ms"
