"""One export of a reasoner: written as a whole once, and then brought up to date by what changed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from reasoner.errors import ReasonerError
from reasoner.export.catalogue import CATALOGUE, CLASS, PROPERTY, Catalogue, Entry
from reasoner.export.target import format_of, open_target
from reasoner.literals.text import literal_parts
from reasoner.vocabulary import TYPE

if TYPE_CHECKING:
    from reasoner.columnar.expand import Columns
    from reasoner.columnar.store import Snapshot
    from reasoner.delta import Delta
    from reasoner.reasoner import Reasoner
    from reasoner.subscriptions.announcements import Announcement

STATE = "export_state"
TERMS = "terms"
_FORMAT = "1"
_TERM_COLUMNS = (
    *(("id", "id"), ("term", "term"), ("kind", "string")),
    *(("lexical", "string"), ("datatype", "string"), ("language", "string")),
)

_log = logging.getLogger("reasoner.export")

# The members of a table that come or go: texts, and ids beside them.
_Members = list[tuple[tuple[str, ...], tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What bringing an export up to date took: rows that came and went, and whether it was written as a whole."""

    added: int
    removed: int
    rebuilt: bool


class Export:
    """The closure of a reasoner in a database: a table of terms for every class, one of pairs for every property.

    Terms are N-Triples texts in every table, so that tables can be joined, or ids with the table ``terms`` beside them.
    Objects that all are literals of one datatype are values of that type. The table ``catalogue`` says what each table
    holds, and ``export_state`` of which state: an export that is of another one is written anew when it is opened.
    ``written`` is what opening it took.
    """

    def __init__(self, kb: Reasoner, path: Path, format: str | None, terms: str) -> None:
        if terms not in ("text", "ids"):
            raise ReasonerError(f"cannot export terms as {terms!r}: choose text or ids")
        self.path = path
        self.format = format_of(path, format)
        self.terms = terms
        self.failure: Exception | None = None
        self._kb = kb
        self._target = open_target(path, self.format)
        self._catalogue = Catalogue(self._target, ids=terms == "ids")
        self._state: Snapshot | None = None
        self.written = Refreshed(0, 0, rebuilt=False)

    @property
    def tables(self) -> tuple[Entry, ...]:
        """The tables of classes and properties."""
        return self._catalogue.entries

    @property
    def is_current(self) -> bool:
        """Whether the export holds what the reasoner holds."""
        return self._state is not None and self._state is self._kb.store.state

    def begin(self) -> None:
        """Take over an export that is of the present state, or write it; the caller holds the lock of commits."""
        tables = self._target.tables()
        if tables and not {CATALOGUE, STATE} <= tables:
            raise ReasonerError(f"{self.path} holds other tables and is no export; name another file, or remove it")
        recorded: dict[str, str] = dict(self._target.rows(STATE)) if tables else {}
        self._catalogue.load()
        source = self._source()
        if "version" in source and recorded == {**self._described(), **source}:
            self._state = self._kb.store.state
            return
        self._state = self._recorded_state(recorded)
        self.written = self.rebuild() if self._state is None else self.refresh()

    def rebuild(self) -> Refreshed:
        """Write the whole closure, in one transaction."""
        state = self._kb.store.state

        def write() -> tuple[int, int]:
            self._catalogue.clear()
            for name in self._target.tables() & {STATE, TERMS}:
                self._target.drop(name)
            self._target.create(STATE, (("key", "string"), ("value", "string")), key=1)
            if self.terms == "ids":
                self._target.create(TERMS, _TERM_COLUMNS, key=1)
            return self._apply(self._kb.store.pieces(state=state), ())

        return Refreshed(*self._written(write, state), rebuilt=True)

    def refresh(self, delta: Delta | None = None) -> Refreshed:
        """Bring the export up to date, in one transaction whose cost follows what changed.

        A ``delta`` that begins where the export stands is taken as it is; without one, the export is compared with the
        present state of the reasoner.
        """
        with self._kb._committing:
            self._kb._materialised()
            before, after = self._state, self._kb.store.state
            if before is None:
                return self.rebuild()
            if before is after:
                return Refreshed(0, 0, rebuilt=False)
            if delta is not None and delta.before is before and delta.after is after:
                comparison = delta._comparison
            else:
                comparison = self._kb.store.comparison(before, after)
            counts = self._written(lambda: self._apply(comparison.pieces("gained"), comparison.pieces("lost")), after)
            return Refreshed(*counts, rebuilt=False)

    def hear(self, announcement: Announcement) -> None:
        """Follow a commit; what fails now is made up for by the next refresh that does not."""
        if self._kb.store.state is not announcement.after:
            # A listener has committed again, and the last announcement brings the export up to date at once.
            return
        try:
            self.refresh(announcement.delta)
            self.failure = None
        except Exception as error:
            self.failure = error
            _log.exception("the export %s could not follow a commit", self.path)

    def close(self) -> None:
        """Follow commits no more."""
        if self._kb._announcements is not None:
            self._kb._announcements.leave(self)
        self._target.close()

    def __enter__(self) -> Export:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _written(self, write: Callable[[], tuple[int, int]], state: Snapshot) -> tuple[int, int]:
        """Write within one transaction, and note what state the export is of then."""
        try:
            with self._target.transaction():
                counts = write()
                self._target.delete(STATE, [(key,) for key, _ in self._target.rows(STATE)])
                self._target.insert(STATE, list({**self._described(), **self._source()}.items()))
        except BaseException:
            self._catalogue.load()
            raise
        self._state = state
        return counts

    def _recorded_state(self, recorded: dict[str, str]) -> Snapshot | None:
        """Return the state that a stale export was written from, if it is an earlier version that can still be read."""
        from reasoner.columnar.older_state import older_state
        from reasoner.columnar.store import ColumnarStore

        store, home, source = self._kb.store, self._kb._home, self._source()
        known = {name: recorded.get(name) for name in (*self._described(), "source")}
        if (
            home is None
            or type(store) is not ColumnarStore
            or known != {**self._described(), "source": source["source"]}
        ):
            return None
        return older_state(home.folder, int(recorded["version"]), recorded["created"], store.dictionary)

    def _described(self) -> dict[str, str]:
        return {"format": _FORMAT, "terms": self.terms, "profile": self._kb.profile, "equality": self._kb.equality}

    def _source(self) -> dict[str, str]:
        """Return what tells a state from all others: nothing does if the reasoner is in memory only."""
        home = self._kb._home
        if home is None:
            return {"source": "memory"}
        manifest = home.manifest
        return {"source": str(home.folder.resolve()), "version": str(manifest.version), "created": manifest.created}

    def _apply(self, gained: Iterable[Columns], lost: Iterable[Columns]) -> tuple[int, int]:
        removed = added = 0
        for kind, term, members in self._grouped(lost):
            entry = self._catalogue.find(kind, term)
            assert entry is not None
            rows = self._rows(entry, members)
            assert rows is not None
            self._target.delete(entry.name, rows)
            removed += len(rows)
        for kind, term, members in self._grouped(gained):
            entry = self._catalogue.made(kind, term, (texts[-1] for texts, _ in members))
            rows = self._rows(entry, members)
            if rows is None:
                entry = self._catalogue.widened(entry)
                rows = self._rows(entry, members)
                assert rows is not None
            if self.terms == "ids":
                self._note_terms(members)
            self._target.insert(entry.name, rows)
            added += len(rows)
        return added, removed

    def _rows(self, entry: Entry, members: _Members) -> list[tuple[object, ...]] | None:
        if self.terms == "ids":
            return [ids for _, ids in members]
        return entry.rows([texts for texts, _ in members])  # type: ignore[return-value]

    def _grouped(self, pieces: Iterable[Columns]) -> Iterator[tuple[str, str, _Members]]:
        """Yield the members of one class, or the pairs of one property, at a time."""
        dictionary = self._kb.store.dictionary
        for s, predicate, o in pieces:
            subjects, objects = zip(dictionary.decode(s), s.tolist(), strict=True), dictionary.decode(o)
            if predicate != TYPE:
                pairs = zip(subjects, objects, o.tolist(), strict=True)
                members: _Members = [((subject, obj), (left, right)) for (subject, left), obj, right in pairs]
                if members:
                    yield PROPERTY, dictionary.text(predicate), members
                continue
            by_class: dict[str, _Members] = {}
            for (subject, left), obj in zip(subjects, objects, strict=True):
                by_class.setdefault(obj, []).append(((subject,), (left,)))
            for name, members in by_class.items():
                yield CLASS, name, members

    def _note_terms(self, members: _Members) -> None:
        texts, ids = (chain.from_iterable(part) for part in zip(*members, strict=True))
        found = dict(zip(ids, texts, strict=True))
        self._target.insert(TERMS, [(id, text, *_described(text)) for id, text in found.items()])


def _described(term: str) -> tuple[str, str, str, str]:
    """Return the kind of a term, and its lexical form, datatype and language tag, empty for what is no literal.

    >>> _described('"1"^^<http://e.org/d>'), _described("_:b")
    (('literal', '1', 'http://e.org/d', ''), ('blank', '', '', ''))
    """
    if term.startswith('"'):
        lexical, datatype, language = literal_parts(term)
        return "literal", lexical, datatype, language or ""
    return ("blank" if term.startswith("_:") else "iri"), "", "", ""
