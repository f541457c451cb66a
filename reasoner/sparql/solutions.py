"""Solution sequences as columns of ids, with equal terms folded into one row where nothing can tell them apart.

A *folded* column holds representatives, each of which stands for every member of its class: a row with two folded
columns is all combinations of their members. Patterns give folded columns, joins on folded columns stay folded, and
only what looks at a term itself (FILTER, BIND, aggregates, sorting, LIMIT, and the answer) unfolds it. *Weights* say
how often a row counts: dropping a folded column multiplies the weight of each row by the size of the class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from reasoner.columnar.kernels import Ids, Keys, Mask, expand
from reasoner.columnar.representatives import Representatives
from reasoner.sparql.budget import Budget
from reasoner.sparql.errors import QueryTooLargeError
from reasoner.sparql.terms import UNBOUND

_HEAVIEST = float(1 << 62)


class Solutions:
    """An immutable bag of solutions: ``columns`` by variable, all of length ``size``; None as weights is all ones."""

    __slots__ = ("columns", "folded", "size", "weights")

    def __init__(
        self,
        columns: dict[str, Ids],
        size: int,
        folded: frozenset[str] = frozenset(),
        weights: Ids | None = None,
    ) -> None:
        self.columns = columns
        self.size = size
        self.folded = folded
        self.weights = weights

    @classmethod
    def unit(cls) -> Solutions:
        """Return the bag with one solution that binds nothing."""
        return cls({}, 1)

    @classmethod
    def none(cls, names: Iterable[str] = ()) -> Solutions:
        """Return the empty bag."""
        return cls({name: np.empty(0, dtype=np.int64) for name in names}, 0)

    def arrays(self) -> list[Ids]:
        """Return everything that takes memory."""
        return [*self.columns.values(), *(() if self.weights is None else (self.weights,))]

    def taken(self, rows: Ids | Mask) -> Solutions:
        """Return the rows chosen by positions or by a mask."""
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
            if rows.size == self.size:
                return self
        columns = {name: column[rows] for name, column in self.columns.items()}
        return Solutions(columns, rows.size, self.folded, None if self.weights is None else self.weights[rows])

    def with_columns(self, new: Mapping[str, Ids], folded: Iterable[str] = ()) -> Solutions:
        """Return these rows with further columns."""
        return Solutions({**self.columns, **new}, self.size, self.folded | frozenset(folded), self.weights)

    def with_weights(self, factor: Ids) -> Solutions:
        """Return these rows, each counting as many times more."""
        if factor.size and (factor == 1).all():
            return self
        weights = factor if self.weights is None else self.weights * factor
        if self.weights is not None and factor.size:
            heaviest = float(self.weights.max()) * float(factor.max())
            if heaviest > _HEAVIEST:
                raise QueryTooLargeError(heaviest, 1 << 62)
        return Solutions(self.columns, self.size, self.folded, weights)

    def renamed(self, names: Mapping[str, str]) -> Solutions:
        """Return these rows with variables renamed."""
        columns = {names.get(name, name): column for name, column in self.columns.items()}
        return Solutions(columns, self.size, frozenset(names.get(name, name) for name in self.folded), self.weights)

    def without(self, names: Iterable[str], classes: Representatives) -> Solutions:
        """Return these rows without some columns, counting each row as often as it counted with them."""
        gone = set(names) & self.columns.keys()
        if not gone:
            return self
        result = self
        for name in sorted(gone & self.folded):
            result = result.with_weights(classes.sizes(self.columns[name]))
        columns = {name: column for name, column in self.columns.items() if name not in gone}
        return Solutions(columns, self.size, self.folded - gone, result.weights)

    def projected(self, names: Iterable[str], classes: Representatives) -> Solutions:
        """Return the columns of some variables in their order; a variable that is never bound has an unbound one."""
        kept = list(dict.fromkeys(names))
        result = self.without(self.columns.keys() - set(kept), classes)
        columns = {
            name: column if (column := result.columns.get(name)) is not None else self._unbound() for name in kept
        }
        return Solutions(columns, self.size, result.folded, result.weights)

    def _unbound(self) -> Ids:
        return np.full(self.size, UNBOUND, dtype=np.int64)

    def unfolded(self, names: Iterable[str], classes: Representatives, budget: Budget) -> Solutions:
        """Return the bag with every member of a class in a row of its own, for some variables."""
        result = self
        for name in sorted(self.folded & set(names)):
            sizes = classes.sizes(result.columns[name])
            if (sizes == 1).all():
                result = Solutions(result.columns, result.size, result.folded - {name}, result.weights)
                continue
            budget.check(float(sizes.sum()), len(result.columns))
            owner, members = classes.expanded(result.columns[name])
            result = result.taken(owner)
            result = Solutions({**result.columns, name: members}, members.size, result.folded - {name}, result.weights)
        return result

    def written_out(self, classes: Representatives, budget: Budget) -> Solutions:
        """Return the bag with nothing folded and every row once for each time it counts."""
        result = self.unfolded(self.folded, classes, budget)
        if result.weights is None:
            return result
        budget.check(float(result.weights.sum()), len(result.columns))
        rows = np.repeat(np.arange(result.size), result.weights)
        return Solutions({name: column[rows] for name, column in result.columns.items()}, rows.size)

    def pieces(self, rows: int, classes: Representatives, budget: Budget) -> Iterator[Solutions]:
        """Yield the bag in pieces of about so many rows, with nothing folded; rows keep their weights."""
        if not self.folded:
            for start in range(0, self.size, rows):
                yield self if self.size <= rows else self.taken(np.arange(start, min(start + rows, self.size)))
            return
        unweighted = Solutions(self.columns, self.size, self.folded).without(self.columns, classes).weights
        ends = np.arange(1, self.size + 1) if unweighted is None else np.cumsum(unweighted)
        start = 0
        while start < self.size:
            before = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(ends.searchsorted(before + rows, "right")))
            yield self.taken(np.arange(start, stop)).unfolded(self.folded, classes, budget)
            start = stop

    def count(self, classes: Representatives) -> int:
        """Count the solutions without writing them out."""
        without = self.without(self.columns, classes)
        return self.size if without.weights is None else int(without.weights.sum())

    def sliced(self, start: int, length: int | None, classes: Representatives, budget: Budget) -> Solutions:
        """Return a range of the solutions; only rows that reach into it are unfolded."""
        without = self.without(self.columns, classes)
        if without.weights is None:
            stop = self.size if length is None else min(self.size, start + length)
            return self.taken(np.arange(min(start, self.size), stop))
        ends = np.cumsum(without.weights)
        first = int(ends.searchsorted(start, "right"))
        last = self.size if length is None else int(ends.searchsorted(start + length)) + 1
        before = int(ends[first - 1]) if first else 0
        written = self.taken(np.arange(first, min(last, self.size))).written_out(classes, budget)
        low = start - before
        high = written.size if length is None else min(written.size, low + length)
        return written.taken(np.arange(min(low, written.size), max(high, min(low, written.size))))

    def distinct(self) -> Solutions:
        """Return every solution once. Rows that differ while folded stand for different solutions."""
        if self.size < 2:
            return Solutions(self.columns, self.size, self.folded)
        if not self.columns:
            return Solutions({}, 1)
        keys = row_keys(list(self.columns.values()))
        if len(self.columns) == 1 and (keys[1:] > keys[:-1]).all():
            return Solutions(self.columns, self.size, self.folded)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        first = np.append(True, ordered[1:] != ordered[:-1])
        # The first of equal rows stays, in its place, so that a sorted sequence stays sorted.
        kept = np.sort(order[first])
        result = self.taken(kept)
        return Solutions(result.columns, result.size, result.folded)

    def is_certain(self, name: str) -> bool:
        """Tell whether a variable is bound in every row."""
        column = self.columns.get(name)
        return column is not None and (column.size == 0 or int(column.min()) >= 0)


def appended(parts: list[Solutions], classes: Representatives, budget: Budget) -> Solutions:
    """Return the union of bags; a variable that a bag lacks is unbound in its rows."""
    names = list(dict.fromkeys(name for part in parts for name in part.columns))
    parts = [part for part in parts if part.size]
    if len(parts) < 2:
        return parts[0].projected(names, classes) if parts else Solutions.none(names)
    # A column is folded only if it is so wherever it is bound at all.
    plain = {name for name in names for part in parts if name in part.columns and name not in part.folded}
    parts = [part.unfolded(plain, classes, budget) for part in parts]
    budget.check(sum(part.size for part in parts), len(names))
    columns = {name: np.concatenate([part.columns.get(name, part._unbound()) for part in parts]) for name in names}
    weights = None
    if any(part.weights is not None for part in parts):
        weights = np.concatenate(
            [np.ones(part.size, dtype=np.int64) if part.weights is None else part.weights for part in parts]
        )
    folded = frozenset(name for part in parts for name in part.folded)
    return Solutions(columns, sum(part.size for part in parts), folded, weights)


def row_keys(columns: list[Ids]) -> Keys:
    """Return one key a row, equal for equal rows.

    >>> keys = row_keys([np.array([1, 1, 2]), np.array([5, 5, 5]), np.array([7, 7, 7])])
    >>> bool(keys[0] == keys[1]), bool(keys[1] == keys[2])
    (True, False)
    """
    keys = columns[0]
    for number, column in enumerate(columns[1:]):
        if number:
            # Two ids fill a key; before a third one the pair becomes a dense code.
            keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
        keys = ((keys + 1) << 32) | (column + 1)
    return keys


def pairs_of(low: Ids, high: Ids, budget: Budget, columns: int = 1) -> tuple[Ids, Ids]:
    """Enumerate slices within the budget, for rows of so many columns: see ``kernels.expand``."""
    budget.check(float((high - low).sum()), columns)
    return expand(low, high)
