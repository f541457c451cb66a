"""Joins of two bags of solutions, unbound variables included."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reasoner.columnar.bindings import Bindings, Solutions, appended, pairs_of, row_keys
from reasoner.columnar.kernels import Ids, Keys, Mask
from reasoner.columnar.representatives import Representatives
from reasoner.sparql.budget import Budget


def join(left: Solutions, right: Solutions, classes: Representatives, budget: Budget) -> Solutions:
    """Return all unions of compatible solutions (18.5)."""
    left, right = _same_folding(left, right, classes, budget)
    parts = []
    for rows, others, shared in _compatible_groups(left, right):
        first, second = left.taken(rows), right.taken(others)
        a, b = _matches(first, second, shared, classes, budget)
        parts.append(_merged(first.taken(a), second.taken(b)))
    names = [*left.columns, *(name for name in right.columns if name not in left.columns)]
    return appended(parts, classes, budget) if parts else Bindings.none(names)


def matched_rows(left: Solutions, right: Solutions, classes: Representatives, budget: Budget) -> tuple[Solutions, Mask]:
    """Tell which left solutions have a compatible right one that shares a bound variable with them, as MINUS asks.

    The left side comes back too, because it may have to be unfolded for the question to have one answer a row.
    """
    left, right = _same_folding(left, right, classes, budget, keep_left=True)
    found = np.zeros(left.size, dtype=np.bool_)
    for rows, others, shared in _compatible_groups(left, right):
        if shared:
            mine, theirs = _keys(left.taken(rows), right.taken(others), shared, classes)
            found[rows[np.isin(mine, theirs)]] = True
    return left, found


def _same_folding(
    left: Solutions,
    right: Solutions,
    classes: Representatives,
    budget: Budget,
    *,
    keep_left: bool = False,
) -> tuple[Solutions, Solutions]:
    """Unfold what has to be for shared variables to be compared: a folded variable against an unfolded one is compared
    by representatives, provided that the unfolded side, whose terms stay, is bound in every row."""
    for name in left.columns.keys() & right.columns.keys():
        if name in left.folded and name not in right.folded:
            if keep_left or not right.is_certain(name):
                left = left.unfolded([name], classes, budget)
        elif name in right.folded and name not in left.folded and not left.is_certain(name):
            right = right.unfolded([name], classes, budget)
    return left, right


def _compatible_groups(left: Solutions, right: Solutions) -> Iterator[tuple[Ids, Ids, list[str]]]:
    """Yield rows of both sides that bind the same shared variables among them, with the variables bound in both."""
    shared = [name for name in left.columns if name in right.columns]
    certain = [name for name in shared if left.is_certain(name) and right.is_certain(name)]
    doubtful = [name for name in shared if name not in certain]
    for mine, rows in _by_bound(left, doubtful):
        for theirs, others in _by_bound(right, doubtful):
            both = [name for name in doubtful if name in mine and name in theirs]
            yield rows, others, certain + both


def _by_bound(solutions: Solutions, names: list[str]) -> Iterator[tuple[set[str], Ids]]:
    if solutions.size == 0:
        return
    if not names:
        yield set(), np.arange(solutions.size)
        return
    pattern = np.zeros(solutions.size, dtype=np.int64)
    for place, name in enumerate(names):
        pattern |= (solutions.columns[name] >= 0).astype(np.int64) << place
    for value in np.unique(pattern).tolist():
        bound = {name for place, name in enumerate(names) if value >> place & 1}
        yield bound, np.flatnonzero(pattern == value)


def _matches(
    left: Solutions, right: Solutions, shared: list[str], classes: Representatives, budget: Budget
) -> tuple[Ids, Ids]:
    columns = len(left.columns) + len(right.columns)
    if not shared:
        budget.check(float(left.size) * right.size, columns)
        return np.repeat(np.arange(left.size), right.size), np.tile(np.arange(right.size), left.size)
    mine, theirs = _keys(left, right, shared, classes)
    if left.size < right.size:
        b, a = _sorted_matches(theirs, mine, budget, columns)
        return a, b
    return _sorted_matches(mine, theirs, budget, columns)


def _sorted_matches(probes: Keys, keys: Keys, budget: Budget, columns: int) -> tuple[Ids, Ids]:
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    owner, position = pairs_of(ordered.searchsorted(probes), ordered.searchsorted(probes, "right"), budget, columns)
    return owner, order[position]


def _keys(left: Solutions, right: Solutions, shared: list[str], classes: Representatives) -> tuple[Keys, Keys]:
    columns = []
    for name in shared:
        mine, theirs = left.columns[name], right.columns[name]
        if name in left.folded and name not in right.folded:
            theirs = classes.of(theirs)
        elif name in right.folded and name not in left.folded:
            mine = classes.of(mine)
        columns.append(np.concatenate((mine, theirs)))
    keys = row_keys(columns)
    return keys[: left.size], keys[left.size :]


def _merged(left: Solutions, right: Solutions) -> Solutions:
    columns = dict(left.columns)
    folded = left.folded | (right.folded - left.columns.keys())
    for name, column in right.columns.items():
        if name not in columns:
            columns[name] = column
        elif name in left.folded and name not in right.folded:
            columns[name] = column
            folded -= {name}
        elif not (name in right.folded and name not in left.folded):
            columns[name] = np.where(columns[name] >= 0, columns[name], column)
    merged = Bindings(columns, left.size, folded, left.weights)
    return merged if right.weights is None else merged.with_weights(right.weights)
