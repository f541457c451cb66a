"""The place on disk of a store of Spark: its facts are written by the executors, and read where they lie.

The format is that of ``reasoner.store``, so that the columnar engine opens what Spark wrote, and the other way round.
The folder has to be one that driver and executors share.

The large files of a table: written by the executors, checked when a store is opened, and read where they lie.

Normal forms of explicit facts in a store of Spark: what changes of them, and how facts are looked up by them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from loaders.dictionary import Dictionary
from loaders.parted_dictionary import PartedDictionary
from reasoner.columnar import persisted
from reasoner.columnar.factset import FactSet
from reasoner.columnar.home import Home, VersionMetadata, read_state
from reasoner.columnar.normal_forms import FactsByClass, FormGroups, forms_of, whole_forms
from reasoner.columnar.row_groups import RowGroups
from reasoner.columnar.store import ColumnarStore, Snapshot
from reasoner.spark import term_files
from reasoner.spark.facts import SparkFacts, parted
from reasoner.spark.fetched import changes_between, mentioning, unwrapped, wrapped
from reasoner.spark.platform.failures import failures_told
from reasoner.spark.platform.scratch import LOOKED_UP, VERIFIED
from reasoner.spark.platform.shared_folder import parquet_files, require_shared, spark_name
from reasoner.spark.set_operations import in_list
from reasoner.spark.term_files import TermFiles, by_hash, files_of, hashes_of, stored_terms
from reasoner.store.file_system import Place, StoreError, file_system, resolved
from reasoner.store.manifest import Manifest, net_change, pieces
from reasoner.store.segment import BASE, FACTS, SPLIT, Segment, checked_bytes, mark_of_writer, segment_of
from reasoner.terms.term import TYPE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from reasoner.columnar.persisted import Change
    from reasoner.columnar.representatives import Representatives
    from reasoner.spark.engine import SparkEngine
    from reasoner.spark.store import SparkStore

# Rows of a file and bytes of a row group: a file is what one task writes, a group what a lookup reads at least.
FILE_ROWS = 1 << 20
_GROUP_BYTES = 1 << 20
_REST = -1
_KEYS = ("first_key", "second_key")

# The driver sums up so many bytes in less time than a job takes; a task does so with a file that fits its memory.
DRIVER_BYTES = 1 << 28
_TASK_BYTES = 1 << 28


def write_base(engine: SparkEngine, facts: SparkFacts, folder: Place, name: str, version: int) -> list[Segment]:
    """Let Spark write all facts of a table, frequent predicates apart, and return the files as segments."""
    counts: dict[int, int] = {}
    for part in facts.segments:
        for predicate, rows in part.run.counts.items():
            counts[predicate] = counts.get(predicate, 0) + (rows if part.added else -rows)
    # The shared files are sorted by s whatever the predicate.
    keys = [f"CASE WHEN split = {TYPE} THEN {by_class} ELSE {other} END" for by_class, other in ("os", "so")]
    return _write_split(engine, facts.query().text, counts, keys, folder, name, version)


def write_forms(
    engine: SparkEngine, explicit: SparkFacts, mapping: Representatives, folder: Place, version: int
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
    engine: SparkEngine, text: str, counts: dict[int, int], keys: list[str], folder: Place, name: str, version: int
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
    written.option("parquet.block.size", _GROUP_BYTES).parquet(spark_name(made))
    return _taken_over(engine.session, folder, name, version, made, sum(counts.values()))


def write_rows(frame: DataFrame, folder: Place, name: str, version: int, rows: int) -> list[Segment]:
    """Let Spark write so many rows of a table that is not split, and return the files as segments."""
    made = _place_for(folder, name, version)
    require_shared(frame.sparkSession, made.parent)
    frame.write.options(**LOOKED_UP).parquet(spark_name(made))
    return _taken_over(frame.sparkSession, folder, name, version, made, rows)


def _place_for(folder: Place, name: str, version: int) -> Place:
    """Return a folder that is not there yet, for Spark to write a table of a version to."""
    target = folder / "data" / name
    made = target / f".{version:08d}-by-spark{mark_of_writer(folder)}"
    file_system(folder).delete_folder(made)
    file_system(folder).make_folder(target)
    return made


def _taken_over(session: SparkSession, folder: Place, name: str, version: int, made: Place, rows: int) -> list[Segment]:
    """Give the files that Spark has written their names in the store, and return them as segments, if all are there."""
    files = file_system(folder)
    taken: dict[str, int | None] = {}
    for at, path in enumerate(parquet_files(made, rows)):
        _, is_split, number = path.parent.name.partition("split=")
        own = int(number) if is_split and int(number) != _REST else None
        shown = "all" if own is None else f"p{own}"
        final = f"data/{name}/{version:08d}-{BASE}-{shown}-{at}{mark_of_writer(folder)}.parquet"
        files.move(path, folder / final)
        taken[final] = own
    files.delete_folder(made)
    sizes = {spark_name(folder / path): files.size(folder / path) or 0 for path in taken}
    large = sum(sizes.values()) > DRIVER_BYTES
    sums = _sums_by_tasks(session, [path for path, size in sizes.items() if large and size <= _TASK_BYTES])
    return [
        segment_of(folder, name, path, BASE, predicate=own, crc=sums.get(Path(path).name))
        for path, own in taken.items()
    ]


def require_whole(engine: SparkEngine, folder: Place, base: list[Segment]) -> None:
    """Raise a ``StoreError`` if a file is missing, torn or damaged; many bytes are summed up by the executors."""
    large = sum(segment.bytes for segment in base) > DRIVER_BYTES
    by_tasks: list[Segment] = []
    for segment in base:
        path = folder / segment.path
        has_length = large and file_system(folder).size(path) == segment.bytes
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


def frame_of(engine: SparkEngine, folder: Place, base: list[Segment]) -> Any:
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


def frame_by_term(engine: SparkEngine, folder: Place, base: list[Segment]) -> Any:
    """Return the same rows by one scan for all predicates that have files of their own."""
    own = [segment for segment in base if segment.predicate is not None]
    rest = [segment for segment in base if segment.predicate is None]
    if len(own) < 2:
        return frame_of(engine, folder, base)
    cases = " ".join(f"WHEN '{Path(segment.path).name}' THEN {segment.predicate}L" for segment in own)
    frame = _read(engine, folder, own).selectExpr("s", f"CASE _metadata.file_name {cases} END AS p", "o")
    return frame.unionAll(frame_of(engine, folder, rest)) if rest else frame


def contents(folder: Place, base: list[Segment]) -> tuple[dict[int, int], frozenset[int]]:
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
        for rows in pq.ParquetFile(file_system(folder).open(folder / segment.path)).iter_batches(columns=columns):
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


def _read(engine: SparkEngine, folder: Place, segments: list[Segment]) -> DataFrame:
    """Return the columns that all of some files have."""
    schema = "s long, p long, o long" if segments[0].predicate is None else "s long, o long"
    return engine.session.read.schema(schema).options(**VERIFIED).parquet(*_paths(folder, segments))


def _paths(folder: Place, segments: list[Segment]) -> list[str]:
    return [spark_name(folder / segment.path) for segment in segments]


# If more terms than this have moved, all is written anew, by the executors.
_MOST_MOVED = 1 << 16

_TABLE = "normal"


def changed_forms(
    engine: SparkEngine,
    before: Snapshot,
    after: Snapshot,
    changes_to: Callable[[Snapshot], tuple[FactSet, FactSet]],
) -> Change | None:
    """Return the rows that came and those that went between two states; None if that would be too many.

    ``changes_to`` tells which explicit facts came with a state, and which went.
    """
    if not before.representatives and not after.representatives:
        return forms_of(after.representatives, FactSet()), forms_of(after.representatives, FactSet())
    moved = after.representatives.moved_since(before.representatives)
    if moved.size > _MOST_MOVED:
        return None
    came, went = changes_to(after)
    return (
        forms_of(after.representatives, came, mentioning(engine, moved, after.explicit)),
        forms_of(before.representatives, went, mentioning(engine, moved, before.explicit)),
    )


def look_up_by_class(engine: SparkEngine, folder: Place, manifest: Manifest, state: Snapshot) -> None:
    """Let explicit facts in files be found by the normal forms of a version that holds a state."""
    facts = unwrapped(engine, state.explicit)
    runs = [segment.run for segment in facts.segments]
    for run in runs:
        if isinstance(run.groups, FactsByClass):
            run.groups = run.groups.plain
    segments, parts = manifest.segments(_TABLE), parted(facts)
    if not segments or parts is None or len(parts[0]) != 1:
        return
    ((file,), leaving, joining) = parts
    if file.run.groups is None or isinstance(file.run.groups, FactsByClass):
        return
    base = [segment for segment in segments if segment.kind == BASE]
    came, went = net_change(folder, _TABLE, [segment for segment in segments if segment.kind != BASE])
    paths, rows = [folder / segment.path for segment in base], sum(segment.rows for segment in base)
    forms = FormGroups(paths, rows, came, went)
    file.run.groups = FactsByClass(file.run.groups, state.representatives, forms, leaving, joining)


class SparkHome(Home):
    """Writes what differs between two states; of facts in files that is known without comparing them."""

    def __init__(self, store: SparkStore, folder: Place, manifest: Manifest, state: Snapshot, lock: Any) -> None:
        super().__init__(folder, manifest, state, lock)
        self._store = store
        self._last_changes: tuple[FactSet, FactSet, tuple[FactSet, FactSet]] | None = None

    @failures_told
    def keep(
        self, store: ColumnarStore, kept: VersionMetadata, *, materialised: bool = True, moves: bool = False
    ) -> bool:
        """Make a state the current version; what was written anew is read from there, so that older files can go."""
        self._store = spark = cast("SparkStore", store)
        before, state = self.manifest, store.state
        try:
            is_new = super().keep(store, kept, materialised=materialised)
        finally:
            self._last_changes = None
        if is_new and moves:
            engine = spark.spark
            changed: dict[str, Any] = {}
            for name in FACTS:
                new = _base(self.manifest, name)
                if new != _base(before, name) and unwrapped(engine, getattr(state, name)).local is None:
                    changed[name] = wrapped(engine, _read_facts(engine, self.folder, self.manifest, name))
            if changed:
                self.state = store.state = replace(state, **changed)
            if "explicit" in changed or _base(self.manifest, "normal") != _base(before, "normal"):
                look_up_by_class(engine, self.folder, self.manifest, self.state)
            self._reread_terms(spark.dictionary)
        return is_new

    def _reread_terms(self, dictionary: PartedDictionary) -> None:
        """Read terms from the files of the new version if files of older ones, which can go, are read as yet."""
        folder = resolved(self.folder)
        read = {resolved(path) for part in files_of(dictionary) for path in part.paths}
        ours = {path for path in read if str(path).startswith(f"{folder}/")}
        if ours - {folder / path for path in self.manifest.paths}:
            dictionary.take_place(_kept_terms(self._store.spark, self.folder, self.manifest))

    def _with_terms(
        self, segments: tuple[Segment, ...], dictionary: Dictionary, first: int, terms: int, version: int
    ) -> tuple[Segment, ...]:
        if not any(part.end > first for part in self._store.dictionary.kept):
            return super()._with_terms(segments, dictionary, first, terms, version)
        new = f"SELECT id, text FROM {self._store.spark.terms.view()} WHERE id >= {first} AND id < {terms}"
        return (*segments, *write_rows(self._store.session.sql(new), self.folder, "dictionary", version, terms - first))

    def _with_hashes(
        self, segments: tuple[Segment, ...], dictionary: Dictionary, terms: int, version: int
    ) -> tuple[Segment, ...]:
        """Write the hashes of texts that are not in the memory of the driver, and of all before them."""
        known = sum(segment.rows for segment in segments)
        if not any(part.end > known for part in self._store.dictionary.kept):
            return segments
        frame = hashes_of(self._store.spark.scratch, self._store.dictionary, known)
        return (*segments, *write_rows(by_hash(frame, terms - known), self.folder, "hashes", version, terms - known))

    def _table(self, name: str, state: Snapshot, version: int) -> tuple[Segment, ...]:
        if name == "normal":
            return self._forms(state, version)
        if name not in FACTS:
            return super()._table(name, state, version)
        engine, segments = self._store.spark, self.manifest.segments(name)
        before, after = getattr(self.state, name), getattr(state, name)
        if before is after:
            return segments
        facts = unwrapped(engine, after)

        def anew() -> tuple[Segment, ...]:
            if facts.local is None:
                return tuple(write_base(engine, facts, self.folder, name, version))
            return self._written_anew(name, version, persisted.whole_facts(facts.local))

        if not segments and facts.local is None:
            return anew()
        came, went = self._explicit_changes(state) if name == "explicit" else changes_between(engine, before, after)
        return self._segments(name, version, (persisted.triples(came), persisted.triples(went)), anew)

    def _forms(self, state: Snapshot, version: int) -> tuple[Segment, ...]:
        """Write the normal forms of explicit facts, as far as they differ."""
        engine, explicit = self._store.spark, unwrapped(self._store.spark, state.explicit)

        def anew() -> tuple[Segment, ...]:
            if explicit.local is None:
                return tuple(write_forms(engine, explicit, state.representatives, self.folder, version))
            return self._written_anew("normal", version, whole_forms(replace(state, explicit=explicit.local)))

        change = None
        if "normal" in self.manifest.tables:
            change = changed_forms(engine, self.state, state, self._explicit_changes)
        return anew() if change is None else self._segments("normal", version, change, anew)

    def _explicit_changes(self, state: Snapshot) -> tuple[FactSet, FactSet]:
        """Return the explicit facts that came and went with a state, which more than one table asks for."""
        before, after = self.state.explicit, state.explicit
        if self._last_changes is None or self._last_changes[:2] != (before, after):
            self._last_changes = before, after, changes_between(self._store.spark, before, after)
        return self._last_changes[2]


def read_version(folder: Place, manifest: Manifest) -> tuple[PartedDictionary, Callable[[SparkEngine], Snapshot]]:
    """Return the dictionary of a version, and what makes its state for an engine.

    Facts and terms stay in their files, unless there are few of them; then they are read, and checked, at the driver.
    """
    at_driver = sum(segment.rows for segment in manifest.segments("dictionary")) <= term_files.DRIVER_TERMS
    left = {*SPLIT, "hashes"} if at_driver else {*SPLIT, "hashes", "dictionary"}
    others = {name: rows for name, rows in manifest.tables.items() if name not in left}
    state, in_memory = read_state(folder, replace(manifest, tables=others))
    dictionary = PartedDictionary(in_memory)
    dictionary.mark(len(dictionary))

    def read(engine: SparkEngine) -> Snapshot:
        if not at_driver:
            for name in ("dictionary", "hashes"):
                require_whole(engine, folder, list(manifest.segments(name)))
            for part in _kept_terms(engine, folder, manifest):
                if part.has_hashes or part.end - part.first > term_files.DRIVER_TERMS:
                    dictionary.keep_elsewhere(part)
                else:
                    dictionary.hold(part.all_texts())
            dictionary.mark(len(dictionary))
        for name in FACTS:
            if _is_large(engine, base := _base(manifest, name)):
                require_whole(engine, folder, base)
        explicit, facts = (wrapped(engine, _read_facts(engine, folder, manifest, name)) for name in FACTS)
        found = replace(state, explicit=explicit, facts=facts)
        if _is_large(engine, _base(manifest, "explicit")):
            require_whole(engine, folder, _base(manifest, "normal"))
            look_up_by_class(engine, folder, manifest, found)
        return found

    return dictionary, read


def _kept_terms(engine: SparkEngine, folder: Place, manifest: Manifest) -> list[TermFiles]:
    """Return the terms of a version, which stay in its files."""
    terms, hashes = manifest.segments("dictionary"), manifest.segments("hashes")
    return stored_terms(
        engine.scratch,
        [folder / segment.path for segment in terms],
        sum(segment.rows for segment in terms),
        [folder / segment.path for segment in hashes],
        sum(segment.rows for segment in hashes),
    )


def _read_facts(engine: SparkEngine, folder: Place, manifest: Manifest, name: str) -> SparkFacts:
    """Return the facts of a table: its base as files, and what changed since at the driver."""
    base = _base(manifest, name)
    later = [segment for segment in manifest.segments(name) if segment.kind != BASE]
    if not _is_large(engine, base):
        return engine.of_facts(persisted.facts_of(pieces(folder, manifest, name)))
    frames = frame_of(engine, folder, base), frame_by_term(engine, folder, base)
    files = [(folder / segment.path, segment.predicate) for segment in base]
    groups = RowGroups(files, sum(segment.rows for segment in base))
    run = engine.scratch.stored(*frames, groups, *contents(folder, base))
    facts = engine.place.of_run(run)
    if not later:
        return facts
    changes = net_change(folder, name, later)
    added, removed = (FactSet.of_columns(*(rows[column].to_numpy() for column in "spo")) for rows in changes)
    # A fact that went and came again is in the base.
    there = engine.to_facts(engine.common(engine.of_facts(added.union(removed)), facts))
    leaving, joining = removed.intersection(there), added.difference(there)
    held = engine.scratch.held
    return engine.place.changed(facts, leaving=[held(leaving)], joining=[held(joining)])


def _base(manifest: Manifest, name: str) -> list[Segment]:
    return [segment for segment in manifest.segments(name) if segment.kind == BASE]


def _is_large(engine: SparkEngine, base: list[Segment]) -> bool:
    """Tell whether facts stay in their files; fewer are read, and checked, at the driver."""
    return sum(segment.rows for segment in base) > engine.place.driver_rows
