"""One data file of a table: written once, never changed, and checked whenever it is read.

The tables of a store: their columns, the order of their rows, and how their files are written.

Ids are dense from 0, owl:sameAs and rdf:type first. ``explicit``, ``facts`` and ``normal`` are split by predicate: a
frequent one has files of its own, without a column for it, and the others share files. ``normal`` has the explicit
facts that are not their own normal form: that form, and the fact as it was asserted. ``hashes`` leads from a text to
its id, for whoever does not have the dictionary in memory: it has the hashes (``loaders.texts``) of the texts whose
ids are less than the number of its rows, and need not be there at all. ``rules`` are those that a version was reasoned
with: one's own as they are, and of all others what many have in common, with their constants in ``parameters``.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa

from reasoner.store.file_system import Place, StoreError, file_system
from reasoner.terms.term import TYPE

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
    folder: Place, table: str, version: int, kind: str, rows: pa.Table, *, predicate: int | None = None, mark: str = ""
) -> Segment:
    """Write rows, sorted as the table wants it, to a new file of a version that is being made.

    ``mark`` tells apart the files of one version, table, kind and predicate.
    """
    import pyarrow.parquet as pq

    layout = layout_of(table, predicate)
    split = "all" if predicate is None else f"p{predicate}"
    path = f"data/{table}/{version:08d}-{kind}-{split}{mark}{mark_of_writer(folder)}.parquet"
    sink = pa.BufferOutputStream()
    pq.write_table(rows.select(list(layout.columns)).cast(layout.schema), sink, **layout.parquet)
    data = sink.getvalue()
    file_system(folder).write_new(folder / path, data)
    return Segment(path, rows.num_rows, data.size, kind, predicate, zlib.crc32(data))


def segment_of(
    folder: Place, table: str, path: str, kind: str, *, predicate: int | None = None, crc: int | None = None
) -> Segment:
    """Describe a file that somebody else has written into the folder, such as Spark, as a segment of a table.

    Unless its checksum is known, all of it is read.
    """
    import pyarrow.parquet as pq

    with file_system(folder).open(folder / path) as file:
        found, size = pq.read_metadata(file), file.size()
        if crc is None:
            file.seek(0)
            crc = zlib.crc32(file.read_buffer())
    columns = layout_of(table, predicate).columns
    if missing := [name for name in columns if name not in found.schema.names]:
        raise StoreError(f"{folder / path} is no file of {table}: it lacks {', '.join(missing)}; write {columns}")
    return Segment(path, found.num_rows, size, kind, predicate, crc)


def read_segment(folder: Place, table: str, segment: Segment, data: pa.Buffer | None = None) -> pa.Table:
    """Return the rows of a segment, or raise a ``StoreError`` if its file is not what was written.

    ``data`` is the content of the file, if somebody has it at hand (``mapped_bytes``).
    """
    import pyarrow.parquet as pq

    data = checked_bytes(folder, segment, data)
    layout = layout_of(table, segment.predicate)
    with named_if_unreadable(folder / segment.path):
        # One file is one task already, and the columns are small. ``read_table`` would import pandas first.
        rows = pq.ParquetFile(pa.BufferReader(data)).read(columns=list(layout.columns), use_threads=False)
    missing = set(layout.columns) - set(rows.column_names)
    if missing or rows.num_rows != segment.rows:
        found = f"lacks {', '.join(sorted(missing))}" if missing else f"has {rows.num_rows:,} rows"
        raise StoreError(f"{folder / segment.path} {found}, which is not what the manifest says; {_REMEDY}")
    return rows.select(list(layout.columns))


def mapped_bytes(folder: Place, segment: Segment) -> pa.Buffer:
    """Return the content of a segment's file if it has the length that it should have.

    On the local disk nothing of it is read yet, and it can be read also after somebody has removed the file.
    """
    path = folder / segment.path
    with named_if_unreadable(path):
        data = file_system(folder).read(path)
    if data.size != segment.bytes:
        raise StoreError(f"{path} is torn: it has {data.size:,} of {segment.bytes:,} bytes; {_REMEDY}")
    return data


def checked_bytes(folder: Place, segment: Segment, data: pa.Buffer | None = None) -> pa.Buffer:
    """Return the content of a segment's file if it has the length and the checksum that it should have."""
    data = mapped_bytes(folder, segment) if data is None else data
    if segment.crc is not None and zlib.crc32(data) != segment.crc:
        raise StoreError(f"{folder / segment.path} is damaged: its checksum is wrong; {_REMEDY}")
    return data


def mark_of_writer(folder: Place) -> str:
    """Return what tells apart the files of writers that make the same version at once; a lock forbids it on disk."""
    return "" if isinstance(folder, Path) else f"-{uuid4().hex[:16]}"


@contextmanager
def named_if_unreadable(path: Place) -> Iterator[None]:
    """Raise a ``StoreError`` that names the file if reading it fails."""
    try:
        yield
    except FileNotFoundError:
        raise StoreError(f"{path} is missing; {_REMEDY}") from None
    except (pa.ArrowException, OSError) as error:
        raise StoreError(f"{path} cannot be read: {error}; {_REMEDY}") from error


_REMEDY = "restore the file from a copy, or open an earlier version (version=N)"


# Rows that are read as a whole; rdf:type is read class by class, so that a class should not drag others along.
_GROUP = 1 << 17
_GROUP_OF_TYPES = 1 << 13
# Who looks up single terms reads those around them.
_GROUP_OF_TERMS = 1 << 14
# Who looks up classes of equal terms reads the facts about others near them.
_GROUP_OF_FORMS = 1 << 14

FACTS = ("explicit", "facts")
SPLIT = (*FACTS, "normal")


@dataclass(frozen=True, slots=True)
class FileLayout:
    """The columns of a file, the columns that its rows are sorted by, and how many rows are one group of Parquet."""

    columns: tuple[str, ...]
    order: tuple[str, ...]
    group: int = _GROUP

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([pa.field(name, _type_of(name), nullable=False) for name in self.columns])

    def empty_table(self) -> pa.Table:
        """Return a table without rows; that of a schema would import pandas first."""
        return pa.Table.from_arrays([pa.nulls(0, _type_of(name)) for name in self.columns], schema=self.schema)

    @property
    def parquet(self) -> dict[str, Any]:
        """How the file is encoded: sorted ids as small differences."""
        packed = {name: "DELTA_LENGTH_BYTE_ARRAY" if name == "text" else "DELTA_BINARY_PACKED" for name in self.columns}
        return {
            "row_group_size": self.group,
            "use_dictionary": False,
            "column_encoding": packed,
            "compression": "zstd",
            "write_statistics": [name for name in self.columns if name != "text"],
            # Spark reads pages again and again, long after the file was checked as a whole.
            "write_page_checksum": True,
        }


_TRIPLES = FileLayout(("s", "p", "o"), ("p", "s", "o"))
_PAIRS = FileLayout(("s", "o"), ("s", "o"))
_TYPES = FileLayout(("s", "o"), ("o", "s"), _GROUP_OF_TYPES)
_RAW = ("raw_s", "raw_p", "raw_o")
_FORMS = FileLayout(("s", "p", "o", *_RAW), ("p", "s", "o", *_RAW), _GROUP_OF_FORMS)
_FORMS_OF_ONE = FileLayout(("s", "o", *_RAW), ("s", "o", *_RAW), _GROUP_OF_FORMS)

# What holds of a table as a whole: the columns that tell its rows apart.
TABLES = {
    "dictionary": FileLayout(("id", "text"), ("id",), _GROUP_OF_TERMS),
    "hashes": FileLayout(("hash", "id"), ("hash", "id")),
    "explicit": _TRIPLES,
    "facts": _TRIPLES,
    "normal": _FORMS,
    "representatives": FileLayout(("id", "representative"), ("id", "representative")),
    "quads": FileLayout(("g", "s", "p", "o"), ("g", "p", "s", "o")),
    "values": _PAIRS,
    "rules": FileLayout(("rule", "own", "text"), ("rule",)),
    "parameters": FileLayout(("rule", "row", "position", "id"), ("rule", "row", "position")),
}


def layout_of(table: str, predicate: int | None = None) -> FileLayout:
    """Return how a file of a table is laid out, or of one predicate of it.

    >>> layout_of("facts").columns, layout_of("facts", 7).columns, layout_of("facts", 1).order
    (('s', 'p', 'o'), ('s', 'o'), ('o', 's'))
    """
    if table not in TABLES:
        raise StoreError(f"a store has no table {table!r}; its tables are {', '.join(TABLES)}")
    if predicate is None:
        return TABLES[table]
    if table not in SPLIT:
        raise StoreError(f"the table {table} is not split by predicate; write it without one")
    if table == "normal":
        return _FORMS_OF_ONE
    return _TYPES if predicate == TYPE else _PAIRS


def _type_of(column: str) -> pa.DataType:
    return pa.string() if column == "text" else pa.int64()
