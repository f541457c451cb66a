"""Evaluating the algebra over columns, operator by operator.

FILTER, BIND and EXISTS: expressions evaluated over solutions, with what they look at unfolded first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np

from reasoner.columnar.bindings import Bindings, Solutions, appended, row_keys
from reasoner.columnar.kernels import Ids, Mask
from reasoner.sparql.algebra import (
    Bgp,
    Distinct,
    Exists,
    Expression,
    Extend,
    Filter,
    GraphPattern,
    Group,
    Join,
    LeftJoin,
    Minus,
    Node,
    OrderBy,
    Project,
    ServicePattern,
    Slice,
    TriplePattern,
    Union,
    Values,
    Var,
    is_volatile,
    mentioned,
    patterns_of,
    substituted,
    visible,
)
from reasoner.sparql.budget import Budget
from reasoner.sparql.column_expression import SOLUTION, ColumnExpressions
from reasoner.sparql.comparison import FALSE, TRUE
from reasoner.sparql.dataset import Dataset, Graph
from reasoner.sparql.errors import UnsupportedQueryError
from reasoner.sparql.group import grouped
from reasoner.sparql.join import join, matched_rows
from reasoner.sparql.join_order import joined_in_order, matched_again
from reasoner.sparql.match import PathMatcher, PatternMatcher
from reasoner.sparql.order import sorting_order
from reasoner.sparql.plan import Trace
from reasoner.sparql.scope import (
    certain,
    constant_predicates,
    is_pattern_only,
    is_plain,
    looked_into,
    needed_by,
    variables_of,
)
from reasoner.sparql.terms import QueryTerms

Needed = frozenset[str] | None


class Evaluator:
    """Evaluates patterns over a dataset. ``needed`` is what is read of a result, None if all of it."""

    def __init__(self, dataset: Dataset, terms: QueryTerms, budget: Budget, trace: Trace) -> None:
        self._dataset = dataset
        self._graph = dataset.default
        self.classes = dataset.closure.classes
        self._terms = terms
        self.budget = budget
        self._trace = trace
        self._matchers: dict[int, tuple[PatternMatcher, PathMatcher]] = {}
        self._helpers = 0

    @cached_property
    def conditions(self) -> ExpressionConditions:
        """What evaluates expressions, made for the first of them: most queries have none."""
        return ExpressionConditions(self.extended, self._dataset.closure, self._terms, self.budget, self._trace)

    def evaluate(self, node: Node, needed: Needed = None) -> Solutions:
        """Return the solutions of a pattern."""
        self.budget.check()
        if not self._trace.on:
            found = self._evaluate(node, needed)
            self.budget.check(found.size, 0)
            self.budget.hold(found.arrays())
            return found
        with self._trace.operator(node) as step:
            found = self._evaluate(node, needed)
            self.budget.check(found.size, 0)
            self.budget.hold(found.arrays())
            step.done(found.size, found.count(self.classes) if self.classes else found.size)
        return found

    def _evaluate(self, node: Node, needed: Needed) -> Solutions:
        match node:
            case Bgp() | Join():
                return self._joined(node, (), needed)
            case LeftJoin():
                return self._left_joined(node, needed)
            case Union(left, right):
                return appended([self.evaluate(left, needed), self.evaluate(right, needed)], self.classes, self.budget)
            case Minus():
                return self._without_matches(node, needed)
            case Filter():
                return self._filtered(node, needed)
            case Extend(child, variable, expression):
                below = _with(needed, needed_by([expression]))
                return self.conditions.bound(self.evaluate(child, below), variable, expression)
            case Values():
                return self._inline(node)
            case GraphPattern():
                return self._in_graph(node)
            case Group():
                return grouped(self, node, self._terms, self._trace)
            case OrderBy(child, conditions):
                below = _with(needed, needed_by(expression for expression, _ in conditions))
                return self._sorted(self.evaluate(child, below), conditions)
            case Project(child, variables):
                return self.evaluate(child, frozenset(variables)).projected(variables, self.classes)
            case Distinct(child):
                return self.evaluate(child).distinct()
            case Slice(child, start, length):
                return self.evaluate(child).sliced(start, length, self.classes, self.budget)
            case ServicePattern(name, _):
                raise UnsupportedQueryError(f"SERVICE {_shown(name)} asks another endpoint, and this store asks none")

    def matchers(self) -> tuple[PatternMatcher, PathMatcher]:
        """Return what matches patterns in the graph that is being read."""
        key = id(self._graph)
        if key not in self._matchers:
            matcher = PatternMatcher(self._graph, self._terms, self.budget)
            self._matchers[key] = (matcher, PathMatcher(matcher, self._terms, self.budget))
        return self._matchers[key]

    def _joined(self, node: Node, conditions: Sequence[Expression], needed: Needed) -> Solutions:
        """Join basic graph patterns and whatever else there is, in an order of increasing size."""
        if isinstance(node, Bgp) and not conditions:
            return matched_again(self, node, needed)
        patterns: list[TriplePattern] = []
        others: list[Node] = []
        for part in _flattened(node):
            if isinstance(part, Bgp):
                patterns += part.patterns
            else:
                others.append(part)
        below = None if needed is None else _with(_with(needed, certain(Bgp(tuple(patterns)))), needed_by(conditions))
        for part in others:
            below = _with(below, variables_of(part))
        relations = [self.evaluate(part, below) for part in others]
        return joined_in_order(self, patterns, relations, conditions, Bindings.unit(), needed)

    def extended(self, solutions: Solutions, node: Node) -> Solutions:
        """Return the solutions of a pattern in which given solutions are substituted, as EXISTS has it."""
        if not self._trace.on:
            return self._extended(solutions, node)
        with self._trace.operator(node) as step:
            found = self._extended(solutions, node)
            step.done(found.size, found.count(self.classes) if self.classes else found.size)
        return found

    def _extended(self, solutions: Solutions, node: Node) -> Solutions:
        match node:
            case Bgp(patterns):
                return joined_in_order(self, list(patterns), [], (), solutions, None)
            case Join(left, right):
                return self.extended(self.extended(solutions, left), right)
            case Filter(conditions, child):
                return self.conditions.where(self.extended(solutions, child), conditions)
            case Union(left, right):
                parts = [self.extended(solutions, part) for part in (left, right)]
                return appended(parts, self.classes, self.budget)
            case LeftJoin(left, right, conditions):
                return self._optional(self.extended(solutions, left), right, conditions)
            case Extend(child, variable, expression):
                return self.conditions.bound(self.extended(solutions, child), variable, expression)
            case Minus(left, right):
                kept, found = matched_rows(
                    self.extended(solutions, left), self.evaluate(right), self.classes, self.budget
                )
                return kept.taken(~found)
            case _:
                return join(solutions, self.evaluate(node), self.classes, self.budget)

    def _left_joined(self, node: LeftJoin, needed: Needed) -> Solutions:
        read = _with(_with(needed, variables_of(node.right)), needed_by(node.conditions))
        left = self.evaluate(node.left, read)
        if is_pattern_only(node.right) and all(left.is_certain(name) for name in _shared(left, node.right)):
            return self._optional(left, node.right, node.conditions)
        right = self.evaluate(node.right, _with(_with(needed, left.columns), needed_by(node.conditions)))
        left = left.unfolded(left.columns.keys() & right.columns.keys() - right.folded, self.classes, self.budget)
        left = left.unfolded(needed_by(node.conditions), self.classes, self.budget)
        return self._kept(left, lambda numbered: join(numbered, right, self.classes, self.budget), node.conditions)

    def _optional(self, left: Solutions, right: Node, conditions: Sequence[Expression]) -> Solutions:
        left = left.unfolded(
            looked_into(right, aliased=self._dataset.closure.has_equality_aliases) | needed_by(conditions),
            self.classes,
            self.budget,
        )
        return self._kept(left, lambda numbered: self.extended(numbered, right), conditions)

    def _kept(
        self, left: Solutions, extend: Callable[[Solutions], Solutions], conditions: Sequence[Expression]
    ) -> Solutions:
        """Extend solutions, and keep those that nothing extends as they are."""
        number = self.helper("row")
        found = self.conditions.where(extend(left.with_columns({number: np.arange(left.size)})), conditions)
        alone = np.ones(left.size, dtype=np.bool_)
        alone[found.columns[number]] = False
        return appended([found.without([number], self.classes), left.taken(alone)], self.classes, self.budget)

    def _without_matches(self, node: Minus, needed: Needed) -> Solutions:
        shared = frozenset(visible(node.right))
        left = self.evaluate(node.left, _with(needed, shared))
        kept, found = matched_rows(left, self.evaluate(node.right, shared), self.classes, self.budget)
        return kept.taken(~found)

    def _filtered(self, node: Filter, needed: Needed) -> Solutions:
        """Filter; conditions over what a join binds for sure are tried while it is being joined."""
        read = _with(needed, needed_by(node.conditions))
        if not isinstance(node.child, Bgp | Join):
            return self.conditions.where(self.evaluate(node.child, read), node.conditions)
        sure = certain(node.child)
        early = [
            condition
            for condition in node.conditions
            if is_plain(condition) and not is_volatile(condition) and mentioned(condition) <= sure
        ]
        late = [condition for condition in node.conditions if condition not in early]
        with self._trace.operator(node.child) as step:
            found = self._joined(node.child, early, _with(needed, needed_by(late)))
            step.done(found.size, found.size)
        return self.conditions.where(found, late)

    def _inline(self, node: Values) -> Solutions:
        columns = {
            name: self._terms.encode([row[place] for row in node.rows]) for place, name in enumerate(node.variables)
        }
        return Bindings(columns, len(node.rows))

    def _in_graph(self, node: GraphPattern) -> Solutions:
        named = self._dataset.named
        if not isinstance(node.name, Var):
            if node.name not in named:
                return Bindings.none(visible(node.child))
            return self._within(named[node.name], node.child)
        parts = [Bindings.none([node.name.name, *visible(node.child)])]
        read = {self._terms.id_of(predicate) for predicate in constant_predicates(node.child)}
        for name, graph in named.items():
            # Most of many graphs have nothing to say about most predicates.
            if not graph.classes and not all(predicate in graph.facts for predicate in read):
                continue
            found = self._within(graph, node.child)
            given = Bindings({node.name.name: self._terms.encode([name])}, 1)
            parts.append(join(found, given, self.classes, self.budget))
        return appended(parts, self.classes, self.budget)

    def _within(self, graph: Graph, node: Node) -> Solutions:
        before, self._graph = self._graph, graph
        try:
            return self.evaluate(node)
        finally:
            self._graph = before

    def _sorted(self, solutions: Solutions, conditions: tuple[tuple[Expression, bool], ...]) -> Solutions:
        read = needed_by(expression for expression, _ in conditions)
        solutions = solutions.unfolded(read, self.classes, self.budget)
        if any(is_volatile(expression) for expression, _ in conditions):
            solutions = solutions.written_out(self.classes, self.budget)
        columns = [
            (self.conditions.valued(solutions, expression)[1], descending) for expression, descending in conditions
        ]
        return solutions.taken(sorting_order(columns, self._terms))

    def helper(self, purpose: str) -> str:
        """Return the name of a column that no query can name."""
        self._helpers += 1
        return f".{purpose}{self._helpers}"


def _with(needed: Needed, more: Iterable[str]) -> Needed:
    return None if needed is None else needed | frozenset(more)


def _shared(solutions: Solutions, node: Node) -> set[str]:
    return variables_of(node) & solutions.columns.keys()


def _flattened(node: Node) -> list[Node]:
    return [*_flattened(node.left), *_flattened(node.right)] if isinstance(node, Join) else [node]


def _shown(name: object) -> str:
    return f"?{name.name}" if isinstance(name, Var) else str(name)


_TRUTH = ".exists"
_ROW = ".asked"


class ExpressionConditions:
    """Evaluates expressions over solutions; ``extended`` matches the pattern of an EXISTS for given solutions."""

    def __init__(
        self,
        extended: Callable[[Solutions, Node], Solutions],
        graph: Graph,
        terms: QueryTerms,
        budget: Budget,
        trace: Trace,
    ) -> None:
        self._extended = extended
        self._graph = graph
        self._classes = graph.classes
        self._terms = terms
        self._budget = budget
        self._trace = trace
        self._expressions = ColumnExpressions(terms, budget)
        self._numbered = 0

    def where(self, solutions: Solutions, conditions: Iterable[Expression]) -> Solutions:
        """Keep the solutions that meet all conditions."""
        for condition in conditions:
            if solutions.size:
                solutions, plain = self._ready(solutions, condition)
                solutions = self._clean(solutions.taken(self._expressions.holds(plain, solutions)))
                self._note()
        return solutions

    def bound(self, solutions: Solutions, variable: str, expression: Expression) -> Solutions:
        """Bind a variable to the value of an expression, and leave it unbound where there is none."""
        solutions, values = self.valued(solutions, expression)
        if variable in solutions.columns:
            # Only where solutions are substituted into a pattern can the variable be bound already.
            solutions = solutions.with_columns({_ROW: np.arange(solutions.size)})
            solutions = solutions.unfolded([variable], self._classes, self._budget)
            same = solutions.columns[variable] == values[solutions.columns[_ROW]]
            return solutions.taken(same).without([_ROW], self._classes)
        return solutions.with_columns({variable: values})

    def valued(self, solutions: Solutions, expression: Expression) -> tuple[Solutions, Ids]:
        """Return solutions with what an expression looks at unfolded, and its value in each of them."""
        solutions, plain = self._ready(solutions, expression)
        values = self._expressions.values(plain, solutions)
        self._note()
        return self._clean(solutions), values

    def blank(self) -> str:
        """Return a blank node that occurs nowhere else."""
        return self._expressions.blank()

    def _ready(self, solutions: Solutions, expression: Expression) -> tuple[Solutions, Expression]:
        solutions, plain = self._with_truths(solutions, expression)
        if not is_volatile(plain):
            return solutions.unfolded(mentioned(plain), self._classes, self._budget), plain
        solutions = solutions.written_out(self._classes, self._budget)
        if SOLUTION not in solutions.columns:
            first, self._numbered = self._numbered, self._numbered + solutions.size
            solutions = solutions.with_columns({SOLUTION: np.arange(first, self._numbered)})
        return solutions, plain

    def _clean(self, solutions: Solutions) -> Solutions:
        return solutions.without([name for name in solutions.columns if name.startswith(_TRUTH)], self._classes)

    def _note(self) -> None:
        for way in sorted(self._expressions.ways):
            self._trace.note(way)
        self._expressions.ways.clear()

    def _with_truths(self, solutions: Solutions, expression: Expression) -> tuple[Solutions, Expression]:
        """Replace each EXISTS of an expression by a column that holds its truth."""
        replacement: dict[Exists, Var] = {}
        for number, exists in enumerate(patterns_of(expression)):
            solutions = solutions.unfolded(
                looked_into(exists.node, aliased=self._graph.has_equality_aliases), self._classes, self._budget
            )
            with self._trace.operator(exists) as step:
                truth = self._exists(solutions, exists.node) ^ exists.negated
                step.done(int(truth.sum()), int(truth.sum()))
            ids = self._terms.encode([FALSE, TRUE])
            solutions = solutions.with_columns({f"{_TRUTH}{number}": ids[truth.astype(np.int64)]})
            replacement[exists] = Var(f"{_TRUTH}{number}")
        return solutions, substituted(expression, replacement)

    def _exists(self, solutions: Solutions, node: Node) -> Mask:
        """Tell for which solutions a pattern has a match; solutions that the pattern cannot tell apart are one."""
        if solutions.size == 0:
            return np.zeros(0, dtype=np.bool_)
        read = variables_of(node)
        shared = {name: column for name, column in solutions.columns.items() if name in read}
        keys = row_keys(list(shared.values())) if shared else np.zeros(solutions.size, dtype=np.int64)
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        columns = {name: column[first] for name, column in shared.items()}
        columns[_ROW] = np.arange(first.size)
        found = np.zeros(first.size, dtype=np.bool_)
        matches = self._extended(Bindings(columns, first.size, solutions.folded & shared.keys()), node)
        found[matches.columns[_ROW]] = True
        result: Mask = found[inverse]
        return result
