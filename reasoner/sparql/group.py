"""Grouping and aggregates (18.5.1).

Evaluating GROUP BY: solutions to groups, and each aggregate over them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reasoner.columnar.bindings import UNBOUND, Bindings, Solutions, row_keys
from reasoner.columnar.kernels import Ids, Mask
from reasoner.sparql.algebra import Aggregate, Expression, Group, is_volatile
from reasoner.sparql.budget import Budget
from reasoner.sparql.column_expression import BY_ROW, VECTORISED
from reasoner.sparql.errors import ExpressionError
from reasoner.sparql.numbers import INTEGER, Number, calculate, number, number_text
from reasoner.sparql.order import numbers_of, ranks
from reasoner.sparql.plan import Trace
from reasoner.sparql.scope import needed_by
from reasoner.sparql.strings import string
from reasoner.sparql.terms import QueryTerms
from reasoner.terms.value import literal_parts, literal_text

if TYPE_CHECKING:
    from reasoner.sparql.evaluate import Evaluator

_ZERO = Number(INTEGER, 0)


class Groups:
    """The groups of solutions by some unfolded columns; without columns, one group even of nothing."""

    def __init__(self, solutions: Solutions, keys: tuple[str, ...], *, implicit: bool) -> None:
        self.size = solutions.size
        self.weights = np.ones(solutions.size, dtype=np.int64) if solutions.weights is None else solutions.weights
        columns = [solutions.columns[key] for key in keys]
        if not columns or solutions.size == 0:
            self.count = 1 if implicit or solutions.size else 0
            self.of_row = np.zeros(solutions.size, dtype=np.int64)
            first = np.zeros(min(self.count, solutions.size), dtype=np.int64)
        else:
            _, first, inverse = np.unique(row_keys(columns), return_index=True, return_inverse=True)
            self.count = first.size
            self.of_row = inverse.astype(np.int64)
        self.columns = {key: column[first] for key, column in zip(keys, columns, strict=True)}

    def total(self, rows: Ids) -> Ids:
        """Add up the weights of some rows by group."""
        totals = np.zeros(self.count, dtype=np.int64)
        np.add.at(totals, self.of_row[rows], self.weights[rows])
        return totals


def aggregated(
    aggregate: Aggregate, groups: Groups, values: Ids | None, terms: QueryTerms, budget: Budget
) -> tuple[Ids, bool]:
    """Return the value of an aggregate for each group, and whether only vectorised operations were needed.

    ``values`` are those of the argument, None for ``COUNT(*)``.
    """
    rows = np.arange(groups.size) if values is None else np.flatnonzero(values >= 0)
    failed = np.zeros(groups.count, dtype=np.bool_)
    if values is not None:
        failed[groups.of_row[values < 0]] = True
    if aggregate.distinct and values is not None:
        _, first = np.unique(row_keys([groups.of_row[rows], values[rows]]), return_index=True)
        rows = rows[np.sort(first)]
    if aggregate.name == "COUNT":
        counts = np.bincount(groups.of_row[rows], minlength=groups.count) if aggregate.distinct else groups.total(rows)
        distinct, inverse = np.unique(counts, return_inverse=True)
        return terms.encode([number_text(INTEGER, count) for count in distinct.tolist()])[inverse], True
    assert values is not None
    if aggregate.name == "SAMPLE":
        samples = np.full(groups.count, UNBOUND, dtype=np.int64)
        samples[groups.of_row[rows[::-1]]] = values[rows[::-1]]
        return samples, True
    if aggregate.name in ("MIN", "MAX"):
        extreme = _extremes(values, rows, groups, terms, last=aggregate.name == "MAX")
        extreme[failed] = UNBOUND
        return extreme, True
    weights = np.ones(groups.size, dtype=np.int64) if aggregate.distinct else groups.weights
    if aggregate.name in ("SUM", "AVG") and (exact := _integer_sums(values, rows, groups, weights, terms)) is not None:
        texts = [number_text(INTEGER, total) for total in exact.tolist()]
        if aggregate.name == "AVG":
            counts = np.zeros(groups.count, dtype=np.int64)
            np.add.at(counts, groups.of_row[rows], weights[rows])
            pairs = zip(exact.tolist(), counts.tolist(), strict=True)
            texts = [_quotient(Number(INTEGER, total), count) for total, count in pairs]
        return _without_failed(texts, failed, terms), True
    order = rows[np.argsort(groups.of_row[rows], kind="stable")]
    bounds = np.searchsorted(groups.of_row[order], np.arange(groups.count + 1))
    members = terms.decode(values[order])
    times = weights[order].tolist()
    found: list[str | None] = []
    for _, group in budget.counted(range(groups.count)):
        low, high = int(bounds[group]), int(bounds[group + 1])
        texts_of_group = [text for text in members[low:high] if text is not None]
        found.append(None if failed[group] else _of_group(aggregate, texts_of_group, times[low:high], budget))
    return terms.encode(found), False


def _extremes(values: Ids, rows: Ids, groups: Groups, terms: QueryTerms, *, last: bool) -> Ids:
    """Return the first or last value of each group in the order of ORDER BY."""
    found = np.full(groups.count, UNBOUND, dtype=np.int64)
    if rows.size:
        of_row = groups.of_row[rows]
        order = np.lexsort((values[rows], ranks(values[rows], terms), of_row))
        ordered = of_row[order]
        edge = np.append(ordered[1:] != ordered[:-1], True) if last else np.append(True, ordered[1:] != ordered[:-1])
        found[ordered[edge]] = values[rows][order[edge]]
    return found


def _without_failed(texts: list[str], failed: Mask, terms: QueryTerms) -> Ids:
    return terms.encode([None if bad else text for text, bad in zip(texts, failed.tolist(), strict=True)])


def _integer_sums(values: Ids, rows: Ids, groups: Groups, weights: Ids, terms: QueryTerms) -> Ids | None:
    """Add up integers by group; None if something else is among the values, or may not fit."""
    distinct, inverse = np.unique(values[rows], return_inverse=True)
    found = numbers_of(distinct, terms)
    if not found.integer.all():
        return None
    numbers = found.values.astype(np.int64)
    if float(np.abs(found.values).max(initial=0)) * float(weights[rows].sum()) >= float(1 << 62):
        return None
    totals = np.zeros(groups.count, dtype=np.int64)
    np.add.at(totals, groups.of_row[rows], numbers[inverse] * weights[rows])
    return totals


def _of_group(aggregate: Aggregate, texts: list[str], times: list[int], budget: Budget) -> str | None:
    try:
        match aggregate.name:
            case "SUM":
                return number_text(*_sum(texts, times))
            case "AVG":
                return _quotient(_sum(texts, times), sum(times))
            case _:
                each = len(aggregate.separator or "")
                length = sum((len(text) + each) * count for text, count in zip(texts, times, strict=True))
                budget.allow_characters(length, "GROUP_CONCAT")
                written = [string(text) for text in texts]
                repeated = [text for text, count in zip(written, times, strict=True) for _ in range(count)]
                return _concatenated(repeated, aggregate.separator)
    except ExpressionError:
        return None


def _sum(texts: list[str], times: list[int]) -> Number:
    total = _ZERO
    for text, count in zip(texts, times, strict=True):
        value = number(text)
        total = calculate("+", total, value if count == 1 else calculate("*", value, Number(INTEGER, count)))
    return total


def _quotient(total: Number, count: int) -> str:
    return number_text(*(_ZERO if count == 0 else calculate("/", total, Number(INTEGER, count))))


def _concatenated(texts: list[str], separator: str) -> str:
    return literal_text(separator.join(literal_parts(text)[0] for text in texts))


def grouped(evaluator: Evaluator, node: Group, terms: QueryTerms, trace: Trace) -> Solutions:
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
    return Bindings(columns, groups.count)


def _argument(evaluator: Evaluator, argument: Expression | None, solutions: Solutions) -> Ids | None:
    return None if argument is None else evaluator.conditions.valued(solutions, argument)[1]


def _row_codes(solutions: Solutions) -> Ids:
    """Number the distinct rows, helper columns aside, for COUNT(DISTINCT *)."""
    columns = [column for name, column in solutions.columns.items() if not name.startswith(".")]
    if not columns or solutions.size == 0:
        return np.zeros(solutions.size, dtype=np.int64)
    return np.unique(row_keys(columns), return_inverse=True)[1].astype(np.int64)
