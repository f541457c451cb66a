"""The large files of a table: written by the executors, checked when a store is opened, and read where they lie."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasoner.columnar import persisted
from reasoner.spark.facts import SparkFacts
from reasoner.spark.failures import failures_told
from reasoner.spark.scratch import LOOKED_UP, VERIFIED
from reasoner.spark.set_operations import in_list
from reasoner.spark.shared_folder import parquet_files, require_shared
from reasoner.store.errors import StoreError
from reasoner.store.segment import BASE, Segment, checked_bytes, segment_of
from reasoner.vocabulary import TYPE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from reasoner.columnar.representatives import Representatives
    from reasoner.spark.engine import SparkEngine

# Rows of a file and bytes of a row group: a file is what one task writes, a group what a lookup reads at least.
FILE_ROWS = 1 << 20
_GROUP_BYTES = 1 << 20
_REST = -1
_KEYS = ("first_key", "second_key")

# The driver sums up so many bytes in less time than a job takes; a task does so with a file that fits its memory.
DRIVER_BYTES = 1 << 28
_TASK_BYTES = 1 << 28


def write_base(engine: SparkEngine, facts: SparkFacts, folder: Path, name: str, version: int) -> list[Segment]:
    """Let Spark write all facts of a table, frequent predicates apart, and return the files as segments."""
    counts: dict[int, int] = {}
    for part in facts.segments:
        for predicate, rows in part.run.counts.items():
            counts[predicate] = counts.get(predicate, 0) + (rows if part.added else -rows)
    # The shared files are sorted by s whatever the predicate.
    keys = [f"CASE WHEN split = {TYPE} THEN {by_class} ELSE {other} END" for by_class, other in ("os", "so")]
    return _write_split(engine, facts.query().text, counts, keys, folder, name, version)


def write_forms(
    engine: SparkEngine, explicit: SparkFacts, mapping: Representatives, folder: Path, version: int
) -> list[Segment]:
    """Let Spark write the explicit facts that are not their own normal form, with that form."""
    if not mapping:
        return []
    raw = ("s", "p", "o")
    form = engine.mappings.normal(explicit.query(), mapping, ", " + ", ".join(f"f.{c} AS raw_{c}" for c in raw))
    text = f"SELECT * FROM ({form.text}) WHERE {' OR '.join(f'{column} <> raw_{column}' for column in raw)}"
    found = engine.scratch.rows(f"SELECT p, count(*) AS n FROM ({text}) GROUP BY p")
    counts: dict[int, int] = dict(zip(found["p"].to_pylist(), found["n"].to_pylist(), strict=True))
    return _write_split(engine, text, counts, ["s", "o"], folder, "normal", version) if counts else []


def _write_split(
    engine: SparkEngine, text: str, counts: dict[int, int], keys: list[str], folder: Path, name: str, version: int
) -> list[Segment]:
    """Let Spark write the rows of a query, frequent predicates apart, each sorted by two keys.

    Files are ranges of the whole sort key, so that a class with most of the facts is written by several tasks.
    """
    least = persisted.least_of_own(sum(counts.values()))
    frequent = [predicate for predicate, rows in counts.items() if rows >= least]
    made = _place_for(folder, name, version)
    split = f"CASE WHEN {in_list('p', frequent)} THEN p ELSE {_REST}L END"
    frame = engine.session.sql(
        f"SELECT *, {', '.join(f'{key} AS {column}' for key, column in zip(keys, _KEYS, strict=True))}"
        f" FROM (SELECT *, {split} AS split FROM ({text}))"
    )
    parts = max(1, sum(counts.values()) // FILE_ROWS)
    ranges = frame.repartitionByRange(parts, "split", *_KEYS) if parts > 1 else frame.coalesce(1)
    ordered = ranges.sortWithinPartitions("split", "p", *_KEYS).drop(*_KEYS)
    written = ordered.write.partitionBy("split").option("compression", "zstd")
    require_shared(engine.session, made.parent)
    written.option("parquet.block.size", _GROUP_BYTES).parquet(str(made.resolve()))
    return _taken_over(engine.session, folder, name, version, made, sum(counts.values()))


def write_rows(frame: DataFrame, folder: Path, name: str, version: int, rows: int) -> list[Segment]:
    """Let Spark write so many rows of a table that is not split, and return the files as segments."""
    made = _place_for(folder, name, version)
    require_shared(frame.sparkSession, made.parent)
    frame.write.options(**LOOKED_UP).parquet(str(made.resolve()))
    return _taken_over(frame.sparkSession, folder, name, version, made, rows)


def _place_for(folder: Path, name: str, version: int) -> Path:
    """Return a folder that is not there yet, for Spark to write a table of a version to."""
    target = folder / "data" / name
    made = target / f".{version:08d}-by-spark"
    shutil.rmtree(made, ignore_errors=True)
    target.mkdir(parents=True, exist_ok=True)
    return made


def _taken_over(session: SparkSession, folder: Path, name: str, version: int, made: Path, rows: int) -> list[Segment]:
    """Give the files that Spark has written their names in the store, and return them as segments, if all are there."""
    taken: dict[str, int | None] = {}
    for at, path in enumerate(parquet_files(made, rows)):
        _, is_split, number = path.parent.name.partition("split=")
        own = int(number) if is_split and int(number) != _REST else None
        shown = "all" if own is None else f"p{own}"
        final = f"data/{name}/{version:08d}-{BASE}-{shown}-{at}.parquet"
        path.replace(folder / final)
        taken[final] = own
    shutil.rmtree(made, ignore_errors=True)
    sizes = {str((folder / path).resolve()): (folder / path).stat().st_size for path in taken}
    large = sum(sizes.values()) > DRIVER_BYTES
    sums = _sums_by_tasks(session, [path for path, size in sizes.items() if large and size <= _TASK_BYTES])
    return [
        segment_of(folder, name, path, BASE, predicate=own, crc=sums.get(Path(path).name))
        for path, own in taken.items()
    ]


def require_whole(engine: SparkEngine, folder: Path, base: list[Segment]) -> None:
    """Raise a ``StoreError`` if a file is missing, torn or damaged; many bytes are summed up by the executors."""
    large = sum(segment.bytes for segment in base) > DRIVER_BYTES
    by_tasks: list[Segment] = []
    for segment in base:
        path = folder / segment.path
        has_length = path.is_file() and path.stat().st_size == segment.bytes
        if large and has_length and segment.bytes <= _TASK_BYTES:
            by_tasks.append(segment)
        else:
            checked_bytes(folder, segment)
    if not by_tasks:
        return
    found = _sums_by_tasks(engine.session, _paths(folder, by_tasks))
    for segment in by_tasks:
        if segment.crc is not None and found.get(Path(segment.path).name) != segment.crc:
            checked_bytes(folder, segment)
            raise StoreError(
                f"{folder / segment.path} is whole for the driver, and another file for the executors; "
                "put the store on a file system that all of them share under the same path"
            )


@failures_told
def _sums_by_tasks(session: SparkSession, paths: list[str]) -> dict[str, int]:
    """Let the executors sum up the bytes of files; return the checksums by the names of the files."""
    if not paths:
        return {}
    files = session.read.format("binaryFile").load(paths)
    rows = files.selectExpr("_metadata.file_name AS name", "crc32(content) AS crc").collect()
    return {row.name: row.crc for row in rows}


def frame_of(engine: SparkEngine, folder: Path, base: list[Segment]) -> Any:
    """Return the rows of files, each predicate that has files of its own as a constant that queries are cut by.

    The shared files say that they have none of these, so that who asks for one of them does not open the shared ones.
    """
    frame = None
    by_predicate: dict[int | None, list[Segment]] = {}
    for segment in base:
        by_predicate.setdefault(segment.predicate, []).append(segment)
    for predicate, segments in by_predicate.items():
        read = _read(engine, folder, segments)
        if predicate is None:
            # Spark finds out that p = 7 contradicts 7 <> p; of p <> 7 or NOT IN it does not.
            others = " AND ".join(f"{own}L <> p" for own in by_predicate if own is not None)
            rows = read.where(others or "true").select("s", "p", "o")
        else:
            rows = read.selectExpr("s", f"{predicate}L AS p", "o")
        frame = rows if frame is None else frame.unionAll(rows)
    return frame


def frame_by_term(engine: SparkEngine, folder: Path, base: list[Segment]) -> Any:
    """Return the same rows by one scan for all predicates that have files of their own."""
    own = [segment for segment in base if segment.predicate is not None]
    rest = [segment for segment in base if segment.predicate is None]
    if len(own) < 2:
        return frame_of(engine, folder, base)
    cases = " ".join(f"WHEN '{Path(segment.path).name}' THEN {segment.predicate}L" for segment in own)
    frame = _read(engine, folder, own).selectExpr("s", f"CASE _metadata.file_name {cases} END AS p", "o")
    return frame.unionAll(frame_of(engine, folder, rest)) if rest else frame


def contents(folder: Path, base: list[Segment]) -> tuple[dict[int, int], frozenset[int]]:
    """Return how many facts each predicate has, and which classes there are, read piece by piece."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    counts: dict[int, int] = {}
    classes: set[int] = set()
    own = {segment.predicate for segment in base}
    for segment in base:
        if segment.predicate is not None and segment.predicate != TYPE:
            counts[segment.predicate] = counts.get(segment.predicate, 0) + segment.rows
            continue
        columns = ["o"] if segment.predicate == TYPE else ["p", "o"]
        for rows in pq.ParquetFile(folder / segment.path).iter_batches(columns=columns):
            if segment.predicate == TYPE:
                counts[TYPE] = counts.get(TYPE, 0) + rows.num_rows
                classes.update(pc.unique(rows.column("o")).to_pylist())
                continue
            for found in pc.value_counts(rows.column("p")).to_pylist():
                if found["values"] in own:
                    raise StoreError(
                        f"{folder / segment.path} has facts of predicate {found['values']}, which has files of its "
                        "own; write all of its facts to these, or open the store with the columnar engine"
                    )
                counts[found["values"]] = counts.get(found["values"], 0) + found["counts"]
            types = rows.filter(pc.equal(rows.column("p"), TYPE))
            classes.update(pc.unique(types.column("o")).to_pylist())
    return counts, frozenset(classes)


def _read(engine: SparkEngine, folder: Path, segments: list[Segment]) -> DataFrame:
    """Return the columns that all of some files have."""
    schema = "s long, p long, o long" if segments[0].predicate is None else "s long, o long"
    return engine.session.read.schema(schema).options(**VERIFIED).parquet(*_paths(folder, segments))


def _paths(folder: Path, segments: list[Segment]) -> list[str]:
    return [str((folder / segment.path).resolve()) for segment in segments]
