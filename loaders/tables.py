"""Tables as columns of texts with a datatype each: DataFrames of pandas and Polars, Arrow tables, CSV and Parquet.

Libraries of DataFrames are never imported here: their tables bring what is needed along.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from loaders.errors import LoadError
from loaders.formats import COMPRESSIONS
from loaders.sources import Source

_XSD = "http://www.w3.org/2001/XMLSchema#"
_SEPARATED = (".csv", ".tsv")
_PARQUET = (".parquet", ".pq")

# What all values of a column of CSV have to look like for it to be of a datatype; with a leading zero they are text.
_INTEGER = r"-?(?:0|[1-9][0-9]*)"
_LOOKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("integer", re.compile(_INTEGER)),
    ("decimal", re.compile(rf"{_INTEGER}(?:\.[0-9]+)?")),
    ("double", re.compile(rf"{_INTEGER}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")),
    ("boolean", re.compile(r"true|false")),
    ("date", re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")),
    (
        "dateTime",
        re.compile(
            r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
            r"(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})?"
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Column:
    """The values of a column as texts, None where there is none, and the datatype of them all; None is a string."""

    texts: Sequence[str | None]
    datatype: str | None = None


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table by the names of its columns; ``name`` is for errors, and so is the number of the row before the first."""

    name: str
    columns: Mapping[str, Column]
    rows: int
    rows_before: int = 0

    def place(self, row: int, column: str | None = None) -> str:
        """Name a row, and perhaps a column, for an error."""
        return f"{self.name}, row {row + 1 + self.rows_before}" + ("" if column is None else f", column {column}")


def is_table(source: object) -> bool:
    """Tell whether something is a table of Arrow, or can be one: a DataFrame of pandas or of Polars, for example."""
    return hasattr(source, "__arrow_c_stream__") and not isinstance(source, (str, os.PathLike))


def is_table_file(source: object) -> bool:
    """Tell whether the name of a file is that of a table, compressed or not."""
    return isinstance(source, (str, os.PathLike)) and _ending(source) in (*_SEPARATED, *_PARQUET)


def read_table(source: Any) -> TextTable:
    """Read a table, or a file of one; raise ``LoadError`` for a column that literals cannot be made of."""
    if not is_table_file(source):
        return _of_arrow(_as_arrow(source), f"the {type(source).__module__.partition('.')[0]} table")
    name = os.fspath(source)
    if _ending(source) in _SEPARATED:
        return _of_csv(name)
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return _of_arrow(pq.read_table(name), name)
    except (OSError, pa.ArrowException) as error:
        raise LoadError(f"cannot read {name}: {error}") from error


def _ending(source: str | os.PathLike[str]) -> str:
    path = PurePath(source)
    return (path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path).suffix.lower()


def _as_arrow(source: Any) -> Any:
    import pyarrow as pa

    if type(source).__module__.partition(".")[0] == "pandas":
        # Without the index, and with NaN as what is not there.
        return pa.Table.from_pandas(source, preserve_index=False)
    return pa.table(source)


def _of_arrow(table: Any, name: str) -> TextTable:
    columns: dict[str, Column] = {}
    for column in table.column_names:
        if column in columns:
            raise LoadError(f"{name} has two columns of the name {column}; rename one of them")
        columns[column] = _column(table.column(column), f"{name}, column {column}")
    return TextTable(name, columns, table.num_rows)


def _column(array: Any, place: str) -> Column:
    import pyarrow as pa
    import pyarrow.types as types

    kind = array.type
    if types.is_dictionary(kind):
        return _column(array.cast(kind.value_type), place)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_null(kind) or _is_view(kind):
        return Column(array.to_pylist())
    if types.is_timestamp(kind) and kind.unit == "ns":
        # Python's own moments have no nanoseconds; more than microseconds are left out.
        array = array.cast(pa.timestamp("us", kind.tz), safe=False)
    writers: tuple[tuple[Callable[[Any], bool], str, Callable[[Any], str]], ...] = (
        (types.is_boolean, "boolean", lambda value: "true" if value else "false"),
        (types.is_integer, "integer", str),
        (types.is_floating, "double", _double),
        (types.is_decimal, "decimal", lambda value: format(value, "f")),
        (types.is_date, "date", lambda value: str(value.isoformat())),
        (types.is_timestamp, "dateTime", lambda value: str(value.isoformat())),
        (types.is_time, "time", lambda value: str(value.isoformat())),
    )
    for is_kind, datatype, write in writers:
        if is_kind(kind):
            return Column([None if value is None else write(value) for value in array.to_pylist()], _XSD + datatype)
    raise LoadError(f"{place} is of type {kind}, of which no literal can be made; make text of it first")


def _is_view(kind: Any) -> bool:
    return str(kind) == "string_view"


def _double(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return repr(value) if math.isfinite(value) else ("INF" if value > 0 else "-INF")


def _of_csv(name: str) -> TextTable:
    from pathlib import Path

    source = Source(name, Path(name))
    try:
        with source.open() as opened, io.TextIOWrapper(opened.stream, encoding="utf-8", newline="") as text:
            first = text.readline()
            separator = "\t" if _ending(name) == ".tsv" else max(",;\t", key=first.count)
            rows = list(csv.reader(io.StringIO(first + text.read(), newline=""), delimiter=separator, strict=True))
    except UnicodeDecodeError as error:
        raise LoadError(f"cannot read {name}: it is not UTF-8 at byte {error.start:,}; convert it") from error
    except csv.Error as error:
        raise LoadError(f"cannot read {name}: {error}") from error
    except OSError as error:
        raise LoadError(f"cannot read {name}: {error.strerror or error}") from error
    if not rows:
        raise LoadError(f"{name} is empty: the first row of a table names its columns")
    header, body = rows[0], [row for row in rows[1:] if row]
    if len(set(header)) < len(header):
        twice = next(column for column in header if header.count(column) > 1)
        raise LoadError(f"{name} has two columns of the name {twice!r}; rename one of them")
    for number, row in enumerate(rows[1:], 2):
        if row and len(row) != len(header):
            raise LoadError(f"{name}, row {number}: {len(row)} fields, and there are {len(header)} columns")
    columns = {column: _typed([row[at] or None for row in body]) for at, column in enumerate(header)}
    return TextTable(name, columns, len(body), 1)


def _typed(texts: list[str | None]) -> Column:
    """Return a column of texts with the narrowest datatype that all of them are written as."""
    present = [text for text in texts if text is not None]
    for datatype, look in _LOOKS if present else ():
        if all(look.fullmatch(text) for text in present):
            return Column(texts, _XSD + datatype)
    return Column(texts)
