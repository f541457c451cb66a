"""One line of N-Triples or N-Quads, read after the grammar, token by token.

This is the careful reader behind the vectorised one: it takes whatever is valid but unusual (comments, tabs, missing
or repeated white space, escapes) and says exactly where an invalid line goes wrong.
"""

from __future__ import annotations

import re

from loaders.grammar import IRI_TOKEN, LANGUAGE_TOKEN, STRING_TOKEN, TERMINATOR, blank_token, is_absolute_iri
from loaders.terms import LANG_STRING, literal_text, unescape

Statement = tuple[str, ...]

_TERMINATOR = re.compile(TERMINATOR)
_SPACE = re.compile(r"[ \t]*")
_VALID_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})")
_VALID_STRING_ESCAPE = re.compile(r"\\(?:[tbnrf\"'\\]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})")
_NOT_IN_IRI = re.compile(r'[\x00-\x20<"{}|^`]')


class LineError(Exception):
    """Where and why a line is not a statement; ``column`` counts from 1."""

    def __init__(self, column: int, message: str) -> None:
        self.column = column
        self.message = message
        super().__init__(f"column {column}: {message}")


def parse_line(line: str, *, quads: bool = False) -> Statement | None:
    """Read one line (without its line feed) as a statement of canonical terms, or None if it holds none.

    A quad comes back as four terms, a triple as three. Raise ``LineError`` at the first offence.

    >>> parse_line("<http://a/s><http://a/p> 'x'.")
    Traceback (most recent call last):
    loaders.line.LineError: column 26: expected an IRI, a blank node or a literal as object
    """
    position = _skip(line, 0)
    if _at_end(line, position):
        return None
    subject, position = _term(line, position, "subject", "<_")
    predicate, position = _term(line, _skip(line, position), "predicate", "<")
    obj, position = _term(line, _skip(line, position), "object", '<_"')
    statement: Statement = (subject, predicate, obj)
    position = _skip(line, position)
    if quads and line[position : position + 1] in ("<", "_"):
        graph, position = _term(line, position, "graph name", "<_")
        statement = (subject, predicate, obj, graph)
        position = _skip(line, position)
    if line[position : position + 1] != ".":
        raise LineError(position + 1, "expected . at the end of the statement")
    position = _skip(line, position + 1)
    if not _at_end(line, position):
        raise LineError(position + 1, "expected nothing but a comment after the statement")
    return statement


def canonical_token(token: str) -> str | None:
    """Return the canonical text of one term with its separator or the end of the statement behind it.

    None if the token is anything else.
    """
    try:
        term, position = _term(token, 0, "term", '<_"')
    except LineError:
        return None
    return term if _TERMINATOR.fullmatch(token, position) else None


_EXPECTED = {
    "<": "expected an IRI as {}",
    "<_": "expected an IRI or a blank node as {}",
    '<_"': "expected an IRI, a blank node or a literal as {}",
}


def _term(line: str, position: int, role: str, kinds: str) -> tuple[str, int]:
    first = line[position : position + 1]
    if not first or first not in kinds:
        raise LineError(position + 1, _EXPECTED[kinds].format(role))
    if first == "<":
        iri, position = _iri(line, position)
        return f"<{iri}>", position
    if first == "_":
        match = blank_token().match(line, position)
        if match is None:
            raise LineError(position + 1, "invalid blank node label")
        return match[0], match.end()
    return _literal(line, position)


def _iri(line: str, position: int) -> tuple[str, int]:
    match = IRI_TOKEN.match(line, position)
    if match is None:
        raise _iri_error(line, position)
    iri = match[1]
    if "\\" in iri:
        try:
            iri = unescape(iri)
        except ValueError as error:
            raise LineError(position + 1, f"invalid escape in an IRI: {error}") from None
    if not is_absolute_iri(iri):
        raise LineError(position + 1, "not an absolute IRI")
    return iri, match.end()


def _iri_error(line: str, position: int) -> LineError:
    place = position + 1
    while place < len(line) and line[place] != ">":
        if line[place] == "\\":
            escape = _VALID_ESCAPE.match(line, place)
            if escape is None:
                return LineError(place + 1, "invalid escape in an IRI, only \\uXXXX and \\UXXXXXXXX are allowed")
            place = escape.end()
        elif _NOT_IN_IRI.match(line, place):
            return LineError(place + 1, f"{line[place]!r} is not allowed in an IRI")
        else:
            place += 1
    return LineError(position + 1, "an IRI without its closing >")


def _literal(line: str, position: int) -> tuple[str, int]:
    match = STRING_TOKEN.match(line, position)
    if match is None:
        raise _string_error(line, position)
    try:
        lexical = unescape(match[1])
    except ValueError as error:
        raise LineError(position + 1, f"invalid escape in a literal: {error}") from None
    after = _skip(line, match.end())
    if line.startswith("@", after):
        language = LANGUAGE_TOKEN.match(line, after)
        if language is None:
            raise LineError(after + 1, "invalid language tag")
        if line.startswith("-", language.end()):
            raise LineError(language.end() + 1, "invalid language tag")
        return literal_text(lexical, language[1]), language.end()
    if line.startswith("^^", after):
        start = _skip(line, after + 2)
        if not line.startswith("<", start):
            raise LineError(start + 1, "expected an IRI as datatype")
        datatype, end = _iri(line, start)
        if datatype == LANG_STRING:
            raise LineError(start + 1, "rdf:langString needs a language tag")
        return literal_text(lexical, datatype=datatype), end
    return literal_text(lexical), match.end()


def _string_error(line: str, position: int) -> LineError:
    place = position + 1
    while place < len(line) and line[place] != '"':
        if line[place] == "\\":
            escape = _VALID_STRING_ESCAPE.match(line, place)
            if escape is None:
                return LineError(place + 1, "invalid escape in a literal")
            place = escape.end()
        else:
            place += 1
    return LineError(position + 1, 'a literal without its closing "')


def _skip(line: str, position: int) -> int:
    match = _SPACE.match(line, position)
    return position if match is None else match.end()


def _at_end(line: str, position: int) -> bool:
    return position >= len(line) or line[position] == "#"
