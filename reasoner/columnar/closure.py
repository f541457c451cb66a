"""Transitive and symmetric-transitive closure of one table by components instead of joins.

Hu, Motik, Horrocks: Modular Materialisation of Datalog Programs, 2019, sections 5 and 6 (algorithms 4 and 7).
Deviation: a transitive predicate is closed by strongly connected components and reachability as bit sets in one go,
where the paper's algorithm 4 walks edge by edge; results are the same sets.

Which targets the nodes of a graph reach, as rows of bits: a whole level of nodes at a time, sinks first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reasoner.columnar.bindings import Bindings, appended
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import (
    LOW,
    NO_KEYS,
    Ids,
    Keys,
    Mask,
    expand,
    is_member,
    pack,
    ranges,
    sort_distinct,
    swap,
    unpack,
)
from reasoner.columnar.memory import require_memory
from reasoner.columnar.representatives import connected_smallest
from reasoner.columnar.scan import extend
from reasoner.columnar.table import Table

Bits = NDArray[np.uint64]

# Rows of bits are made for so many columns at once that they have at most this many words of 64 bits.
_MOST_WORDS = 1 << 23

# More objects than this are found by going through a table that is not too large, rather than by sorting it by object,
# which has to be done again whenever a change copies it.
_LOOKED_UP = 16
_SCANNED = 1 << 22

# Up to so many edges are gone through one by one: a chain has as many levels as edges, and a level costs what dozens of
# edges do.
_FEW_EDGES = 1 << 13
_EDGES_A_LEVEL = 32


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
        self._graph = ComponentLevels(self.nodes.size, self._left[inside], self.nodes.searchsorted(right[inside]))

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


class ComponentLevels:
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
        if self._left.size < _EDGES_A_LEVEL * len(self._cuts):
            for u, v in zip(self._left.tolist(), self._right.tolist(), strict=True):
                rows[u] |= rows[v]
        else:
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
    if max(count, left.size) <= _FEW_EDGES:
        return _levels_one_by_one(count, left, right)
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


def _levels_one_by_one(count: int, left: Ids, right: Ids) -> Ids | None:
    open_edges, sources = [0] * count, [list[int]() for _ in range(count)]
    for u, v in zip(left.tolist(), right.tolist(), strict=True):
        open_edges[u] += 1
        sources[v].append(u)
    level = [0] * count
    ready = [node for node in range(count) if not open_edges[node]]
    for node in ready:
        for u in sources[node]:
            level[u] = max(level[u], level[node] + 1)
            open_edges[u] -= 1
            if not open_edges[u]:
                ready.append(u)
    return np.array(level, dtype=np.int64) if len(ready) == count else None


# A shallow graph is closed by a round or two of joins, which need no graph library; once these have considered this
# many pairs for every edge, components are the better way, unless their bit sets would be larger than joins can be.
_JOIN_GROWTH = 8
_MOST_WORD_OPERATIONS = 4_000_000_000
_BLOCK_BYTES = 1 << 27

# The words that a pair takes while a round of joins, or a block of bit sets, becomes keys in order.
_ROUND_WORDS = 4

_X, _Y, _Z = -1, -2, -3


def close_transitively(table: Table, fresh: Table | None) -> Keys:
    """Return the (subject, object) keys that transitivity adds to a table, and perhaps some that it has.

    ``fresh`` are the facts of the table since it was last closed, None if it never was.
    """
    if fresh is None or fresh.size * 4 > table.size:
        fresh = table
    added = _by_joins(table, fresh, _JOIN_GROWTH * table.size)
    if added is None:
        added = _by_components(*table.pairs())
    if added is None:
        added = _by_joins(table, fresh, None)
    assert added is not None, "joins without a limit always end"
    return added


def close_symmetrically(table: Table, fresh: Table | None) -> Keys:
    """Return the (subject, object) keys that symmetry and transitivity add to a table, and perhaps some that it has."""
    if fresh is None:
        left, right = table.pairs()
    else:
        left, right = fresh.pairs()
        ends = Bindings({_X: sort_distinct(np.concatenate((left, right)))}, 0)
        ends.size = ends.columns[_X].size
        near = appended(list(extend(ends, (_X, 2, _Y), FactSet({2: table}), frozenset())))
        if near.size:  # an old component is a clique, so one member's facts connect it whole
            left = np.concatenate((left, near.columns[_X]))
            right = np.concatenate((right, near.columns[_Y]))
    nodes = sort_distinct(np.concatenate((left, right)))
    if nodes.size == 0:
        return NO_KEYS
    component = connected_smallest(nodes, nodes.searchsorted(left), nodes.searchsorted(right))
    return _members_product(component, component, nodes, component)


def _by_joins(table: Table, fresh: Table, limit: int | None) -> Keys | None:
    """Close by semi-naive rounds: a new pair has at least one new step (algorithm 4, lines 42-47).

    Return None before more than ``limit`` pairs of steps are considered: in a clique of n terms there are n^3 of them.
    """
    whole, delta, added, considered = table, fresh, NO_KEYS, 0
    while delta.size:
        s, o = delta.pairs()
        rows = _joined_size(o, whole.subject_runs(o)) + _joined_size(s, whole.object_runs(s))
        considered += rows
        if limit is not None and considered > limit:
            return None
        require_memory(rows, _ROUND_WORDS)
        step = Bindings({_X: s, _Y: o}, s.size)
        heads = [
            pack(part.columns[_X], part.columns[_Z])
            for part in extend(step, (_Y, 2, _Z), FactSet({2: whole}), frozenset())
            if part.size
        ]
        heads += [
            pack(part.columns[_Z], part.columns[_Y])
            for part in extend(step, (_Z, 2, _X), FactSet({2: whole}), frozenset())
            if part.size
        ]
        keys = sort_distinct(np.concatenate(heads)) if heads else NO_KEYS
        s, o = keys >> 32, keys & 0xFFFFFFFF
        new = ~whole.contains(s, o)
        added = np.concatenate((added, keys[new]))
        main = sort_distinct(whole.main_keys(s[new], o[new]))
        delta = Table.of_keys(main, by_object=whole.by_object)
        whole = whole.added(main)
    return added


def _joined_size(probes: Ids, runs: list[Keys]) -> int:
    """Return how many rows a join with sorted runs has."""
    terms, times = np.unique(probes, return_counts=True)
    return sum(int(((high - low) * times).sum()) for low, high in (ranges(keys, terms) for keys in runs))


def _by_components(s: Ids, o: Ids) -> Keys | None:
    """Return the whole closure, or None if bit sets would cost more than joins."""
    nodes = sort_distinct(np.concatenate((s, o)))
    if s.size * (nodes.size / 64) > _MOST_WORD_OPERATIONS:
        return None
    left, right = nodes.searchsorted(s), nodes.searchsorted(o)
    loops = left == right
    level = None if loops.any() else levels_to_sinks(nodes.size, left, right)
    if level is not None:
        reach = _reachable(level, left, right)
        return pack(nodes[reach >> 32], nodes[reach & 0xFFFFFFFF])
    label, count = strong_components(nodes.size, left, right)
    edges = sort_distinct(pack(label[left], label[right]))
    start, end = edges >> 32, edges & 0xFFFFFFFF
    inner = start == end
    level = levels_to_sinks(count, start[~inner], end[~inner])
    assert level is not None, "a graph of strongly connected components has no cycle"
    reach = _reachable(level, start[~inner], end[~inner])
    source = np.concatenate((reach >> 32, start[inner]))
    target = np.concatenate((reach & 0xFFFFFFFF, start[inner]))
    return _members_product(source, target, nodes, label)


def _reachable(level: Ids, start: Ids, end: Ids) -> Keys:
    """Return the (from, to) keys of an acyclic graph's closure: bit sets, level by level from the sinks."""
    if start.size == 0:
        return NO_KEYS
    count = level.size
    order = np.lexsort((start, level[start]))
    start, end = start[order], end[order]
    cuts = np.flatnonzero(np.diff(level[start])) + 1
    groups = [(part[0], part[-1] + 1) for part in np.split(np.arange(start.size), cuts)]
    words = -(-count // 64)
    block = max(1, min(words, _BLOCK_BYTES // (8 * count)))
    found = []
    for first in range(0, words, block):
        width = min(block, words - first)
        bits = np.zeros((count, width), dtype=np.uint64)
        for low, high in groups:
            sources, targets = start[low:high], end[low:high]
            rows = bits[targets]
            inside = (targets >> 6 >= first) & (targets >> 6 < first + width)
            at = np.flatnonzero(inside)
            rows[at, (targets[at] >> 6) - first] |= np.uint64(1) << (targets[at] & 63).astype(np.uint64)
            begins = np.flatnonzero(np.append(True, sources[1:] != sources[:-1]))
            bits[sources[begins]] = np.bitwise_or.reduceat(rows, begins, axis=0)
        found.append(_set_bits(bits, first * 64))
    return found[0] if len(found) == 1 else np.concatenate(found)


def _set_bits(bits: NDArray[np.uint64], offset: int) -> Keys:
    count = int(np.bitwise_count(bits).sum())
    # The bits one by one take a byte each.
    require_memory(count + bits.size * 64 // (8 * _ROUND_WORDS), _ROUND_WORDS)
    flat = np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")
    position = np.flatnonzero(flat.reshape(-1))
    row = np.repeat(np.arange(flat.shape[0]), flat.sum(axis=1, dtype=np.int64))
    return pack(row, position - row * flat.shape[1] + offset)


def _members_product(source: Ids, target: Ids, nodes: Ids, component: Ids) -> Keys:
    """Return all (u, v) with u in the component source[i] and v in target[i], each pair of components once."""
    order = np.argsort(component, kind="stable")
    grouped, members = component[order], nodes[order]
    pairs = sort_distinct(pack(source, target))
    source, target = pairs >> 32, pairs & 0xFFFFFFFF
    owner, position = expand(grouped.searchsorted(source), grouped.searchsorted(source, "right"))
    left, wanted = members[position], target[owner]
    # Pairs of members, their keys, and the order of these.
    owner, position = expand(grouped.searchsorted(wanted), grouped.searchsorted(wanted, "right"), columns=_ROUND_WORDS)
    return sort_distinct(pack(left[owner], members[position]))
