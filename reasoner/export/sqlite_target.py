"""Exports to SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from reasoner.errors import ReasonerError
from reasoner.export.target import Column, Row

# Dates are texts that sort as dates do.
_SQL_TYPES = {
    "id": "INTEGER",
    "integer": "INTEGER",
    "boolean": "INTEGER",
    "double": "REAL",
    "decimal": "REAL",
}


class SQLiteTarget:
    """A SQLite file; a row is found by its key, so that a refresh costs what changed."""

    def __init__(self, path: Path) -> None:
        # Commits come from any thread, one at a time.
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._keys: dict[str, tuple[str, ...]] = {}
        try:
            self.tables()
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise ReasonerError(f"cannot export to {path}: {error}; name another file") from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def tables(self) -> set[str]:
        rows = self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {name for (name,) in rows}

    def create(self, name: str, columns: Sequence[Column], *, key: int) -> None:
        shown = ", ".join(f'"{column}" {_SQL_TYPES.get(type, "TEXT")} NOT NULL' for column, type in columns)
        keys = ", ".join(f'"{column}"' for column, _ in columns[:key])
        self._connection.execute(f'CREATE TABLE "{name}" ({shown}, PRIMARY KEY ({keys})) WITHOUT ROWID')

    def drop(self, name: str) -> None:
        self._connection.execute(f'DROP TABLE "{name}"')
        self._keys.pop(name, None)

    def rows(self, name: str) -> list[Row]:
        return self._connection.execute(f'SELECT * FROM "{name}"').fetchall()

    def insert(self, name: str, rows: Sequence[Row]) -> None:
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._connection.executemany(f'INSERT OR IGNORE INTO "{name}" VALUES ({marks})', rows)

    def delete(self, name: str, rows: Iterable[Row]) -> None:
        condition = " AND ".join(f'"{column}" = ?' for column in self._key(name))
        self._connection.executemany(f'DELETE FROM "{name}" WHERE {condition}', rows)

    def close(self) -> None:
        self._connection.close()

    def _key(self, name: str) -> tuple[str, ...]:
        if name not in self._keys:
            found = self._connection.execute(f'SELECT name FROM pragma_table_info("{name}") WHERE pk > 0 ORDER BY pk')
            self._keys[name] = tuple(column for (column,) in found)
        return self._keys[name]
