"""Load RDF from files, folders and globs, on any file system of Spark, into tables of ids."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from loaders.formats import format_named
from loaders.load import LoadReport
from loaders.sources import PathOrText
from reasoner.spark.loading.dictionary import (
    first_dictionary,
    first_new_ids,
    new_terms,
    number_terms,
    size_and_scopes,
    spread_known,
)
from reasoner.spark.loading.files import RdfFile, find_files
from reasoner.spark.loading.lines import hashes_of, parse_contents, parse_lines, read_contents, read_lines
from reasoner.spark.loading.packing import SCHEMA
from reasoner.spark.loading.parse import CODES, NOTES, Settings, parse_pieces
from reasoner.spark.loading.pieces import cut
from reasoner.spark.loading.report import gather
from reasoner.spark.loading.statements import statements_of
from reasoner.spark.python_tasks import mapped
from reasoner.spark.session import parallelism
from reasoner.vocabulary import RESERVED_TERMS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# The text of a bucket has to fit into the memory of a task, several times.
_BUCKET_BYTES = 1 << 27
_COMPRESSION = 8


@dataclass(frozen=True, slots=True)
class Loaded:
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

    def __enter__(self) -> Loaded:
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
) -> Loaded:
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
    settings = Settings(_bucket_count(files, tasks), base, skip_errors)
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
    return Loaded(added, known.unionAll(added), statements, terms, report, tuple(kept))


def _bucket_count(files: Sequence[RdfFile], tasks: int) -> int:
    total = sum(file.size if file.is_plain else file.size * _COMPRESSION for file in files)
    return max(tasks, -(-total // _BUCKET_BYTES))


def _parsed(session: SparkSession, files: Sequence[RdfFile], settings: Settings, tasks: int) -> DataFrame:
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


def _parsed_pieces(session: SparkSession, files: Sequence[RdfFile], settings: Settings, tasks: int) -> DataFrame:
    pieces = cut(files, tasks)

    def parse(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from parse_pieces(batches, pieces, settings)

    return mapped(session.range(0, len(pieces), 1, len(pieces)), parse, SCHEMA)


def _parsed_by_spark(session: SparkSession, files: Sequence[RdfFile], settings: Settings, *, whole: bool) -> DataFrame:
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
