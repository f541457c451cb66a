"""The place on disk of a store of Spark: its facts are written by the executors, and read where they lie.

The format is that of ``reasoner.store``, so that the columnar engine opens what Spark wrote, and the other way round.
The folder has to be one that driver and executors share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaders.dictionary import Dictionary
from reasoner.columnar import persisted
from reasoner.columnar.factset import FactSet
from reasoner.columnar.home import Home, Kept, read_state
from reasoner.columnar.row_groups import RowGroups
from reasoner.columnar.store import Snapshot
from reasoner.spark.facts import Segment as Part
from reasoner.spark.facts import SparkFacts
from reasoner.spark.failures import failures_told
from reasoner.spark.fetched import changes_between, unwrapped, wrapped
from reasoner.spark.store_files import contents, frame_by_term, frame_of, require_whole, write_base
from reasoner.store.content import net_change, pieces
from reasoner.store.manifest import Manifest
from reasoner.store.segment import ADDED, BASE, REMOVED, Segment, write_segment
from reasoner.store.tables import SPLIT
from reasoner.store.tidy import needs_base, tidied

if TYPE_CHECKING:
    from reasoner.spark.engine import SparkEngine
    from reasoner.spark.store import SparkStore


class SparkHome(Home):
    """Writes what differs between two states; of facts in files that is known without comparing them."""

    def __init__(self, store: SparkStore, folder: Path, manifest: Manifest, state: Snapshot, lock: Any) -> None:
        super().__init__(folder, manifest, state, lock)
        self._store = store

    @failures_told
    def keep(self, state: Snapshot, dictionary: Dictionary, kept: Kept, *, materialised: bool = True) -> bool:
        """Make a state the current version; what was written anew is read from there, so that older files can go."""
        before = self.manifest
        is_new = super().keep(state, dictionary, kept, materialised=materialised)
        if is_new and self.owner is not None:
            engine = self._store.spark
            changed: dict[str, Any] = {}
            for name in SPLIT:
                new = _base(self.manifest, name)
                if new != _base(before, name) and unwrapped(engine, getattr(state, name)).local is None:
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


def read_version(folder: Path, manifest: Manifest) -> tuple[Dictionary, Callable[[SparkEngine], Snapshot]]:
    """Return the dictionary of a version, and what makes its state for an engine; facts stay in their files."""
    others = {name: rows for name, rows in manifest.tables.items() if name not in SPLIT}
    state, dictionary = read_state(folder, replace(manifest, tables=others))

    def read(engine: SparkEngine) -> Snapshot:
        for name in SPLIT:
            if _is_large(engine, base := _base(manifest, name)):
                require_whole(engine, folder, base)
        explicit, facts = (wrapped(engine, _read_facts(engine, folder, manifest, name)) for name in SPLIT)
        return replace(state, explicit=explicit, facts=facts)

    return dictionary, read


def _read_facts(engine: SparkEngine, folder: Path, manifest: Manifest, name: str) -> SparkFacts:
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
    parts = (Part(engine.scratch.held(leaving), added=False), Part(engine.scratch.held(joining)))
    return engine.place.of_segments(facts.segments + tuple(part for part in parts if part.run.rows))


def _base(manifest: Manifest, name: str) -> list[Segment]:
    return [segment for segment in manifest.segments(name) if segment.kind == BASE]


def _is_large(engine: SparkEngine, base: list[Segment]) -> bool:
    """Tell whether facts stay in their files; fewer are read, and checked, at the driver."""
    return sum(segment.rows for segment in base) > engine.place.driver_rows
