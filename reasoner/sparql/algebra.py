"""The SPARQL algebra as values: what a query is translated to and what is evaluated.

A term of a pattern is a ``Var`` or the canonical N-Triples text of a constant. Blank nodes of patterns are variables
whose names begin with ``_:``; no such variable is ever visible outside its basic graph pattern.

Expressions of queries as values, and what they mention.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

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


Term = Var | str
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Link:
    """The path of one predicate."""

    predicate: str


@dataclass(frozen=True, slots=True)
class Inverse:
    """``^path``."""

    path: Path


@dataclass(frozen=True, slots=True)
class PathSequence:
    """``first / second``."""

    first: Path
    second: Path


@dataclass(frozen=True, slots=True)
class Alternative:
    """``first | second``."""

    first: Path
    second: Path


@dataclass(frozen=True, slots=True)
class RepeatedPath:
    """``path+``, ``path*`` (with ``zero``) or ``path?`` (with ``zero``, and no ``many``)."""

    path: Path
    zero: bool
    many: bool


@dataclass(frozen=True, slots=True)
class NegatedSet:
    """``!(p | ^q)``: every predicate but some, forward, backward, or both."""

    forward: tuple[str, ...] | None
    backward: tuple[str, ...] | None


Path = Link | Inverse | PathSequence | Alternative | RepeatedPath | NegatedSet


@dataclass(frozen=True, slots=True)
class TriplePattern:
    """A triple pattern; the predicate may be a path."""

    subject: Term
    predicate: Term | Path
    object: Term


@dataclass(frozen=True, slots=True)
class Bgp:
    """A basic graph pattern; without patterns, the one empty solution."""

    patterns: tuple[TriplePattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Join:
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class LeftJoin:
    left: Node
    right: Node
    conditions: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Union:
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Minus:
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Filter:
    conditions: tuple[Expression, ...]
    child: Node


@dataclass(frozen=True, slots=True)
class Extend:
    child: Node
    variable: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class Values:
    """Inline data; None is UNDEF."""

    variables: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, slots=True)
class GraphPattern:
    """``GRAPH name { ... }``."""

    name: Term
    child: Node


@dataclass(frozen=True, slots=True)
class ServicePattern:
    """``SERVICE name { ... }``: read, and refused when it is to be evaluated."""

    name: Term
    child: Node


@dataclass(frozen=True, slots=True)
class Group:
    """Grouping by variables, with the aggregates of each group bound to variables of their own."""

    child: Node
    keys: tuple[str, ...]
    aggregates: tuple[tuple[str, Aggregate], ...]
    implicit: bool


@dataclass(frozen=True, slots=True)
class OrderBy:
    """Sorting; each condition with whether it is descending."""

    child: Node
    conditions: tuple[tuple[Expression, bool], ...]


@dataclass(frozen=True, slots=True)
class Project:
    child: Node
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Distinct:
    child: Node


@dataclass(frozen=True, slots=True)
class Slice:
    child: Node
    start: int
    length: int | None


Node = (
    Bgp
    | Join
    | LeftJoin
    | Union
    | Minus
    | Filter
    | Extend
    | Values
    | GraphPattern
    | ServicePattern
    | Group
    | OrderBy
    | Project
    | Distinct
    | Slice
)


@dataclass(frozen=True, slots=True)
class Query:
    """A translated query.

    ``form`` is SELECT, ASK, CONSTRUCT or DESCRIBE; ``template`` the triples of CONSTRUCT; ``described`` the terms of
    DESCRIBE; ``default`` and ``named`` the graphs of FROM and FROM NAMED, None without any such clause.
    """

    form: str
    node: Node
    variables: tuple[str, ...]
    template: tuple[tuple[Term, Term, Term], ...] = ()
    described: tuple[Term, ...] = ()
    default: tuple[str, ...] | None = None
    named: tuple[str, ...] | None = None
    base: str = ""
    prefixes: dict[str, str] = field(default_factory=dict, compare=False)


def balanced(combine: Callable[[T, T], T], parts: list[T]) -> T:
    """Combine parts, in their order, by what needs no brackets: in halves, so that thousands are a dozen levels deep.

    >>> balanced("({} {})".format, ["a", "b", "c", "d", "e"])
    '(((a b) c) (d e))'
    """
    if len(parts) == 1:
        return parts[0]
    middle = (len(parts) + 1) // 2
    return combine(balanced(combine, parts[:middle]), balanced(combine, parts[middle:]))


def is_visible(name: str) -> bool:
    """Tell whether a variable is one that users can name: no blank node, no helper of a translation."""
    return not name.startswith(("_:", "."))


def visible(node: Node) -> list[str]:
    """Return the variables that a pattern may bind, in order of appearance (SPARQL 1.1, section 18.2.1)."""
    return [name for name in dict.fromkeys(_bound(node)) if is_visible(name)]


def _bound(node: Node) -> Iterator[str]:
    match node:
        case Bgp(patterns):
            for pattern in patterns:
                for term in (pattern.subject, pattern.predicate, pattern.object):
                    if isinstance(term, Var):
                        yield term.name
        case Join(left, right) | LeftJoin(left, right) | Union(left, right):
            yield from _bound(left)
            yield from _bound(right)
        case Minus(left, _):
            yield from _bound(left)
        case Filter(_, child) | OrderBy(child, _) | Distinct(child) | Slice(child):
            yield from _bound(child)
        case Extend(child, variable, _):
            yield from _bound(child)
            yield variable
        case Values(variables, _) | Project(_, variables):
            yield from variables
        case GraphPattern(name, child) | ServicePattern(name, child):
            if isinstance(name, Var):
                yield name.name
            yield from _bound(child)
        case Group(_, keys, aggregates):
            yield from keys
            yield from (variable for variable, _ in aggregates)
