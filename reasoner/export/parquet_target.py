"""Exports to a folder of Parquet files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any

from reasoner.errors import ReasonerError
from reasoner.export.target import Column, Row

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
