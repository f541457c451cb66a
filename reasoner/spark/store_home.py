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
from loaders.parted_dictionary import PartedDictionary
from reasoner.columnar import persisted
from reasoner.columnar.factset import FactSet
from reasoner.columnar.home import Home, Kept, read_state
from reasoner.columnar.normal_forms import whole_forms
from reasoner.columnar.row_groups import RowGroups
from reasoner.columnar.store import Snapshot
from reasoner.spark import term_files
from reasoner.spark.facts import SparkFacts
from reasoner.spark.failures import failures_told
from reasoner.spark.fetched import changes_between, unwrapped, wrapped
from reasoner.spark.store_files import (
    contents,
    frame_by_term,
    frame_of,
    require_whole,
    write_base,
    write_forms,
    write_rows,
)
from reasoner.spark.store_forms import changed_forms, look_up_by_class
from reasoner.spark.term_files import TermFiles, by_hash, files_of, hashes_of, stored_terms
from reasoner.store.content import net_change, pieces
from reasoner.store.manifest import Manifest
from reasoner.store.segment import BASE, Segment
from reasoner.store.tables import FACTS, SPLIT

if TYPE_CHECKING:
    from reasoner.spark.engine import SparkEngine
    from reasoner.spark.store import SparkStore


class SparkHome(Home):
    """Writes what differs between two states; of facts in files that is known without comparing them."""

    def __init__(self, store: SparkStore, folder: Path, manifest: Manifest, state: Snapshot, lock: Any) -> None:
        super().__init__(folder, manifest, state, lock)
        self._store = store
        self._last_changes: tuple[FactSet, FactSet, tuple[FactSet, FactSet]] | None = None

    @failures_told
    def keep(self, state: Snapshot, dictionary: Dictionary, kept: Kept, *, materialised: bool = True) -> bool:
        """Make a state the current version; what was written anew is read from there, so that older files can go."""
        before = self.manifest
        try:
            is_new = super().keep(state, dictionary, kept, materialised=materialised)
        finally:
            self._last_changes = None
        if is_new and self.owner is not None:
            engine = self._store.spark
            changed: dict[str, Any] = {}
            for name in FACTS:
                new = _base(self.manifest, name)
                if new != _base(before, name) and unwrapped(engine, getattr(state, name)).local is None:
                    changed[name] = wrapped(engine, _read_facts(engine, self.folder, self.manifest, name))
            if changed:
                self.state = replace(state, **changed)
                if self._store.state is state:
                    self._store.state = self.state
            if "explicit" in changed or _base(self.manifest, "normal") != _base(before, "normal"):
                look_up_by_class(engine, self.folder, self.manifest, self.state)
            self._reread_terms(self._store.dictionary)
        return is_new

    def _reread_terms(self, dictionary: PartedDictionary) -> None:
        """Read terms from the files of the new version if files of older ones, which can go, are read as yet."""
        folder = self.folder.resolve()
        read = {path.resolve() for part in files_of(dictionary) for path in part.paths}
        ours = {path for path in read if folder in path.parents}
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


def read_version(folder: Path, manifest: Manifest) -> tuple[PartedDictionary, Callable[[SparkEngine], Snapshot]]:
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


def _kept_terms(engine: SparkEngine, folder: Path, manifest: Manifest) -> list[TermFiles]:
    """Return the terms of a version, which stay in its files."""
    terms, hashes = manifest.segments("dictionary"), manifest.segments("hashes")
    return stored_terms(
        engine.scratch,
        [folder / segment.path for segment in terms],
        sum(segment.rows for segment in terms),
        [folder / segment.path for segment in hashes],
        sum(segment.rows for segment in hashes),
    )


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
    held = engine.scratch.held
    return engine.place.changed(facts, leaving=[held(leaving)], joining=[held(joining)])


def _base(manifest: Manifest, name: str) -> list[Segment]:
    return [segment for segment in manifest.segments(name) if segment.kind == BASE]


def _is_large(engine: SparkEngine, base: list[Segment]) -> bool:
    """Tell whether facts stay in their files; fewer are read, and checked, at the driver."""
    return sum(segment.rows for segment in base) > engine.place.driver_rows
