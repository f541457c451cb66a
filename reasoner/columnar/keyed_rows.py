"""Rows of Parquet files that are found by an id or a hash: only the row groups that may have it are read."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from loaders.arrow import number_array, number_column, text_array
from reasoner.columnar.group_ranges import GroupRanges
from reasoner.columnar.kernels import NO_KEYS, Ids, expand

if TYPE_CHECKING:
    import pyarrow as pa

# The bytes of row groups that are remembered, for who asks for one row after the other; a group is about a megabyte.
_REMEMBERED = 1 << 28


class KeyedRows:
    """Rows with a key and a value; files should be sorted by key, or nearly so.

    If this machine does not see all of their ``rows``, as may be of files that another one has just written, nothing
    is read here.
    """

    def __init__(self, files: Sequence[Path], rows: int, key: str, value: str) -> None:
        self._rows = rows
        self._key = key
        self._value = value
        self._ranges = GroupRanges((key,), [(path, {}) for path in files])
        self._recent: OrderedDict[int, tuple[Ids, pa.Array]] = OrderedDict()
        self._recent_bytes = 0
        self._lock = threading.Lock()

    def about(self, keys: Ids) -> tuple[Ids, pa.Array] | None:
        """Return the rows that have one of some sorted, distinct keys, sorted by key; None if not all are in sight."""
        import pyarrow as pa

        if int(self._ranges.rows.sum()) != self._rows:
            return None
        found: list[tuple[Ids, pa.Array]] = []
        for group in np.flatnonzero(self._ranges.may_have(self._key, keys)).tolist():
            known, values = self._group(group)
            wanted = keys[keys.searchsorted(known[0]) : keys.searchsorted(known[-1], side="right")]
            _, at = expand(known.searchsorted(wanted), known.searchsorted(wanted, side="right"))
            if at.size:
                found.append((known[at], values.take(number_array(at))))
        if not found:
            return NO_KEYS, self._no_values()
        if len(found) == 1:
            return found[0]
        all_keys = np.concatenate([part for part, _ in found])
        all_values = pa.concat_arrays([part for _, part in found])
        order = np.argsort(all_keys, kind="stable")
        if np.array_equal(order, np.arange(order.size)):
            return all_keys, all_values
        return all_keys[order], all_values.take(number_array(order))

    def _group(self, number: int) -> tuple[Ids, pa.Array]:
        """Return a row group, sorted by key; the last ones are remembered."""
        with self._lock:
            if number in self._recent:
                self._recent.move_to_end(number)
                return self._recent[number]

        file, group = int(self._ranges.files[number]), int(self._ranges.groups[number])
        rows = self._ranges.read(file, [group], [self._key, self._value])
        keys, values = number_column(rows.column(self._key)), rows.column(self._value).combine_chunks()
        if np.any(keys[1:] < keys[:-1]):
            order = np.argsort(keys, kind="stable")
            keys, values = keys[order], values.take(number_array(order))
        with self._lock:
            if number not in self._recent:
                self._recent[number] = keys, values
                self._recent_bytes += keys.nbytes + values.nbytes
            while self._recent_bytes > _REMEMBERED and len(self._recent) > 1:
                _, (old_keys, old_values) = self._recent.popitem(last=False)
                self._recent_bytes -= old_keys.nbytes + old_values.nbytes
        return keys, values

    def _no_values(self) -> pa.Array:

        return text_array([]) if self._value == "text" else number_array(NO_KEYS)
