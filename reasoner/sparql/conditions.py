"""FILTER, BIND and EXISTS: expressions evaluated over solutions, with what they look at unfolded first."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from reasoner.columnar.kernels import Ids, Mask
from reasoner.sparql.algebra import Node
from reasoner.sparql.budget import Budget
from reasoner.sparql.column_expression import SOLUTION, ColumnExpressions
from reasoner.sparql.comparison import FALSE, TRUE
from reasoner.sparql.expression import Exists, Expression, Var, is_volatile, mentioned, patterns_of, substituted
from reasoner.sparql.graph import Graph
from reasoner.sparql.plan import Trace
from reasoner.sparql.scope import looked_into, variables_of
from reasoner.sparql.solutions import Solutions, row_keys
from reasoner.sparql.terms import Terms

_TRUTH = ".exists"
_ROW = ".asked"


class Conditions:
    """Evaluates expressions over solutions; ``extended`` matches the pattern of an EXISTS for given solutions."""

    def __init__(
        self,
        extended: Callable[[Solutions, Node], Solutions],
        graph: Graph,
        terms: Terms,
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
        matches = self._extended(Solutions(columns, first.size, solutions.folded & shared.keys()), node)
        found[matches.columns[_ROW]] = True
        result: Mask = found[inverse]
        return result
