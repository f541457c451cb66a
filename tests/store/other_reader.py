"""Tables of a store as DuckDB reads them, which shares no code with us: segments in order, as the format says."""

from __future__ import annotations

from pathlib import Path

import pytest

from reasoner.store.folder import read_manifest

COLUMNS = {
    "dictionary": ("id", "text"),
    "explicit": ("s", "p", "o"),
    "facts": ("s", "p", "o"),
    "normal": ("s", "p", "o", "raw_s", "raw_p", "raw_o"),
    "representatives": ("id", "representative"),
}


def rows_of(folder: Path, table: str) -> set[tuple]:
    """Return the rows of a table in the current version."""
    duckdb = pytest.importorskip("duckdb")
    found: set[tuple] = set()
    for segment in read_manifest(folder).segments(table):
        names = [
            f"{segment.predicate}::BIGINT" if name == "p" and segment.predicate is not None else name
            for name in COLUMNS[table]
        ]
        path = str(folder / segment.path)
        rows = duckdb.sql(f"SELECT {', '.join(names)} FROM read_parquet('{path}', hive_partitioning = false)")
        read = rows.fetchall()
        assert len(set(read)) == len(read)
        found = found - set(read) if segment.kind == "removed" else found | set(read)
    return found


def normal_forms(folder: Path) -> set[tuple[int, ...]]:
    """Return what the table ``normal`` should have, by what the others have."""
    target = dict(rows_of(folder, "representatives"))
    forms = {(*(target.get(term, term) for term in fact), *fact) for fact in rows_of(folder, "explicit")}
    return {row for row in forms if row[:3] != row[3:]}
