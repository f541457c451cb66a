"""What an export needs from a database, and which databases there are.

These are SQLite, DuckDB, and a folder of Parquet files.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any, Protocol

from loaders.errors import install_command
from reasoner.rules.errors import ReasonerError

FORMATS = ("sqlite", "duckdb", "parquet")

_EXTENSIONS = {
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
    ".parquet": "parquet",
}

Row = tuple[Any, ...]

# The name of a column and of its type: those of ``column_type``, and ``id``.
Column = tuple[str, str]


class ExportTarget(Protocol):
    """A database that is written to within transactions: all of one takes effect, or nothing."""

    def transaction(self) -> AbstractContextManager[None]: ...

    def tables(self) -> set[str]:
        """Return the names of the tables there are."""
        ...

    def create(self, name: str, columns: Sequence[Column], *, key: int) -> None:
        """Make a table, of which the first ``key`` columns tell rows apart."""
        ...

    def drop(self, name: str) -> None: ...

    def rows(self, name: str) -> list[Row]:
        """Return all rows of a table."""
        ...

    def insert(self, name: str, rows: Sequence[Row]) -> None:
        """Add rows; those whose key is there already are passed over."""
        ...

    def delete(self, name: str, rows: Iterable[Row]) -> None:
        """Take rows away, given by their keys."""
        ...

    def close(self) -> None: ...


def format_of(path: Path, format: str | None) -> str:
    """Return the format that is asked for, or that the name of the target tells."""
    if format is not None:
        if format not in FORMATS:
            raise ReasonerError(f"cannot export to {format!r}: choose one of {', '.join(FORMATS)}")
        return format
    found = _EXTENSIONS.get(path.suffix.lower())
    if found is None:
        raise ReasonerError(
            f"the name {path.name} does not tell what to export to: end it in .sqlite, .duckdb or .parquet, "
            f"or give a format, one of {', '.join(FORMATS)}"
        )
    return found


def open_target(path: Path, format: str) -> ExportTarget:
    """Open a database, which need not be there yet."""
    if not path.parent.is_dir():
        raise ReasonerError(f"cannot export to {path}: there is no folder {path.parent}")
    if format == "parquet":
        return ParquetTarget(path)
    if path.is_dir():
        raise ReasonerError(f"cannot export to {path}: it is a folder; name a file, or export to parquet")
    if format == "duckdb":
        return DuckDBTarget(path)
    return SQLiteTarget(path)


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


_DUCKDB_TYPES = {
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
        shown = ", ".join(f'"{column}" {_DUCKDB_TYPES.get(type, "VARCHAR")} NOT NULL' for column, type in columns)
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


_ENDING = ".parquet"
_UNFINISHED = "UNFINISHED"
_READERS: dict[str, Any] = {"date": date.fromisoformat, "datetime": datetime.fromisoformat}


class ParquetTarget:
    """A folder with one file a table.

    A file cannot be changed, so that a transaction writes those anew that it touches: its cost follows the sizes of the
    tables that change. New files are complete before the first takes its place. A transaction that is cut short while
    they do leaves a mark, and the folder counts as empty then.
    """

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise ReasonerError(f"cannot export to {folder}: it is a file; name a folder for Parquet files")
        folder.mkdir(exist_ok=True)
        others = [path.name for path in folder.iterdir() if not path.name.startswith((_UNFINISHED, "."))]
        if strange := sorted(name for name in others if _ENDING not in name):
            raise ReasonerError(f"cannot export to {folder}: it holds {strange[0]}; name a new or an empty folder")
        self._folder = folder
        self._open: dict[str, tuple[list[Column], int, dict[Row, Row]]] = {}
        self._dropped: set[str] = set()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        try:
            yield
            self._write()
        finally:
            self._open, self._dropped = {}, set()

    def tables(self) -> set[str]:
        if (self._folder / _UNFINISHED).exists():
            return set()
        kept = {path.name.removesuffix(_ENDING) for path in self._folder.glob("*" + _ENDING)}
        return (kept - self._dropped) | self._open.keys()

    def create(self, name: str, columns: Sequence[Column], *, key: int) -> None:
        self._open[name] = (list(columns), key, {})
        self._dropped.discard(name)

    def drop(self, name: str) -> None:
        self._open.pop(name, None)
        self._dropped.add(name)

    def rows(self, name: str) -> list[Row]:
        return list((self._open[name] if name in self._open else self._read(name))[2].values())

    def insert(self, name: str, rows: Sequence[Row]) -> None:
        _, key, held = self._touched(name)
        for row in rows:
            held.setdefault(tuple(row[:key]), tuple(row))

    def delete(self, name: str, rows: Iterable[Row]) -> None:
        held = self._touched(name)[2]
        for row in rows:
            held.pop(tuple(row), None)

    def close(self) -> None:
        """There is nothing to close."""

    def _touched(self, name: str) -> tuple[list[Column], int, dict[Row, Row]]:
        if name not in self._open:
            self._open[name] = self._read(name)
        return self._open[name]

    def _read(self, name: str) -> tuple[list[Column], int, dict[Row, Row]]:
        from pyarrow import parquet

        table = parquet.read_table(self._path(name))
        notes = table.schema.metadata
        types, key = notes[b"types"].decode().split(), int(notes[b"key"])
        values = [
            [each.isoformat() for each in column.to_pylist()] if type in _READERS else column.to_pylist()
            for column, type in zip(table.columns, types, strict=True)
        ]
        columns = list(zip(table.column_names, types, strict=True))
        return columns, key, {row[:key]: row for row in zip(*values, strict=True)}

    def _write(self) -> None:
        from pyarrow import parquet

        for name, (columns, key, held) in self._open.items():
            parquet.write_table(_arrow_table(columns, key, list(held.values())), self._path(name, ".new"))
        mark = self._folder / _UNFINISHED
        # After a transaction that was cut short, everything that this one does not write is gone.
        gone = (
            {path.name.removesuffix(_ENDING) for path in self._folder.glob("*" + _ENDING)} if mark.exists() else set()
        )
        mark.touch()
        for name in self._open:
            self._path(name, ".new").replace(self._path(name))
        for name in (gone | self._dropped) - self._open.keys():
            self._path(name).unlink(missing_ok=True)
        mark.unlink()

    def _path(self, name: str, more: str = "") -> Path:
        return self._folder / f"{name}{_ENDING}{more}"


def _arrow_table(columns: list[Column], key: int, rows: list[Row]) -> Any:
    import pyarrow as pa

    types = {
        "id": pa.int64(),
        "integer": pa.int64(),
        "boolean": pa.bool_(),
        "double": pa.float64(),
        "decimal": pa.float64(),
        "date": pa.date32(),
        "datetime": pa.timestamp("us"),
    }
    arrays = []
    for place, (_, type) in enumerate(columns):
        read = _READERS.get(type)
        values = [row[place] for row in rows] if read is None else [read(row[place]) for row in rows]
        arrays.append(pa.array(values, types.get(type, pa.string())))
    notes = {b"types": " ".join(type for _, type in columns).encode(), b"key": str(key).encode()}
    schema = pa.schema([(name, array.type) for (name, _), array in zip(columns, arrays, strict=True)], metadata=notes)
    return pa.Table.from_arrays(arrays, schema=schema)
