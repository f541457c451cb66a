"""Exports to DuckDB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reasoner.distribution import install_command
from reasoner.errors import ReasonerError
from reasoner.export.target import Column, Row

_SQL_TYPES = {
    "id": "BIGINT",
    "integer": "BIGINT",
    "boolean": "BOOLEAN",
    "double": "DOUBLE",
    "decimal": "DOUBLE",
    "date": "DATE",
    "datetime": "TIMESTAMP",
}


class DuckDBTarget:
    """A DuckDB file. Tables have no index, which would cost more than the scans of columns that it saves."""

    def __init__(self, path: Path) -> None:
        try:
            import duckdb
        except ModuleNotFoundError as error:
            raise ReasonerError(f"exports to DuckDB need duckdb: {install_command('export')}") from error
        try:
            self._connection: Any = duckdb.connect(str(path))
        except duckdb.Error as error:
            raise ReasonerError(
                f"cannot export to {path}: {error}; name another file, or close it elsewhere"
            ) from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN TRANSACTION")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def tables(self) -> set[str]:
        rows = self._connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        return {name for (name,) in rows}

    def create(self, name: str, columns: Sequence[Column], *, key: int) -> None:
        shown = ", ".join(f'"{column}" {_SQL_TYPES.get(type, "VARCHAR")} NOT NULL' for column, type in columns)
        self._connection.execute(f'CREATE TABLE "{name}" ({shown})')
        keys = ", ".join(column for column, _ in columns[:key])
        self._connection.execute(f"COMMENT ON TABLE \"{name}\" IS '{keys}'")

    def drop(self, name: str) -> None:
        self._connection.execute(f'DROP TABLE "{name}"')

    def rows(self, name: str) -> list[Row]:
        found: list[Row] = self._connection.execute(f'SELECT * FROM "{name}"').fetchall()
        return found

    def insert(self, name: str, rows: Sequence[Row]) -> None:
        if rows:
            key = self._key(name)
            given = self._given(name)
            same = " AND ".join(f'old."{column}" = new."{column}"' for column in key)
            self._connection.execute(
                f'INSERT INTO "{name}" SELECT * FROM ({given}) AS new '
                f'WHERE NOT EXISTS (SELECT 1 FROM "{name}" AS old WHERE {same})',
                [list(column) for column in zip(*rows, strict=True)],
            )

    def delete(self, name: str, rows: Iterable[Row]) -> None:
        listed = list(rows)
        if listed:
            key = self._key(name)
            same = " AND ".join(f'"{name}"."{column}" = gone."{column}"' for column in key)
            self._connection.execute(
                f'DELETE FROM "{name}" USING ({self._given(name, key)}) AS gone WHERE {same}',
                [list(column) for column in zip(*listed, strict=True)],
            )

    def close(self) -> None:
        self._connection.close()

    def _given(self, name: str, only: Sequence[str] | None = None) -> str:
        """Return the part of a statement that makes rows of lists of values, one list a column."""
        columns = self._connection.execute(
            "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index", [name]
        ).fetchall()
        chosen = [(column, type) for column, type in columns if only is None or column in only]
        return "SELECT " + ", ".join(f'CAST(unnest(?) AS {type}) AS "{column}"' for column, type in chosen)

    def _key(self, name: str) -> list[str]:
        (comment,) = self._connection.execute(
            "SELECT comment FROM duckdb_tables() WHERE table_name = ?", [name]
        ).fetchone()
        return str(comment).split(", ")
