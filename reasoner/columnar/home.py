"""The place on disk where a store lives: what is kept there, and how a new state gets there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from loaders.arrow import number_array
from loaders.dictionary import Dictionary
from loaders.ready_dictionary import ReadyDictionary
from reasoner.columnar import persisted
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kept_rules import KeptRules
from reasoner.columnar.literal_values import LiteralValues
from reasoner.columnar.normal_forms import changed_forms, whole_forms
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.rule_home import Reasoned, RuleHome
from reasoner.columnar.store import ColumnarStore, Snapshot
from reasoner.store.content import pieces, read_table
from reasoner.store.errors import StoreError
from reasoner.store.folder import current_version, publish, read_manifest, require_parent, writing
from reasoner.store.lock import WriterLock
from reasoner.store.manifest import Manifest
from reasoner.store.rule_rows import RULE_COUNTS, RULE_TABLES
from reasoner.store.segment import ADDED, BASE, REMOVED, Segment, write_segment
from reasoner.store.tidy import needs_base, tidied

# A table from a state: all of it, in pieces, and what differs from another state.
_Whole = Callable[[Snapshot], Iterable[persisted.Piece]]
_Change = Callable[[Snapshot, Snapshot], persisted.Change]

_TABLES: dict[str, tuple[_Whole, _Change]] = {
    "explicit": (
        lambda state: persisted.whole_facts(state.explicit),
        lambda old, new: persisted.changed_facts(old.explicit, new.explicit),
    ),
    "facts": (
        lambda state: persisted.whole_facts(state.facts),
        lambda old, new: persisted.changed_facts(old.facts, new.facts),
    ),
    "normal": (whole_forms, changed_forms),
    "representatives": (
        lambda state: [(None, persisted.whole_classes(state.representatives))],
        lambda old, new: persisted.changed_classes(old.representatives, new.representatives),
    ),
    "values": (
        lambda state: [(None, persisted.whole_pairs(state.values))],
        lambda old, new: persisted.changed_pairs(old.values, new.values),
    ),
    "quads": (
        lambda state: [(None, persisted.whole_quads(state.graphs))],
        lambda old, new: persisted.changed_quads(old.graphs, new.graphs),
    ),
}

# What is only there once the store is materialised.
_DERIVED = frozenset({"facts", "normal", "representatives", "values"})

NOTHING = Snapshot(FactSet(), FactSet(), Representatives())


@dataclass(frozen=True, slots=True)
class Kept:
    """What a version holds beside its facts: settings, the rules that it is reasoned with, and what was measured."""

    settings: Mapping[str, Any]
    rules: Reasoned
    costs: Mapping[str, float]


class Home:
    """A folder, the version that its owner has last written or read, and the state that this version holds.

    A new state is written as what differs from that state, so that the cost of a small commit follows the change. If
    writing fails anywhere, the version before stays the current one, and the next try begins from it again.
    """

    def __init__(self, folder: Path, manifest: Manifest, state: Snapshot, lock: WriterLock | None) -> None:
        self.folder = folder
        self.manifest = manifest
        self.state = state
        self.lock = lock
        self.owner: object = None
        # The version that was last begun, whether or not it has become the current one.
        self._begun: Manifest | None = None
        self.rules = RuleHome(folder, manifest)

    @property
    def is_materialised(self) -> bool:
        """Whether the version holds what follows from its explicit facts."""
        return "facts" in self.manifest.tables

    @property
    def _terms(self) -> int:
        return sum(segment.rows for segment in self.manifest.segments("dictionary"))

    def close(self) -> None:
        """Let others write."""
        if self.lock is not None:
            self.lock.release()
            self.lock = None

    def keep(self, state: Snapshot, dictionary: Dictionary, kept: Kept, *, materialised: bool = True) -> bool:
        """Make a state the current version, for good; return whether it differs from the one before."""
        before = self.manifest
        is_new = (
            not before.version
            or (kept.settings, kept.rules.own) != (dict(before.settings), self.rules.own)
            or materialised != self.is_materialised
            or dictionary.marked < self._terms
        )
        if not is_new and _same(state, self.state):
            return False
        parent = self._parent()
        version = parent + 1
        rules = self._rules_after(kept.rules, state, dictionary, materialised=materialised)
        terms = len(dictionary)
        with writing(self.folder, version):
            written = [name for name in _TABLES if materialised or name not in _DERIVED]
            tables = {name: self._table(name, state, version) for name in written}
            tables |= self._rule_tables(rules, version)
            if not is_new and tables == {name: before.segments(name) for name in tables}:
                # The same was computed again; that there are more terms by now is no reason for a version.
                self.state = state
                self.rules.take(rules, kept.rules.own, before)
                return False
            tables |= self._term_tables(dictionary, terms, version)
            manifest = Manifest(
                version,
                before.version or None,
                kept.settings,
                tables,
                {
                    "terms": terms,
                    "explicit": len(state.explicit),
                    "facts": len(state.facts),
                    **(_rule_counts(before) if rules is None else rules.rows.counts),
                },
                kept.costs,
            )
            self._begun = manifest
            publish(self.folder, manifest, before, parent=parent)
        self.manifest, self.state = manifest, state
        self.rules.take(rules, kept.rules.own, manifest)
        dictionary.mark(terms)
        return True

    def _parent(self) -> int:
        """Return the number of the version that a commit follows, which must be this home's own last one.

        A commit that was interrupted right after it had taken effect is there already, under its number.
        """
        own, begun = self.manifest.version, self._begun
        if own and begun is not None and begun.version == own + 1 == current_version(self.folder):
            own += read_manifest(self.folder).to_json() == begun.to_json()
        require_parent(self.folder, own)
        return own

    def _table(self, name: str, state: Snapshot, version: int) -> tuple[Segment, ...]:
        """Write what differs, or all of it where that has grown to a large part; return the segments."""
        whole, change = _TABLES[name]
        # A table that earlier releases did not write is written as a whole.
        before = self.state if name in self.manifest.tables else NOTHING
        return self._segments(
            name, version, change(before, state), lambda: self._written_anew(name, version, whole(state))
        )

    def _segments(
        self, name: str, version: int, change: persisted.Change, anew: Callable[[], tuple[Segment, ...]]
    ) -> tuple[Segment, ...]:
        """Write a change of a table, or all of it ``anew`` if that will do better; return the segments."""
        segments = self.manifest.segments(name)
        came, went = change
        rows = came.num_rows + went.num_rows
        if not rows:
            return segments
        if needs_base(segments, rows):
            return anew()
        new = [
            write_segment(self.folder, name, version, kind, table)
            for kind, table in ((REMOVED, went), (ADDED, came))
            if table.num_rows
        ]
        return tidied(self.folder, name, version, [*segments, *new])

    def _written_anew(self, name: str, version: int, whole: Iterable[persisted.Piece]) -> tuple[Segment, ...]:
        """Write all of a table, and return the segments."""
        return tuple(
            write_segment(self.folder, name, version, BASE, table, predicate=predicate)
            for predicate, table in whole
            if table.num_rows
        )

    def _rules_after(
        self, rules: Reasoned, state: Snapshot, dictionary: Dictionary, *, materialised: bool
    ) -> KeptRules | None:
        """Return the rules of a state with their rows; None if those of the version stay, whatever they are."""
        is_anew = dictionary.marked < self._terms
        if (
            self.rules.is_known
            and not is_anew
            and rules.own == self.rules.own
            and materialised == self.is_materialised
            and _same(state, self.state)
        ):
            return None
        return self.rules.after(rules, dictionary, materialised=materialised, anew=is_anew)

    def _rule_tables(self, rules: KeptRules | None, version: int) -> dict[str, tuple[Segment, ...]]:
        """Write what differs of the rules, and return the segments of their tables."""
        if rules is None or rules is self.rules.known:
            return {name: self.manifest.segments(name) for name in RULE_TABLES}
        before, after, touched = self.rules.known.rows, rules.rows, rules.touched

        def written(name: str) -> tuple[Segment, ...]:
            change = after.change(name, before, touched)
            return self._segments(
                name, version, change, lambda: self._written_anew(name, version, [(None, after.whole(name))])
            )

        return {name: written(name) for name in RULE_TABLES}

    def _term_tables(self, dictionary: Dictionary, terms: int, version: int) -> dict[str, tuple[Segment, ...]]:
        """Write the terms that are new, and return the segments of the dictionary and of what leads to its ids."""
        segments, hashes = self.manifest.segments("dictionary"), self.manifest.segments("hashes")
        first = self._terms
        if dictionary.marked < first:
            # A commit was taken back after it had taken effect: ids that were written may mean other terms now.
            segments, hashes, first = (), (), 0
        if first < terms:
            segments = self._with_terms(segments, dictionary, first, terms, version)
        hashes = self._with_hashes(hashes, dictionary, terms, version)
        return {"dictionary": segments, "hashes": hashes} if hashes else {"dictionary": segments}

    def _with_terms(
        self, segments: tuple[Segment, ...], dictionary: Dictionary, first: int, terms: int, version: int
    ) -> tuple[Segment, ...]:
        """Write terms, and return the segments of the dictionary with them."""
        ids = np.arange(first, terms)
        rows = pa.Table.from_arrays([number_array(ids), dictionary.decode_arrow(ids)], names=["id", "text"])
        new = write_segment(self.folder, "dictionary", version, ADDED if segments else BASE, rows)
        return tidied(self.folder, "dictionary", version, [*segments, new])

    def _with_hashes(
        self, segments: tuple[Segment, ...], dictionary: Dictionary, terms: int, version: int
    ) -> tuple[Segment, ...]:
        """Return the segments of hashes; who has all terms in memory needs none, and leaves those that are there."""
        return segments


def read_state(folder: Path, manifest: Manifest) -> tuple[Snapshot, Dictionary]:
    """Return what a version holds; nothing is computed anew."""
    try:
        dictionary = ReadyDictionary(persisted.texts_of(pieces(folder, manifest, "dictionary")))
    except ValueError as error:
        raise StoreError(f"{folder}: the dictionary of version {manifest.version} is damaged: {error}") from error
    explicit = persisted.facts_of(pieces(folder, manifest, "explicit"))
    facts = persisted.sharing(explicit, persisted.facts_of(pieces(folder, manifest, "facts")))
    state = Snapshot(
        explicit,
        facts,
        persisted.classes_of(read_table(folder, manifest, "representatives")),
        persisted.pairs_of(read_table(folder, manifest, "values")),
    )
    if manifest.segments("quads"):
        state = replace(state, graphs=persisted.graphs_of(read_table(folder, manifest, "quads")))
    dictionary.mark(len(dictionary))
    return state, dictionary


def adopt(store: ColumnarStore, state: Snapshot, dictionary: Dictionary, *, equality: bool) -> None:
    """Let a new store hold what was read."""
    store.state, store.dictionary = state, dictionary
    store.engine = ColumnarEngine(dictionary, equality=equality)
    store.values = LiteralValues(dictionary)


def _rule_counts(manifest: Manifest) -> dict[str, int]:
    return {name: number for name, number in manifest.counts.items() if name in RULE_COUNTS}


def _same(left: Snapshot, right: Snapshot) -> bool:
    """Tell whether two states hold the same; what a strategy remembers is no part of it."""
    return all(
        getattr(left, name) is getattr(right, name)
        for name in ("explicit", "facts", "representatives", "values", "graphs")
    )
