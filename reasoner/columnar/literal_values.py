"""Which literals have one value, kept while explicit facts come and go (the W3C rule dt-eq)."""

from __future__ import annotations

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.equalities import equal_values
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import NO_KEYS, Ids, pack, ranges, sort_distinct
from reasoner.columnar.table import Table
from reasoner.literals.value import value_key
from reasoner.vocabulary import SAME


class LiteralValues:
    """Groups the literals of a dictionary by value. A dictionary only grows, so that nothing here is ever undone."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._seen = 0
        self._key: dict[int, object] = {}
        self._group: dict[object, list[int]] = {}

    def equalities(self, explicit: FactSet) -> FactSet:
        """Return equalities that connect the literals of one value that occur in explicit facts."""
        literals = self._literals(explicit)
        left, right = equal_values(literals, self._dictionary)
        return _equalities(left, right)

    def changes(self, before: FactSet, after: FactSet, changed: FactSet) -> tuple[FactSet, FactSet]:
        """Return the equalities that go and come when explicit facts change; ``changed`` are those that do."""
        self._group_new_literals()
        keys = {self._key[id] for id in self._literals(changed).tolist() if id in self._key}
        groups = [self._group[key] for key in keys if len(self._group[key]) > 1]
        if not groups:
            return FactSet(), FactSet()
        gone, come = self._edges(groups, before), self._edges(groups, after)
        return gone.difference(come), come.difference(gone)

    def _edges(self, groups: list[list[int]], explicit: FactSet) -> FactSet:
        ids = np.array([id for group in groups for id in group], dtype=np.int64)
        occurring = _occurring(sort_distinct(ids), explicit)
        left, right = [], []
        for group in groups:
            first, *others = [id for id in sorted(group) if id in occurring] or [0]
            left += [first] * len(others)
            right += others
        return _equalities(np.array(left, dtype=np.int64), np.array(right, dtype=np.int64))

    def _literals(self, facts: FactSet) -> Ids:
        parts = [facts.table(p).pairs()[1] for p in facts]
        objects = sort_distinct(np.concatenate(parts)) if parts else NO_KEYS
        return objects[self._dictionary.literal_mask()[objects]]

    def _group_new_literals(self) -> None:
        size = len(self._dictionary)
        new = np.arange(self._seen, size)
        self._seen = size
        new = new[self._dictionary.literal_mask()[new]]
        for id, text in zip(new.tolist(), self._dictionary.decode(new), strict=True):
            # A plain string has one spelling only.
            if not text.endswith('"') and (key := value_key(text)) is not None:
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


def _equalities(left: Ids, right: Ids) -> FactSet:
    return FactSet({SAME: Table.of_keys(sort_distinct(pack(left, right)), by_object=False)})
