"""Load RDF from files, folders and globs, on any file system of Spark, into tables of ids.

What the tasks tell, put together: counts, blank node prefixes, and errors with their places.

Ids back into the statements: each part gets the ids of its terms, and its codes are places among them.

What Spark reads for us, on any of its file systems: the lines of N-Triples and N-Quads, and whole files.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loaders.errors import LoadError, ParseError
from loaders.formats import Format, format_named
from loaders.load import LoadReport
from loaders.sources import PathOrText, Source
from reasoner.spark.loading.dictionary import (
    first_dictionary,
    first_new_ids,
    new_terms,
    number_terms,
    size_and_scopes,
    spread_known,
)
from reasoner.spark.loading.parse import (
    BLOCK_SIZE,
    CODES,
    NOTES,
    Collector,
    Note,
    ParseSettings,
    note_row,
    note_scope,
    parse_pieces,
    read_block,
    read_whole,
)
from reasoner.spark.loading.pieces import (
    BYTE_ORDER_MARK,
    SCHEMA,
    RdfFile,
    cut,
    find_files,
    packed_rows,
    row_batch,
    unpack,
)
from reasoner.spark.platform.python_tasks import mapped
from reasoner.spark.platform.session import parallelism
from reasoner.terms.term import RESERVED_TERMS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ERRORS_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Findings:
    """What reading the files has shown. ``scopes`` are the prefixes of the blank nodes by file."""

    statements: int
    skipped: int
    errors: tuple[ParseError, ...]
    scopes: dict[int, str]
    has_graphs: bool


def gather(notes: Iterable[bytes], files: Sequence[RdfFile], first_scope: int, *, skip_errors: bool) -> Findings:
    """Put notes together. Raise the first error in the order of the files, unless errors are skipped.

    Tasks count lines from where they begin; a line's number in its file adds those of all segments before it.
    """
    told = sorted((Note(**json.loads(note)) for note in notes), key=lambda note: (note.file, note.start))
    errors: list[ParseError] = []
    scopes: dict[int, str] = {}
    file, lines = -1, 0
    for note in told:
        if note.file != file:
            file, lines = note.file, 0
        if note.failure:
            raise LoadError(note.failure)
        name = files[file].name
        for line, column, message, text in note.errors[: _ERRORS_KEPT - len(errors)]:
            errors.append(ParseError(message, file=name, line=lines + line, column=column, text=text))
        if errors and not skip_errors:
            raise errors[0]
        if note.has_blanks and file not in scopes:
            scopes[file] = f"f{first_scope + len(scopes)}"
        lines += note.lines
    return Findings(
        statements=sum(note.statements for note in told),
        skipped=sum(note.skipped for note in told),
        errors=tuple(errors),
        scopes=scopes,
        has_graphs=any(note.has_graphs for note in told),
    )


def statements_of(rows: DataFrame, first_ids: Mapping[int, int], *, graphs: bool) -> DataFrame:
    """Return statements as ids, for rows that lie together by part; ``graphs`` adds a column g, null by default."""
    names = "spog" if graphs else "spo"

    def decode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from decode_parts(batches, first_ids, names)

    return mapped(rows, decode, ", ".join(f"{name} bigint" for name in names))


def decode_parts(
    batches: Iterable[pa.RecordBatch], first_ids: Mapping[int, int], names: str
) -> Iterator[pa.RecordBatch]:
    """Do, in a task, what ``statements_of`` promises."""
    codes: dict[int, pa.RecordBatch] = {}
    ids: dict[int, dict[int, NDArray[np.int64]]] = defaultdict(dict)
    for part, bucket, data in packed_rows(batches):
        if bucket == CODES:
            codes[part] = unpack(data)
        else:
            ids[part][bucket] = _final(unpack(data).column("id").to_numpy(), first_ids.get(bucket, 0))
    for part in sorted(codes):
        found = ids.pop(part)
        # The terms of a part are in the order of their buckets.
        yield _decoded(codes.pop(part), np.concatenate([found[bucket] for bucket in sorted(found)]), names)


def _final(ids: NDArray[np.int64], first: int) -> NDArray[np.int64]:
    return np.where(ids >= 0, ids, first - 1 - ids)


def _decoded(codes: pa.RecordBatch, ids: NDArray[np.int64], names: str) -> pa.RecordBatch:
    columns = {name: pa.array(ids[codes.column(name).to_numpy()]) for name in "spo"}
    if "g" in names:
        columns["g"] = pa.nulls(codes.num_rows, pa.int64())
        if "g" in codes.schema.names:
            graphs = codes.column("g").to_numpy()
            columns["g"] = pa.array(ids[graphs], mask=graphs < 0)
    return pa.RecordBatch.from_pydict(columns)


# The text of a bucket has to fit into the memory of a task, several times.
_BUCKET_BYTES = 1 << 27
_COMPRESSION = 8


@dataclass(frozen=True, slots=True)
class LoadedFrames:
    """What a load has made, as data frames.

    ``added`` (id, text) holds the new terms, ``dictionary`` all of them, ``terms`` in number; ``statements`` has the
    columns s, p, o and, if there are named graphs, g (null in the default graph), repetitions included. The frames
    rest on intermediate results: write them or keep them, then ``release``.
    """

    added: DataFrame
    dictionary: DataFrame
    statements: DataFrame
    terms: int
    report: LoadReport
    kept: tuple[DataFrame, ...]

    @property
    def explicit(self) -> DataFrame:
        """The triples, whatever graph they are in, each once."""
        return self.statements.select("s", "p", "o").distinct()

    @property
    def quads(self) -> DataFrame:
        """The triples of named graphs as (g, s, p, o), each once; empty if there are no such graphs."""
        if "g" not in self.statements.columns:
            return self.statements.selectExpr("CAST(NULL AS bigint) AS g", "s", "p", "o").where("false")
        return self.statements.select("g", "s", "p", "o").where("g IS NOT NULL").distinct()

    def release(self) -> None:
        """Give up the intermediate results."""
        for frame in self.kept:
            frame.unpersist()

    def __enter__(self) -> LoadedFrames:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def load(
    session: SparkSession,
    sources: PathOrText | Sequence[PathOrText],
    dictionary: DataFrame | None = None,
    *,
    format: str | None = None,
    base: str | None = None,
    skip_errors: bool = False,
    through_spark: bool | None = None,
) -> LoadedFrames:
    """Load files, globs and folders in the executors; term texts never pass through the driver.

    Terms that are in ``dictionary`` (id, text) keep their ids, new ones get the next ids; without one the reserved
    terms come first. The same files give the same ids on sessions of the same parallelism. Syntax, compression and
    blank nodes are treated as by ``loaders.load``. At the first error raise ``ParseError``; with ``skip_errors``
    leave out the offending statement (in RDF/XML and JSON-LD: the file), report it and go on.

    Local files have to be where the executors can open them. What has an address, such as ``hdfs://``, is read by
    Spark, and so is everything with ``through_spark``; there the extension tells the syntax.
    """
    began = time.perf_counter()
    chosen = None if format is None else format_named(format)
    files = find_files(session, sources, chosen, through_spark)
    known = first_dictionary(session) if dictionary is None else dictionary
    size, first_scope = (len(RESERVED_TERMS), 0) if dictionary is None else size_and_scopes(known)
    tasks = parallelism(session)
    settings = ParseSettings(_bucket_count(files, tasks), base, skip_errors)
    parsed = _parsed(session, files, settings, tasks).persist()
    kept = [parsed]
    try:
        notes = [bytes(row.data) for row in parsed.where(f"target = {NOTES}").select("data").collect()]
        findings = gather(notes, files, first_scope, skip_errors=skip_errors)
        rows = parsed.where("target >= 0")
        if dictionary is not None:
            rows = rows.unionAll(spread_known(dictionary, settings.buckets))
        together = _together(rows, settings.buckets, "target")
        numbered = number_terms(together, findings.scopes, settings.buckets).persist()
        kept.append(numbered)
        first_ids, terms = first_new_ids(numbered, size)
        added = new_terms(numbered, first_ids)
        for_parts = parsed.where(f"target = {CODES}").unionAll(numbered.where("origin >= 0"))
        statements = statements_of(_together(for_parts, tasks, "origin"), first_ids, graphs=findings.has_graphs)
    except BaseException:
        for frame in kept:
            frame.unpersist()
        raise
    names = tuple(file.name for file in files)
    seconds = time.perf_counter() - began
    report = LoadReport(len(files), findings.statements, seconds, findings.errors, findings.skipped, names)
    return LoadedFrames(added, known.unionAll(added), statements, terms, report, tuple(kept))


def _bucket_count(files: Sequence[RdfFile], tasks: int) -> int:
    total = sum(file.size if file.is_plain else file.size * _COMPRESSION for file in files)
    return max(tasks, -(-total // _BUCKET_BYTES))


def _parsed(session: SparkSession, files: Sequence[RdfFile], settings: ParseSettings, tasks: int) -> DataFrame:
    """Return what tasks make of the files, by who reads them."""
    frames: list[DataFrame] = []
    if local := [file for file in files if file.path is not None]:
        frames.append(_parsed_pieces(session, local, settings, tasks))
    remote = [file for file in files if file.path is None]
    if lines := [file for file in remote if file.is_plain]:
        frames.append(_parsed_by_spark(session, lines, settings, whole=False))
    if others := [file for file in remote if not file.is_plain]:
        frames.append(_parsed_by_spark(session, others, settings, whole=True))
    union = frames[0]
    for frame in frames[1:]:
        union = union.unionAll(frame)
    return union


def _parsed_pieces(session: SparkSession, files: Sequence[RdfFile], settings: ParseSettings, tasks: int) -> DataFrame:
    pieces = cut(files, tasks)

    def parse(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from parse_pieces(batches, pieces, settings)

    return mapped(session.range(0, len(pieces), 1, len(pieces)), parse, SCHEMA)


def _parsed_by_spark(
    session: SparkSession, files: Sequence[RdfFile], settings: ParseSettings, *, whole: bool
) -> DataFrame:
    hashes = hashes_of(session, [file.address for file in files])
    by_hash = {hashes[file.address]: file for file in files}
    names = [file.name for file in files]
    parse_them = parse_contents if whole else parse_lines

    def parse(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from parse_them(batches, by_hash, settings)

    return mapped((read_contents if whole else read_lines)(session, names), parse, SCHEMA)


def _together(rows: DataFrame, partitions: int, column: str) -> DataFrame:
    """Bring the rows of one value of a column into one task."""
    if hasattr(rows, "repartitionById"):
        from pyspark.sql.functions import col

        return rows.repartitionById(partitions, (col(column) % partitions).cast("int"))
    return rows.repartition(partitions, column)


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
    batches: Iterable[pa.RecordBatch], files: Mapping[int, RdfFile], settings: ParseSettings
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
    batches: Iterable[pa.RecordBatch], files: Mapping[int, RdfFile], settings: ParseSettings
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
