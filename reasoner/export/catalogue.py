"""Which table holds what: a table of its own in the export, and the same in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reasoner.export.column_type import TERM, TYPES, ColumnType, Value, type_of
from reasoner.export.names import TableNames
from reasoner.export.target import Column, Target

CATALOGUE = "catalogue"
_COLUMNS = (("name", "string"), ("kind", "string"), ("term", "string"), ("object_type", "string"))

CLASS = "class"
PROPERTY = "property"


@dataclass(frozen=True, slots=True)
class Entry:
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

    def __init__(self, target: Target, *, ids: bool) -> None:
        self._target = target
        self._ids = ids
        self._entries: dict[tuple[str, str], Entry] = {}
        self._names = TableNames()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All tables, by name."""
        return tuple(sorted(self._entries.values(), key=lambda entry: entry.name))

    def load(self) -> None:
        """Read what the export has."""
        rows = self._target.rows(CATALOGUE) if CATALOGUE in self._target.tables() else []
        self._entries = {(kind, term): Entry(name, kind, term, TYPES[type]) for name, kind, term, type in rows}
        self._names = TableNames(entry.name for entry in self._entries.values())

    def clear(self) -> None:
        """Drop all tables, and begin anew."""
        for entry in self._entries.values():
            self._target.drop(entry.name)
        if CATALOGUE in self._target.tables():
            self._target.drop(CATALOGUE)
        self._entries, self._names = {}, TableNames()
        self._target.create(CATALOGUE, _COLUMNS, key=1)

    def find(self, kind: str, term: str) -> Entry | None:
        """Return the table of a class or a property, None if there is none."""
        return self._entries.get((kind, term))

    def made(self, kind: str, term: str, objects: Iterable[str]) -> Entry:
        """Return the table of a class or a property, made for some objects if there is none yet."""
        entry = self.find(kind, term)
        if entry is None:
            type = TERM if kind == CLASS or self._ids else type_of(objects)
            entry = Entry(self._names.of(kind, term), kind, term, type)
            self._target.create(entry.name, self._columns(entry), key=1 if kind == CLASS else 2)
            self._note(entry)
        return entry

    def widened(self, entry: Entry) -> Entry:
        """Let a table that holds values hold terms, those that it has and any other."""
        held = self._target.rows(entry.name)
        self._target.drop(entry.name)
        wider = replace(entry, type=TERM)
        self._target.create(wider.name, self._columns(wider), key=2)
        self._target.insert(wider.name, [(subject, entry.type.term(value)) for subject, value in held])
        self._target.delete(CATALOGUE, [(entry.name,)])
        self._note(wider)
        return wider

    def _columns(self, entry: Entry) -> list[Column]:
        held = "id" if self._ids else "term"
        if entry.kind == CLASS:
            return [("term", held)]
        return [("subject", held), ("object", held if entry.type is TERM else entry.type.name)]

    def _note(self, entry: Entry) -> None:
        self._entries[entry.kind, entry.term] = entry
        self._target.insert(CATALOGUE, [(entry.name, entry.kind, entry.term, entry.type.name)])
