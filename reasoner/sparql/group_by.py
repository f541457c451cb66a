"""Evaluating GROUP BY: solutions to groups, and each aggregate over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reasoner.columnar.kernels import Ids
from reasoner.sparql.algebra import Group
from reasoner.sparql.column_expression import BY_ROW, VECTORISED
from reasoner.sparql.expression import Expression, is_volatile
from reasoner.sparql.group import Groups, aggregated
from reasoner.sparql.plan import Trace
from reasoner.sparql.scope import needed_by
from reasoner.sparql.solutions import Solutions, row_keys
from reasoner.sparql.terms import UNBOUND, Terms

if TYPE_CHECKING:
    from reasoner.sparql.evaluate import Evaluator


def grouped(evaluator: Evaluator, node: Group, terms: Terms, trace: Trace) -> Solutions:
    """Group the solutions of a pattern; what neither keys nor arguments read only counts."""
    classes, budget = evaluator.classes, evaluator.budget
    arguments = [aggregate.argument for _, aggregate in node.aggregates if aggregate.argument is not None]
    every = any(aggregate.argument is None and aggregate.distinct for _, aggregate in node.aggregates)
    read = {*node.keys, *needed_by(arguments)}
    solutions = evaluator.evaluate(node.child, None if every else frozenset(read))
    if every or any(map(is_volatile, arguments)):
        solutions = solutions.written_out(classes, budget)
    else:
        solutions = solutions.unfolded(read, classes, budget).without(solutions.columns.keys() - read, classes)
    missing = [key for key in node.keys if key not in solutions.columns]
    solutions = solutions.with_columns({key: np.full(solutions.size, UNBOUND, dtype=np.int64) for key in missing})
    groups = Groups(solutions, node.keys, implicit=node.implicit)
    columns: dict[str, Ids] = dict(groups.columns)
    for variable, aggregate in node.aggregates:
        values = _argument(evaluator, aggregate.argument, solutions)
        if values is None and aggregate.distinct:
            values = _row_codes(solutions)
        columns[variable], vectorised = aggregated(aggregate, groups, values, terms, budget)
        trace.note(VECTORISED if vectorised else BY_ROW)
    return Solutions(columns, groups.count)


def _argument(evaluator: Evaluator, argument: Expression | None, solutions: Solutions) -> Ids | None:
    return None if argument is None else evaluator.conditions.valued(solutions, argument)[1]


def _row_codes(solutions: Solutions) -> Ids:
    """Number the distinct rows, helper columns aside, for COUNT(DISTINCT *)."""
    columns = [column for name, column in solutions.columns.items() if not name.startswith(".")]
    if not columns or solutions.size == 0:
        return np.zeros(solutions.size, dtype=np.int64)
    return np.unique(row_keys(columns), return_inverse=True)[1].astype(np.int64)
