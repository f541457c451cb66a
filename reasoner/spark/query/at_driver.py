"""What only the driver can do: expressions that give another value each time, ranks of values, templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from loaders.dictionary import Dictionary
from reasoner.columnar.factset import FactSet
from reasoner.sparql.algebra import Extend, Filter, Group, Node, OrderBy, Term, Values
from reasoner.sparql.budget import Budget
from reasoner.sparql.construct import TRIPLE, constructed
from reasoner.sparql.dataset import Dataset
from reasoner.sparql.evaluate import Evaluator
from reasoner.sparql.graph import Graph
from reasoner.sparql.order import ranks
from reasoner.sparql.plan import Trace
from reasoner.sparql.result import Result
from reasoner.sparql.terms import Terms

AT_DRIVER = "at the driver, on collected solutions"
Rows = Sequence[Sequence[str | None]]
OverChild = TypeVar("OverChild", Filter, Extend, OrderBy, Group)


class DriverEvaluator:
    """The columnar evaluator over no facts at all: what it works on are solutions that were collected."""

    def __init__(self, budget: Budget) -> None:
        graph = Graph(FactSet(), Dictionary())
        self._terms = Terms(graph.dictionary)
        self._budget = budget
        dataset = Dataset(graph, {}, lambda name: graph, graph)
        self._evaluator = Evaluator(dataset, self._terms, budget, Trace())

    def evaluated(self, node: OverChild, names: Sequence[str], rows: Rows) -> tuple[list[str], Rows]:
        """Return the solutions of an operator over the solutions given."""
        found = self._evaluator.evaluate(replace(node, child=_inline(names, rows)))
        written = found.written_out(self._evaluator.classes, self._budget)
        # What the evaluator numbers solutions by is no variable.
        kept = [name for name in written.columns if not name.startswith(".solution")]
        columns = [self._terms.decode(written.columns[name]) for name in kept]
        return kept, list(zip(*columns, strict=True)) if columns else [()] * written.size

    def constructed(
        self, template: Sequence[tuple[Term, Term, Term]], names: Sequence[str], rows: Rows, shown: str
    ) -> Result:
        """Return the answer to a CONSTRUCT."""
        solutions = self._evaluator.evaluate(_inline(names, rows))
        triples = constructed(self._evaluator, solutions, template, self._terms, self._budget)
        return Result("CONSTRUCT", TRIPLE, triples, self._evaluator.classes, self._terms, self._budget, shown)


def ranked(texts: Sequence[str]) -> list[int]:
    """Return the rank of each term in the order of ORDER BY, equal values alike.

    >>> ranked(['"b"', "<a>", '"a"'])
    [3, 1, 2]
    """
    terms = Terms(Dictionary())
    found: list[int] = ranks(terms.encode(texts), terms).tolist()
    return found


def _inline(names: Sequence[str], rows: Rows) -> Node:
    return Values(tuple(names), tuple(tuple(row) for row in rows))
