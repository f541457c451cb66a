"""What can be told of a pattern before it is evaluated: what it binds for sure, and what it looks into."""

from __future__ import annotations

from collections.abc import Iterable

from reasoner.sparql.algebra import (
    Bgp,
    Distinct,
    Expression,
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
    RepeatedPath,
    ServicePattern,
    Slice,
    TriplePattern,
    Union,
    Values,
    Var,
    mentioned,
    parts,
    patterns_of,
    visible,
)
from reasoner.terms.quads import PSEUDO_GRAPHS
from reasoner.terms.term import SAME_AS


def certain(node: Node) -> set[str]:
    """Return variables that are bound in every solution of a pattern."""
    match node:
        case Bgp(patterns):
            return {name for pattern in patterns for name in names_of(pattern)}
        case Join(left, right):
            return certain(left) | certain(right)
        case LeftJoin(left, _) | Minus(left, _):
            return certain(left)
        case Union(left, right):
            return certain(left) & certain(right)
        case Filter(_, child) | OrderBy(child, _) | Distinct(child) | Slice(child) | Extend(child, _, _):
            return certain(child)
        case GraphPattern(name, child):
            return certain(child) | ({name.name} if isinstance(name, Var) else set())
        case Project(child, variables):
            return certain(child) & set(variables)
        case Values(variables, rows):
            return {name for place, name in enumerate(variables) if all(row[place] is not None for row in rows)}
        case _:
            return set()


def reads_graphs(node: Node) -> bool:
    """Tell whether a pattern asks for named graphs; those of our own are always there."""
    match node:
        case GraphPattern(name, child):
            return name not in PSEUDO_GRAPHS or reads_graphs(child)
        case Join(left, right) | LeftJoin(left, right) | Union(left, right) | Minus(left, right):
            return reads_graphs(left) or reads_graphs(right)
        case Filter(_, child) | OrderBy(child, _) | Distinct(child) | Slice(child) | Extend(child, _, _):
            return reads_graphs(child)
        case Project(child, _) | Group(child, _, _) | ServicePattern(_, child):
            return reads_graphs(child)
        case _:
            return False


def constant_predicates(node: Node) -> set[str]:
    """Return predicates that a graph must have for a pattern to match in it; there may be more of them."""
    match node:
        case Bgp(patterns):
            return {pattern.predicate for pattern in patterns if isinstance(pattern.predicate, str)}
        case Join(left, right):
            return constant_predicates(left) | constant_predicates(right)
        case Filter(_, child) | OrderBy(child, _) | Distinct(child) | Slice(child) | Extend(child, _, _):
            return constant_predicates(child)
        case _:
            return set()


def names_of(pattern: TriplePattern) -> list[str]:
    """Return the variables of a triple pattern."""
    return [term.name for term in (pattern.subject, pattern.predicate, pattern.object) if isinstance(term, Var)]


def is_pattern_only(node: Node) -> bool:
    """Tell whether a node is basic graph patterns and nothing else, so that it may be matched row by row of another."""
    match node:
        case Bgp():
            return True
        case Join(left, right):
            return is_pattern_only(left) and is_pattern_only(right)
        case _:
            return False


def variables_of(node: Node) -> set[str]:
    """Return every variable that occurs anywhere in a pattern, in its expressions too."""
    match node:
        case Bgp() | Values():
            return set(visible(node)) | certain(node)
        case Join(left, right) | Union(left, right) | Minus(left, right):
            return variables_of(left) | variables_of(right)
        case LeftJoin(left, right, conditions):
            return variables_of(left) | variables_of(right) | needed_by(conditions)
        case Filter(conditions, child):
            return variables_of(child) | needed_by(conditions)
        case Extend(child, variable, expression):
            return variables_of(child) | needed_by([expression]) | {variable}
        case _:
            return set(visible(node))


def needed_by(expressions: Iterable[Expression]) -> set[str]:
    """Return the variables that expressions read, patterns of EXISTS included."""
    found: set[str] = set()
    for expression in expressions:
        found |= mentioned(expression)
        for exists in patterns_of(expression):
            found |= variables_of(exists.node)
    return found


def looked_into(node: Node, *, aliased: bool) -> set[str]:
    """Return the variables of which a pattern may tell equal terms apart, so that they must not be folded.

    ``aliased`` says that owl:sameAs goes by other names too, so that any predicate may be one of them.
    """
    if aliased:
        return variables_of(node)
    match node:
        case Bgp(patterns):
            return {name for pattern in patterns if not _is_blind(pattern) for name in names_of(pattern)}
        case Join(left, right) | Union(left, right):
            return looked_into(left, aliased=False) | looked_into(right, aliased=False)
        case _:
            return variables_of(node)


def _is_blind(pattern: TriplePattern) -> bool:
    predicate = pattern.predicate
    if isinstance(predicate, Var):
        return False
    if isinstance(predicate, str):
        return predicate != SAME_AS
    return _is_blind_path(predicate)


def _is_blind_path(path: Path) -> bool:
    match path:
        case Link(predicate):
            return predicate != SAME_AS
        case Inverse(inner):
            return _is_blind_path(inner)
        case RepeatedPath(inner, zero):
            return not zero and _is_blind_path(inner)
        case NegatedSet():
            return False
        case _:
            return _is_blind_path(path.first) and _is_blind_path(path.second)


def is_plain(expression: Expression) -> bool:
    """Tell whether an expression has no EXISTS, so that it can be evaluated from its variables alone."""
    return not any(patterns_of(part) for part in parts(expression))
