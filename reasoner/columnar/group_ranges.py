"""The ranges of the row groups of Parquet files: which of them may have rows with some ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from reasoner.columnar.kernels import Ids, Mask
from reasoner.store.segment import named_if_unreadable

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_ANY = np.iinfo(np.int64)


class GroupRanges:
    """The row groups of some files: of each its file, its number there, its rows, and the ids in some of its columns.

    ``constants`` are columns that a file does not have because all of its rows have the same id there. The footers of
    the files are read when they are first asked for.
    """

    def __init__(self, columns: Sequence[str], files: Sequence[tuple[Path, Mapping[str, int]]]) -> None:
        self._columns = columns
        self._paths = [path for path, _ in files]
        self._constants = [constants for _, constants in files]

    @property
    def files(self) -> Ids:
        return self._table[0]

    @property
    def groups(self) -> Ids:
        return self._table[1]

    @property
    def rows(self) -> Ids:
        return self._table[2]

    def range(self, name: str) -> tuple[Ids, Ids]:
        """Return the least and the greatest id of a column in each row group."""
        at = 3 + 2 * self._columns.index(name)
        return self._table[at], self._table[at + 1]

    def may_have(self, name: str, ids: Ids) -> Mask:
        """Tell which row groups may have one of some sorted ids in a column."""
        low, high = self.range(name)
        found: Mask = ids.searchsorted(low) < ids.searchsorted(high, side="right")
        return found

    def read(self, at: int, groups: list[int], columns: list[str]) -> pa.Table:
        """Return row groups of one file, whose pages are verified by their checksums."""
        import pyarrow.parquet as pq

        path = self._paths[at]
        with (
            named_if_unreadable(path),
            pq.ParquetFile(path, metadata=self._metadata[at], page_checksum_verification=True) as file,
        ):
            return file.read_row_groups(groups, columns=columns)

    @cached_property
    def _metadata(self) -> list[pq.FileMetaData]:
        import pyarrow.parquet as pq

        found = []
        for path in self._paths:
            with named_if_unreadable(path):
                found.append(pq.read_metadata(path))
        return found

    @cached_property
    def _table(self) -> list[Ids]:
        found = [
            (at, group, *self._described(file.row_group(group), constants))
            for at, (file, constants) in enumerate(zip(self._metadata, self._constants, strict=True))
            for group in range(file.num_row_groups)
        ]
        return list(np.array(found, dtype=np.int64).reshape(-1, 3 + 2 * len(self._columns)).T)

    def _described(self, group: Any, constants: Mapping[str, int]) -> tuple[int, ...]:
        """Return the rows of a row group, and the least and the greatest id in each column."""
        known = {group.column(at).path_in_schema: group.column(at).statistics for at in range(group.num_columns)}
        bounds: list[int] = []
        for name in self._columns:
            found = known.get(name)
            if name in constants:
                bounds += (constants[name], constants[name])
            else:
                bounds += (found.min, found.max) if found is not None and found.has_min_max else (_ANY.min, _ANY.max)
        return group.num_rows, *bounds
