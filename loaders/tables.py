"""Tables as columns of texts with a datatype each: DataFrames of pandas and Polars, Arrow tables, CSV and Parquet.

Libraries of DataFrames are never imported here: their tables bring what is needed along.

Rows of a table as triples, by a template: Turtle with the names of columns in braces.

    PREFIX ex: <http://ex.org/>
    <http://ex.org/person/{id}> a ex:Person ; ex:name {name} ; ex:city ex:{city} ; rdfs:label "{first} {last}"@en .

- within an IRI or behind a prefix, a value is percent-encoded, so that it is one step of a path, whatever is in it;
- ``<{url}>`` alone is an IRI that the value is the whole of, which is checked;
- ``{name}`` is a literal of the datatype of the column; ``{name}@en`` and ``{name}^^xsd:date`` say another;
- within quotes, values are text;
- a blank node of the template is another one for each row;
- a triple is left out where one of its values is missing.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from loaders.errors import LoadError, ReasonerError
from loaders.formats import COMPRESSIONS
from loaders.load import Triple, parse_text
from loaders.sources import Source
from loaders.terms import LANG_STRING, XSD_STRING, literal_parts, literal_text, lone_surrogate

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


# What a template consists of, as far as it matters where a column stands: strings, IRIs, comments, columns, the rest.
_PARTS = re.compile(
    r'(?P<string>"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')'
    r"|(?P<iri><[^<>\s]*>)|(?P<comment>#[^\n]*)|(?P<name>[\w.-]*:(?:[\w.-]|\{[^{}\n]*\})+)|(?P<column>\{[^{}\n]*\})",
    re.DOTALL,
)
_COLUMN = re.compile(r"\{([^{}\n]*)\}")
_WHOLE_IRI = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\]*')
_NOT_A_STEP = re.compile(r"[^\w\-.~]")

Written = Callable[[int], str | None]


class TableTemplate:
    """A template that was read; ``prefixes`` need not be declared in it. Raise ``LoadError`` for what is none."""

    def __init__(self, text: str, prefixes: Mapping[str, str], *, name: str = "the template") -> None:
        self._name = name
        self.columns: list[str] = []
        if (place := lone_surrogate(text)) is not None:
            raise LoadError(f"{name} is no text: it has half of a surrogate pair at {place + 1}; write it as UTF-8")
        # A mark that is nowhere in the text stands for a column while the text is read as Turtle.
        stem = "column"
        while stem in text:
            stem += "x"
        self._value, self._piece, self._whole = f"{stem}V", f"{stem}P", f"{stem}:"
        self._mark = re.compile(rf"(?:{self._value}|{self._piece})(\d+)z")
        header = "".join(f"@prefix {prefix}: <{namespace}> .\n" for prefix, namespace in prefixes.items())
        marked = _PARTS.sub(self._marked, text)
        ending = "" if re.search(r"[.}]\s*(?:#[^\n]*)?\s*\Z", marked) else " ."
        try:
            self._triples = list(dict.fromkeys(parse_text(header + marked + ending, "turtle")))
        except ReasonerError as error:
            raise LoadError(
                f"{name} is no Turtle with columns in braces: {getattr(error, 'message', error)}"
            ) from error
        if not self.columns:
            raise LoadError(f"{name} names no column: write {{column}} where the value of a column goes")

    def triples(self, table: TextTable, scope: str) -> Iterator[Triple]:
        """Yield the triples of all rows; ``scope`` tells the blank nodes of this table from others."""
        for column in self.columns:
            if column not in table.columns:
                known = ", ".join(table.columns)
                raise LoadError(f"{table.name} has no column {column}, which {self._name} names; it has {known}")
        written = [tuple(self._written(term, table, scope) for term in triple) for triple in self._triples]
        for row in range(table.rows):
            for subject, predicate, obj in written:
                s, p, o = subject(row), predicate(row), obj(row)
                if s is not None and p is not None and o is not None:
                    yield s, p, o

    def _marked(self, found: re.Match[str]) -> str:
        text: str = found[0]
        if found["comment"] is not None:
            return ""
        if found["column"] is not None:
            return f'"{self._value}{self._number(text[1:-1])}z"'
        marked = _COLUMN.sub(lambda column: f"{self._piece}{self._number(column[1])}z", text)
        # Turtle has no IRI without a scheme.
        return f"<{self._whole}{marked[1:]}" if _COLUMN.fullmatch(text[1:-1]) and found["iri"] else marked

    def _number(self, column: str) -> int:
        if column not in self.columns:
            self.columns.append(column)
        return self.columns.index(column)

    def _written(self, term: str, table: TextTable, scope: str) -> Written:
        """Return what gives the text of a term for a row, None where a value is missing."""
        if term.startswith("_:"):
            return lambda row: f"_:{scope}_r{row}_{term[2:]}"
        marks = self._mark.findall(term)
        if not marks:
            return lambda _: term
        columns = [(self.columns[int(mark)], table.columns[self.columns[int(mark)]]) for mark in marks]
        if term.startswith("<"):
            return self._iri(term, columns, table)
        parts = literal_parts(term)
        language = parts.language
        datatype = None if parts.datatype in (XSD_STRING, LANG_STRING) else parts.datatype
        if len(self._mark.findall(parts.lexical)) < len(marks):
            raise LoadError(f"{self._name}: a column cannot be a part of a datatype; name the datatype itself")
        if self._value in parts.lexical and language is None and datatype is None:
            datatype = columns[0][1].datatype
        pieces = self._mark.split(parts.lexical)[::2]

        def literal(row: int) -> str | None:
            lexical = _filled(pieces, columns, row)
            return None if lexical is None else literal_text(lexical, language, datatype)

        return literal

    def _iri(self, term: str, columns: list[tuple[str, Column]], table: TextTable) -> Written:
        pieces = self._mark.split(term[1:-1])[::2]
        if pieces == [self._whole, ""]:
            ((name, column),) = columns

            def whole(row: int) -> str | None:
                value = column.texts[row]
                if value is None:
                    return None
                if not _WHOLE_IRI.fullmatch(value):
                    raise LoadError(
                        f"{table.place(row, name)}: {value!r} is no IRI; write <...{{{name}}}> to encode it"
                    )
                return f"<{value}>"

            return whole

        def iri(row: int) -> str | None:
            text = _filled(pieces, columns, row, encode=True)
            return None if text is None else f"<{text}>"

        return iri


def _filled(pieces: list[str], columns: list[tuple[str, Column]], row: int, *, encode: bool = False) -> str | None:
    text = pieces[0]
    for (_, column), piece in zip(columns, pieces[1:], strict=True):
        value = column.texts[row]
        if value is None:
            return None
        text += (step_of_path(value) if encode else value) + piece
    return text


def step_of_path(value: str) -> str:
    """Return a value as a part of an IRI: all but letters, digits, and ``-._~`` percent-encoded, as R2RML has it.

    >>> step_of_path("a/b c?é")
    'a%2Fb%20c%3Fé'
    """
    return _NOT_A_STEP.sub(lambda found: quote(found[0], safe=""), value)
