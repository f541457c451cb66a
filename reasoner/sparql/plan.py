"""What a query did, operator by operator: the plan that users see.

Property paths as SPARQL writes them, for people who look at a plan.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from reasoner.sparql.algebra import (
    Alternative,
    Bgp,
    Exists,
    Extend,
    Filter,
    GraphPattern,
    Group,
    Inverse,
    Join,
    LeftJoin,
    Link,
    NegatedSet,
    Node,
    OrderBy,
    Path,
    PathSequence,
    Project,
    RepeatedPath,
    Slice,
    Term,
    TriplePattern,
    Values,
    Var,
)
from reasoner.sparql.column_expression import VECTORISED


def path_text(path: Path) -> str:
    """Write a path, with as many brackets as it needs.

    >>> path_text(RepeatedPath(PathSequence(Link("<p>"), Inverse(Link("<q>"))), zero=False, many=True))
    '(<p>/^<q>)+'
    """
    match path:
        case Link(predicate):
            return predicate
        case Inverse(inner):
            return f"^{_bracketed(inner)}"
        case PathSequence(first, second):
            return f"{_bracketed(first)}/{_bracketed(second)}"
        case Alternative(first, second):
            return f"{_bracketed(first)}|{_bracketed(second)}"
        case RepeatedPath(inner, zero, many):
            return _bracketed(inner) + ("*" if zero and many else "?" if zero else "+")
        case NegatedSet(forward, backward):
            names = [*(forward or ()), *(f"^{name}" for name in backward or ())]
            return f"!({'|'.join(names)})"


def _bracketed(path: Path) -> str:
    text = path_text(path)
    return f"({text})" if isinstance(path, PathSequence | Alternative | RepeatedPath) else text


@dataclass(slots=True)
class OperatorStep:
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
class QueryPlan:
    """The operators of a query that ran, each below the one that reads it.

    ``str(plan)`` is for people; ``slow`` are the operators that had to look at terms one by one.
    """

    steps: tuple[OperatorStep, ...]

    @property
    def slow(self) -> tuple[OperatorStep, ...]:
        return tuple(step for step in self.steps if not step.vectorised)

    def __str__(self) -> str:
        return "\n".join(map(str, self.steps))


class Trace:
    """Collects steps while a query runs; collecting nothing costs next to nothing."""

    def __init__(self, *, on: bool = False) -> None:
        self.on = on
        self._open: list[OperatorStep] = []
        self.steps: list[OperatorStep] = []

    @contextmanager
    def operator(self, node: Node | Exists) -> Iterator[OperatorStep]:
        """Record one operator."""
        if not self.on:
            yield _IGNORED
            return
        step = OperatorStep(type(node).__name__, _detail(node), len(self._open))
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


_IGNORED = OperatorStep("", "", 0)


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
