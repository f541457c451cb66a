"""Expressions of queries as values, and what they mention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reasoner.sparql.algebra import Node

# Functions that may give another value each time they are called, so that nothing of them can be remembered.
VOLATILE = frozenset({"RAND", "UUID", "STRUUID", "BNODE"})


@dataclass(frozen=True, slots=True)
class Var:
    """A variable, by its name without the question mark."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A term, by its canonical text."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """An operator, a builtin in capitals, or a function by the text of its IRI, with its arguments.

    Sums and products of many parts are flat: ``Call("+-", (a, b, c))`` is ``a + b - c``, worked out from the left.
    """

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """``EXISTS { ... }``, or ``NOT EXISTS { ... }``."""

    node: Node
    negated: bool


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate function; without an argument it is ``COUNT(*)``."""

    name: str
    argument: Expression | None
    distinct: bool
    separator: str = " "


Expression = Var | Constant | Call | Exists


def parts(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and everything that it consists of, patterns of EXISTS excepted."""
    yield expression
    if isinstance(expression, Call):
        for argument in expression.arguments:
            yield from parts(argument)


def mentioned(expression: Expression) -> set[str]:
    """Return the variables of an expression, those of the patterns of EXISTS excepted."""
    return {part.name for part in parts(expression) if isinstance(part, Var)}


def is_volatile(expression: Expression) -> bool:
    """Tell whether an expression has to be evaluated anew for every solution."""
    return any(isinstance(part, Call) and part.name in VOLATILE for part in parts(expression))


def patterns_of(expression: Expression) -> list[Exists]:
    """Return the EXISTS of an expression."""
    return [part for part in parts(expression) if isinstance(part, Exists)]


def substituted(expression: Expression, replacement: dict[Exists, Var]) -> Expression:
    """Return an expression with each EXISTS replaced by the variable that holds its truth."""
    if isinstance(expression, Exists):
        return replacement[expression]
    if isinstance(expression, Call):
        return Call(expression.name, tuple(substituted(argument, replacement) for argument in expression.arguments))
    return expression
