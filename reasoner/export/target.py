"""What an export needs from a database, and which databases there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from reasoner.errors import ReasonerError

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


class Target(Protocol):
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


def open_target(path: Path, format: str) -> Target:
    """Open a database, which need not be there yet."""
    if not path.parent.is_dir():
        raise ReasonerError(f"cannot export to {path}: there is no folder {path.parent}")
    if format == "parquet":
        from reasoner.export.parquet_target import ParquetTarget

        return ParquetTarget(path)
    if path.is_dir():
        raise ReasonerError(f"cannot export to {path}: it is a folder; name a file, or export to parquet")
    if format == "duckdb":
        from reasoner.export.duckdb_target import DuckDBTarget

        return DuckDBTarget(path)
    from reasoner.export.sqlite_target import SQLiteTarget

    return SQLiteTarget(path)
