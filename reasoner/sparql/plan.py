"""What a query did, operator by operator: the plan that users see."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from reasoner.sparql.algebra import (
    Bgp,
    Extend,
    Filter,
    GraphPattern,
    Group,
    Join,
    LeftJoin,
    Node,
    OrderBy,
    Path,
    Project,
    Slice,
    Term,
    TriplePattern,
    Values,
)
from reasoner.sparql.column_expression import VECTORISED
from reasoner.sparql.expression import Exists, Var
from reasoner.sparql.path_text import path_text


@dataclass(slots=True)
class Step:
    """One operator: what it did, how many rows it held and how many solutions they stand for, and how it worked."""

    name: str
    detail: str
    depth: int
    rows: int = 0
    solutions: int = 0
    seconds: float = 0.0
    ways: list[str] = field(default_factory=list)

    def done(self, rows: int, solutions: int) -> None:
        self.rows, self.solutions = rows, solutions

    @property
    def vectorised(self) -> bool:
        """Tell whether only vectorised operations were used."""
        return all(way == VECTORISED for way in self.ways)

    def __str__(self) -> str:
        way = "; ".join(dict.fromkeys(self.ways)) or VECTORISED
        stand = f" for {self.solutions:,} solutions" if self.solutions != self.rows else ""
        what = f"{'  ' * self.depth}{self.name} {self.detail}".rstrip()
        return f"{what}  [{self.rows:,} rows{stand}, {self.seconds * 1000:.1f} ms, {way}]"


@dataclass(frozen=True, slots=True)
class Plan:
    """The operators of a query that ran, each below the one that reads it.

    ``str(plan)`` is for people; ``slow`` are the operators that had to look at terms one by one.
    """

    steps: tuple[Step, ...]

    @property
    def slow(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if not step.vectorised)

    def __str__(self) -> str:
        return "\n".join(map(str, self.steps))


class Trace:
    """Collects steps while a query runs; collecting nothing costs next to nothing."""

    def __init__(self, *, on: bool = False) -> None:
        self.on = on
        self._open: list[Step] = []
        self.steps: list[Step] = []

    @contextmanager
    def operator(self, node: Node | Exists) -> Iterator[Step]:
        """Record one operator."""
        if not self.on:
            yield _IGNORED
            return
        step = Step(type(node).__name__, _detail(node), len(self._open))
        self.steps.append(step)
        self._open.append(step)
        began = time.perf_counter()
        try:
            yield step
        finally:
            step.seconds = time.perf_counter() - began
            self._open.pop()

    def note(self, way: str) -> None:
        """Say how the operator at work evaluates its expressions."""
        if self._open:
            self._open[-1].ways.append(way)


_IGNORED = Step("", "", 0)


def _detail(node: Node | Exists) -> str:
    match node:
        case Exists(_, negated):
            return "NOT" if negated else ""
        case Bgp(patterns):
            return " . ".join(map(_pattern, patterns))
        case Extend(_, variable, _):
            return f"?{variable}"
        case Project(_, variables) | Values(variables, _):
            return " ".join(f"?{name}" for name in variables)
        case Group(_, keys, aggregates):
            by = " ".join(f"?{key}" for key in keys) or "all"
            return f"by {by}: {', '.join(aggregate.name for _, aggregate in aggregates)}"
        case Filter(conditions, _) | LeftJoin(_, _, conditions) | OrderBy(_, conditions):
            return f"{len(conditions)} condition{'s' * (len(conditions) != 1)}" if conditions else ""
        case Slice(_, start, length):
            return f"{start} to {'the end' if length is None else start + length}"
        case GraphPattern(name, _):
            return _term(name)
        case Join():
            return "in the order of estimated rows"
        case _:
            return ""


def _pattern(pattern: TriplePattern) -> str:
    return " ".join(map(_term, (pattern.subject, pattern.predicate, pattern.object)))


def _term(term: Term | Path) -> str:
    if isinstance(term, Var):
        return f"?{term.name}"
    return term if isinstance(term, str) else path_text(term)
