"""The constants of a query, which are looked up in the dictionary all at once."""

from __future__ import annotations

from collections.abc import Iterator

from reasoner.sparql.algebra import (
    Alternative,
    Bgp,
    Closure,
    Distinct,
    Extend,
    Filter,
    GraphPattern,
    Group,
    Inverse,
    Join,
    LeftJoin,
    Link,
    Minus,
    NegatedSet,
    Node,
    OrderBy,
    Path,
    Project,
    Sequence,
    Service,
    Slice,
    Union,
    Values,
)
from reasoner.sparql.expression import Constant, Expression, Var, parts, patterns_of


def constants_of(node: Node) -> Iterator[str]:
    """Yield the terms that a pattern names."""
    match node:
        case Bgp(patterns):
            for pattern in patterns:
                for term in (pattern.subject, pattern.predicate, pattern.object):
                    if isinstance(term, str):
                        yield term
                    elif not isinstance(term, Var):
                        yield from _of_path(term)
        case Join(left, right) | Union(left, right) | Minus(left, right):
            yield from constants_of(left)
            yield from constants_of(right)
        case LeftJoin(left, right, conditions):
            yield from constants_of(left)
            yield from constants_of(right)
            yield from _of_expressions(conditions)
        case Filter(conditions, child):
            yield from constants_of(child)
            yield from _of_expressions(conditions)
        case Extend(child, _, expression):
            yield from constants_of(child)
            yield from _of_expressions((expression,))
        case OrderBy(child, conditions):
            yield from constants_of(child)
            yield from _of_expressions(tuple(expression for expression, _ in conditions))
        case Group(child) | Project(child) | Distinct(child) | Slice(child):
            yield from constants_of(child)
        case Values(_, rows):
            yield from (text for row in rows for text in row if text is not None)
        case GraphPattern(name, child) | Service(name, child):
            yield from [name] if isinstance(name, str) else []
            yield from constants_of(child)


def _of_expressions(expressions: tuple[Expression, ...]) -> Iterator[str]:
    for expression in expressions:
        yield from (part.text for part in parts(expression) if isinstance(part, Constant))
        for exists in patterns_of(expression):
            yield from constants_of(exists.node)


def _of_path(path: Path) -> Iterator[str]:
    match path:
        case Link(predicate):
            yield predicate
        case Inverse(inner) | Closure(inner):
            yield from _of_path(inner)
        case Sequence(first, second) | Alternative(first, second):
            yield from _of_path(first)
            yield from _of_path(second)
        case NegatedSet(forward, backward):
            yield from (*(forward or ()), *(backward or ()))
