"""Which literals have one value, kept while explicit facts come and go (the W3C rule dt-eq)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import NO_KEYS, Ids, pack, ranges, sort_distinct
from reasoner.columnar.own_equalities import equal_values, pairs_within, typed_literals, values_of
from reasoner.columnar.table import Table
from reasoner.terms.term import SAME

if TYPE_CHECKING:
    from reasoner.columnar.engine import ColumnarEngine
    from reasoner.columnar.store import Snapshot

# The literals of facts that are at least this part of all terms are marked in a column of all terms, and not sorted.
_DENSE = 16


class LiteralValues:
    """Groups the literals of a dictionary by value, once for as long as the dictionary only grows."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._truncations = dictionary.truncations
        self._seen = 0
        self._key: dict[int, Hashable] = {}
        self._group: dict[Hashable, list[int]] = {}

    def equalities(self, explicit: FactSet) -> FactSet:
        """Return the equalities between the literals of one value that occur in explicit facts."""
        literals = self._literals(explicit)
        left, right = equal_values(literals, self._dictionary)
        return equalities_of(left, right)

    def changes(self, before: FactSet, after: FactSet, changed: FactSet) -> tuple[FactSet, FactSet]:
        """Return the equalities that go and come when explicit facts change; ``changed`` are those that do."""
        literals = typed_literals(self._literals(changed), self._dictionary)
        if not literals.size:
            # Most changes have none, and need not know how the literals of the dictionary are grouped.
            return FactSet(), FactSet()
        self._group_new_literals()
        groups = [group for group in self._groups(literals) if len(group) > 1]
        if not groups:
            return FactSet(), FactSet()
        gone, come = self._edges(groups, before), self._edges(groups, after)
        return gone.difference(come), come.difference(gone)

    def _groups(self, literals: Ids) -> list[list[int]]:
        """Return the literals of the dictionary that have the values of some."""
        keys = {self._key[id] for id in literals.tolist() if id in self._key}
        return [self._group[key] for key in keys]

    def _edges(self, groups: list[list[int]], explicit: FactSet) -> FactSet:
        ids = np.array([id for group in groups for id in group], dtype=np.int64)
        occurring = _occurring(sort_distinct(ids), explicit)
        return equalities_of(*pairs_within([id for id in group if id in occurring] for group in groups))

    def _literals(self, facts: FactSet) -> Ids:
        mask = self._dictionary.literal_mask()
        if len(facts) * _DENSE < mask.size:
            parts = [facts.table(p).pairs()[1] for p in facts]
            objects = sort_distinct(np.concatenate(parts)) if parts else NO_KEYS
            return objects[mask[objects]]
        occurring = np.zeros(mask.size, dtype=np.bool_)
        for p in facts:
            occurring[facts.table(p).pairs()[1]] = True
        return np.flatnonzero(occurring & mask)

    def _group_new_literals(self) -> None:
        if self._truncations != self._dictionary.truncations:
            # Ids may have been given to other terms since.
            self._seen, self._key, self._group = 0, {}, {}
            self._truncations = self._dictionary.truncations
        new = self._dictionary.held_from(self._seen)
        self._seen = len(self._dictionary)
        new = new[self._dictionary.literal_mask()[new]]
        for id, key in values_of(new, self._dictionary):
            self._key[id] = key
            self._group.setdefault(key, []).append(id)


def _occurring(ids: Ids, facts: FactSet) -> set[int]:
    """Return those of the sorted ids that are the object of a fact."""
    found: set[int] = set()
    for predicate in facts:
        table = facts.table(predicate)
        for keys in table.object_runs(ids):
            low, high = ranges(keys, ids)
            # A run holds dead facts too, so that what it holds is looked up again.
            found.update(id for id in ids[high > low].tolist() if id not in found and table.subjects_of(id).size)
    return found


def spellings_of(values: FactSet, literal: int) -> Ids:
    """Return the literals that have the value of one, itself first, by the equalities of a state."""
    others = values.table(SAME).objects_of(literal) if len(values) else NO_KEYS
    return np.append(np.int64(literal), others)


def merged_by_value(engine: ColumnarEngine, state: Snapshot) -> Snapshot:
    """Return a state to ask, in which the literals of one value share a representative."""
    representatives, moved = engine.merge(state.representatives, state.values)
    kept, rewritten = engine.rewrite(engine.difference(state.facts, state.values), moved)
    facts = engine.union(kept, rewritten)
    return replace(state, facts=facts, representatives=representatives, values=FactSet())


def equalities_of(left: Ids, right: Ids) -> FactSet:
    """Return pairs of literals as facts of owl:sameAs."""
    return FactSet({SAME: Table.of_keys(sort_distinct(pack(left, right)), by_object=False)})
