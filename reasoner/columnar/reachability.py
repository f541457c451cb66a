"""Which targets the nodes of a graph reach, as rows of bits: a whole level of nodes at a time, sinks first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reasoner.columnar.kernels import LOW, Ids, Keys, Mask, expand, is_member, pack, ranges, sort_distinct, swap, unpack
from reasoner.columnar.table import Table

Bits = NDArray[np.uint64]

# Rows of bits are made for so many columns at once that they have at most this many words of 64 bits.
_MOST_WORDS = 1 << 23

# More objects than this are found by going through a table that is not too large, rather than by sorting it by object,
# which has to be done again whenever a change copies it.
_LOOKED_UP = 16
_SCANNED = 1 << 22


class Reachability:
    """What nodes reach by one or more ``steps``, which are (from, to) keys.

    If ``rest`` is given, ``nodes`` are all that steps start from, and every other node reaches what ``rest``, which is
    closed for these, says. Without it the steps are all there are.
    """

    def __init__(self, nodes: Ids, steps: Keys, rest: Table | None = None) -> None:
        left, right = unpack(steps)
        self.nodes = nodes if rest is not None else sort_distinct(np.concatenate((nodes, left, right)))
        self._rest = rest
        self._left, self._right = self.nodes.searchsorted(left), right
        inside = is_member(right, self.nodes)
        self._outside = np.flatnonzero(~inside)
        self._graph = Levels(self.nodes.size, self._left[inside], self.nodes.searchsorted(right[inside]))

    def to(self, targets: Ids) -> Bits:
        """Return for each node the bits of the sorted targets that it reaches."""
        hit = is_member(self._right, targets)
        seeds = bits_of(self.nodes.size, targets.size, self._left[hit], targets.searchsorted(self._right[hit]))
        if self._rest is not None and self._outside.size:
            outside = self._right[self._outside]
            borders = sort_distinct(outside)
            rows = rows_of(self._rest, borders, targets)
            add_rows(seeds, self._left[self._outside], rows, borders.searchsorted(outside))
        return self._graph.spread(seeds)

    def reaches(self, pairs: Keys) -> Mask:
        """Tell which (from, to) pairs are reachable; all start from nodes."""
        left, right = unpack(pairs)
        row, found = self.nodes.searchsorted(left), np.zeros(pairs.size, dtype=np.bool_)
        for targets in column_blocks(sort_distinct(right), self.nodes.size):
            chosen = np.flatnonzero(is_member(right, targets))
            column = targets.searchsorted(right[chosen])
            words = self.to(targets)[row[chosen], column >> 6]
            found[chosen] = (words >> (column & 63).astype(np.uint64)) & np.uint64(1) == 1
        return found


class Levels:
    """A graph with its strongly connected components in levels, so that what a node gives comes before what takes."""

    def __init__(self, count: int, left: Ids, right: Ids) -> None:
        edges = sort_distinct(pack(left, right))
        left, right = unpack(edges)
        self._label: Ids | None = None
        level = levels_to_sinks(count, left, right)
        if level is None:
            self._label, count = strong_components(count, left, right)
            edges = sort_distinct(pack(self._label[left], self._label[right]))
            left, right = unpack(edges)
            left, right = left[left != right], right[left != right]
            level = levels_to_sinks(count, left, right)
            assert level is not None, "a graph of strongly connected components has no cycle"
        self._count = count
        order = np.argsort(level[left], kind="stable")
        self._left, self._right = left[order], right[order]
        self._cuts = [0, *(np.flatnonzero(np.diff(level[self._left])) + 1).tolist(), left.size] if left.size else [0]

    def spread(self, seeds: Bits) -> Bits:
        """Return rows with rows[u] = seeds[u] + rows[v] for all edges (u, v); the seeds may be used up."""
        rows = seeds
        if self._label is not None:
            rows = np.zeros((self._count, seeds.shape[1]), dtype=np.uint64)
            add_rows(rows, self._label, seeds, np.arange(seeds.shape[0]))
        for low, high in pairwise(self._cuts):
            add_rows(rows, self._left[low:high], rows, self._right[low:high])
        return rows if self._label is None else rows[self._label]


def column_blocks(columns: Ids, rows: int) -> Iterator[Ids]:
    """Yield columns in pieces for which so many rows of bits fit into memory."""
    step = 64 * max(1, _MOST_WORDS // max(1, rows))
    for start in range(0, columns.size, step):
        yield columns[start : start + step]


def bits_of(rows: int, columns: int, row: Ids, column: Ids) -> Bits:
    """Make rows of bits from the positions of those that are set."""
    bits = np.zeros((rows, -(-columns // 64)), dtype=np.uint64)
    flat = row * bits.shape[1] + (column >> 6)
    np.bitwise_or.at(bits.reshape(-1), flat, np.uint64(1) << (column & 63).astype(np.uint64))
    return bits


def set_bits(bits: Bits) -> tuple[Ids, Ids]:
    """Return the rows and the columns of the bits that are set, row by row."""
    row, word = np.nonzero(bits)
    single = np.unpackbits(np.ascontiguousarray(bits[row, word])[:, None].view(np.uint8), axis=1, bitorder="little")
    at, bit = np.nonzero(single)
    return row[at], word[at] * 64 + bit


def add_rows(bits: Bits, row: Ids, others: Bits, at: Ids) -> None:
    """Set in ``bits[row[i]]`` all bits of ``others[at[i]]``, in place."""
    if row.size == 0 or bits.shape[1] == 0:
        return
    if (row[1:] < row[:-1]).any():
        order = np.argsort(row, kind="stable")
        row, at = row[order], at[order]
    starts = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
    step = max(1, _MOST_WORDS // bits.shape[1])
    first = 0
    while first < starts.size:
        low = int(starts[first])
        last = starts.size
        if row.size - low > step:
            last = max(first + 1, int(starts.searchsorted(low + step, "right")) - 1)
        high = int(starts[last]) if last < starts.size else row.size
        begins = starts[first:last]
        bits[row[begins]] |= np.bitwise_or.reduceat(others[at[low:high]], begins - low, axis=0)
        first = last


def rows_of(table: Table, subjects: Ids, targets: Ids) -> Bits:
    """Return for each of the sorted subjects the bits of the sorted targets that it has in a table."""
    s, o = unpack(facts_from(table, subjects))
    hit = is_member(o, targets)
    return bits_of(subjects.size, targets.size, subjects.searchsorted(s[hit]), targets.searchsorted(o[hit]))


def facts_from(table: Table, subjects: Ids) -> Keys:
    """Return the (subject, object) keys of the facts with one of the sorted subjects; those of a subject in order
    only if the table has a single run."""
    parts = [keys[expand(*ranges(keys, subjects))[1]] for keys in table.subject_runs(subjects)]
    keys = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    return keys[table.contains(*unpack(keys))] if table.dead.size else keys


def facts_into(table: Table, objects: Ids) -> Keys:
    """Return the (object, subject) keys of the facts with one of the sorted objects."""
    if objects.size > _LOOKED_UP and table.size < _SCANNED:
        wanted = np.zeros(int(objects[-1]) + 2, dtype=np.bool_)
        wanted[objects] = True
        parts = [keys[wanted[np.minimum(keys & LOW, objects[-1] + 1)]] for keys in table.subject_runs()]
        parts = [swap(keys) for keys in parts]
    else:
        parts = [keys[expand(*ranges(keys, objects))[1]] for keys in table.object_runs(objects)]
    keys = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    return keys[table.contains(*reversed(unpack(keys)))] if table.dead.size else keys


def strong_components(count: int, left: Ids, right: Ids) -> tuple[Ids, int]:
    """Return for each node the number of its strongly connected component, and how many there are."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(left.size, dtype=np.int8), (left, right)), shape=(count, count))
    components, label = connected_components(graph.tocsr(), directed=True, connection="strong")
    return label.astype(np.int64), int(components)


def levels_to_sinks(count: int, left: Ids, right: Ids) -> Ids | None:
    """Return for each node the length of its longest path to a sink, or None if there is a cycle."""
    open_edges = np.bincount(left, minlength=count)
    incoming = np.sort(pack(right, left))
    level = np.zeros(count, dtype=np.int64)
    ready = np.flatnonzero(open_edges == 0)
    depth = seen = 0
    while ready.size:
        seen += ready.size
        level[ready] = depth
        _, position = expand(*ranges(incoming, ready))
        sources, times = np.unique(incoming[position] & 0xFFFFFFFF, return_counts=True)
        open_edges[sources] -= times
        ready = sources[open_edges[sources] == 0]
        depth += 1
    return level if seen == count else None
