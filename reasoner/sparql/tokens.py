"""The text of a query or update as tokens, and the errors that name a place in it (SPARQL 1.1, 19.2 to 19.8).

No expression here backtracks over what it has matched, so that a text is read in time linear in its length, whatever
it says: repeated classes are possessive, no two ways lead through a repeated group, and some token always matches.

The base and the prefixes of a query: IRIs made absolute, prefixed names written out, unknown prefixes told.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from urllib.parse import urljoin

from loaders.errors import MOST_NESTED
from loaders.terms import lone_surrogate, unescape
from reasoner.rules.parser import NAME_REST, NAME_START
from reasoner.rules.prefixes import PREDECLARED
from reasoner.sparql.errors import QuerySyntaxError

_ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.!$&'()*+,;=/?#@%-]"
_DOTTED = rf"(?:[{NAME_REST}]++|\.++(?=[{NAME_REST}]))*"
_EXPONENT = r"[eE][+-]?[0-9]++"

# Each kind of token and how it is written; of two that match, the first counts. Words and marks are kinds of their own.
_TABLE = (
    ("iri", r'<[^<>"{}|^`\\\x00-\x20]*+>'),
    ("variable", rf"[?$][{NAME_START}_0-9][{NAME_START}_0-9\u00B7\u0300-\u036F\u203F\u2040]*+"),
    ("blank", rf"_:[{NAME_START}_0-9]{_DOTTED}"),
    (
        "name",
        rf"(?:[{NAME_START}]{_DOTTED})?:"
        rf"(?:(?:[{NAME_START}_0-9:]|{_ESCAPED})(?:[{NAME_REST}:]++|{_ESCAPED}|\.++(?=[{NAME_REST}:%\\]))*)?",
    ),
    ("word", r"[A-Za-z_][A-Za-z_0-9]*+"),
    (
        "number",
        rf"[+-]?(?:[0-9]++(?:\.[0-9]*+{_EXPONENT}|\.[0-9]++|{_EXPONENT})?|\.[0-9]++(?:{_EXPONENT})?)",
    ),
    (
        "string",
        r'"""(?:"{0,2}(?:[^"\\]++|\\.))*"""'
        r"|'''(?:'{0,2}(?:[^'\\]++|\\.))*'''"
        r'|"(?:[^"\\\n\r]++|\\.)*"'
        r"|'(?:[^'\\\n\r]++|\\.)*'",
    ),
    ("language", r"@[A-Za-z]++(?:-[A-Za-z0-9]++)*"),
    ("mark", r"\^\^|&&|\|\||!=|<=|>=|[{}()\[\];,.|^/*+\-!=<>?]"),
    ("end", r"\Z"),
    ("bad", r"."),
)
_TOKEN = re.compile(
    r"(?:[ \t\r\n]++|\#[^\n\r]*+)*(?:" + "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _TABLE) + ")",
    re.DOTALL,
)

# A pair of backslashes is none that begins an escape: the literal "\\u0041" holds a backslash, in every syntax of RDF.
_CODE_POINT = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|\\)")
_UNKNOWN_ESCAPE = re.compile(r"""(?:[^\\]++|\\[tbnrf"'\\])*""")
_MOST_SHOWN = 60

KEYWORDS = frozenset(
    {
        *("ADD", "ALL", "AS", "ASC", "ASK", "BASE", "BIND", "BY", "CLEAR", "CONSTRUCT", "COPY", "CREATE"),
        *("DATA", "DEFAULT", "DELETE", "DESC", "DESCRIBE", "DISTINCT", "DROP", "EXISTS", "FILTER", "FROM"),
        *("GRAPH", "GROUP", "HAVING", "IN", "INSERT", "INTO", "LIMIT", "LOAD", "MINUS", "MOVE", "NAMED"),
        *("NOT", "OFFSET", "OPTIONAL", "ORDER", "PREFIX", "REDUCED", "SELECT", "SEPARATOR", "SERVICE"),
        *("SILENT", "TO", "UNDEF", "UNION", "USING", "VALUES", "WHERE", "WITH"),
    }
)


class Tokens:
    """The tokens of one text, one at a time: ``kind``, ``value`` and ``place`` are those of the one to be read next.

    The kind of a word is that word in capitals, but for ``a``; the kind of a mark is the mark. The last token of every
    text has the kind ``end``, and what is no token the kind ``bad``. ``unit`` is what errors call the whole text.

    >>> tokens = Tokens("select ?x", "query")
    >>> tokens.kind, tokens.take("SELECT"), tokens.kind, tokens.value
    ('SELECT', True, 'variable', '?x')
    """

    __slots__ = ("_depth", "_end", "_escapes", "_source", "_text", "kind", "place", "unit", "value")

    def __init__(self, text: str, unit: str) -> None:
        self.unit = unit
        self._source = self._text = text
        # Where escapes of code points stand in the text as it was given, and how long each is.
        self._escapes: list[tuple[int, int]] = []
        self._depth = 0
        self._end = 0
        self.kind = self.value = ""
        self.place = 0
        if (place := lone_surrogate(text)) is not None:
            raise self.error("half of a surrogate pair is no Unicode character", place)
        if "\\u" in text or "\\U" in text:
            self._resolve_escapes()
        self.advance()

    def advance(self) -> None:
        """Go on to the next token."""
        match = _TOKEN.match(self._text, self._end)
        assert match is not None and match.lastgroup is not None
        kind = match.lastgroup
        value = self.value = match[kind]
        self._end = match.end()
        self.place = self._end - len(value)
        if kind == "word":
            self.kind = "a" if value == "a" else value.upper()
        else:
            self.kind = value if kind == "mark" else kind

    def take(self, kind: str) -> bool:
        """Go on if the token is of a kind, and tell whether it was."""
        if self.kind != kind:
            return False
        self.advance()
        return True

    def expect(self, kind: str) -> str:
        """Go on from a token that has to be of a kind, and return its text."""
        if self.kind != kind:
            raise self.unexpected(kind)
        value = self.value
        self.advance()
        return value

    def open(self, bracket: str) -> None:
        """Go on from an opening bracket; that of one level too many is an error."""
        if self.kind != bracket:
            raise self.unexpected(bracket)
        if self._depth == MOST_NESTED:
            raise self.error(
                f"the {self.unit} is nested too deeply to be followed; write it flatter (at most {MOST_NESTED} levels)",
                self.place,
            )
        self._depth += 1
        self.advance()

    def close(self, bracket: str) -> None:
        """Go on from a closing bracket, which ends what ``open`` began."""
        self.expect(bracket)
        self._depth -= 1

    def text_of_string(self) -> str:
        """Go on from a string, and return what it says."""
        value, place = self.value, self.place
        self.expect("string")
        width = 3 if value.startswith(('"""', "'''")) else 1
        if "\\" not in value:
            return value[width:-width]
        known = _UNKNOWN_ESCAPE.match(value)
        assert known is not None
        if known.end() < len(value):
            raise self.error(
                rf"unknown escape {value[known.end() : known.end() + 2]}; a backslash is written \\",
                place + known.end(),
            )
        return unescape(value[width:-width])

    def unexpected(self, *expected: str, known: Collection[str] = KEYWORDS) -> QuerySyntaxError:
        """Return the error of a token that cannot stand where it does: what is there, and what could be.

        A word that is like one of the ``known`` ones is taken for a mistake in spelling it.
        """
        if self.kind == "end":
            message = f"unexpected end of the {self.unit}"
        elif self.kind == "bad" and self.value in "\"'":
            return self._unclosed()
        else:
            shown = self.value if len(self.value) <= _MOST_SHOWN else self.value[:_MOST_SHOWN] + "..."
            message = f"unexpected {shown!r}"
            is_word = self.kind == self.value.upper() and self.kind not in known
            if is_word and self.value.isidentifier() and (near := nearest(self.kind, known)):
                return self.error(f"{message}, did you mean {near}?", self.place)
        if expected:
            message += ", expected " + " or ".join(map(_described, expected))
        return self.error(message, self.place)

    def error(self, message: str, place: int) -> QuerySyntaxError:
        """Return an error at a place of the text."""
        return QuerySyntaxError(message, self._source, self.written(place))

    def written(self, place: int) -> int:
        """Return where a place is in the text as it was given, in which code points may be escapes."""
        for start, length in self._escapes:
            if start >= place:
                break
            place += length - 1
        return place

    def _unclosed(self) -> QuerySyntaxError:
        # Two quotes before the one that cannot be read are no empty string but the beginning of a long one.
        quotes = self.value * 2
        start = self.place - 2 * (self._text[max(0, self.place - 2) : self.place] == quotes)
        if start < self.place:
            return self.error(f"the string that begins here is not closed by {quotes}{self.value}", start)
        return self.error("the string is not closed on its line; use three quotes for one of several lines", start)

    def _resolve_escapes(self) -> None:
        r"""Resolve ``\uXXXX`` and ``\UXXXXXXXX``, which may stand anywhere in a query (19.2)."""

        def character(match: re.Match[str]) -> str:
            digits = match[1] or match[2]
            if digits is None:
                return match[0]
            number = int(digits, 16)
            if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
                raise QuerySyntaxError(f"{match[0]} is not a Unicode character", self._source, match.start())
            self._escapes.append((match.start(), len(match[0])))
            return chr(number)

        self._text = _CODE_POINT.sub(character, self._source)


def nearest(word: str, known: Iterable[str], first: Collection[str] = ()) -> str | None:
    """Return the known word that less than half of the letters differ from; those that come ``first``, and then those
    of equal length, are preferred.

    >>> nearest("FILTR", KEYWORDS), nearest("rdsf", ["owl", "rdfs"]), nearest("xyzzy", KEYWORDS)
    ('FILTER', 'rdfs', None)
    """
    ranked = []
    for candidate in known if len(word) <= _MOST_SHOWN else ():
        if 2 * abs(len(word) - len(candidate)) >= max(len(word), len(candidate)):
            continue
        distance = _distance(word.lower(), candidate.lower())
        if 2 * distance < max(len(word), len(candidate)):
            ranked.append((distance, candidate not in first, abs(len(candidate) - len(word)), candidate))
    return min(ranked)[-1] if ranked else None


def _distance(left: str, right: str) -> int:
    """Return how many letters to insert, to drop, to replace, or to exchange with the next lead from one to the other.

    >>> _distance("rdsf", "rdfs"), _distance("foaff", "foaf"), _distance("ab", "xyz")
    (1, 1, 3)
    """
    before: list[int] = []
    last = list(range(len(right) + 1))
    for place, letter in enumerate(left, 1):
        row = [place]
        for other, wanted in enumerate(right, 1):
            best = min(last[other] + 1, row[-1] + 1, last[other - 1] + (letter != wanted))
            if place > 1 and other > 1 and (letter, left[place - 2]) == (right[other - 2], wanted):
                best = min(best, before[other - 2] + 1)
            row.append(best)
        before, last = last, row
    return last[-1]


def _described(kind: str) -> str:
    """Return how an error calls a kind of token, or what it was given as it is: marks and keywords in quotes."""
    named = {"iri": "an IRI", "variable": "a variable", "string": "a string", "number": "a number", "end": "the end"}
    if kind in named:
        return named[kind]
    return repr(kind) if kind.isupper() or not kind[0].isalpha() else kind


WELL_KNOWN: Mapping[str, str] = {
    **PREDECLARED,
    "foaf": "http://xmlns.com/foaf/0.1/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dcterms": "http://purl.org/dc/terms/",
    "dct": "http://purl.org/dc/terms/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "schema": "https://schema.org/",
    "prov": "http://www.w3.org/ns/prov#",
    "dcat": "http://www.w3.org/ns/dcat#",
    "void": "http://rdfs.org/ns/void#",
    "sh": "http://www.w3.org/ns/shacl#",
    "geo": "http://www.opengis.net/ont/geosparql#",
}

# How an absolute IRI begins.
ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:")
_LOCAL_ESCAPE = re.compile(r"\\(.)")


class Names:
    """The base and the prefixes that hold where the tokens are; ``declarations`` adds to them."""

    def __init__(self, tokens: Tokens, base: str, prefixes: Mapping[str, str]) -> None:
        self._tokens = tokens
        self.base = base
        self.prefixes = dict(prefixes)

    def declarations(self) -> None:
        """Read BASE and PREFIX, as many as there are."""
        tokens = self._tokens
        while True:
            if tokens.take("BASE"):
                self.base = self._reference()
            elif tokens.take("PREFIX"):
                declared = tokens.value
                if tokens.kind != "name" or not declared.endswith(":") or declared.index(":") != len(declared) - 1:
                    raise tokens.unexpected("a prefix with its colon")
                tokens.advance()
                self.prefixes[declared[:-1]] = self._reference()
            else:
                return

    def iri(self) -> str:
        """Read an IRI or a prefixed name; return its canonical text."""
        tokens = self._tokens
        if tokens.kind != "name":
            return f"<{self._reference()}>"
        prefix, _, local = tokens.value.partition(":")
        if prefix not in self.prefixes:
            raise tokens.error(unknown_prefix(prefix, self.prefixes), tokens.place)
        tokens.advance()
        if "\\" in local:
            local = _LOCAL_ESCAPE.sub(r"\1", local)
        return f"<{self.prefixes[prefix]}{local}>"

    def _reference(self) -> str:
        """Read an IRI in angle brackets, and make it absolute."""
        place = self._tokens.place
        iri = self._tokens.expect("iri")[1:-1]
        if not self.base or ABSOLUTE.match(iri):
            return iri
        try:
            resolved = urljoin(self.base, iri)
        except ValueError as error:
            raise self._tokens.error(f"<{iri}> cannot be made absolute: {error}", place) from None
        # An empty fragment is a fragment, which the library leaves out.
        return resolved + "#" if iri.endswith("#") and not resolved.endswith("#") else resolved


def unknown_prefix(prefix: str, declared: Mapping[str, str]) -> str:
    """Return a message that names the remedy: the declaration that is missing, or the prefix that was meant.

    >>> unknown_prefix("rdsf", {})
    'unknown prefix rdsf:, did you mean rdfs:? then add PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>'
    >>> unknown_prefix("xyzzy", {})
    'unknown prefix xyzzy:; declare it with PREFIX xyzzy: <...>'
    """
    message = f"unknown prefix {prefix}:"
    if prefix in WELL_KNOWN:
        return f"{message}; add PREFIX {prefix}: <{WELL_KNOWN[prefix]}>"
    near = nearest(prefix, {**declared, **WELL_KNOWN}, declared)
    if near is None:
        return f"{message}; declare it with PREFIX {prefix}: <...>"
    remedy = "" if near in declared else f" then add PREFIX {near}: <{WELL_KNOWN[near]}>"
    return f"{message}, did you mean {near}:?{remedy}"
