"""Multisets of facts: a fact set, and sorted columns of how much more than once some of its facts occur."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from reasoner.columnar.factset import FactSet, facts_of_keys
from reasoner.columnar.kernels import Ids, Keys, Mask
from reasoner.columnar.table import Table
from reasoner.engine import Multiset

# As for tables: a run is merged into its predecessor once it has a quarter of its size.
_MERGE_RATIO = 4

Amount: TypeAlias = tuple[Keys, Ids]


class Surplus:
    """An immutable map of keys to integers, most of them zero, as a few sorted runs whose amounts add up."""

    __slots__ = ("_runs",)

    def __init__(self, runs: tuple[Amount, ...] = ()) -> None:
        self._runs = runs

    def of(self, keys: Keys) -> Ids:
        """Return the amount of each key."""
        amounts = np.zeros(keys.size, dtype=np.int64)
        for base, values in self._runs:
            position = base.searchsorted(keys)
            position[position == base.size] = 0
            amounts += np.where(base[position] == keys, values[position], 0)
        return amounts

    def plus(self, keys: Keys, amounts: Ids) -> Surplus:
        """Add amounts to sorted, distinct keys; the cost is that of these keys, and of merging now and then."""
        changed = amounts != 0
        if not changed.any():
            return self
        runs = [*self._runs, (keys, amounts) if changed.all() else (keys[changed], amounts[changed])]
        while len(runs) > 1 and runs[-1][0].size * _MERGE_RATIO > runs[-2][0].size:
            last = runs.pop()
            runs[-1] = added_up([runs[-1], last])
        return Surplus(tuple(run for run in runs if run[0].size))


class ColumnarMultiset:
    """An immutable multiset: each of ``facts`` occurs once, and as often again as its predicate's surplus says.

    Facts that occur once, which most do, take no more than they do in a fact set, and runs of keys are shared with the
    fact sets that a multiset comes from.
    """

    __slots__ = ("_surplus", "facts")

    def __init__(self, facts: FactSet, surplus: Mapping[int, Surplus] | None = None) -> None:
        self.facts = facts
        self._surplus = surplus or {}

    @classmethod
    def of_facts(cls, facts: FactSet, multiplicity: int) -> ColumnarMultiset:
        """Make the multiset in which each fact occurs so often."""
        if multiplicity == 1:
            return cls(facts)
        keys = {p: facts.table(p).keys() for p in facts}
        return cls(facts, {p: Surplus().plus(k, np.full(k.size, multiplicity - 1)) for p, k in keys.items()})

    @classmethod
    def of_amounts(cls, parts: Mapping[int, list[Amount]]) -> ColumnarMultiset:
        """Make a multiset of positive amounts of main-order keys per predicate, in pieces that are sorted each."""
        summed = {p: added_up(pieces) for p, pieces in parts.items()}
        facts = facts_of_keys({p: [keys] for p, (keys, _) in summed.items()})
        return cls(facts, {p: Surplus().plus(keys, amounts - 1) for p, (keys, amounts) in summed.items()})

    def multiplicities(self, predicate: int, keys: Keys) -> Ids:
        """Return how often facts of a predicate occur, given by keys in main order."""
        found = self.facts.table(predicate).contains_keys(keys).astype(np.int64)
        surplus = self._surplus.get(predicate)
        return found if surplus is None else found + surplus.of(keys)

    def plus(self, other: ColumnarMultiset) -> ColumnarMultiset:
        if not len(other.facts):
            return self
        changed = dict(self._surplus)
        for p in other.facts:
            keys, amounts = other._amounts(p)
            known = self.facts.table(p).contains_keys(keys)
            changed[p] = changed.get(p, Surplus()).plus(keys, amounts - ~known)
        return ColumnarMultiset(self.facts.union(other.facts.difference(self.facts)), changed)

    def minus(self, other: ColumnarMultiset) -> ColumnarMultiset:
        if not len(other.facts):
            return self
        changed = dict(self._surplus)
        gone: dict[int, Table] = {}
        for p in other.facts:
            keys, amounts = other._amounts(p)
            held = self.multiplicities(p, keys)
            left = np.maximum(held - amounts, 0)
            changed[p] = changed.get(p, Surplus()).plus(keys, np.maximum(left - 1, 0) - np.maximum(held - 1, 0))
            gone[p] = Table.of_keys(keys[(left == 0) & (held > 0)], by_object=other.facts.table(p).by_object)
        return ColumnarMultiset(self.facts.difference(FactSet(gone)), changed)

    def without(self, facts: FactSet) -> ColumnarMultiset:
        if not len(facts):
            return self
        changed = dict(self._surplus)
        for p in facts:
            if p in changed:
                keys = facts.table(p).keys()
                changed[p] = changed[p].plus(keys, -changed[p].of(keys))
        return ColumnarMultiset(self.facts.difference(facts), changed)

    def occurring(self, facts: FactSet, least: int, most: int | None = None) -> FactSet:
        chosen: dict[int, Table] = {}
        for p in facts:
            keys = facts.table(p).keys()
            found = self.multiplicities(p, keys)
            mask: Mask = found >= least if most is None else (found >= least) & (found <= most)
            chosen[p] = Table.of_keys(keys[mask], by_object=facts.table(p).by_object)
        return FactSet(chosen)

    def _amounts(self, predicate: int) -> Amount:
        keys = self.facts.table(predicate).keys()
        surplus = self._surplus.get(predicate)
        once = np.ones(keys.size, dtype=np.int64)
        return keys, once if surplus is None else once + surplus.of(keys)


def columnar(multiset: Multiset[FactSet]) -> ColumnarMultiset:
    """Return a multiset of this engine as what it is."""
    assert isinstance(multiset, ColumnarMultiset), "multisets of different engines do not mix"
    return multiset


def counted(keys: Keys) -> Amount:
    """Return the distinct keys in order, and how often each of them occurs.

    >>> counted(np.array([5, 3, 5]))
    (array([3, 5]), array([1, 2]))
    """
    return np.unique(keys, return_counts=True)


def added_up(pieces: list[Amount]) -> Amount:
    """Add up the amounts of sorted pieces, leaving out the keys whose sum is zero.

    >>> added_up([(np.array([1, 2]), np.array([4, 1])), (np.array([2, 3]), np.array([-1, 1]))])
    (array([1, 3]), array([4, 1]))
    """
    if len(pieces) == 1:
        return pieces[0]
    keys = np.concatenate([piece[0] for piece in pieces])
    amounts = np.concatenate([piece[1] for piece in pieces])
    if keys.size == 0:
        return keys, amounts
    order = np.argsort(keys, kind="stable")
    keys, amounts = keys[order], amounts[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    sums = np.add.reduceat(amounts, starts)
    return keys[starts[sums != 0]], sums[sums != 0]
