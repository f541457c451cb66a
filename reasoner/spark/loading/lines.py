"""What Spark reads for us, on any of its file systems: the lines of N-Triples and N-Quads, and whole files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from loaders.errors import LoadError
from loaders.formats import Format
from loaders.sources import Source
from reasoner.spark.loading.files import BYTE_ORDER_MARK, RdfFile
from reasoner.spark.loading.packing import row_batch
from reasoner.spark.loading.parse import (
    BLOCK_SIZE,
    Collector,
    Note,
    Settings,
    note_row,
    note_scope,
    read_block,
    read_whole,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Numbers of parts are below this for tasks that read pieces, and above for those here.
_FIRST_PART = 1 << 40
_TASKS = 1 << 20


def read_lines(session: SparkSession, addresses: list[str]) -> DataFrame:
    """Return the lines of files, each with a hash of its file's address and where its split of the file begins.

    Lines end in line feeds again, so that the values of a column lie in memory as they did in the file.
    """
    lines = session.read.option("lineSep", "\n").text(addresses)
    return lines.selectExpr(
        "xxhash64(_metadata.file_path) AS file",
        "_metadata.file_block_start AS start",
        "CAST(concat(value, '\\n') AS binary) AS line",
    )


def read_contents(session: SparkSession, addresses: list[str]) -> DataFrame:
    """Return the contents of files, each with a hash of its address; Spark takes files up to 2 GB this way."""
    files = session.read.format("binaryFile").load(addresses)
    return files.selectExpr("xxhash64(_metadata.file_path) AS file", "content")


def hashes_of(session: SparkSession, addresses: list[str]) -> dict[str, int]:
    """Return the hash by which a task knows a file; raise ``LoadError`` if two files have the same."""
    frame = session.createDataFrame([(address,) for address in addresses], "address string")
    found = {row.address: int(row.hash) for row in frame.selectExpr("address", "xxhash64(address) AS hash").collect()}
    if len(set(found.values())) < len(found):
        raise LoadError("the addresses of two files have the same hash; load them one after the other")
    return found


def parse_lines(
    batches: Iterable[pa.RecordBatch], files: Mapping[int, RdfFile], settings: Settings
) -> Iterator[pa.RecordBatch]:
    """Read the lines that come in, and yield rows for the buckets, the statements and the driver."""
    collector = Collector(_task(), _TASKS, settings)
    for (key, start), blocks in _segments(batches):
        file = files[key]
        note = Note(file.number, start)
        scope = note_scope(note)
        for data in blocks:
            if note.lines == 0 and start == 0:
                data = data.removeprefix(BYTE_ORDER_MARK)
            quads = file.format is Format.NQUADS
            if not read_block(data, quads, collector, note, scope, settings.skip_errors):
                yield row_batch(note_row(note))
                return
            if collector.is_full:
                yield from collector.hand_on()
        yield row_batch(note_row(note))
    yield from collector.hand_on()


def parse_contents(
    batches: Iterable[pa.RecordBatch], files: Mapping[int, RdfFile], settings: Settings
) -> Iterator[pa.RecordBatch]:
    """Read the whole files that come in, and yield rows for the buckets, the statements and the driver."""
    collector = Collector(2 * _FIRST_PART + _task(), _TASKS, settings)
    for batch in batches:
        for key, content in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            file = files[key]
            note = Note(file.number, 0)
            source = Source(file.name, data=content.as_py())
            try:
                yield from read_whole(source, file.format, collector, note, settings)
            except LoadError as error:
                note.failure = str(error)
            yield row_batch(note_row(note))
            if note.failure or (note.errors and not settings.skip_errors):
                return
    yield from collector.hand_on()


def _task() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None, "this runs in a task"
    return _FIRST_PART + context.partitionId()


def _segments(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[tuple[int, int], Iterator[bytes]]]:
    """Yield the splits of files that a task is given, each as blocks of lines."""
    runs = _runs(batches)
    ahead = next(runs, None)
    while ahead is not None:
        key = ahead[0]

        def blocks(key: tuple[int, int] = key) -> Iterator[bytes]:
            nonlocal ahead
            kept: list[bytes] = []
            size = 0
            while ahead is not None and ahead[0] == key:
                kept.append(ahead[1])
                size += len(ahead[1])
                ahead = next(runs, None)
                if size >= BLOCK_SIZE:
                    yield b"".join(kept)
                    kept, size = [], 0
            if kept:
                yield b"".join(kept)

        yield key, blocks()


def _runs(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[tuple[int, int], bytes]]:
    """Yield lines of one split that lie side by side, as one text."""
    for batch in batches:
        if not batch.num_rows:
            continue
        keys, starts = batch.column(0).to_numpy(), batch.column(1).to_numpy()
        lines = batch.column(2).cast(pa.binary())
        offsets = np.frombuffer(lines.buffers()[1], np.int32, len(lines) + 1, lines.offset * 4)
        data = memoryview(lines.buffers()[2])
        changes = np.flatnonzero((keys[1:] != keys[:-1]) | (starts[1:] != starts[:-1])) + 1
        bounds = [0, *changes.tolist(), len(keys)]
        for first, last in pairwise(bounds):
            yield (int(keys[first]), int(starts[first])), bytes(data[offsets[first] : offsets[last]])
