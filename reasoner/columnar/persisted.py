"""States of a store as Arrow tables of ids, and back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from loaders.arrow import number_array, number_column, number_table
from loaders.dictionary import Dictionary, ReadyDictionary
from reasoner.columnar.factset import FactSet, group_rows
from reasoner.columnar.graphs import DEFAULT, GraphMemberships
from reasoner.columnar.kernels import NO_KEYS, Ids, Keys, pack, sort_distinct
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.table import Run, Table
from reasoner.store.file_system import Place, StoreError
from reasoner.store.manifest import Manifest
from reasoner.store.segment import BASE, REMOVED, TABLES, Segment, checked_bytes, mapped_bytes, read_segment
from reasoner.terms.term import SAME, TYPE

# A predicate has files of its own if it has so many facts, and no smaller a part of all of them.
_FEWEST = 8192
_PART = 256

_QUAD = TABLES["quads"].columns
_NO_QUADS = number_table(**dict.fromkeys(_QUAD, NO_KEYS))

# Files that have no more bytes together are checked when a store is opened, and not only when they are read.
_CHECKED_AT_ONCE = 1 << 22

# So few terms are read, and their ids checked, when a store is opened, which takes a few milliseconds.
_TERMS_READ_AT_ONCE = 1 << 14

Piece = tuple[int | None, pa.Table]
Change = tuple[pa.Table, pa.Table]


def whole_facts(facts: FactSet) -> Iterator[Piece]:
    """Yield the facts of each frequent predicate, sorted, and those of all others together."""
    least = least_of_own(len(facts))
    rare = []
    for predicate in sorted(facts):
        if facts.table(predicate).size >= least:
            s, o = facts.table(predicate).pairs()
            yield predicate, number_table(s=s, o=o)
        else:
            rare.append(predicate)
    if rare:
        yield None, triples(facts.only(rare))


def least_of_own(rows: int) -> int:
    """Return how many facts a predicate has at least, of so many in all, to have files of its own."""
    return max(_FEWEST, rows // _PART)


def changed_facts(before: FactSet, after: FactSet) -> Change:
    """Return the facts that came and those that went."""
    came, went = differences(before, after)
    return triples(came), triples(went)


def differences(before: FactSet, after: FactSet) -> tuple[FactSet, FactSet]:
    """Return the facts that came and those that went, as sets; tables that both share are not looked at."""
    predicates = sorted({p for p in (*before, *after) if before.table(p) is not after.table(p)})
    came = FactSet({p: after.table(p).minus(before.table(p)) for p in predicates})
    went = FactSet({p: before.table(p).minus(after.table(p)) for p in predicates})
    return came, went


def whole_pairs(facts: FactSet) -> pa.Table:
    """Return the equalities of literals."""
    s, o = facts.table(SAME).pairs()
    return number_table(s=s, o=o)


def changed_pairs(before: FactSet, after: FactSet) -> Change:
    """Return the equalities of literals that came and those that went."""
    came, went = changed_facts(before, after)
    return came.drop_columns(["p"]), went.drop_columns(["p"])


def whole_classes(mapping: Representatives) -> pa.Table:
    """Return the members of classes of two or more with their representatives."""
    return number_table(id=mapping.members, representative=mapping.targets)


def changed_classes(before: Representatives, after: Representatives) -> Change:
    """Return the memberships that came and those that went.

    A term changes its membership if its representative is another one, or if it is the representative, and others
    have come to it or have left it.
    """
    moved = after.moved_since(before)
    terms = sort_distinct(np.concatenate((moved, before.of(moved), after.of(moved))))
    old, new = before.of(terms), after.of(terms)
    was, is_now = before.is_plural(terms), after.is_plural(terms)
    came, went = is_now & (~was | (old != new)), was & (~is_now | (old != new))
    return (
        number_table(id=terms[came], representative=new[came]),
        number_table(id=terms[went], representative=old[went]),
    )


def whole_quads(graphs: GraphMemberships) -> pa.Table:
    """Return which explicit facts are in which named graphs."""
    return number_table(**dict(zip(_QUAD, graphs.columns(), strict=True)))


def changed_quads(before: GraphMemberships, after: GraphMemberships) -> Change:
    """Return the memberships in graphs that came and those that went; graphs that both share are not looked at."""
    came, went = [_NO_QUADS], [_NO_QUADS]
    for g in (DEFAULT, *after.named.differing(before.named)):
        was, is_now = (side.shared if g == DEFAULT else side.graph(g) for side in (before, after))
        if was is not is_now:
            for parts, facts in zip((came, went), changed_facts(was, is_now), strict=True):
                parts.append(facts.add_column(0, "g", number_array(np.full(facts.num_rows, g, dtype=np.int64))))
    return pa.concat_tables(came), pa.concat_tables(went)


class SegmentFiles:
    """The files of some segments of a table, which are read when somebody asks for their rows.

    They are mapped at once, so that whoever removes old versions removes nothing that is still to be read, and their
    lengths are compared. Checksums are compared when a file is read, of a small store also at once.
    """

    def __init__(self, folder: Place, table: str, segments: Sequence[Segment], *, check: bool = False) -> None:
        self._folder = folder
        self._table = table
        self.segments = tuple(segments)
        self._data = [mapped_bytes(folder, segment) for segment in self.segments]
        if check:
            for segment, data in zip(self.segments, self._data, strict=True):
                checked_bytes(folder, segment, data)

    @property
    def rows(self) -> int:
        return sum(segment.rows for segment in self.segments)

    def pieces(self) -> Iterator[tuple[Segment, pa.Table]]:
        """Yield the segments in order, each with its rows."""
        for segment, data in zip(self.segments, self._data, strict=True):
            yield segment, read_segment(self._folder, self._table, segment, data)

    def keys(self, predicate: int) -> Keys:
        """Return the sorted main-order keys of files that have the facts of one predicate."""
        parts = [_packed(predicate, _column(rows, "s"), _column(rows, "o")) for _, rows in self.pieces()]
        keys = sort_distinct(parts[0] if len(parts) == 1 else np.concatenate(parts))
        if keys.size != self.rows:
            place = self._folder / self.segments[0].path
            raise StoreError(f"{place} holds a fact twice; dump the version before, and load it again")
        return keys

    def is_same(self, other: SegmentFiles) -> bool:
        """Tell whether other files have the same content, byte by byte."""
        return len(self._data) == len(other._data) and all(map(pa.Buffer.equals, self._data, other._data))

    def may_be_same(self, other: SegmentFiles) -> bool:
        """Tell whether other files may have the same content, by what the manifest says about them."""
        here, there = ([(each.bytes, each.crc) for each in files.segments] for files in (self, other))
        return here == there and all(crc is not None for _, crc in here)


class StoredTable(Table):
    """The facts of one predicate in files, which are read when somebody first looks at them.

    If the files of a ``twin``, another table of the predicate, have the same content, both share their memory.
    """

    __slots__ = ("_lock", "_runs", "_twin", "files", "predicate")

    def __init__(self, predicate: int, files: SegmentFiles, twin: StoredTable | None = None) -> None:
        self.predicate = predicate
        self.by_object = predicate == TYPE
        self.dead = NO_KEYS
        self.size = files.rows
        self.files: SegmentFiles | None = files
        self._twin = twin
        self._runs: tuple[Run, ...] | None = None
        self._lock = threading.Lock()

    @property
    def runs(self) -> tuple[Run, ...]:  # type: ignore[override]
        if self._runs is None:
            with self._lock:
                if self._runs is None:
                    self._runs = self._read()
                    self.files = self._twin = None
        return self._runs

    @property
    def held_runs(self) -> Sequence[Run]:
        return self._runs or ()

    def _read(self) -> tuple[Run, ...]:
        files, twin = self.files, self._twin
        assert files is not None, "files are let go once they are read"
        others = None if twin is None else twin.files
        if twin is not None and others is not None and files.is_same(others):
            return twin.runs
        keys = files.keys(self.predicate)
        if twin is not None and others is None and np.array_equal(keys, twin.keys()):
            return twin.runs
        return (Run(keys),)

    def __reduce__(self) -> tuple[Callable[..., Table], tuple[Any, ...]]:
        return _table_of_runs, (self.runs, self.by_object)


def _table_of_runs(runs: Sequence[Run], by_object: bool) -> Table:
    return Table(runs, by_object=by_object)


def stored_facts(folder: Place, manifest: Manifest) -> tuple[FactSet, FactSet]:
    """Return the explicit facts of a version, and the facts that follow from them.

    Those of a predicate that has files of its own, and has not changed since these were written, are read when somebody
    looks at them.
    """
    explicit = _stored_set(folder, manifest, "explicit", FactSet())
    return explicit, sharing(explicit, _stored_set(folder, manifest, "facts", explicit))


def _stored_set(folder: Place, manifest: Manifest, name: str, others: FactSet) -> FactSet:
    """Return the facts of one table; they share the memory of ``others`` where they are the same."""
    own: dict[int, list[Segment]] = {}
    rest: list[Segment] = []
    for segment in manifest.segments(name):
        if segment.kind == BASE and segment.predicate is not None:
            own.setdefault(segment.predicate, []).append(segment)
        else:
            rest.append(segment)
    stored: dict[int, StoredTable] = {}
    for predicate, segments in own.items():
        files = SegmentFiles(folder, name, segments, check=_is_checked_at_once(manifest))
        twin = others.table(predicate)
        if isinstance(twin, StoredTable) and twin.files is not None and files.may_be_same(twin.files):
            stored[predicate] = StoredTable(predicate, files, twin)
        else:
            stored[predicate] = StoredTable(predicate, files)
    return facts_of(SegmentFiles(folder, name, rest).pieces(), stored)


def stored_dictionary(folder: Place, manifest: Manifest) -> Dictionary:
    """Return the terms of a version, which are read when a text is first needed, unless they are few."""
    segments = manifest.segments("dictionary")
    files = SegmentFiles(folder, "dictionary", segments, check=_is_checked_at_once(manifest))

    def read() -> list[pa.StringArray]:
        try:
            return texts_of(files.pieces())
        except ValueError as error:
            what = f"the dictionary of version {manifest.version} is damaged: {error}"
            raise StoreError(f"{folder}: {what}; open an earlier version (version=N)") from error

    dictionary = ReadyDictionary(read, files.rows)
    if 0 < files.rows <= _TERMS_READ_AT_ONCE:
        dictionary.text(0)
    return dictionary


def _is_checked_at_once(manifest: Manifest) -> bool:
    return manifest.size <= _CHECKED_AT_ONCE


def facts_of(pieces: Iterable[tuple[Segment, pa.Table]], stored: Mapping[int, Table] | None = None) -> FactSet:
    """Return the facts that segments come down to, one after the other; ``stored`` are tables that they begin with."""
    keys: dict[int, list[Keys]] = {}
    later: list[tuple[str, FactSet]] = []
    for segment, rows in pieces:
        s, o = _column(rows, "s"), _column(rows, "o")
        if segment.kind != BASE:
            p = np.full(s.size, segment.predicate) if segment.predicate is not None else _column(rows, "p")
            later.append((segment.kind, FactSet.of_columns(s, p, o)))
        elif segment.predicate is not None:
            keys.setdefault(segment.predicate, []).append(_packed(segment.predicate, s, o))
        else:
            for predicate, at in group_rows(_column(rows, "p")):
                keys.setdefault(predicate, []).append(_packed(predicate, s[at], o[at]))
    tables = dict(stored or {})
    for predicate, parts in keys.items():
        if predicate in tables:
            parts.append(tables[predicate].keys())
        tables[predicate] = Table.of_keys(sort_distinct(np.concatenate(parts)), by_object=predicate == TYPE)
    facts = FactSet(tables)
    for kind, change in later:
        facts = facts.difference(change) if kind == REMOVED else facts.union(change.difference(facts))
    return facts


def sharing(explicit: FactSet, facts: FactSet) -> FactSet:
    """Return the facts with the tables of the explicit ones where these are the same, which halves their memory."""
    same = {}
    for predicate in facts:
        own, other = facts.table(predicate), explicit.table(predicate)
        if isinstance(own, StoredTable) or isinstance(other, StoredTable):
            # These are compared by their files once they are read.
            continue
        if own.size == other.size and np.array_equal(own.keys(), other.keys()):
            same[predicate] = other
    return facts.with_tables(same)


def pairs_of(rows: pa.Table) -> FactSet:
    """Return equalities of literals."""
    s, o = _column(rows, "s"), _column(rows, "o")
    return FactSet({SAME: Table.of_keys(sort_distinct(pack(s, o)), by_object=False)})


def classes_of(rows: pa.Table) -> Representatives:
    """Return the mapping to representatives, from rows that are sorted by id."""
    return Representatives(_column(rows, "id"), _column(rows, "representative"))


def graphs_of(rows: pa.Table) -> GraphMemberships:
    """Return which explicit facts are in which named graphs."""
    return GraphMemberships.from_columns(*(_column(rows, name) for name in _QUAD))


def texts_of(pieces: Iterable[tuple[Segment, pa.Table]]) -> list[pa.StringArray]:
    """Return the texts of terms in the order of their ids, which begin with 0 and have no gaps.

    What Spark wrote may be in any order, within a file and between files.
    """
    parts = [rows.cast(TABLES["dictionary"].schema) for _, rows in pieces]
    expected, ordered = 0, True
    for rows in parts:
        ids = _column(rows, "id")
        ordered = ordered and np.array_equal(ids, np.arange(expected, expected + ids.size))
        expected += ids.size
    if not ordered:
        whole = pa.concat_tables(parts).sort_by("id")
        if not np.array_equal(_column(whole, "id"), np.arange(expected)):
            raise ValueError("ids of terms are missing, or there twice")
        parts = [whole]
    return [chunk for rows in parts for chunk in rows["text"].cast(pa.string()).chunks]


def _packed(predicate: int, s: Ids, o: Ids) -> Keys:
    return pack(o, s) if predicate == TYPE else pack(s, o)


def triples(facts: FactSet) -> pa.Table:
    """Return facts sorted by predicate, subject and object."""
    s, p, o = facts.columns()
    order = np.lexsort((o, s, p))
    return number_table(s=s[order], p=p[order], o=o[order])


def _column(rows: pa.Table, name: str) -> Ids:
    column: Ids = number_column(rows[name])
    return column
