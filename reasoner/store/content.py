"""What the segments of a table come down to, as Arrow tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from reasoner.store.manifest import Manifest
from reasoner.store.segment import BASE, REMOVED, Segment, read_segment
from reasoner.store.tables import TABLES

_LATEST = "comes_last"


def pieces(folder: Path, manifest: Manifest, table: str) -> Iterator[tuple[Segment, pa.Table]]:
    """Yield the segments of a table in order, each with its rows."""
    for segment in manifest.segments(table):
        yield segment, read_segment(folder, table, segment)


def read_table(folder: Path, manifest: Manifest, table: str) -> pa.Table:
    """Return all rows of a table in its order, with the columns that ``TABLES`` says."""
    layout, empty = TABLES[table], TABLES[table].schema.empty_table()
    segments = manifest.segments(table)
    base = [with_predicate(folder, table, segment) for segment in segments if segment.kind == BASE]
    rows = pa.concat_tables([empty, *base])
    added, removed = net_change(folder, table, [segment for segment in segments if segment.kind != BASE])
    if added.num_rows or removed.num_rows:
        keys = list(layout.columns)
        changed = pa.concat_tables([added, removed])
        kept = rows.join(changed, keys, join_type="left anti").select(keys).cast(layout.schema)
        rows = pa.concat_tables([kept, added])
    return rows.sort_by([(name, "ascending") for name in layout.order])


def net_change(folder: Path, table: str, segments: Sequence[Segment]) -> tuple[pa.Table, pa.Table]:
    """Return what a run of added and removed segments comes down to: of each row, what was said last about it.

    Both results are in the order of the table, and have no row in common.
    """
    layout, empty = TABLES[table], TABLES[table].schema.empty_table()
    if not segments:
        return empty, empty
    keys = list(layout.columns)
    parts = []
    for segment in segments:
        rows = with_predicate(folder, table, segment)
        parts.append(rows.append_column(_LATEST, pa.repeat(segment.kind != REMOVED, rows.num_rows)))
    # What is last is known only if one thread goes through the rows in order.
    latest = pa.concat_tables(parts).group_by(keys, use_threads=False).aggregate([(_LATEST, "last")])
    latest = latest.sort_by([(name, "ascending") for name in layout.order])
    comes = latest[f"{_LATEST}_last"]
    rows = latest.select(keys).cast(layout.schema)
    return rows.filter(comes), rows.filter(pc.invert(comes))


def with_predicate(folder: Path, table: str, segment: Segment) -> pa.Table:
    """Return the rows of a segment with all columns of the table, also if the file is of one predicate."""
    layout, rows = TABLES[table], read_segment(folder, table, segment)
    if segment.predicate is not None:
        column = pa.repeat(pa.scalar(segment.predicate, pa.int64()), rows.num_rows)
        rows = rows.append_column("p", column)
    return rows.select(list(layout.columns)).cast(layout.schema)
