"""The row groups of files of facts: which of them may have the facts about some terms, so that only these are read.

A job of Spark takes longer to begin than a process takes to read millions of sorted ids. How much it has to read for a
question is known beforehand, from the ranges of ids that the files give for each of their row groups.

The ranges of the row groups of Parquet files: which of them may have rows with some ids.

Rows of Parquet files that are found by an id or a hash: only the row groups that may have it are read.

Terms in files, looked up by the driver: texts by ranges of ids, ids by the hashes of texts.

A hash only ever proposes candidates; texts decide.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from loaders.arrow import number_array, number_column, text_array
from loaders.texts import text_hashes
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import NO_KEYS, Ids, Mask, expand, sort_distinct
from reasoner.store.file_system import Place, file_system
from reasoner.store.segment import named_if_unreadable
from reasoner.terms.term import TYPE

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_ANY = np.iinfo(np.int64)


class GroupRanges:
    """The row groups of some files: of each its file, its number there, its rows, and the ids in some of its columns.

    ``constants`` are columns that a file does not have because all of its rows have the same id there. The footers of
    the files are read when they are first asked for.
    """

    def __init__(self, columns: Sequence[str], files: Sequence[tuple[Place, Mapping[str, int]]]) -> None:
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
            pq.ParquetFile(_readable(path), metadata=self._metadata[at], page_checksum_verification=True) as file,
        ):
            return file.read_row_groups(groups, columns=columns)

    @cached_property
    def _metadata(self) -> list[pq.FileMetaData]:
        import pyarrow.parquet as pq

        found = []
        for path in self._paths:
            with named_if_unreadable(path):
                found.append(pq.read_metadata(_readable(path)))
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


def _readable(path: Place) -> Any:
    """Return what Arrow reads ranges of: a file of this machine by its name."""
    return path if isinstance(path, Path) else file_system(path).open(path)


# So many rows are read and compared in the time in which a job begins and ends (about 0.4 s on two cores).
MOST_ROWS = 1 << 24

_Sorted: TypeAlias = Ids | Sequence[int]


class RowGroups:
    """The row groups of some files; their ranges are read from the files when they are first asked for.

    A file has the facts of one predicate as pairs, or of several, which are None, as triples. If this machine does not
    see all of their ``rows``, as may be of files that another one has just written, nothing is read here; None are as
    many as it sees.
    """

    def __init__(self, files: Sequence[tuple[Place, int | None]], rows: int | None) -> None:
        self._predicates = [predicate for _, predicate in files]
        self._rows = rows
        constants = [{} if predicate is None else {"p": predicate} for predicate in self._predicates]
        self._ranges = GroupRanges("spo", [(path, each) for (path, _), each in zip(files, constants, strict=True)])

    def facts(
        self, *, s: _Sorted | None = None, p: _Sorted | None = None, o: _Sorted | None = None, types: bool = True
    ) -> FactSet | None:
        """Return the facts whose subjects, predicates and objects are among sorted ids, of which None are any.

        Unless ``types`` are wanted, those of rdf:type are left out. None is returned if too many rows would be read.
        """
        index = self._ranges
        asked = _asked(s, p, o)
        chosen = np.logical_and.reduce([index.may_have(name, ids) for name, ids in asked.items()])
        if not types:
            chosen &= ~self._only_types()
        if int(index.rows[chosen].sum()) > MOST_ROWS or self._rows not in (None, int(index.rows.sum())):
            return None
        found = [(NO_KEYS, NO_KEYS, NO_KEYS)]
        for at in np.unique(index.files[chosen]).tolist():
            found.append(self._read(at, index.groups[chosen & (index.files == at)].tolist(), asked, types=types))
        return FactSet.of_columns(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def mentioned(self) -> tuple[int, frozenset[int], frozenset[int]]:
        """Return how many facts there are, their predicates, and the objects of rdf:type.

        Only row groups of several predicates, and those of rdf:type, are read.
        """
        import pyarrow.compute as pc

        index, (low, high) = self._ranges, self._ranges.range("p")
        some = index.rows > 0
        predicates, classes = set(low[some & (low == high)].tolist()), set()
        for number in np.flatnonzero(some & ((low < high) | ((low <= TYPE) & (high >= TYPE)))).tolist():
            at, group = int(index.files[number]), int(index.groups[number])
            own = self._predicates[at]
            rows = index.read(at, [group], ["o"] if own is not None else ["p", "o"])
            if own is None:
                predicates.update(pc.unique(rows.column("p")).to_pylist())
                rows = rows.filter(pc.equal(rows.column("p"), TYPE))
            classes.update(pc.unique(rows.column("o")).to_pylist())
        return int(index.rows.sum()), frozenset(predicates), frozenset(classes)

    def _read(self, at: int, groups: list[int], asked: Mapping[str, Ids], *, types: bool) -> tuple[Ids, Ids, Ids]:
        """Return the columns of the facts of one file that are asked for."""
        predicate = self._predicates[at]
        names = ["s", "o"] if predicate is not None else ["s", "p", "o"]
        rows = self._ranges.read(at, groups, names)
        columns = {name: number_column(rows.column(name)) for name in names}
        keep = _is_wanted(columns, asked, types=types)
        s, o = columns["s"][keep], columns["o"][keep]
        return s, columns["p"][keep] if predicate is None else np.full(s.size, predicate), o

    def _only_types(self) -> Mask:
        """Tell which row groups have facts of rdf:type only."""
        low, high = self._ranges.range("p")
        found: Mask = (low == TYPE) & (high == TYPE)
        return found


def only_about(
    facts: FactSet, *, s: _Sorted | None = None, p: _Sorted | None = None, o: _Sorted | None = None, types: bool = True
) -> FactSet:
    """Return what ``RowGroups.facts`` returns of facts in files, of facts at hand."""
    columns = facts.columns()
    keep = _is_wanted(dict(zip("spo", columns, strict=True)), _asked(s, p, o), types=types)
    return FactSet.of_columns(*(column[keep] for column in columns))


def _asked(s: _Sorted | None, p: _Sorted | None, o: _Sorted | None) -> dict[str, Ids]:
    given = zip("spo", (s, p, o), strict=True)
    return {name: np.asarray(ids, dtype=np.int64) for name, ids in given if ids is not None}


def _is_wanted(columns: Mapping[str, Ids], asked: Mapping[str, Ids], *, types: bool) -> Mask:
    """Tell which rows are asked for, as far as their columns are there."""
    keep = np.ones(columns["s"].size, dtype=np.bool_)
    for name in asked.keys() & columns.keys():
        keep &= np.isin(columns[name], asked[name])
    if not types and "p" in columns:
        keep &= columns["p"] != TYPE
    return keep


# The bytes of row groups that are remembered, for who asks for one row after the other; a group is about a megabyte.
_REMEMBERED = 1 << 28


class KeyedRows:
    """Rows with a key and a value; files should be sorted by key, or nearly so.

    If this machine does not see all of their ``rows``, as may be of files that another one has just written, nothing
    is read here.
    """

    def __init__(self, files: Sequence[Place], rows: int, key: str, value: str) -> None:
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


def texts_of(rows: KeyedRows, ids: Ids) -> pa.StringArray | None:
    """Return the texts of sorted, distinct ids; None if files are not in sight. Missing ids are an error."""
    found = rows.about(ids)
    return None if found is None else ordered_texts(ids, *found)


def ordered_texts(ids: Ids, known: Ids, texts: pa.StringArray) -> pa.StringArray:
    """Return texts that were found for sorted, distinct ids, provided that each was found once."""
    if not np.array_equal(known, ids):
        raise ValueError(f"{ids.size:,} terms were asked for, and {known.size:,} found: ids are missing or there twice")
    return texts


def ids_of(index: KeyedRows, rows: KeyedRows, texts: pa.StringArray, first: int, end: int) -> Ids | None:
    """Return the ids of distinct texts, -1 where they are unknown; None if files are not in sight."""
    found = index.about(sort_distinct(text_hashes(texts)))
    if found is None:
        return None
    candidates = sort_distinct(number_column(found[1]))
    candidates = candidates[(candidates >= first) & (candidates < end)]
    known = texts_of(rows, candidates)
    return None if known is None else matched(texts, candidates, known)


def matched(texts: pa.StringArray, ids: Ids, known: pa.StringArray) -> Ids:
    """Return the ids of texts, given the ids and the texts of some terms; -1 where a text is not among these."""
    import pyarrow.compute as pc

    at = pc.fill_null(pc.index_in(texts, value_set=known), -1).to_numpy(zero_copy_only=False).astype(np.int64)
    found: Ids = np.where(at < 0, -1, ids[at]) if ids.size else np.full(len(texts), -1, dtype=np.int64)
    return found


def mask_of_bitmaps(buckets: Ids, bitmaps: pa.Array, bits: int, first: int, end: int) -> Mask:
    """Return for ids from ``first`` to before ``end`` whether their bits are set in bitmaps of so many bits each."""
    mask = np.zeros(end - first, dtype=np.bool_)
    for bucket, bitmap in zip(buckets.tolist(), bitmaps, strict=True):
        here = np.unpackbits(np.frombuffer(bitmap.as_py(), dtype=np.uint8), bitorder="little").astype(np.bool_)
        begin = bucket * bits
        low, high = max(first, begin), min(end, begin + bits)
        mask[low - first : high - first] = here[low - begin : high - begin]
    return mask
