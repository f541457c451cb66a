"""One export of a reasoner: written as a whole once, and then brought up to date by what changed.

Which table holds what: a table of its own in the export, and the same in memory.

Names of tables that people can read and that never clash.

Literals as numbers, dates and truth values, where nothing is lost by that.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from reasoner.export.target import Column, ExportTarget, format_of, open_target
from reasoner.rules.errors import ReasonerError
from reasoner.subscriptions.announcements import announcements_of
from reasoner.terms.term import TYPE, XSD
from reasoner.terms.value import XSD_STRING, literal_parts, literal_text

if TYPE_CHECKING:
    from reasoner.columnar.expand import Columns
    from reasoner.columnar.store import Snapshot
    from reasoner.state.delta import Delta
    from reasoner.state.persistence import Persistence
    from reasoner.state.session import Session
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


def export(
    session: Session, persistence: Persistence, path: Path, format: str | None, terms: str, *, attach: bool
) -> Export:
    """Write the closure of a reasoner to a database, or take over what is there; ``attach`` lets it follow commits."""
    with session.lock:
        session.settle()
        made = Export(session, persistence, path, format, terms)
        try:
            made.begin()
            if attach:
                announcements_of(session).join(made, session.store.state)
        except BaseException:
            made.close()
            raise
    return made


class Export:
    """The closure of a reasoner in a database: a table of terms for every class, one of pairs for every property.

    Terms are N-Triples texts in every table, so that tables can be joined, or ids with the table ``terms`` beside them.
    Objects that all are literals of one datatype are values of that type. The table ``catalogue`` says what each table
    holds, and ``export_state`` of which state: an export that is of another one is written anew when it is opened.
    ``written`` is what opening it took.
    """

    def __init__(self, session: Session, persistence: Persistence, path: Path, format: str | None, terms: str) -> None:
        if terms not in ("text", "ids"):
            raise ReasonerError(f"cannot export terms as {terms!r}: choose text or ids")
        self.path = path
        self.format = format_of(path, format)
        self.terms = terms
        self.failure: Exception | None = None
        self._session = session
        self._persistence = persistence
        self._target = open_target(path, self.format)
        self._catalogue = Catalogue(self._target, ids=terms == "ids")
        self._state: Snapshot | None = None
        self.written = Refreshed(0, 0, rebuilt=False)

    @property
    def tables(self) -> tuple[CatalogueEntry, ...]:
        """The tables of classes and properties."""
        return self._catalogue.entries

    @property
    def is_current(self) -> bool:
        """Whether the export holds what the reasoner holds."""
        return self._state is not None and self._state is self._session.store.state

    def begin(self) -> None:
        """Take over an export that is of the present state, or write it; the caller holds the lock of commits."""
        tables = self._target.tables()
        if tables and not {CATALOGUE, STATE} <= tables:
            raise ReasonerError(f"{self.path} holds other tables and is no export; name another file, or remove it")
        recorded: dict[str, str] = dict(self._target.rows(STATE)) if tables else {}
        self._catalogue.load()
        source = self._source()
        if "version" in source and recorded == {**self._described(), **source}:
            self._state = self._session.store.state
            return
        self._state = self._recorded_state(recorded)
        self.written = self.rebuild() if self._state is None else self.refresh()

    def rebuild(self) -> Refreshed:
        """Write the whole closure, in one transaction."""
        state = self._session.store.state

        def write() -> tuple[int, int]:
            self._catalogue.clear()
            for name in self._target.tables() & {STATE, TERMS}:
                self._target.drop(name)
            self._target.create(STATE, (("key", "string"), ("value", "string")), key=1)
            if self.terms == "ids":
                self._target.create(TERMS, _TERM_COLUMNS, key=1)
            return self._apply(self._session.store.pieces(state=state), ())

        return Refreshed(*self._written(write, state), rebuilt=True)

    def refresh(self, delta: Delta | None = None) -> Refreshed:
        """Bring the export up to date, in one transaction whose cost follows what changed.

        A ``delta`` that begins where the export stands is taken as it is; without one, the export is compared with the
        present state of the reasoner.
        """
        with self._session.lock:
            self._session.settle()
            before, after = self._state, self._session.store.state
            if before is None:
                return self.rebuild()
            if before is after:
                return Refreshed(0, 0, rebuilt=False)
            if delta is not None and delta.before is before and delta.after is after:
                comparison = delta._comparison
            else:
                comparison = self._session.store.comparison(before, after)
            counts = self._written(lambda: self._apply(comparison.pieces("gained"), comparison.pieces("lost")), after)
            return Refreshed(*counts, rebuilt=False)

    def hear(self, announcement: Announcement) -> None:
        """Follow a commit; what fails now is made up for by the next refresh that does not."""
        if self._session.store.state is not announcement.after:
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
        announcements_of(self._session).leave(self)
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
        from reasoner.columnar.home import older_state
        from reasoner.columnar.store import ColumnarStore

        store, home, source = self._session.store, self._persistence.home, self._source()
        known = {name: recorded.get(name) for name in (*self._described(), "source")}
        if (
            home is None
            or type(store) is not ColumnarStore
            or known != {**self._described(), "source": source["source"]}
        ):
            return None
        return older_state(home.folder, int(recorded["version"]), recorded["created"], store.dictionary)

    def _described(self) -> dict[str, str]:
        return {
            "format": _FORMAT,
            "terms": self.terms,
            "profile": self._session.settings.profile,
            "equality": self._session.settings.equality,
        }

    def _source(self) -> dict[str, str]:
        """Return what tells a state from all others: nothing does if the reasoner is in memory only."""
        home = self._persistence.home
        if home is None:
            return {"source": "memory"}
        from reasoner.store.file_system import resolved

        manifest = home.manifest
        return {"source": str(resolved(home.folder)), "version": str(manifest.version), "created": manifest.created}

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

    def _rows(self, entry: CatalogueEntry, members: _Members) -> list[tuple[object, ...]] | None:
        if self.terms == "ids":
            return [ids for _, ids in members]
        return entry.rows([texts for texts, _ in members])  # type: ignore[return-value]

    def _grouped(self, pieces: Iterable[Columns]) -> Iterator[tuple[str, str, _Members]]:
        """Yield the members of one class, or the pairs of one property, at a time."""
        dictionary = self._session.store.dictionary
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


_UNUSABLE = re.compile(r"[^A-Za-z0-9]+")
_LONGEST = 48


class TableNames:
    """Hands out names; databases and file systems may take upper and lower case for the same.

    >>> names = TableNames()
    >>> names.of("class", "<http://e.org/Person>"), names.of("class", "<http://f.org#person>")
    ('class_Person', 'class_person_2')
    >>> names.of("property", "<http://e.org/has-name>"), names.of("class", "_:b1")
    ('property_has_name', 'class_blank_b1')
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}

    def of(self, kind: str, term: str) -> str:
        """Return a new name for the table of a class or a property."""
        stem = name = f"{kind}_{_readable(term)}"
        number = 1
        while name.lower() in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name.lower())
        return name


def _readable(term: str) -> str:
    if term.startswith("_:"):
        word = "blank_" + term[2:]
    elif term.startswith('"'):
        word = "literal"
    else:
        word = re.split(r"[#/:]", term[1:-1].rstrip("#/:"))[-1]
    return _UNUSABLE.sub("_", word).strip("_")[:_LONGEST] or "unnamed"


Value = str | int | float | bool

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(_DATE.pattern + r"T[0-9]{2}:[0-9]{2}:[0-9]{2}")


@dataclass(frozen=True, slots=True)
class ColumnType:
    """How a column holds terms: as N-Triples texts, or as the values of one datatype.

    ``read`` gives the value of a lexical form, None if the form could not be told from the value again: "01" and "1"
    would be one row where they are two.
    """

    name: str
    datatype: str
    read: Callable[[str], Value | None]
    write: Callable[[Any], str]

    def value(self, term: str) -> Value | None:
        """Return what a column of this type holds for a term, None if it cannot hold it."""
        if not self.datatype:
            return term
        if self.datatype == XSD_STRING:
            return literal_parts(term)[0] if term[0] == term[-1] == '"' else None
        ending = f'"^^<{self.datatype}>'
        return self.read(term[1 : -len(ending)]) if term[0] == '"' and term.endswith(ending) else None

    def term(self, value: Any) -> str:
        """Return the term that a value of the column stands for.

        >>> INTEGER.term(INTEGER.value('"7"^^<http://www.w3.org/2001/XMLSchema#integer>'))
        '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'
        """
        return literal_text(self.write(value), self.datatype) if self.datatype else str(value)


def type_of(terms: Iterable[str]) -> ColumnType:
    """Return the type of a column that is to hold some terms."""
    found: ColumnType | None = None
    for term in terms:
        if found is None:
            found = next((each for each in TYPES.values() if each.datatype and each.value(term) is not None), TERM)
        if found is TERM or found.value(term) is None:
            return TERM
    return found or TERM


def _integer(lexical: str) -> int | None:
    if not _INTEGER.fullmatch(lexical):
        return None
    value = int(lexical)
    return value if -(1 << 63) <= value < 1 << 63 else None


def _boolean(lexical: str) -> bool | None:
    return {"true": True, "false": False}.get(lexical)


def _real(lexical: str) -> float | None:
    try:
        value = float(lexical)
    except ValueError:
        return None
    # A negative zero equals a positive one, and what is not a number not even itself.
    return value if repr(value) == lexical and math.isfinite(value) and lexical != "-0.0" else None


def _date(lexical: str) -> str | None:
    return lexical if _DATE.fullmatch(lexical) and _is_real(date.fromisoformat, lexical) else None


def _moment(lexical: str) -> str | None:
    return lexical if _MOMENT.fullmatch(lexical) and _is_real(datetime.fromisoformat, lexical) else None


def _is_real(read: Callable[[str], object], lexical: str) -> bool:
    try:
        read(lexical)
    except ValueError:
        return False
    return not lexical.endswith("T24:00:00")


def _iso(value: Any) -> str:
    return value if isinstance(value, str) else str(value.isoformat())


TERM = ColumnType("term", "", str, str)
INTEGER = ColumnType("integer", XSD + "integer", _integer, str)
BOOLEAN = ColumnType("boolean", XSD + "boolean", _boolean, lambda value: "true" if value else "false")
DOUBLE = ColumnType("double", XSD + "double", _real, repr)
DECIMAL = ColumnType("decimal", XSD + "decimal", _real, repr)
DATE = ColumnType("date", XSD + "date", _date, _iso)
MOMENT = ColumnType("datetime", XSD + "dateTime", _moment, _iso)
STRING = ColumnType("string", XSD_STRING, str, str)

TYPES = {each.name: each for each in (TERM, INTEGER, BOOLEAN, DOUBLE, DECIMAL, DATE, MOMENT, STRING)}


CATALOGUE = "catalogue"
_COLUMNS = (("name", "string"), ("kind", "string"), ("term", "string"), ("object_type", "string"))

CLASS = "class"
PROPERTY = "property"


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A table: its name, whether it is of a class or of a property, that term, and how objects are held."""

    name: str
    kind: str
    term: str
    type: ColumnType

    def rows(self, members: Sequence[tuple[str, ...]]) -> list[tuple[Value, ...]] | None:
        """Return the rows for terms, None if there is an object that the table cannot hold."""
        if self.kind == CLASS or self.type is TERM:
            return list(members)
        rows: list[tuple[Value, ...]] = []
        for subject, obj in members:
            value = self.type.value(obj)
            if value is None:
                return None
            rows.append((subject, value))
        return rows


class Catalogue:
    """The tables of an export; with ``ids``, they hold the ids of terms instead of terms."""

    def __init__(self, target: ExportTarget, *, ids: bool) -> None:
        self._target = target
        self._ids = ids
        self._entries: dict[tuple[str, str], CatalogueEntry] = {}
        self._names = TableNames()

    @property
    def entries(self) -> tuple[CatalogueEntry, ...]:
        """All tables, by name."""
        return tuple(sorted(self._entries.values(), key=lambda entry: entry.name))

    def load(self) -> None:
        """Read what the export has."""
        rows = self._target.rows(CATALOGUE) if CATALOGUE in self._target.tables() else []
        self._entries = {(kind, term): CatalogueEntry(name, kind, term, TYPES[type]) for name, kind, term, type in rows}
        self._names = TableNames(entry.name for entry in self._entries.values())

    def clear(self) -> None:
        """Drop all tables, and begin anew."""
        for entry in self._entries.values():
            self._target.drop(entry.name)
        if CATALOGUE in self._target.tables():
            self._target.drop(CATALOGUE)
        self._entries, self._names = {}, TableNames()
        self._target.create(CATALOGUE, _COLUMNS, key=1)

    def find(self, kind: str, term: str) -> CatalogueEntry | None:
        """Return the table of a class or a property, None if there is none."""
        return self._entries.get((kind, term))

    def made(self, kind: str, term: str, objects: Iterable[str]) -> CatalogueEntry:
        """Return the table of a class or a property, made for some objects if there is none yet."""
        entry = self.find(kind, term)
        if entry is None:
            type = TERM if kind == CLASS or self._ids else type_of(objects)
            entry = CatalogueEntry(self._names.of(kind, term), kind, term, type)
            self._target.create(entry.name, self._columns(entry), key=1 if kind == CLASS else 2)
            self._note(entry)
        return entry

    def widened(self, entry: CatalogueEntry) -> CatalogueEntry:
        """Let a table that holds values hold terms, those that it has and any other."""
        held = self._target.rows(entry.name)
        self._target.drop(entry.name)
        wider = replace(entry, type=TERM)
        self._target.create(wider.name, self._columns(wider), key=2)
        self._target.insert(wider.name, [(subject, entry.type.term(value)) for subject, value in held])
        self._target.delete(CATALOGUE, [(entry.name,)])
        self._note(wider)
        return wider

    def _columns(self, entry: CatalogueEntry) -> list[Column]:
        held = "id" if self._ids else "term"
        if entry.kind == CLASS:
            return [("term", held)]
        return [("subject", held), ("object", held if entry.type is TERM else entry.type.name)]

    def _note(self, entry: CatalogueEntry) -> None:
        self._entries[entry.kind, entry.term] = entry
        self._target.insert(CATALOGUE, [(entry.name, entry.kind, entry.term, entry.type.name)])
