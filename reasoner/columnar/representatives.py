"""The mapping pi of terms to representatives: a union-find over ids, merged in bulk.

Bringing facts into normal form, with cost by what changes where that is little.

How equality classes differ between two mappings: what merged, what fell apart, and what stayed together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from reasoner.columnar.factset import FactSet, facts_of_keys
from reasoner.columnar.kernels import NO_KEYS, Ids, Keys, Mask, expand, is_member, pack, ranges, sort_distinct, unpack
from reasoner.columnar.table import Table
from reasoner.terms.term import TYPE

# Few edges are united one by one, many by vectorised hooking, and for very many a graph library is worth its import.
_HOOKING_FROM = 64
_LIBRARY_FROM = 200_000

# Changed classes are kept apart from the others while they are less than this part of them.
_FEW_OF = 16


class Representatives:
    """An immutable mapping of ids to the smallest id of their equality class.

    Only the members of classes of two or more are stored: sorted in ``members``, with their representatives beside
    them in ``targets``. Without equality both are empty and nothing is paid. A change of few classes of many copies
    nothing: all terms of the classes that it touches, those that end up alone among them, go into a small table that
    is asked first.
    """

    __slots__ = ("_base", "_changed", "_whole")

    def __init__(self, members: Ids = NO_KEYS, targets: Ids = NO_KEYS) -> None:
        self._base = _Classes(members, targets)
        self._changed = _NO_CLASSES
        self._whole: _Classes | None = self._base

    def __bool__(self) -> bool:
        # Changed classes are always few of the base, so that some class of the base is as it was.
        return self._base.members.size > 0 or bool(self._changed.plural.any())

    @property
    def members(self) -> Ids:
        return self._consolidated().members

    @property
    def targets(self) -> Ids:
        return self._consolidated().targets

    @property
    def nbytes(self) -> int:
        return sum(part.members.nbytes + part.targets.nbytes for part in (self._base, self._changed))

    def of(self, ids: Ids) -> Ids:
        """Return the representatives of ids."""
        found = replace(ids, self._base.members, self._base.targets)
        changed = self._changed
        if changed.members.size == 0 or ids.size == 0:
            return found
        position = changed.members.searchsorted(ids)
        known = changed.members.take(position, mode="clip") == ids
        return np.where(known, changed.targets.take(position, mode="clip"), found)

    def of_one(self, id: int) -> int:
        """Return the representative of one id."""
        part = self._part(id)
        return id if part is None else int(part.targets[part.members.searchsorted(id)])

    def is_plural(self, ids: Ids) -> Mask:
        """Tell which ids are in a class of two or more."""
        found = is_member(ids, self._base.members)
        changed = self._changed
        if changed.members.size == 0 or ids.size == 0:
            return found
        position = changed.members.searchsorted(ids)
        known = changed.members.take(position, mode="clip") == ids
        return np.where(known, changed.plural.take(position, mode="clip"), found)

    def merged(self, left: Ids, right: Ids) -> tuple[Representatives, Ids, Ids]:
        """Return the mapping in which each left id equals its right id, with the ids that cease to be
        representatives, sorted, and their new representatives."""
        left, right = self.of(left), self.of(right)
        apart = left != right
        nodes = sort_distinct(np.concatenate((left[apart], right[apart])))
        if nodes.size == 0:
            return self, NO_KEYS, NO_KEYS
        smallest = connected_smallest(nodes, nodes.searchsorted(left[apart]), nodes.searchsorted(right[apart]))
        moved = nodes != smallest
        owner, members = self.expanded(nodes)
        return self.with_classes(members, smallest[owner]), nodes[moved], smallest[moved]

    def with_classes(self, members: Ids, targets: Ids) -> Representatives:
        """Return the mapping with some classes arranged anew: ``members`` are all terms of these, each once."""
        order = np.argsort(members, kind="stable")
        members, targets = members[order], targets[order]
        kept = ~is_member(self._changed.members, members)
        at = self._changed.members[kept].searchsorted(members)
        changed = _Classes(
            np.insert(self._changed.members[kept], at, members), np.insert(self._changed.targets[kept], at, targets)
        )
        result = Representatives()
        if changed.members.size * _FEW_OF > self._base.members.size:
            result._base = result._whole = _consolidated(self._base, changed)
        else:
            result._base, result._changed, result._whole = self._base, changed, None
        return result

    def moved_since(self, before: Representatives) -> Ids:
        """Return the terms, in order, whose representative is another than in a mapping before."""
        if self is before:
            return NO_KEYS
        if self._base is before._base:
            parts = self._changed.members, before._changed.members
        else:
            parts = self.members, before.members
        terms = np.concatenate(parts)
        terms.sort(kind="stable")
        moved = terms[self.of(terms) != before.of(terms)]
        return sort_distinct(moved)

    def classes(self) -> tuple[Ids, Ids, Ids]:
        """Return the representatives of the non-trivial classes, and for each the end of its members in the third
        column: all members, class by class, the representative first."""
        if not self:
            return NO_KEYS, NO_KEYS, NO_KEYS
        whole = self._consolidated()
        representatives, order = whole.grouped
        ends = np.flatnonzero(np.append(representatives[1:] != representatives[:-1], True)) + 1
        return representatives[ends - 1], ends, whole.members[order]

    def class_of(self, id: int) -> Ids:
        """Return the members of the class of one id, the smallest first."""
        part = self._part(id)
        if part is None:
            return np.array([id], dtype=np.int64)
        representatives, order = part.grouped
        target = part.targets[part.members.searchsorted(id)]
        low, high = representatives.searchsorted((target, target + 1))
        return part.members[order[low:high]]

    def sizes(self, ids: Ids) -> Ids:
        """Return how many members the class of each representative has."""
        low, high = self._base.slices(ids)
        if self._changed.members.size:
            changed = is_member(ids, self._changed.members)
            first, last = self._changed.slices(ids)
            low, high = np.where(changed, first, low), np.where(changed, last, high)
        sizes: Ids = np.maximum(high - low, 1)
        return sizes

    def expanded(self, ids: Ids) -> tuple[Ids, Ids]:
        """Enumerate the members of the class of each representative: the row it comes from, and the member."""
        if not self:
            return np.arange(ids.size), ids
        changed = is_member(ids, self._changed.members)
        if not changed.any():
            return self._base.expanded(ids)
        rows, others = np.flatnonzero(changed), np.flatnonzero(~changed)
        owner, members = self._changed.expanded(ids[rows])
        other_owner, other_members = self._base.expanded(ids[others])
        owner = np.concatenate((rows[owner], others[other_owner]))
        order = np.argsort(owner, kind="stable")
        return owner[order], np.concatenate((members, other_members))[order]

    def _part(self, id: int) -> _Classes | None:
        """Return the table that knows an id, None if it is in no class."""
        for part in (self._changed, self._base):
            position = int(part.members.searchsorted(id))
            if position < part.members.size and part.members[position] == id:
                return part
        return None

    def _consolidated(self) -> _Classes:
        if self._whole is None:
            self._whole = _consolidated(self._base, self._changed)
        return self._whole


class _Classes:
    """Sorted members with their representatives, and on demand the order that puts the members of a class together."""

    __slots__ = ("_grouped", "_plural", "members", "targets")

    def __init__(self, members: Ids, targets: Ids) -> None:
        self.members = members
        self.targets = targets
        self._grouped: tuple[Ids, Ids] | None = None
        self._plural: Mask | None = None

    @property
    def grouped(self) -> tuple[Ids, Ids]:
        """The representatives in order, and the positions of the members in that order."""
        if self._grouped is None:
            order = np.argsort(self.targets, kind="stable")
            self._grouped = (self.targets[order], order)
        return self._grouped

    @property
    def plural(self) -> Mask:
        """Which members are not alone in their class."""
        if self._plural is None:
            low, high = self.slices(self.targets)
            self._plural = high - low > 1
        return self._plural

    def slices(self, ids: Ids) -> tuple[Ids, Ids]:
        """Return the slice of the grouped members that each representative has."""
        representatives, _ = self.grouped
        return representatives.searchsorted(ids), representatives.searchsorted(ids, "right")

    def expanded(self, ids: Ids) -> tuple[Ids, Ids]:
        """Enumerate the members of the class of each representative; an id that is in no class stands for itself."""
        low, high = self.slices(ids)
        single = low == high
        owner, position = expand(low, np.where(single, low + 1, high))
        if self.members.size == 0:
            return owner, ids
        members = self.members[self.grouped[1].take(position, mode="clip")]
        return owner, np.where(single[owner], ids[owner], members)


_NO_CLASSES = _Classes(NO_KEYS, NO_KEYS)


def _consolidated(base: _Classes, changed: _Classes) -> _Classes:
    """Return one table of the classes of two or more."""
    kept = ~is_member(base.members, changed.members)
    members, targets = base.members[kept], base.targets[kept]
    plural = changed.plural
    at = members.searchsorted(changed.members[plural])
    return _Classes(np.insert(members, at, changed.members[plural]), np.insert(targets, at, changed.targets[plural]))


def replace(ids: Ids, sources: Ids, targets: Ids) -> Ids:
    """Replace each id that occurs in the sorted sources by its target."""
    if sources.size == 0 or ids.size == 0:
        return ids
    position = sources.searchsorted(ids)
    position[position == sources.size] = 0
    return np.where(sources[position] == ids, targets[position], ids)


def connected_smallest(nodes: Ids, left: Ids, right: Ids) -> Ids:
    """Return for each node the smallest node that the edges (positions in ``nodes``) connect it with."""
    if left.size < _HOOKING_FROM:
        return nodes[_components_by_union(nodes.size, left.tolist(), right.tolist())]
    if left.size < _LIBRARY_FROM:
        return nodes[_components_by_hooking(nodes.size, left, right)]
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(left.size, dtype=np.int8), (left, right)), shape=(nodes.size, nodes.size))
    count, labels = connected_components(graph.tocsr(), directed=False)
    first = np.full(count, nodes.size, dtype=np.int64)
    np.minimum.at(first, labels, np.arange(nodes.size))
    smallest: Ids = nodes[first[labels]]
    return smallest


def _components_by_union(count: int, left: list[int], right: list[int]) -> Ids:
    parent = list(range(count))

    def find(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for a, b in zip(left, right, strict=True):
        a, b = find(a), find(b)
        parent[max(a, b)] = min(a, b)
    return np.array([find(node) for node in range(count)], dtype=np.int64)


def _components_by_hooking(count: int, left: Ids, right: Ids) -> Ids:
    """Return the smallest node of each component by min-label hooking and pointer jumping, in few vectorised rounds.

    Zhang, Azad, Hu: FastSV, a distributed-memory connected component algorithm with fast convergence, 2020.
    """
    parent = np.arange(count)
    grand = parent.copy()
    while True:
        for a, b in ((left, right), (right, left)):
            np.minimum.at(parent, parent[a], grand[b])
            np.minimum.at(parent, a, grand[b])
        np.minimum(parent, grand, out=parent)
        new = parent[parent]
        if np.array_equal(new, grand):
            return parent
        grand = new


def normal_form(facts: FactSet, representatives: Representatives) -> FactSet:
    """Replace every term of every fact by its representative."""
    if not representatives:
        return facts
    kept, changed = rewritten_apart(facts, representatives)
    return kept.union(changed.difference(kept))


def rewritten_apart(facts: FactSet, moved: Representatives) -> tuple[FactSet, FactSet]:
    """Return the facts without a moved term as they are, and the other facts in normal form."""
    if not moved:
        return facts, FactSet()
    kept: dict[int, Table] = {}
    changed: dict[int, list[Keys]] = defaultdict(list)
    sources = moved.members[moved.members != moved.targets]
    for predicate in facts.predicates_about(sources):
        table = facts.table(predicate)
        target = moved.of_one(predicate)
        keys = table.keys() if target != predicate else mentioning_keys(table, sources)
        if keys.size == 0:
            continue
        kept[predicate] = table.without(keys)
        first, second = unpack(keys)
        first, second = moved.of(first), moved.of(second)
        if table.by_object != (target == TYPE):
            first, second = second, first
        changed[target].append(pack(first, second))
    return facts.with_tables(kept), facts_of_keys(changed)


def mentioning_keys(table: Table, terms: Ids) -> Keys:
    """Return the main-order keys that mention one of the sorted terms."""
    found = []
    for run in table.runs_about(terms):
        if terms.size * 16 > run.main.size:
            first, second = unpack(run.main)
            found.append(run.main[is_member(first, terms) | is_member(second, terms)])
            continue
        _, position = expand(*ranges(run.main, terms))
        found.append(run.main[position])
        _, position = expand(*ranges(run.other, terms))
        second, first = unpack(run.other[position])
        found.append(pack(first, second))
    keys = sort_distinct(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
    return keys[~is_member(keys, table.dead)] if table.dead.size else keys


IdClasses = list[list[int]]


def moved_terms(before: Representatives, after: Representatives) -> Ids:
    """Return the terms whose class is another in one mapping than in the other."""
    moved = after.moved_since(before)
    # A class changes for all its members, also for those whose representative stays.
    for mapping in (before, after):
        moved = sort_distinct(np.concatenate((moved, mapping.expanded(sort_distinct(mapping.of(moved)))[1])))
    return moved


def blocks_of(terms: Ids, left: Representatives, right: Representatives) -> Ids:
    """Return for each of the sorted terms the first term that is equal to it in both mappings."""
    order = np.lexsort((terms, right.of(terms), left.of(terms)))
    ordered = terms[order]
    old, new = left.of(ordered), right.of(ordered)
    starts = np.flatnonzero(np.append(True, (old[1:] != old[:-1]) | (new[1:] != new[:-1])))[: terms.size]
    first = np.empty_like(terms)
    first[order] = np.repeat(ordered[starts], np.diff(starts, append=terms.size))
    return first


class Regrouping:
    """The classes that differ between two mappings, in groups.

    A group holds the old classes that share terms with the same new classes, and these; a term alone is a class. In a
    group, classes *merged* if a new class unites terms of several old ones, and *split* if terms of an old class are in
    several new ones; where terms changed sides both are true. ``terms`` are all terms of such classes.
    """

    def __init__(self, before: Representatives, after: Representatives) -> None:
        self.terms = moved_terms(before, after)
        self._before, self._after = before, after
        position = np.arange(self.terms.size)
        left = np.concatenate((position, position))
        right = np.concatenate([self.terms.searchsorted(mapping.of(self.terms)) for mapping in (before, after)])
        self._groups = connected_smallest(self.terms, left, right)
        self._names = sort_distinct(self._groups)
        old = self._counted(sort_distinct(before.of(self.terms)))
        new = self._counted(sort_distinct(after.of(self.terms)))
        together = self._counted(sort_distinct(blocks_of(self.terms, before, after)))
        self._merged: Mask = together > new
        self._split: Mask = together > old

    def counts(self) -> tuple[int, int]:
        """Return in how many groups classes merged, and in how many they split."""
        return int(np.count_nonzero(self._merged)), int(np.count_nonzero(self._split))

    def merged(self) -> Iterator[tuple[IdClasses, IdClasses]]:
        """Yield the old and the new classes of each group in which classes merged."""
        return self._chosen(self._merged)

    def split(self) -> Iterator[tuple[IdClasses, IdClasses]]:
        """Yield the old and the new classes of each group in which classes split."""
        return self._chosen(self._split)

    def _counted(self, firsts: Ids) -> Ids:
        """Count, group by group, the terms that stand for one thing each."""
        groups = self._groups[self.terms.searchsorted(firsts)]
        return np.bincount(self._names.searchsorted(groups), minlength=self._names.size)

    def _chosen(self, wanted: Mask) -> Iterator[tuple[IdClasses, IdClasses]]:
        order = np.argsort(self._groups, kind="stable")
        ends = self._groups[order].searchsorted(self._names, "right")
        starts = np.concatenate(([0], ends[:-1])) if ends.size else ends
        for group in np.flatnonzero(wanted).tolist():
            terms = self.terms[order[starts[group] : ends[group]]]
            yield _classes(terms, self._before), _classes(terms, self._after)


def _classes(terms: Ids, mapping: Representatives) -> IdClasses:
    """Part sorted terms by their representatives."""
    classes: dict[int, list[int]] = {}
    for representative, term in zip(mapping.of(terms).tolist(), terms.tolist(), strict=True):
        classes.setdefault(representative, []).append(term)
    return list(classes.values())
