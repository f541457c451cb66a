"""Joining the patterns and relations of a query in the order of ``columnar.join_order``, which a graph remembers.

How many rows a step of a join will give, estimated from the sizes of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from reasoner.columnar.bindings import Bindings, Solutions
from reasoner.columnar.join_order import join_in_order
from reasoner.columnar.scan import fan_out, fan_out_of_any
from reasoner.sparql.algebra import (
    Alternative,
    Bgp,
    Expression,
    Inverse,
    Link,
    Path,
    PathSequence,
    RepeatedPath,
    Term,
    TriplePattern,
    Var,
    mentioned,
)
from reasoner.sparql.join import join
from reasoner.sparql.match import PatternMatcher
from reasoner.sparql.scope import names_of

if TYPE_CHECKING:
    from reasoner.sparql.evaluate import Evaluator

Step = tuple[TriplePattern, list[str]]

# Orders are kept for this many patterns of a graph.
_MOST_ORDERS = 1024


def joined_in_order(
    evaluator: Evaluator,
    patterns: Sequence[TriplePattern],
    relations: Sequence[Solutions],
    conditions: Sequence[Expression],
    solutions: Solutions,
    needed: frozenset[str] | None,
    taken: list[Step] | None = None,
    tried: Callable[[Solutions], Solutions] | None = None,
) -> Solutions:
    """Join solutions with patterns and relations.

    Conditions are tried as soon as their variables are bound, unless that would unfold a class early. The patterns in
    the order of joining, with the columns dropped after each, are appended to ``taken``; once nothing is left, further
    ones are not. ``tried`` is given what every join gives, and returns what of it is to be joined further.
    """
    operands: list[_Operand] = [_Pattern(evaluator, pattern) for pattern in patterns]
    operands += [_Relation(evaluator, relation) for relation in relations]
    waiting = list(conditions)
    names = [*solutions.columns, *(name for operand in operands for name in operand.variables)]
    dropped = {name for name in names if _is_dropped(name, needed)}

    def after(found: Solutions, joined: _Operand, rest: Sequence[_Operand]) -> Solutions:
        if tried is not None:
            found = tried(found)
        if waiting:
            ready = [condition for condition in waiting if _is_ready(condition, found)]
            found = evaluator.conditions.where(found, ready)
            waiting[:] = [condition for condition in waiting if condition not in ready]
        read = {name for operand in rest for name in operand.variables}.union(*map(mentioned, waiting))
        unread = [name for name in found.columns if name in dropped and name not in read]
        if taken is not None and isinstance(joined, _Pattern):
            taken.append((joined.pattern, unread))
        return found.without(unread, evaluator.classes)

    results: list[Solutions] = []
    join_in_order(solutions, operands, after, results.append)
    if not results:
        return Bindings.none(name for name in names if name not in dropped)
    found = evaluator.conditions.where(results[0], waiting)
    return found.without(dropped, evaluator.classes)


def matched_again(evaluator: Evaluator, node: Bgp, needed: frozenset[str] | None) -> Solutions:
    """Return the solutions of a basic graph pattern, in the order of joins that it took the last time.

    A graph never changes, so that the order found for it stays the right one.
    """
    matcher, paths = evaluator.matchers()
    orders = matcher.graph.orders
    known = orders.get(id(node))
    # An id may be that of another pattern by now, and what is read of the result may differ.
    if known is None or known[0] != (node, needed):
        taken: list[Step] = []
        found = joined_in_order(evaluator, node.patterns, [], (), Bindings.unit(), needed, taken)
        if len(orders) >= _MOST_ORDERS:
            orders.clear()
        orders[id(node)] = ((node, needed), taken)
        return found
    solutions: Solutions = Bindings.unit()
    for pattern, unread in known[1]:
        solutions = paths.matched(solutions, pattern.subject, pattern.predicate, pattern.object)
        if unread:
            solutions = solutions.without(unread, evaluator.classes)
    if not solutions.size:
        names = (name for pattern in node.patterns for name in names_of(pattern))
        return Bindings.none(name for name in names if not _is_dropped(name, needed))
    return solutions


class _Pattern:
    """A triple pattern, or a path, as an operand of a join."""

    def __init__(self, evaluator: Evaluator, pattern: TriplePattern) -> None:
        self._evaluator = evaluator
        self.pattern = pattern
        self.variables = frozenset(names_of(pattern))

    def rows(self, solutions: Solutions) -> float:
        return estimated_rows(self._evaluator.matchers()[0], solutions, self.pattern)

    def joined(self, solutions: Solutions, rest: Sequence[_Operand]) -> Iterable[Solutions]:
        evaluator, pattern = self._evaluator, self.pattern
        known = [name for name in self.variables if name in solutions.columns]
        if not all(solutions.is_certain(name) for name in known):
            (alone,) = self.joined(Bindings.unit(), rest)
            return (join(solutions, alone, evaluator.classes, evaluator.budget),)
        matcher, paths = evaluator.matchers()
        if matcher.classes is not evaluator.classes:
            solutions = solutions.unfolded(known, evaluator.classes, evaluator.budget)
        return (paths.matched(solutions, pattern.subject, pattern.predicate, pattern.object),)


class _Relation:
    """What a part of a query gave, as an operand of a join."""

    def __init__(self, evaluator: Evaluator, relation: Solutions) -> None:
        self._evaluator = evaluator
        self._relation = relation
        self.variables = frozenset(relation.columns)

    def rows(self, solutions: Solutions) -> float:
        sizes = solutions.size, self._relation.size
        is_connected = not solutions.columns or not self.variables.isdisjoint(solutions.columns)
        return float(max(sizes) if is_connected else sizes[0] * sizes[1])

    def joined(self, solutions: Solutions, rest: Sequence[_Operand]) -> Iterable[Solutions]:
        return (join(solutions, self._relation, self._evaluator.classes, self._evaluator.budget),)


_Operand: TypeAlias = _Pattern | _Relation


def _is_dropped(name: str, needed: frozenset[str] | None) -> bool:
    """Tell whether a column is not part of a result: blank nodes of patterns never are, helpers always."""
    return name.startswith("_:") if needed is None else name not in needed and not name.startswith(".")


def _is_ready(condition: Expression, solutions: Solutions) -> bool:
    names = mentioned(condition)
    # A relation may leave a variable open that a later pattern binds.
    return not names & solutions.folded and all(solutions.is_certain(name) for name in names)


# What a predicate that is not known is taken to give for a term, and a closure for a step.
_FEW = 8.0


def estimated_rows(matcher: PatternMatcher, solutions: Solutions, pattern: TriplePattern) -> float:
    """Estimate the rows after a pattern is joined; zero only if there will be none."""
    predicate = pattern.predicate
    if not isinstance(predicate, Var | str):
        return solutions.size * _path_fan_out(matcher, solutions, pattern.subject, predicate, pattern.object)
    return solutions.size * _fan_out(matcher, solutions, pattern.subject, predicate, pattern.object)


def _fan_out(matcher: PatternMatcher, solutions: Solutions, subject: Term, predicate: Term, obj: Term) -> float:
    graph = matcher.graph
    s, o = matcher.looked_up(subject), matcher.looked_up(obj)
    if isinstance(predicate, Var):
        return fan_out_of_any(solutions, s, predicate.name, graph.facts, o)
    table = graph.table(matcher.constant(predicate))
    if table.size == 0:
        return 0.5 if graph.equates else 0.0
    rows = fan_out(solutions, s, table, o)
    if isinstance(o, int) and not solutions.is_bound(s):
        rows += sum(table.count(obj=spelling) for spelling in graph.spellings(o).tolist() if spelling != o)
    return rows


def _path_fan_out(matcher: PatternMatcher, solutions: Solutions, subject: Term, path: Path, obj: Term) -> float:
    match path:
        case Link(predicate):
            return _fan_out(matcher, solutions, subject, predicate, obj)
        case Inverse(inner):
            return _path_fan_out(matcher, solutions, obj, inner, subject)
        case PathSequence(first, second):
            middle = Var(".middle")
            return _path_fan_out(matcher, solutions, subject, first, middle) * max(
                1.0, _path_fan_out(matcher, solutions, middle, second, obj) / _FEW
            )
        case Alternative(first, second):
            return _path_fan_out(matcher, solutions, subject, first, obj) + _path_fan_out(
                matcher, solutions, subject, second, obj
            )
        case RepeatedPath(inner):
            return _FEW * max(1.0, _path_fan_out(matcher, solutions, subject, inner, obj))
        case _:
            return _fan_out(matcher, solutions, subject, Var(".any"), obj)
