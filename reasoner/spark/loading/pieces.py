"""Files cut into pieces of work, each for one task: parts of large files, and small files together.

Columns as one binary value, which Spark moves and keeps without looking inside.

Which files there are, in which syntax, and who can read them: the tasks themselves, or Spark for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow as pa

from loaders.errors import LoadError
from loaders.formats import SAMPLE_SIZE, Format, detect_format, format_of_name
from loaders.local_path import local_name, scheme_of
from loaders.sources import PathOrText, Source, expand_sources

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What every step hands to the next: ``data`` for ``target``, which comes from ``origin``.
SCHEMA = "origin bigint, target bigint, data binary"
_FIELDS = pa.schema([("origin", pa.int64()), ("target", pa.int64()), ("data", pa.binary())])

Row = tuple[int, int, bytes]


def pack(**columns: Any) -> bytes:
    """Return columns of equal length, arrays of Arrow or NumPy, as bytes."""
    batch = pa.RecordBatch.from_pydict({name: pa.array(column) for name, column in columns.items()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def unpack(data: bytes | pa.Buffer) -> pa.RecordBatch:
    """Undo ``pack``, without a copy.

    >>> unpack(pack(id=[3, 4])).column("id").to_pylist()
    [3, 4]
    """
    with pa.ipc.open_stream(data) as reader:
        return reader.read_next_batch()


def packed_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, int, pa.Buffer]]:
    """Yield the rows that a task is given."""
    for batch in batches:
        origins, targets = batch.column(0).to_pylist(), batch.column(1).to_pylist()
        values = batch.column(2)
        for place, (origin, target) in enumerate(zip(origins, targets, strict=True)):
            yield origin, target, values[place].as_buffer()


def row_batch(*rows: Row) -> pa.RecordBatch:
    """Return rows as a task hands them on."""
    return pa.RecordBatch.from_pylist(
        [{"origin": origin, "target": target, "data": data} for origin, target, data in rows], _FIELDS
    )


BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd")
# Spark undoes the other compressions by itself; for this it needs a library that is not everywhere.
_NOT_FOR_SPARK = ".zst"


@dataclass(frozen=True, slots=True)
class RdfFile:
    """One file. ``number`` counts the files of a load; ``format`` is None where only its content can tell.

    ``path`` is where the tasks find it by themselves; without one Spark reads it, at ``address``. ``is_plain`` says
    that it can be read from the middle.
    """

    number: int
    name: str
    size: int
    format: Format | None
    path: Path | None = None
    address: str = ""
    is_plain: bool = False


def find_files(
    session: SparkSession,
    sources: PathOrText | Sequence[PathOrText],
    format: Format | None,
    through_spark: bool | None,
) -> list[RdfFile]:
    """List what ``sources`` stand for, in order, each file once.

    What has an address of another file system than the local one is listed and read by Spark; so is everything if
    ``through_spark`` is true. Raise ``LoadError`` for whatever stands for nothing.
    """
    listed = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    if stream := next((item for item in listed if not isinstance(item, (str, os.PathLike)) or item == "-"), None):
        raise LoadError(f"{stream} cannot be read by many tasks; write it to a file, or use loaders.load")
    texts = [os.fspath(item) for item in listed]
    files: list[RdfFile] = []
    seen: set[object] = set()
    for text in texts:
        remote = _is_remote(text) if through_spark is None else through_spark
        for file in _remote_files(session, text, format) if remote else _local_files(text, format):
            key = file.address if file.path is None else file.path.resolve()
            if key not in seen:
                seen.add(key)
                files.append(_numbered(file, len(files)))
    return files


def _is_remote(text: str) -> bool:
    return scheme_of(text) not in (None, "file")


def _numbered(file: RdfFile, number: int) -> RdfFile:
    return RdfFile(number, file.name, file.size, file.format, file.path, file.address, file.is_plain)


def _local_files(text: str, format: Format | None) -> list[RdfFile]:
    return [_local_file(source, format) for source in expand_sources(local_name(text))]


def _local_file(source: Source, format: Format | None) -> RdfFile:
    path = source.path
    if path is None or not path.is_file():
        raise LoadError(f"{source.name} is no ordinary file and cannot be read by many tasks; write it to a file first")
    try:
        with path.open("rb") as raw:
            sample = raw.read(SAMPLE_SIZE)
    except OSError as error:
        raise LoadError(f"cannot read {source.name}: {error.strerror or error}") from error
    found, is_plain = format, not sample.startswith(_COMPRESSED)
    if found is None and is_plain:
        found = detect_format(source.name, sample.removeprefix(BYTE_ORDER_MARK))
    is_plain = is_plain and found is not None and found.is_line_based
    return RdfFile(0, source.name, path.stat().st_size, found, path=path.resolve(), is_plain=is_plain)


def _remote_files(session: SparkSession, text: str, format: Format | None) -> list[RdfFile]:
    """List files with Spark, without reading any; of a folder or pattern those whose names tell of RDF."""
    from pyspark.errors import AnalysisException

    listing = session.read.format("binaryFile").option("recursiveFileLookup", "true")
    try:
        rows = listing.load(text).selectExpr("_metadata.file_path", "path", "length").collect()
    except AnalysisException as error:
        raise LoadError(f"no such file: {text} ({error.getCondition()})") from error
    found = sorted((row.path, row.file_path, row.length) for row in rows)
    is_single = len(found) == 1 and unquote(found[0][0]).rstrip("/").endswith(text.rstrip("/").rpartition("/")[2])
    chosen = [row for row in found if is_single or format_of_name(row[0]) is not None]
    if not chosen:
        raise LoadError(f"{text} stands for no file with the extension of an RDF syntax")
    return [_remote_file(name, address, size, format) for name, address, size in chosen]


def _remote_file(name: str, address: str, size: int, format: Format | None) -> RdfFile:
    found = format or format_of_name(name)
    is_plain = found is not None and found.is_line_based and not name.lower().endswith(_NOT_FOR_SPARK)
    return RdfFile(0, name, size, found if is_plain else format, address=address, is_plain=is_plain)


# A large piece repeats fewer terms of other pieces; a small one leaves no task alone at the end.
SMALLEST_PIECE = 1 << 20
LARGEST_PIECE = 1 << 25


@dataclass(frozen=True, slots=True)
class LineRange:
    """The lines of a file that begin in a range of bytes, or the whole file if ``stop`` is None."""

    file: int
    name: str
    path: Path
    format: Format | None
    start: int = 0
    stop: int | None = None


Piece = tuple[LineRange, ...]


def cut(files: Sequence[RdfFile], tasks: int) -> list[Piece]:
    """Return the pieces of files that tasks can read, about evenly many for each of so many ``tasks`` at a time."""
    total = sum(file.size for file in files)
    size = min(max(-(-total // max(tasks, 1)), SMALLEST_PIECE), LARGEST_PIECE)
    pieces: list[Piece] = []
    open_piece: list[LineRange] = []
    room = size
    for file in files:
        for segment, length in _segments(file, size):
            if open_piece and length > room:
                pieces.append(tuple(open_piece))
                open_piece, room = [], size
            open_piece.append(segment)
            room -= length
    return [*pieces, tuple(open_piece)] if open_piece else pieces


def _segments(file: RdfFile, size: int) -> list[tuple[LineRange, int]]:
    assert file.path is not None, "Spark reads what has no path"
    if not file.is_plain:
        return [(LineRange(file.number, file.name, file.path, file.format), file.size)]
    count = max(-(-file.size // size), 1)
    bounds = [file.size * place // count for place in range(count + 1)]
    return [
        (LineRange(file.number, file.name, file.path, file.format, start, stop), stop - start)
        for start, stop in pairwise(bounds)
    ]
