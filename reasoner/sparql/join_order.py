"""Joining patterns and relations, the one that gives the fewest rows next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from reasoner.sparql.algebra import Bgp, TriplePattern
from reasoner.sparql.cost import estimated_rows, is_connected
from reasoner.sparql.expression import Expression, Var, mentioned
from reasoner.sparql.join import join
from reasoner.sparql.scope import names_of
from reasoner.sparql.solutions import Solutions

if TYPE_CHECKING:
    from reasoner.sparql.evaluate import Evaluator

Item = TriplePattern | Solutions
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

        1  while something is open
        2      take what is estimated to give the fewest rows; what shares no variable only if nothing else is left
        3      join it
        4      try the conditions whose variables are bound, unless that would unfold a class early
        5      drop columns that nothing reads any more

    The patterns in the order of joining, with the columns dropped after each, are appended to ``taken``. ``tried`` is
    given what every join gives, and returns what of it is to be joined further.
    """
    open_items: list[Item] = [*patterns, *relations]
    waiting = list(conditions)
    blank = frozenset(name for pattern in patterns for name in names_of(pattern) if name.startswith("_:"))
    while open_items:  # 1
        chosen = _cheapest(evaluator, solutions, open_items) if len(open_items) > 1 else 0  # 2
        item = open_items.pop(chosen)
        solutions = _extended(evaluator, solutions, item)  # 3
        if tried is not None:
            solutions = tried(solutions)
        if waiting:
            ready = [condition for condition in waiting if _is_ready(condition, solutions)]
            solutions = evaluator.conditions.where(solutions, ready)  # 4
            waiting = [condition for condition in waiting if condition not in ready]
        unread = _unread(solutions, open_items, waiting, needed, blank)
        if taken is not None and isinstance(item, TriplePattern):
            taken.append((item, unread))
        solutions = solutions.without(unread, evaluator.classes)  # 5
    solutions = evaluator.conditions.where(solutions, waiting)
    return solutions.without(_unread(solutions, [], [], needed, blank), evaluator.classes)


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
        found = joined_in_order(evaluator, node.patterns, [], (), Solutions.unit(), needed, taken)
        if len(orders) >= _MOST_ORDERS:
            orders.clear()
        orders[id(node)] = ((node, needed), taken)
        return found
    solutions = Solutions.unit()
    for pattern, unread in known[1]:
        predicate = pattern.predicate
        if isinstance(predicate, Var | str):
            solutions = matcher.extended(solutions, pattern.subject, predicate, pattern.object)
        else:
            solutions = paths.extended(solutions, pattern.subject, predicate, pattern.object)
        if unread:
            solutions = solutions.without(unread, evaluator.classes)
    return solutions


def _is_ready(condition: Expression, solutions: Solutions) -> bool:
    names = mentioned(condition)
    # A relation may leave a variable open that a later pattern binds.
    return not names & solutions.folded and all(solutions.is_certain(name) for name in names)


def _cheapest(evaluator: Evaluator, solutions: Solutions, items: list[Item]) -> int:
    matcher, _ = evaluator.matchers()
    best, fewest = 0, (True, float("inf"))
    for place, item in enumerate(items):
        if isinstance(item, Solutions):
            connected = not solutions.columns or bool(item.columns.keys() & solutions.columns.keys())
            rows = float(max(item.size, solutions.size) if connected else item.size * solutions.size)
        else:
            connected = not solutions.columns or is_connected(solutions, item)
            rows = estimated_rows(matcher, solutions, item)
        if (not connected, rows) < fewest:
            best, fewest = place, (not connected, rows)
    return best


def _extended(evaluator: Evaluator, solutions: Solutions, item: Item) -> Solutions:
    budget, classes = evaluator.budget, evaluator.classes
    if isinstance(item, Solutions):
        return join(solutions, item, classes, budget)
    known = [name for name in names_of(item) if name in solutions.columns]
    if not all(solutions.is_certain(name) for name in known):
        return join(solutions, _extended(evaluator, Solutions.unit(), item), classes, budget)
    matcher, paths = evaluator.matchers()
    if matcher.classes is not classes:
        solutions = solutions.unfolded(known, classes, budget)
    if isinstance(item.predicate, Var | str):
        return matcher.extended(solutions, item.subject, item.predicate, item.object)
    return paths.extended(solutions, item.subject, item.predicate, item.object)


def _unread(
    solutions: Solutions,
    items: list[Item],
    waiting: list[Expression],
    needed: frozenset[str] | None,
    blank: frozenset[str],
) -> list[str]:
    """Return the columns that neither open items nor conditions nor the result read."""
    read: set[str] = set()
    for item in items:
        read.update(item.columns if isinstance(item, Solutions) else names_of(item))
    for condition in waiting:
        read |= mentioned(condition)
    return [
        name
        for name in solutions.columns
        if name not in read and (name in blank if needed is None else name not in needed and not name.startswith("."))
    ]
