"""The place on disk where a store lives: what is kept there, and how a new state gets there.

The rules of the version that a home has last written or read; they are read from its tables when they are needed.

Rules as the rows of a version on disk, made at a cost that follows the change, and compared by what they say.

An earlier version of a store on disk as a state that the present one can be compared with.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from loaders.arrow import number_array
from loaders.dictionary import Dictionary
from ontologies.separable import key_of
from reasoner.columnar import persisted
from reasoner.columnar.factset import FactSet
from reasoner.columnar.normal_forms import changed_forms, whole_forms
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.store import ColumnarStore, Snapshot
from reasoner.rules.errors import ReasonerError
from reasoner.rules.parser import parse_rules, parse_template
from reasoner.rules.printer import abstracted, filled, print_rule
from reasoner.rules.rule import Rule
from reasoner.store.file_system import Place, StoreError
from reasoner.store.folder import (
    WriterLock,
    current_version,
    manifest_path,
    publish,
    read_manifest,
    require_parent,
    writing,
)
from reasoner.store.manifest import Manifest, read_table
from reasoner.store.rule_rows import RULE_COUNTS, RULE_TABLES, Key, RuleRows, damaged, read_own_rules, read_rule_rows
from reasoner.store.segment import ADDED, BASE, REMOVED, Segment, write_segment
from reasoner.store.vacuum import needs_base, tidied

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
class VersionMetadata:
    """What a version holds beside its facts: settings, the rules that it is reasoned with, and what was measured.

    ``journal`` marks how far the journal of evolutions goes; None if it is as the version before says.
    """

    settings: Mapping[str, Any]
    rules: Reasoned
    costs: Mapping[str, float]
    journal: tuple[int, int] | None = None


class Home:
    """A folder, the version that its owner has last written or read, and the state that this version holds.

    A new state is written as what differs from that state, so that the cost of a small commit follows the change. If
    writing fails anywhere, the version before stays the current one, and the next try begins from it again.
    """

    def __init__(self, folder: Place, manifest: Manifest, state: Snapshot, lock: WriterLock | None) -> None:
        self.folder = folder
        self.manifest = manifest
        self.state = state
        self.lock = lock
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

    def keep(
        self, store: ColumnarStore, kept: VersionMetadata, *, materialised: bool = True, moves: bool = False
    ) -> bool:
        """Make the state of a store the current version, for good; return whether it differs from the one before.

        If it ``moves``, the store reads its facts from that version from now on, as far as it has them in files.
        """
        before, state, dictionary = self.manifest, store.state, store.dictionary
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
                journal=before.journal if kept.journal is None else kept.journal,
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


def read_state(folder: Place, manifest: Manifest) -> tuple[Snapshot, Dictionary]:
    """Return what a version holds; nothing is computed anew, and what is large is read when somebody looks at it."""
    dictionary = persisted.stored_dictionary(folder, manifest)
    explicit, facts = persisted.stored_facts(folder, manifest)
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


def _rule_counts(manifest: Manifest) -> dict[str, int]:
    return {name: number for name, number in manifest.counts.items() if name in RULE_COUNTS}


def _same(left: Snapshot, right: Snapshot) -> bool:
    """Tell whether two states hold the same; what a strategy remembers is no part of it."""
    return all(
        getattr(left, name) is getattr(right, name)
        for name in ("explicit", "facts", "representatives", "values", "graphs")
    )


# Rules in tuples that nobody changes: one that is the same tuple as before is not gone through again.
Parts = tuple[tuple[Rule, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class KeptRules:
    """The rows of a version, and the rules of ``parts``, with how each is written by its identity.

    ``written`` counts the rules that are written in one way. ``touched`` are the ways in which rules and rows may
    differ, or after ``with_rows`` those in which these rows differ from the ones before.
    """

    rows: RuleRows
    parts: Parts = ()
    keys: Mapping[int, Key] = field(default_factory=dict)
    written: Mapping[Key, int] = field(default_factory=dict)
    touched: tuple[Key, ...] = ()

    @classmethod
    def of_rows(cls, rows: RuleRows) -> KeptRules:
        """Take rows whose rules are not known yet."""
        return cls(rows, touched=tuple(rows.rows))

    def is_of(self, parts: Parts) -> bool:
        """Tell whether rules are those of the rows, as far as their identity tells."""
        return len(parts) == len(self.parts) and all(map(operator.is_, parts, self.parts))

    def known_as(self, parts: Parts, dictionary: Dictionary) -> KeptRules:
        """Return the same rows with other rules; only those that are new are abstracted and printed.

        What is new is told by identity, since to compare all rules by what they say would cost as much.
        """
        rules = {id(rule): rule for rule in chain(*parts)}
        new = [rule for number, rule in rules.items() if number not in self.keys]
        keys, written = dict(self.keys), Counter(self.written)
        going = [keys.pop(number) for number in self.keys.keys() - rules.keys()]
        coming = _keys_of(new, dictionary)
        keys.update(zip(map(id, new), coming, strict=True))
        written.subtract(going)
        written.update(coming)
        return KeptRules(self.rows, parts, keys, written, (*self.touched, *going, *coming))

    def with_rows(self, own: Sequence[str]) -> KeptRules:
        """Return the rows of just these rules, and of rules of one's own; what stays keeps its numbers."""
        touched = tuple(dict.fromkeys(self.touched))
        going = [key for key in touched if key in self.rows.rows and not self.written.get(key)]
        coming = [key for key in touched if key not in self.rows.rows and self.written.get(key)]
        rows = self.rows.after(own, going, coming)
        return KeptRules(rows, self.parts, self.keys, self.written, (*going, *coming))

    def difference(self, dictionary: Dictionary, folder: Place, manifest: Manifest) -> tuple[int, int]:
        """Count the rules that came and those that went since the rows were written, by what they say.

        Names, sources and the order of rules and atoms do not matter, so that rules are compared by their content where
        they are not written alike. ``folder`` and ``manifest`` are where the rows are from, for errors.
        """
        if self.rows.rows.keys() == set(self.keys.values()):
            return 0, 0
        rules = {self.keys[id(rule)]: rule for rule in chain(*self.parts)}
        others = [key for key in self.rows.rows if key not in rules]
        read = _rules_of(others, self.rows, dictionary, folder, manifest)
        old = {key_of(rules[key]) for key in self.rows.rows if key in rules} | set(map(key_of, read))
        new = set(map(key_of, rules.values()))
        return len(new - old), len(old - new)


def _keys_of(rules: Sequence[Rule], dictionary: Dictionary) -> list[Key]:
    """Return how rules are written; the ids of their constants are looked up together."""
    pairs = [abstracted(rule) for rule in rules]
    constants = list(dict.fromkeys(constant for _, row in pairs for constant in row))
    ids = dict(zip(constants, dictionary.encode(constants).tolist(), strict=True)) if constants else {}
    texts = {shape: print_rule(shape) for shape in dict.fromkeys(shape for shape, _ in pairs)}
    return [(texts[shape], tuple(ids[constant] for constant in row)) for shape, row in pairs]


def _rules_of(
    keys: Sequence[Key], rows: RuleRows, dictionary: Dictionary, folder: Place, manifest: Manifest
) -> Iterator[Rule]:
    """Yield the rules that are written in some ways; each text is parsed once, and constants are looked up together."""
    ids = list({id for _, row in keys for id in row})
    terms = dict(zip(ids, dictionary.decode(ids), strict=True))
    shapes: dict[str, Rule] = {}
    for text, row in keys:
        try:
            if text not in shapes:
                shapes[text] = parse_template(text)
            yield filled(shapes[text], [terms[id] for id in row])
        except (ReasonerError, ValueError) as error:
            number = rows.templates[text]
            raise damaged(folder, manifest, "rules", number, f"rule {number} cannot be read: {error}") from error


@dataclass(frozen=True, slots=True)
class Reasoned:
    """What a version is reasoned with: the texts of one's own rules, and what returns all others when it is asked."""

    own: tuple[str, ...]
    others: Callable[[], Parts]


class RuleHome:
    """What is known of the rules of a version; ``is_compared`` once they are known to be those of the owner."""

    def __init__(self, folder: Place, manifest: Manifest) -> None:
        self.folder = folder
        self._manifest = manifest
        self._own: tuple[str, ...] | None = None
        self._known: KeptRules | None = None
        # What was never materialised follows from no rules, and of a store of an earlier format they are not known.
        self.is_compared = "facts" not in manifest.tables or not self.is_known

    @property
    def is_known(self) -> bool:
        """Whether the version has tables of rules."""
        return "rules" in self._manifest.tables

    @property
    def own(self) -> tuple[str, ...]:
        """The texts of one's own rules, in their order."""
        if self._own is None:
            self._own = tuple(read_own_rules(self.folder, self._manifest).values())
        return self._own

    def own_rules(self) -> list[Rule]:
        """Return one's own rules, or raise a ``StoreError`` if one of them cannot be read."""
        rules: list[Rule] = []
        for position, text in enumerate(self.own):
            try:
                rules += parse_rules(text, file=f"version {self._manifest.version}")
            except ReasonerError as error:
                raise self._unreadable(position, error) from error
        return rules

    @property
    def known(self) -> KeptRules:
        """The rules with their rows."""
        if self._known is None:
            rows = read_rule_rows(self.folder, self._manifest) if self.is_known else RuleRows()
            self._known = KeptRules.of_rows(rows)
        return self._known

    def compare(self, rules: Reasoned, dictionary: Dictionary) -> tuple[int, int]:
        """Count the rules that came and those that went, by what they say, since the version was reasoned."""
        if self.is_compared:
            return 0, 0
        known = self.known.known_as(rules.others(), dictionary)
        came, went = known.difference(dictionary, self.folder, self._manifest)
        if not came and not went:
            self._known, self.is_compared = known, True
        return came, went

    def after(self, rules: Reasoned, dictionary: Dictionary, *, materialised: bool, anew: bool) -> KeptRules:
        """Return other rules with their rows: the known ones where identity tells that nothing changed.

        ``anew`` is to be asked for when ids that were written may mean other terms by now.
        """
        parts = rules.others() if materialised else ()
        known = KeptRules.of_rows(self.known.rows) if anew else self.known
        if rules.own == self.own and known.is_of(parts):
            return known
        return known.known_as(parts, dictionary).with_rows(rules.own)

    def take(self, rules: KeptRules | None, own: tuple[str, ...], manifest: Manifest) -> None:
        """Go over to a version that was written; its rules are those so far if none are given."""
        self._manifest, self._own = manifest, own
        if rules is not None:
            self._known, self.is_compared = rules, True

    def _unreadable(self, position: int, error: ReasonerError) -> StoreError:
        """Return the error for a rule of one's own, with the file that it is in."""
        manifest = self._manifest
        if self.is_known:
            rule = list(read_own_rules(self.folder, manifest))[position]
            return damaged(self.folder, manifest, "rules", rule, f"rule {rule} cannot be read: {error}")
        path = manifest_path(self.folder, manifest.version)
        return StoreError(f"{path} has a rule that cannot be read: {error}; open an earlier version (version=N)")


def older_state(folder: Place, version: int, created: str, dictionary: Dictionary) -> Snapshot | None:
    """Return the state of a version, None if it is gone, was another one, or has other ids for its terms."""
    try:
        manifest = read_manifest(folder, version)
        if manifest.created != created or "facts" not in manifest.tables:
            return None
        state, terms = read_state(folder, manifest)
    except (StoreError, OSError):
        return None
    if len(terms) > len(dictionary):
        return None
    ids = np.arange(len(terms))
    return state if terms.decode_arrow(ids).equals(dictionary.decode_arrow(ids)) else None
