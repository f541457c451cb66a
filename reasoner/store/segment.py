"""One data file of a table: written once, never changed, and checked whenever it is read."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from reasoner.store.durable_file import write_new
from reasoner.store.errors import StoreError
from reasoner.store.tables import layout_of

BASE, ADDED, REMOVED = "base", "added", "removed"
KINDS = (BASE, ADDED, REMOVED)


@dataclass(frozen=True, slots=True)
class Segment:
    """A file with rows of a table: what it began with, what came, or what went; ``crc`` is the CRC-32 of the file."""

    path: str
    rows: int
    bytes: int
    kind: str
    predicate: int | None = None
    crc: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields for a manifest."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Segment:
        """Read the fields of a manifest; unknown ones are left out, wrong ones are a ``ValueError``."""
        segment = cls(*(fields.get(name) for name in cls.__slots__))  # type: ignore[arg-type]
        inside = not Path(segment.path).is_absolute() and ".." not in Path(segment.path).parts
        if segment.kind not in KINDS or not inside:
            raise ValueError(f"no segment: {fields}")
        return segment


def write_segment(
    folder: Path, table: str, version: int, kind: str, rows: pa.Table, *, predicate: int | None = None, mark: str = ""
) -> Segment:
    """Write rows, sorted as the table wants it, to a new file of a version that is being made.

    ``mark`` tells apart the files of one version, table, kind and predicate.
    """
    import pyarrow.parquet as pq

    layout = layout_of(table, predicate)
    split = "all" if predicate is None else f"p{predicate}"
    path = f"data/{table}/{version:08d}-{kind}-{split}{mark}.parquet"
    sink = pa.BufferOutputStream()
    pq.write_table(rows.select(list(layout.columns)).cast(layout.schema), sink, **layout.parquet)
    data = sink.getvalue()
    write_new(folder / path, data)
    return Segment(path, rows.num_rows, data.size, kind, predicate, zlib.crc32(data))


def segment_of(
    folder: Path, table: str, path: str, kind: str, *, predicate: int | None = None, crc: int | None = None
) -> Segment:
    """Describe a file that somebody else has written into the folder, such as Spark, as a segment of a table.

    Unless its checksum is known, all of it is read.
    """
    import pyarrow.parquet as pq

    with pa.memory_map(str(folder / path)) as file:
        found, size = pq.read_metadata(file), file.size()
        if crc is None:
            file.seek(0)
            crc = zlib.crc32(file.read_buffer())
    columns = layout_of(table, predicate).columns
    if missing := [name for name in columns if name not in found.schema.names]:
        raise StoreError(f"{folder / path} is no file of {table}: it lacks {', '.join(missing)}; write {columns}")
    return Segment(path, found.num_rows, size, kind, predicate, crc)


def read_segment(folder: Path, table: str, segment: Segment) -> pa.Table:
    """Return the rows of a segment, or raise a ``StoreError`` if its file is not what was written."""
    import pyarrow.parquet as pq

    data = checked_bytes(folder, segment)
    layout = layout_of(table, segment.predicate)
    with named_if_unreadable(folder / segment.path):
        # One file is one task already, and the columns are small.
        rows = pq.read_table(pa.BufferReader(data), columns=list(layout.columns), use_threads=False)
    missing = set(layout.columns) - set(rows.column_names)
    if missing or rows.num_rows != segment.rows:
        found = f"lacks {', '.join(sorted(missing))}" if missing else f"has {rows.num_rows:,} rows"
        raise StoreError(f"{folder / segment.path} {found}, which is not what the manifest says; {_REMEDY}")
    return rows.select(list(layout.columns))


def checked_bytes(folder: Path, segment: Segment) -> pa.Buffer:
    """Return the content of a segment's file if it has the length and the checksum that it should have."""
    path = folder / segment.path
    with named_if_unreadable(path), pa.memory_map(str(path)) as file:
        data = file.read_buffer()
    if data.size != segment.bytes:
        raise StoreError(f"{path} is torn: it has {data.size:,} of {segment.bytes:,} bytes; {_REMEDY}")
    if segment.crc is not None and zlib.crc32(data) != segment.crc:
        raise StoreError(f"{path} is damaged: its checksum is wrong; {_REMEDY}")
    return data


@contextmanager
def named_if_unreadable(path: Path) -> Iterator[None]:
    """Raise a ``StoreError`` that names the file if reading it fails."""
    try:
        yield
    except FileNotFoundError:
        raise StoreError(f"{path} is missing; {_REMEDY}") from None
    except (pa.ArrowException, OSError) as error:
        raise StoreError(f"{path} cannot be read: {error}; {_REMEDY}") from error


_REMEDY = "restore the file from a copy, or open an earlier version (version=N)"
