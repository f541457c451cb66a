"""The mapping pi of terms to representatives: a union-find over ids, merged in bulk."""

from __future__ import annotations

import numpy as np

from reasoner.columnar.kernels import NO_KEYS, Ids, expand, sort_distinct

# Few edges are united one by one, many by vectorised hooking, and for very many a graph library is worth its import.
_HOOKING_FROM = 64
_LIBRARY_FROM = 200_000


class Representatives:
    """An immutable mapping of ids to the smallest id of their equality class.

    Only the members of classes of two or more are stored: sorted in ``members``, with their representatives beside
    them in ``targets``. Without equality both are empty and nothing is paid.
    """

    __slots__ = ("_by_class", "members", "targets")

    def __init__(self, members: Ids = NO_KEYS, targets: Ids = NO_KEYS) -> None:
        self.members = members
        self.targets = targets
        self._by_class: tuple[Ids, Ids] | None = None

    def __bool__(self) -> bool:
        return self.members.size > 0

    @property
    def nbytes(self) -> int:
        return self.members.nbytes + self.targets.nbytes

    def of(self, ids: Ids) -> Ids:
        """Return the representatives of ids."""
        return replace(ids, self.members, self.targets)

    def of_one(self, id: int) -> int:
        """Return the representative of one id."""
        position = int(self.members.searchsorted(id))
        if position < self.members.size and self.members[position] == id:
            return int(self.targets[position])
        return id

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
        gone, target = nodes[moved], smallest[moved]
        members = sort_distinct(np.concatenate((self.members, nodes)))
        targets = replace(self.of(members), gone, target)
        return Representatives(members, targets), gone, target

    def classes(self) -> tuple[Ids, Ids, Ids]:
        """Return the representatives of the non-trivial classes, and for each the end of its members in the third
        column: all members, class by class, the representative first."""
        if not self:
            return NO_KEYS, NO_KEYS, NO_KEYS
        representatives, order = self._grouped()
        ends = np.flatnonzero(np.append(representatives[1:] != representatives[:-1], True)) + 1
        return representatives[ends - 1], ends, self.members[order]

    def class_of(self, id: int) -> Ids:
        """Return the members of the class of one id, the smallest first."""
        representatives, order = self._grouped()
        target = self.of_one(id)
        low, high = representatives.searchsorted((target, target + 1))
        return self.members[order[low:high]] if high > low else np.array([id], dtype=np.int64)

    def sizes(self, ids: Ids) -> Ids:
        """Return how many members the class of each representative has."""
        representatives, _ = self._grouped()
        counts: Ids = representatives.searchsorted(ids, "right") - representatives.searchsorted(ids)
        return np.maximum(counts, 1)

    def expanded(self, ids: Ids) -> tuple[Ids, Ids]:
        """Enumerate the members of the class of each representative: the row it comes from, and the member."""
        if not self:
            return np.arange(ids.size), ids
        representatives, order = self._grouped()
        low, high = representatives.searchsorted(ids), representatives.searchsorted(ids, "right")
        single = low == high
        owner, position = expand(low, np.where(single, low + 1, high))
        members = self.members[order[np.minimum(position, order.size - 1)]]
        return owner, np.where(single[owner], ids[owner], members)

    def _grouped(self) -> tuple[Ids, Ids]:
        if self._by_class is None:
            order = np.argsort(self.targets, kind="stable")
            self._by_class = (self.targets[order], order)
        return self._by_class


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
