"""Reading exports without the code that writes them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def read_export(path: Path, format: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return all tables of an export."""
    match format:
        case "sqlite":
            with closing(sqlite3.connect(path)) as connection:
                names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
                return {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
        case "duckdb":
            import duckdb

            with duckdb.connect(str(path), read_only=True) as connection:
                names = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
                return {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
        case _:
            import duckdb

            with duckdb.connect() as connection:
                return {
                    file.stem: connection.execute("SELECT * FROM read_parquet(?)", [str(file)]).fetchall()
                    for file in path.glob("*.parquet")
                }
