"""Transitive and symmetric-transitive closure of one table by components instead of joins.

Hu, Motik, Horrocks: Modular Materialisation of Datalog Programs, 2019, sections 5 and 6 (algorithms 4 and 7).
Deviation: a transitive predicate is closed by strongly connected components and reachability as bit sets in one go,
where the paper's algorithm 4 walks edge by edge; results are the same sets.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reasoner.columnar.bindings import Bindings, extend, joined
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import NO_KEYS, Ids, Keys, expand, pack, ranges, sort_distinct
from reasoner.columnar.reachability import levels_to_sinks, strong_components
from reasoner.columnar.representatives import connected_smallest
from reasoner.columnar.table import Table

# A shallow graph is closed by a round or two of joins, which need no graph library; once these have considered this
# many pairs for every edge, components are the better way, unless their bit sets would be larger than joins can be.
_JOIN_GROWTH = 8
_MOST_WORD_OPERATIONS = 4_000_000_000
_BLOCK_BYTES = 1 << 27

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
        near = joined(list(extend(ends, (_X, 2, _Y), FactSet({2: table}), frozenset())))
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
        considered += _joined_size(o, whole.subject_runs(o)) + _joined_size(s, whole.object_runs(s))
        if limit is not None and considered > limit:
            return None
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
    owner, position = expand(grouped.searchsorted(wanted), grouped.searchsorted(wanted, "right"))
    return sort_distinct(pack(left[owner], members[position]))
