"""The patterns of N-Triples 1.1 and of absolute IRIs (RFC 3987).

The same pattern texts serve Python's ``re`` and RE2 inside pyarrow, so both read the same language.

One line of N-Triples or N-Quads, read after the grammar, token by token.

This is the careful reader behind the vectorised one: it takes whatever is valid but unusual (comments, tabs, missing
or repeated white space, escapes) and says exactly where an invalid line goes wrong.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from loaders.terms import LANG_STRING, XSD_STRING, literal_text, unescape

if TYPE_CHECKING:
    import pyarrow as pa

_UCSCHAR = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef" + "".join(
    f"{chr(plane * 0x10000 + (0x1000 if plane == 14 else 0))}-{chr(plane * 0x10000 + 0xFFFD)}" for plane in range(1, 15)
)
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_PERCENT = "%[0-9A-Fa-f]{2}"
_SUBDELIMITERS = "!$&'()*+,;="


def _run(characters: str) -> str:
    """Any number of ``characters`` and percent-encoded bytes."""
    return f"[{characters}]*(?:{_PERCENT}[{characters}]*)*"


def _iri(letters: str, private: str, ip_literal: str) -> str:
    unreserved = f"A-Za-z0-9._~{letters}\\-"
    segment = f"{unreserved}{_SUBDELIMITERS}:@"
    host = _run(unreserved + _SUBDELIMITERS)
    authority = f"(?:{_run(unreserved + _SUBDELIMITERS + ':')}@)?(?:{ip_literal}{host})(?::[0-9]*)?"
    path = _run(segment + "/")
    without_authority = f"/?(?:(?:[{segment}]|{_PERCENT}){path})?"
    tail = f"(?:\\?{_run(segment + '/?' + private)})?(?:#{_run(segment + '/?')})?"
    return f"[A-Za-z][A-Za-z0-9+.\\-]*:(?://{authority}(?:/{path})?|{without_authority}){tail}"


_IP_LITERAL = f"\\[[0-9A-Fa-f:.]+\\]|\\[[vV][0-9A-Fa-f]+\\.[A-Za-z0-9._~{_SUBDELIMITERS}:\\-]+\\]|"
_ABSOLUTE_IRI = _iri(_UCSCHAR, _PRIVATE, _IP_LITERAL)
_IPV6 = re.compile(r"[^/?#]*//[^/?#]*\[([0-9A-Fa-f:.]+)\]")

_BASE = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_LABEL_START = f"{_BASE}_0-9"
_LABEL_INSIDE = f"{_LABEL_START}\u00b7\u0300-\u036f\u203f-\u2040\\-"

LANGUAGE = "[a-zA-Z]+(?:-[a-zA-Z0-9]+)*"
UNICODE_ESCAPE = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"

# Written as runs with escapes between them: a choice at every character would be several times slower.
_IRI_RUN = r'[^\x00-\x20<>"{}|^`\\]*'
_STRING_RUN = r'[^"\\\n\r]*'
IRI_TOKEN = re.compile(rf"<({_IRI_RUN}(?:(?:{UNICODE_ESCAPE}){_IRI_RUN})*)>")
STRING_TOKEN = re.compile(rf'"({_STRING_RUN}(?:(?:\\[tbnrf"\'\\]|{UNICODE_ESCAPE}){_STRING_RUN})*)"')
LANGUAGE_TOKEN = re.compile(f"@({LANGUAGE})")

_PLAIN_IRI = f"<{_iri('', '', '')}>"
_INTERNATIONAL_IRI = f"<{_iri(_UCSCHAR, _PRIVATE, '')}>"
_PLAIN_BLANK = r"_:[A-Za-z0-9_](?:[A-Za-z0-9_.\-]*[A-Za-z0-9_\-])?"
TERMINATOR = r"(?:[ \t]|[ \t]*\.[ \t]*\r?\n)"


def _token(iri: str) -> str:
    literal = rf'"(?:[^"\\\x00-\x1f]|\\[tbnrf"\\])*"(?:@{LANGUAGE}|\^\^{iri})?'
    return f"^(?:{iri}|{_PLAIN_BLANK}|{literal}){TERMINATOR}$"


# A term that is canonical as it stands, with the separator or the end of the statement behind it. The first is for
# text that is all ASCII: its automaton is several times smaller.
PLAIN_TOKEN = _token(_PLAIN_IRI)
INTERNATIONAL_TOKEN = _token(_INTERNATIONAL_IRI)
TOKEN_TRAIL = " \t.\r\n"

# A term that is canonical as it stands, in a store that takes any name; its datatype has to be looked at.
_PLAIN_TERM = rf'^(?:<{_IRI_RUN}>|{_PLAIN_BLANK}|"(?:[^"\\\x00-\x1f]|\\[tbnrf"\\])*"(?:@{LANGUAGE}|\^\^<{_IRI_RUN}>)?)$'


def not_plain(texts: Sequence[str]) -> list[str]:
    """Return those of many texts that are not the canonical texts of terms as they stand; the others are.

    Raise ``UnicodeEncodeError`` if one of them holds half of a surrogate pair.

    >>> not_plain(["<http://e.org/a>", "http://e.org/a", '"1"^^<http://e.org/d>', r'"caf\\u00E9"'])
    ['http://e.org/a', '"caf\\\\u00E9"']
    """
    from loaders.arrow import text_array

    array = text_array(texts)
    found: list[str] = array.filter(_not_plain(array)).to_pylist()
    return found


def plain_terms(texts: Sequence[str]) -> pa.DictionaryArray | None:
    """Return many texts ready to be encoded if they are the canonical texts of terms as they stand, else None."""
    import pyarrow.compute as pc

    from loaders.arrow import text_array

    try:
        distinct = text_array(texts).dictionary_encode()
    except UnicodeEncodeError:
        return None
    return None if pc.any(_not_plain(distinct.dictionary)).as_py() else distinct


def _not_plain(array: pa.StringArray) -> pa.BooleanArray:
    import pyarrow.compute as pc

    others = pc.invert(pc.match_substring_regex(array, _PLAIN_TERM))
    for datatype in (XSD_STRING, LANG_STRING):
        others = pc.or_(others, pc.ends_with(array, f"^^<{datatype}>"))
    return others


@cache
def blank_token() -> re.Pattern[str]:
    """Return the pattern of a blank node, compiled when it is first needed: it takes longer than a small file."""
    return re.compile(f"_:[{_LABEL_START}](?:[{_LABEL_INSIDE}.]*[{_LABEL_INSIDE}])?")


@lru_cache(maxsize=1 << 14)
def is_absolute_iri(iri: str) -> bool:
    """Tell whether ``iri`` is an absolute IRI after RFC 3987, a fragment allowed.

    >>> is_absolute_iri("http://example.org/caf%C3%A9#x"), is_absolute_iri("cafe"), is_absolute_iri("urn:a b")
    (True, False, False)
    """
    if re.fullmatch(_ABSOLUTE_IRI, iri) is None:
        return False
    if "[" in iri and (match := _IPV6.match(iri)):
        try:
            ipaddress.IPv6Address(match[1])
        except ValueError:
            return False
    return True


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
    loaders.grammar.LineError: column 26: expected an IRI, a blank node or a literal as object
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
        iri, position = _iri_at(line, position)
        return f"<{iri}>", position
    if first == "_":
        match = blank_token().match(line, position)
        if match is None:
            raise LineError(position + 1, "invalid blank node label")
        return match[0], match.end()
    return _literal(line, position)


def _iri_at(line: str, position: int) -> tuple[str, int]:
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
        datatype, end = _iri_at(line, start)
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
