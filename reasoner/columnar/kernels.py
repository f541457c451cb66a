"""Set operations and joins on sorted arrays of packed pairs: the only loops of the columnar engine.

A pair (a, b) of ids is one int64 key ``a << 32 | b``, so that sorting, searching and comparing pairs are single
vectorised operations on one column.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reasoner.columnar.memory import require_memory

Ids = NDArray[np.int64]
Keys = NDArray[np.int64]
Mask = NDArray[np.bool_]

SHIFT = 32
LOW = (1 << SHIFT) - 1
NO_KEYS: Keys = np.empty(0, dtype=np.int64)

# Below this many probes an unsorted search costs less than sorting them first.
_SORT_PROBES_FROM = 2048

# Keys whose ascending runs have at least this many elements on average are merged instead of sorted afresh.
_MERGE_RUNS_OF = 64

# The columns that expanding slices needs on its way, and those of sorting or merging keys, the result included.
_EXPANDING = 4
_SORTING = 2


def pack(left: Ids, right: Ids) -> Keys:
    """Pack two columns into keys.

    >>> unpack(pack(np.array([1, 2]), np.array([3, 4])))
    (array([1, 2]), array([3, 4]))
    """
    return (left << SHIFT) | right


def unpack(keys: Keys) -> tuple[Ids, Ids]:
    """Return the two columns of packed keys."""
    return keys >> SHIFT, keys & LOW


def swap(keys: Keys) -> Keys:
    """Exchange the two halves of each key; the result is not sorted."""
    return ((keys & LOW) << SHIFT) | (keys >> SHIFT)


def sort_runs(keys: Keys) -> Keys:
    """Return the keys in order, in time linear in their number if they consist of a few ascending runs.

    Most keys here are sorted sets put one after the other. The stable sort finds such runs and merges them; the default
    sort does not, but is faster on keys in no order, several times so on processors that it has vector code for.

    >>> sort_runs(np.array([2, 4, 1, 3]))
    array([1, 2, 3, 4])
    """
    require_memory(keys.size, _SORTING)
    falls = int(np.count_nonzero(keys[1:] < keys[:-1]))
    return np.sort(keys, kind="stable" if falls * _MERGE_RUNS_OF < keys.size else None)


def sort_distinct(keys: Keys) -> Keys:
    """Return the distinct keys in order; keys that are so already come back as they are.

    >>> sort_distinct(np.array([3, 1, 3, 2]))
    array([1, 2, 3])
    """
    if keys.size < 2:
        return keys
    if not (keys[1:] > keys[:-1]).all():
        keys = sort_runs(keys)
        keep = np.empty(keys.size, dtype=np.bool_)
        keep[0] = True
        np.not_equal(keys[1:], keys[:-1], out=keep[1:])
        if not keep.all():
            keys = keys[keep]
    return keys


def first_of_each(columns: Sequence[Ids]) -> Ids:
    """Return the position of one row of each that the columns hold, the rows being in order.

    >>> first_of_each([np.array([2, 1, 2]), np.array([7, 8, 7])])
    array([1, 0])
    """
    order, differs = _in_order(columns)
    first: Ids = order[differs]
    return first


def first_few_of_each(columns: Sequence[Ids], most: int) -> tuple[Ids, Ids, Ids]:
    """Return the positions of rows that the columns hold ``most`` times or less, then of the first of those that they
    hold more often, and one position of each of these.

    >>> first_few_of_each([np.array([2, 1, 2, 2])], 2)
    (array([1]), array([0, 2]), array([3]))
    """
    order, differs = _in_order(columns)
    begins = np.flatnonzero(differs)
    times = np.diff(begins, append=order.size)
    rank = np.arange(order.size) - np.repeat(begins, times)
    often = np.repeat(times > most, times)
    return order[~often], order[often & (rank < most)], order[often & (rank == most)]


def _in_order(columns: Sequence[Ids]) -> tuple[Ids, Mask]:
    """Return an order of rows that brings equal ones together, and where in it others begin."""
    keys = [pack(*columns[at : at + 2]) if at + 1 < len(columns) else columns[at] for at in range(0, len(columns), 2)]
    order = np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(keys[::-1])
    differs = np.zeros(order.size, dtype=np.bool_)
    differs[:1] = True
    for column in keys:
        ordered = column[order]
        differs[1:] |= ordered[1:] != ordered[:-1]
    return order, differs


def is_member(keys: Keys, base: Keys) -> Mask:
    """Tell which keys are in the sorted array ``base``.

    >>> is_member(np.array([5, 2]), np.array([1, 2, 3]))
    array([False,  True])
    """
    if base.size == 0 or keys.size == 0:
        return np.zeros(keys.size, dtype=np.bool_)
    found: Mask = base.take(base.searchsorted(keys), mode="clip") == keys
    return found


def merge(left: Keys, right: Keys) -> Keys:
    """Merge two sorted, disjoint arrays; timsort finds the two runs, so this is linear."""
    if left.size == 0:
        return right
    if right.size == 0:
        return left
    require_memory(left.size + right.size, _SORTING)
    merged = np.concatenate((left, right))
    merged.sort(kind="stable")
    return merged


def ranges(keys: Keys, values: Ids) -> tuple[Ids, Ids]:
    """Return, for each value, the slice [low, high) of the sorted keys whose first half it is."""
    low = keys.searchsorted(values << SHIFT)
    high = keys.searchsorted((values + 1) << SHIFT)
    return low, high


def lexical_order(columns: Sequence[Ids]) -> Ids:
    """Return the order of rows by their first column, then by the second, and so on.

    >>> lexical_order([np.array([2, 1, 1]), np.array([5, 9, 7])])
    array([2, 1, 0])
    """
    return np.lexsort(columns[::-1])


def value_range(keys: Keys, value: int) -> tuple[int, int]:
    """Return the slice of the sorted keys whose first half is ``value``."""
    low, high = keys.searchsorted((value << SHIFT, (value + 1) << SHIFT))
    return int(low), int(high)


def expand(low: Ids, high: Ids, *, columns: int = 0) -> tuple[Ids, Ids]:
    """Enumerate slices: return for each element of each slice the index of its slice, and its position.

    If these, and as many further ``columns`` of their length, would take more memory than there is, a
    ``MemoryLimitError`` is raised first.

    >>> expand(np.array([0, 5]), np.array([2, 6]))
    (array([0, 0, 1]), array([0, 1, 5]))
    """
    counts = high - low
    ends = np.cumsum(counts)
    require_memory(int(ends[-1]) if ends.size else 0, _EXPANDING + columns)
    owner = np.repeat(np.arange(counts.size), counts)
    starts = ends - counts
    position = np.arange(owner.size) + np.repeat(low - starts, counts)
    return owner, position


def probing_order(values: Ids) -> Ids | None:
    """Return an order that sorts the probes, or None where sorting them would not pay."""
    if values.size < _SORT_PROBES_FROM or (values[1:] >= values[:-1]).all():
        return None
    order: Ids = np.argsort(values, kind="stable")
    return order
