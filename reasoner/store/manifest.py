"""What a version of a store consists of: settings, counts, and the segments of every table.

What the segments of a table come down to, as Arrow tables.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from reasoner.store.file_system import Place, StoreError
from reasoner.store.segment import BASE, REMOVED, TABLES, FileLayout, Segment, read_segment

FORMAT = 2
# Manifests of this format have the rules of one's own, which since then are in a table.
_WITH_OWN_RULES = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """One version; a table without an entry is not known, which for ``facts`` means: not materialised yet.

    ``settings`` are those of the reasoner, ``counts`` what the version holds, ``costs`` what was measured. A reader
    applies the segments of a table in order: a base or added segment adds its rows, a removed one takes them away.
    ``own_rules`` are the texts of one's own rules if a manifest of format 1 was read; else they are in a table.
    ``journal`` is how many bytes the journal of evolutions had, and their checksum; None if nothing is known of it.
    """

    version: int
    parent: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, tuple[Segment, ...]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    costs: Mapping[str, float] = field(default_factory=dict)
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))
    own_rules: tuple[str, ...] = ()
    journal: tuple[int, int] | None = None

    def segments(self, table: str) -> tuple[Segment, ...]:
        """Return the segments of a table in order."""
        return self.tables.get(table, ())

    @property
    def paths(self) -> frozenset[str]:
        """The data files that the version needs."""
        return frozenset(segment.path for segments in self.tables.values() for segment in segments)

    @property
    def size(self) -> int:
        """The bytes of these files."""
        return sum(segment.bytes for segments in self.tables.values() for segment in segments)

    def to_json(self) -> bytes:
        """Write the manifest with its own checksum at the end."""
        fields: dict[str, Any] = {
            "format": FORMAT,
            "version": self.version,
            "parent": self.parent,
            "created": self.created,
            "settings": dict(self.settings),
            "counts": dict(self.counts),
            "costs": dict(self.costs),
            "tables": {name: [segment.to_json() for segment in rows] for name, rows in self.tables.items()},
        }
        if self.journal is not None:
            fields["journal"] = list(self.journal)
        fields["crc"] = _checksum(fields)
        return (json.dumps(fields, ensure_ascii=False) + "\n").encode()

    @classmethod
    def from_json(cls, text: bytes, path: Place) -> Manifest:
        """Read a manifest; ``path`` is where it comes from, for errors."""
        try:
            fields = json.loads(text)
            known = fields["format"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise StoreError(f"{path} is torn or no manifest; {_REMEDY}") from None
        if not isinstance(known, int):
            raise StoreError(f"{path} is torn or no manifest; {_REMEDY}")
        if known not in (_WITH_OWN_RULES, FORMAT):
            raise StoreError(
                f"{path} is of format {known}, and this version of reasoner reads format {FORMAT} and before; "
                "use the version of reasoner that wrote the store, or dump and load it again"
            )
        checksum = fields.pop("crc", None)
        if checksum is not None and checksum != _checksum(fields):
            raise StoreError(f"{path} is damaged: its checksum is wrong; {_REMEDY}")
        try:
            return cls(
                int(fields["version"]),
                fields.get("parent"),
                fields["settings"],
                {name: tuple(map(Segment.from_json, rows)) for name, rows in fields["tables"].items()},
                fields.get("counts", {}),
                fields.get("costs", {}),
                fields["created"],
                tuple(fields.get("rules", ())) if known == _WITH_OWN_RULES else (),
                _journal_mark(fields.get("journal")),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(f"{path} is no manifest of format {known} ({error!r}); {_REMEDY}") from error


def _journal_mark(given: Any) -> tuple[int, int] | None:
    if given is None:
        return None
    size, checksum = map(int, given)
    return size, checksum


def base_rows(segments: tuple[Segment, ...]) -> int:
    """Count the rows that a table began with."""
    return sum(segment.rows for segment in segments if segment.kind == BASE)


def _checksum(fields: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode())


_REMEDY = "restore it from a copy, or open an earlier version (version=N)"


_LATEST = "comes_last"


def pieces(folder: Place, manifest: Manifest, table: str) -> Iterator[tuple[Segment, pa.Table]]:
    """Yield the segments of a table in order, each with its rows."""
    for segment in manifest.segments(table):
        yield segment, read_segment(folder, table, segment)


def read_table(folder: Place, manifest: Manifest, table: str) -> pa.Table:
    """Return all rows of a table in its order, with the columns that ``TABLES`` says."""
    layout, empty = TABLES[table], TABLES[table].empty_table()
    segments = manifest.segments(table)
    base = [with_predicate(folder, table, segment) for segment in segments if segment.kind == BASE]
    rows = pa.concat_tables([empty, *base])
    added, removed = net_change(folder, table, [segment for segment in segments if segment.kind != BASE])
    if added.num_rows or removed.num_rows:
        keys = list(layout.columns)
        changed = pa.concat_tables([added, removed])
        kept = rows.join(changed, keys, join_type="left anti").select(keys).cast(layout.schema)
        rows = pa.concat_tables([kept, added])
    return _sorted(rows, layout)


def net_change(folder: Place, table: str, segments: Sequence[Segment]) -> tuple[pa.Table, pa.Table]:
    """Return what a run of added and removed segments comes down to: of each row, what was said last about it.

    Both results are in the order of the table, and have no row in common.
    """
    layout, empty = TABLES[table], TABLES[table].empty_table()
    if not segments:
        return empty, empty
    keys = list(layout.columns)
    parts = []
    for segment in segments:
        rows = with_predicate(folder, table, segment)
        parts.append(rows.append_column(_LATEST, pa.repeat(segment.kind != REMOVED, rows.num_rows)))
    # What is last is known only if one thread goes through the rows in order.
    latest = pa.concat_tables(parts).group_by(keys, use_threads=False).aggregate([(_LATEST, "last")])
    latest = _sorted(latest, layout)
    comes = latest[f"{_LATEST}_last"]
    rows = latest.select(keys).cast(layout.schema)
    return rows.filter(comes), rows.filter(pc.invert(comes))


def _sorted(rows: pa.Table, layout: FileLayout) -> pa.Table:
    """Return rows in the order of their table; ``Table.sort_by`` would import pandas first."""
    return rows.take(pc.sort_indices(rows, sort_keys=[(name, "ascending") for name in layout.order]))


def with_predicate(folder: Place, table: str, segment: Segment) -> pa.Table:
    """Return the rows of a segment with all columns of the table, also if the file is of one predicate."""
    layout, rows = TABLES[table], read_segment(folder, table, segment)
    if segment.predicate is not None:
        column = pa.repeat(pa.scalar(segment.predicate, pa.int64()), rows.num_rows)
        rows = rows.append_column("p", column)
    return rows.select(list(layout.columns)).cast(layout.schema)
