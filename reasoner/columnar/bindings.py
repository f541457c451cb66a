"""Relations over variables, as equally long columns of ids: what every join reads and gives.

The bodies of rules and the patterns of queries are joined over the same relations. The variables of rules are negative
numbers, those of queries are names. In queries equal terms may be folded into one row where nothing can tell them
apart: a *folded* column holds representatives, each of which stands for every member of its class, and a row with two
folded columns is all combinations of their members. Patterns give folded columns, joins on folded columns stay folded,
and only what looks at a term itself (FILTER, BIND, aggregates, sorting, LIMIT, and the answer) unfolds it. *Weights*
say how often a row counts: dropping a folded column multiplies the weight of each row by the size of the class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np

from reasoner.columnar.kernels import Ids, Keys, Mask, expand, first_of_each, pack, sort_distinct, unpack
from reasoner.columnar.memory import require_memory
from reasoner.columnar.representatives import Representatives
from reasoner.rules.errors import QueryTooLargeError

# What a column holds in the rows that leave its variable open.
UNBOUND = -1

_HEAVIEST = float(1 << 62)

V = TypeVar("V", bound=int | str)


class Limits(Protocol):
    """What refuses a step that would give too many rows."""

    def check(self, rows: float = 0, columns: int = 1) -> None:
        """Raise if a step may not give so many rows of so many columns."""
        ...


class _NoLimits:
    def check(self, rows: float = 0, columns: int = 1) -> None:
        """Allow any step."""


NO_LIMITS = _NoLimits()
NO_CLASSES = Representatives()


class Bindings(Generic[V]):
    """An immutable bag of rows: ``columns`` by variable, all of length ``size``; None as weights is all ones."""

    __slots__ = ("columns", "folded", "size", "weights")

    def __init__(
        self,
        columns: dict[V, Ids],
        size: int,
        folded: frozenset[V] = frozenset(),
        weights: Ids | None = None,
    ) -> None:
        self.columns = columns
        self.size = size
        self.folded = folded
        self.weights = weights

    @classmethod
    def unit(cls) -> Bindings[V]:
        """Return the bag with one row that binds nothing."""
        return cls({}, 1)

    @classmethod
    def none(cls, variables: Iterable[V] = ()) -> Bindings[V]:
        """Return the empty bag."""
        return cls({variable: np.empty(0, dtype=np.int64) for variable in variables}, 0)

    def arrays(self) -> list[Ids]:
        """Return everything that takes memory."""
        return [*self.columns.values(), *(() if self.weights is None else (self.weights,))]

    def values(self, term: V | int) -> Ids:
        """Return the column of a bound variable, or a constant as a column."""
        return self.columns[term] if is_open(term) else np.full(self.size, term, dtype=np.int64)

    def is_bound(self, term: V | int) -> bool:
        """Tell whether a term is a constant, or a variable that has a column."""
        return term in self.columns or not is_open(term)

    def is_certain(self, variable: V) -> bool:
        """Tell whether a variable is bound in every row."""
        column = self.columns.get(variable)
        return column is not None and (column.size == 0 or int(column.min()) >= 0)

    def taken(self, rows: Ids | Mask) -> Bindings[V]:
        """Return the rows chosen by positions or by a mask."""
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
            if rows.size == self.size:
                return self
        columns = {variable: column[rows] for variable, column in self.columns.items()}
        return Bindings(columns, rows.size, self.folded, None if self.weights is None else self.weights[rows])

    def piece(self, start: int, stop: int) -> Bindings[V]:
        """Return a range of rows without copying."""
        columns = {variable: column[start:stop] for variable, column in self.columns.items()}
        weights = None if self.weights is None else self.weights[start:stop]
        return Bindings(columns, max(min(stop, self.size) - start, 0), self.folded, weights)

    def with_columns(self, new: Mapping[V, Ids], folded: Iterable[V] = ()) -> Bindings[V]:
        """Return these rows with further columns."""
        all_folded = self.folded.union(folded) if folded else self.folded
        return Bindings({**self.columns, **new}, self.size, all_folded, self.weights)

    def crossed(self, new: Mapping[V, Ids], size: int, folded: Iterable[V] = ()) -> Bindings[V]:
        """Return the product with a relation over other variables."""
        require_memory(self.size * size, len(self.columns) + len(new) + 2)
        if self.size != 1:
            again = {variable: np.tile(column, self.size) for variable, column in new.items()}
            return self.taken(np.repeat(np.arange(self.size), size)).with_columns(again, folded)
        if self.columns or self.weights is not None:
            return self.taken(np.zeros(size, dtype=np.int64)).with_columns(new, folded)
        return Bindings(dict(new), size, frozenset(folded))

    def with_weights(self, factor: Ids) -> Bindings[V]:
        """Return these rows, each counting as many times more."""
        if factor.size and (factor == 1).all():
            return self
        weights = factor if self.weights is None else self.weights * factor
        if self.weights is not None and factor.size:
            heaviest = float(self.weights.max()) * float(factor.max())
            if heaviest > _HEAVIEST:
                raise QueryTooLargeError(heaviest, 1 << 62)
        return Bindings(self.columns, self.size, self.folded, weights)

    def renamed(self, names: Mapping[V, V]) -> Bindings[V]:
        """Return these rows with variables renamed."""
        columns = {names.get(variable, variable): column for variable, column in self.columns.items()}
        folded = frozenset(names.get(variable, variable) for variable in self.folded)
        return Bindings(columns, self.size, folded, self.weights)

    def only(self, needed: frozenset[V]) -> Bindings[V]:
        """Return the same rows without the columns that nobody needs, given that nothing is folded."""
        return Bindings({v: column for v, column in self.columns.items() if v in needed}, self.size)

    def without(self, variables: Iterable[V], classes: Representatives) -> Bindings[V]:
        """Return these rows without some columns, counting each row as often as it counted with them."""
        gone = set(variables) & self.columns.keys()
        if not gone:
            return self
        result = self
        for variable in sorted(gone & self.folded, key=str):
            result = result.with_weights(classes.sizes(self.columns[variable]))
        columns = {variable: column for variable, column in self.columns.items() if variable not in gone}
        return Bindings(columns, self.size, self.folded - gone, result.weights)

    def projected(self, variables: Iterable[V], classes: Representatives) -> Bindings[V]:
        """Return the columns of some variables in their order; a variable that is never bound has an unbound one."""
        kept = list(dict.fromkeys(variables))
        result = self.without(self.columns.keys() - set(kept), classes)
        return Bindings({name: result._column(name) for name in kept}, self.size, result.folded, result.weights)

    def _column(self, variable: V) -> Ids:
        column = self.columns.get(variable)
        return np.full(self.size, UNBOUND, dtype=np.int64) if column is None else column

    def unfolded(self, variables: Iterable[V], classes: Representatives, limits: Limits) -> Bindings[V]:
        """Return the bag with every member of a class in a row of its own, for some variables."""
        result = self
        for name in sorted(self.folded & set(variables), key=str):
            sizes = classes.sizes(result.columns[name])
            if (sizes == 1).all():
                result = Bindings(result.columns, result.size, result.folded - {name}, result.weights)
                continue
            limits.check(float(sizes.sum()), len(result.columns))
            owner, members = classes.expanded(result.columns[name])
            result = result.taken(owner)
            result = Bindings({**result.columns, name: members}, members.size, result.folded - {name}, result.weights)
        return result

    def written_out(self, classes: Representatives, limits: Limits) -> Bindings[V]:
        """Return the bag with nothing folded and every row once for each time it counts."""
        result = self.unfolded(self.folded, classes, limits)
        if result.weights is None:
            return result
        limits.check(float(result.weights.sum()), len(result.columns))
        rows = np.repeat(np.arange(result.size), result.weights)
        return Bindings({variable: column[rows] for variable, column in result.columns.items()}, rows.size)

    def pieces(self, rows: int, classes: Representatives, limits: Limits) -> Iterator[Bindings[V]]:
        """Yield the bag in pieces of about so many rows, with nothing folded; rows keep their weights."""
        if not self.folded:
            for start in range(0, self.size, rows):
                yield self if self.size <= rows else self.taken(np.arange(start, min(start + rows, self.size)))
            return
        unweighted = Bindings(self.columns, self.size, self.folded).without(self.columns, classes).weights
        ends = np.arange(1, self.size + 1) if unweighted is None else np.cumsum(unweighted)
        start = 0
        while start < self.size:
            before = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(ends.searchsorted(before + rows, "right")))
            yield self.taken(np.arange(start, stop)).unfolded(self.folded, classes, limits)
            start = stop

    def count(self, classes: Representatives) -> int:
        """Count the solutions without writing them out."""
        without = self.without(self.columns, classes)
        return self.size if without.weights is None else int(without.weights.sum())

    def sliced(self, start: int, length: int | None, classes: Representatives, limits: Limits) -> Bindings[V]:
        """Return a range of the solutions; only rows that reach into it are unfolded."""
        without = self.without(self.columns, classes)
        if without.weights is None:
            stop = self.size if length is None else min(self.size, start + length)
            return self.taken(np.arange(min(start, self.size), stop))
        ends = np.cumsum(without.weights)
        first = int(ends.searchsorted(start, "right"))
        last = self.size if length is None else int(ends.searchsorted(start + length)) + 1
        before = int(ends[first - 1]) if first else 0
        written = self.taken(np.arange(first, min(last, self.size))).written_out(classes, limits)
        low = start - before
        high = written.size if length is None else min(written.size, low + length)
        return written.taken(np.arange(min(low, written.size), max(high, min(low, written.size))))

    def distinct(self) -> Bindings[V]:
        """Return every row once, in its place. Rows that differ while folded stand for different solutions."""
        if self.size < 2:
            return Bindings(self.columns, self.size, self.folded)
        if not self.columns:
            return Bindings({}, 1)
        keys = row_keys(list(self.columns.values()))
        if len(self.columns) == 1 and (keys[1:] > keys[:-1]).all():
            return Bindings(self.columns, self.size, self.folded)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        first = np.append(True, ordered[1:] != ordered[:-1])
        # The first of equal rows stays, in its place, so that a sorted sequence stays sorted.
        kept = np.sort(order[first])
        result = self.taken(kept)
        return Bindings(result.columns, result.size, result.folded)

    def distinct_sorted(self) -> Bindings[V]:
        """Return every row once, in order, given that every variable is bound: faster than ``distinct``."""
        if self.size < 2:
            return self
        columns = list(self.columns.values())
        if not columns:
            return Bindings({}, 1)
        if len(columns) == 1:
            kept = [sort_distinct(columns[0])]
        elif len(columns) == 2:
            kept = list(unpack(sort_distinct(pack(*columns))))
        else:
            return self.taken(first_of_each(columns))
        return Bindings(dict(zip(self.columns, kept, strict=True)), kept[0].size)


# The relations of queries, whose variables have names.
Solutions: TypeAlias = Bindings[str]


def is_open(term: V | int) -> TypeGuard[V]:
    """Tell whether a term is a variable, of a rule or of a query; ids are natural numbers."""
    return isinstance(term, str) or term < 0


def appended(
    parts: list[Bindings[V]], classes: Representatives = NO_CLASSES, limits: Limits = NO_LIMITS
) -> Bindings[V]:
    """Return the union of bags; a variable that a bag lacks is unbound in its rows."""
    names = list(dict.fromkeys(name for part in parts for name in part.columns))
    parts = [part for part in parts if part.size]
    if len(parts) < 2:
        return parts[0].projected(names, classes) if parts else Bindings.none(names)
    # A column is folded only if it is so wherever it is bound at all.
    plain = {name for name in names for part in parts if name in part.columns and name not in part.folded}
    parts = [part.unfolded(plain, classes, limits) for part in parts]
    limits.check(sum(part.size for part in parts), len(names))
    require_memory(sum(part.size for part in parts), len(names))
    columns = {name: np.concatenate([part._column(name) for part in parts]) for name in names}
    weights = None
    if any(part.weights is not None for part in parts):
        weights = np.concatenate(
            [np.ones(part.size, dtype=np.int64) if part.weights is None else part.weights for part in parts]
        )
    folded = frozenset(name for part in parts for name in part.folded)
    return Bindings(columns, sum(part.size for part in parts), folded, weights)


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


def pairs_of(low: Ids, high: Ids, limits: Limits, columns: int = 1) -> tuple[Ids, Ids]:
    """Enumerate slices within limits, for rows of so many columns: see ``kernels.expand``."""
    limits.check(float((high - low).sum()), columns)
    return expand(low, high)
