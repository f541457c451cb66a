"""Rows of a table as triples, by a template: Turtle with the names of columns in braces.

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

import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import quote

from loaders.errors import LoadError, ReasonerError
from loaders.load import Triple, parse_text
from loaders.tables import Column, TextTable
from loaders.terms import LANG_STRING, XSD_STRING, literal_parts, literal_text

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


class Template:
    """A template that was read; ``prefixes`` need not be declared in it. Raise ``LoadError`` for what is none."""

    def __init__(self, text: str, prefixes: Mapping[str, str], *, name: str = "the template") -> None:
        self._name = name
        self.columns: list[str] = []
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
