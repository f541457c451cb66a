"""The place on disk of a store of Spark: its facts are written by the executors, and read where they lie.

The format is that of ``reasoner.store``, so that the columnar engine opens what Spark wrote, and the other way round.
The folder has to be one that driver and executors share. Row groups that Spark writes are limited in bytes, not rows.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaders.dictionary import Dictionary
from reasoner.columnar import persisted
from reasoner.columnar.factset import FactSet
from reasoner.columnar.home import Home, Kept, read_state
from reasoner.columnar.store import Snapshot
from reasoner.spark.facts import Segment as Part
from reasoner.spark.facts import SparkFacts
from reasoner.spark.fetched import changes_between, unwrapped, wrapped
from reasoner.spark.set_operations import in_list
from reasoner.store.content import net_change, pieces
from reasoner.store.manifest import Manifest
from reasoner.store.segment import ADDED, BASE, REMOVED, Segment, checked_bytes, segment_of, write_segment
from reasoner.store.tables import SPLIT
from reasoner.store.tidy import needs_base, tidied
from reasoner.vocabulary import TYPE

if TYPE_CHECKING:
    from reasoner.spark.engine import SparkEngine
    from reasoner.spark.store import SparkStore

_GROUP_BYTES = 1 << 20
_REST = -1


class SparkHome(Home):
    """Writes what differs between two states; of facts in files that is known without comparing them."""

    def __init__(self, store: SparkStore, folder: Path, manifest: Manifest, state: Snapshot, lock: Any) -> None:
        super().__init__(folder, manifest, state, lock)
        self._store = store

    def keep(self, state: Snapshot, dictionary: Dictionary, kept: Kept, *, materialised: bool = True) -> bool:
        """Make a state the current version; what was written anew is read from there, so that older files can go."""
        before = self.manifest
        is_new = super().keep(state, dictionary, kept, materialised=materialised)
        if is_new and self.owner is not None:
            engine = self._store.spark
            changed: dict[str, Any] = {}
            for name in SPLIT:
                new = _bases(self.manifest, name)
                if new != _bases(before, name) and unwrapped(engine, getattr(state, name)).local is None:
                    changed[name] = wrapped(engine, _read_facts(engine, self.folder, self.manifest, name))
            if changed:
                self.state = replace(state, **changed)
                if self._store.state is state:
                    self._store.state = self.state
        return is_new

    def _table(self, name: str, state: Snapshot, version: int) -> tuple[Segment, ...]:
        if name not in SPLIT:
            return super()._table(name, state, version)
        engine = self._store.spark
        before, after = getattr(self.state, name), getattr(state, name)
        segments = self.manifest.segments(name)
        if before is after:
            return segments
        facts = unwrapped(engine, after)
        if not segments and facts.local is None:
            return tuple(write_base(engine, facts, self.folder, name, version))
        came, went = changes_between(engine, before, after)
        if not len(came) and not len(went):
            return segments
        if needs_base(segments, len(came) + len(went)):
            if facts.local is None:
                return tuple(write_base(engine, facts, self.folder, name, version))
            return tuple(
                write_segment(self.folder, name, version, BASE, table, predicate=predicate)
                for predicate, table in persisted.whole_facts(facts.local)
                if table.num_rows
            )
        new = [
            write_segment(self.folder, name, version, kind, persisted._triples(rows))
            for kind, rows in ((REMOVED, went), (ADDED, came))
            if len(rows)
        ]
        return tidied(self.folder, name, version, [*segments, *new])


def _bases(manifest: Manifest, name: str) -> list[str]:
    return [segment.path for segment in manifest.segments(name) if segment.kind == BASE]


def write_base(engine: SparkEngine, facts: SparkFacts, folder: Path, name: str, version: int) -> list[Segment]:
    """Let Spark write all facts of a table, frequent predicates apart, and return the files as segments."""
    counts: dict[int, int] = {}
    for part in facts.segments:
        for predicate, rows in part.run.counts.items():
            counts[predicate] = counts.get(predicate, 0) + (rows if part.added else -rows)
    least = max(persisted._FEWEST, sum(counts.values()) // persisted._PART)
    frequent = [predicate for predicate, rows in counts.items() if rows >= least]
    target = folder / "data" / name
    made = target / f".{version:08d}-by-spark"
    shutil.rmtree(made, ignore_errors=True)
    target.mkdir(parents=True, exist_ok=True)
    split = f"CASE WHEN {in_list('p', frequent)} THEN p ELSE {_REST}L END"
    first, second = f"CASE WHEN p = {TYPE} THEN o ELSE s END", f"CASE WHEN p = {TYPE} THEN s ELSE o END"
    frame = engine.session.sql(
        f"SELECT s, p, o, {split} AS split, {first} AS k, {second} AS l FROM ({facts.query().text})"
    )
    from pyspark.sql.functions import expr

    # The shared file is sorted by s whatever the predicate.
    ends = (f"CASE WHEN split = {_REST} THEN {end} ELSE {key} END" for end, key in ("sk", "ol"))
    order = ["split", "p", *ends]
    parts = max(1, sum(counts.values()) // (1 << 20))
    ordered = frame.repartitionByRange(parts, "split", expr("k")) if parts > 1 else frame.coalesce(1)
    ordered.sortWithinPartitions(*map(expr, order)).drop("k", "l").write.partitionBy("split").option(
        "compression", "zstd"
    ).option("parquet.block.size", _GROUP_BYTES).parquet(str(made.resolve()))
    segments = []
    for at, path in enumerate(sorted(made.glob("split=*/*.parquet"))):
        number = int(path.parent.name.partition("=")[2])
        own = None if number == _REST else number
        shown = "all" if own is None else f"p{own}"
        final = f"data/{name}/{version:08d}-{BASE}-{shown}-{at}.parquet"
        path.replace(folder / final)
        segments.append(segment_of(folder, name, final, BASE, predicate=own))
    shutil.rmtree(made, ignore_errors=True)
    return segments


def read_version(folder: Path, manifest: Manifest) -> tuple[Dictionary, Callable[[SparkEngine], Snapshot]]:
    """Return the dictionary of a version, and what makes its state for an engine; facts stay in their files."""
    others = {name: rows for name, rows in manifest.tables.items() if name not in SPLIT}
    state, dictionary = read_state(folder, replace(manifest, tables=others))

    def read(engine: SparkEngine) -> Snapshot:
        explicit, facts = (wrapped(engine, _read_facts(engine, folder, manifest, name)) for name in SPLIT)
        return replace(state, explicit=explicit, facts=facts)

    return dictionary, read


def _read_facts(engine: SparkEngine, folder: Path, manifest: Manifest, name: str) -> SparkFacts:
    """Return the facts of a table: its base as files, and what changed since at the driver."""
    segments = manifest.segments(name)
    base = [segment for segment in segments if segment.kind == BASE]
    later = [segment for segment in segments if segment.kind != BASE]
    if sum(segment.rows for segment in base) <= engine.place.driver_rows:
        return engine.of_facts(persisted.facts_of(pieces(folder, manifest, name)))
    for segment in base:
        _require_length(folder, segment)
    counts, classes = _contents(folder, base)
    run = engine.scratch.stored(_frame(engine, folder, base), _frame_by_term(engine, folder, base), counts, classes)
    facts = engine.place.of_run(run)
    if not later:
        return facts
    changes = net_change(folder, name, later)
    added, removed = (FactSet.of_columns(*(rows[column].to_numpy() for column in "spo")) for rows in changes)
    # A fact that went and came again is in the base.
    there = engine.to_facts(engine.common(engine.of_facts(added.union(removed)), facts))
    leaving, joining = removed.intersection(there), added.difference(there)
    parts = (Part(engine.scratch.held(leaving), added=False), Part(engine.scratch.held(joining)))
    return engine.place.of_segments(facts.segments + tuple(part for part in parts if part.run.rows))


def _frame(engine: SparkEngine, folder: Path, base: list[Segment]) -> Any:
    """Return the rows of files, each predicate that has files of its own as a constant that queries are cut by."""
    frame = None
    by_predicate: dict[int | None, list[str]] = {}
    for segment in base:
        by_predicate.setdefault(segment.predicate, []).append(str((folder / segment.path).resolve()))
    for predicate, paths in by_predicate.items():
        schema = "s long, p long, o long" if predicate is None else "s long, o long"
        read = engine.session.read.schema(schema).parquet(*paths)
        rows = read.select("s", "p", "o") if predicate is None else read.selectExpr("s", f"{predicate}L AS p", "o")
        frame = rows if frame is None else frame.unionAll(rows)
    return frame


def _frame_by_term(engine: SparkEngine, folder: Path, base: list[Segment]) -> Any:
    """Return the same rows by one scan for all predicates that have files of their own."""
    own = [segment for segment in base if segment.predicate is not None]
    rest = [segment for segment in base if segment.predicate is None]
    if len(own) < 2:
        return _frame(engine, folder, base)
    cases = " ".join(f"WHEN '{Path(segment.path).name}' THEN {segment.predicate}L" for segment in own)
    read = engine.session.read.schema("s long, o long").parquet(*(str((folder / s.path).resolve()) for s in own))
    frame = read.selectExpr("s", f"CASE _metadata.file_name {cases} END AS p", "o")
    return frame.unionAll(_frame(engine, folder, rest)) if rest else frame


def _contents(folder: Path, base: list[Segment]) -> tuple[dict[int, int], frozenset[int]]:
    """Return how many facts each predicate has, and which classes there are, read piece by piece."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    counts: dict[int, int] = {}
    classes: set[int] = set()
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
                counts[found["values"]] = counts.get(found["values"], 0) + found["counts"]
            types = rows.filter(pc.equal(rows.column("p"), TYPE))
            classes.update(pc.unique(types.column("o")).to_pylist())
    return counts, frozenset(classes)


def _require_length(folder: Path, segment: Segment) -> None:
    """Raise an error if a file is missing or torn; reading all of it would tell more, and take as long as that."""
    path = folder / segment.path
    if not path.is_file() or path.stat().st_size != segment.bytes:
        checked_bytes(folder, segment)
