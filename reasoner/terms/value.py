"""The value that a literal denotes, when two literals denote the same one, and which of two comes first.

Identity is that of the OWL 2 datatype map, which follows XML Schema 1.1: all decimal and integer datatypes share one
value space; floats, doubles and decimals are disjoint; the two zeros of a float are different values, NaN is one
value; the same instant told in two time zones is two values. Order is looser, as in SPARQL: numbers of all kinds
compare by magnitude, moments by instant, so that two values can be neither identical nor ordered apart.

The canonical text of a literal, taken apart and put together the way that values need it.

Lexical forms of numbers to exact values: decimals, and IEEE floats of both widths.

The string datatypes: white space, and which strings belong to which of them.

The value of an ``rdf:XMLLiteral``: its content in canonical XML.

Lexical forms of dates and times to points of XML Schema's timeline, with or without a time zone.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache, partial
from math import isnan

from loaders import terms
from loaders.terms import LANG_STRING, XSD_STRING, escape, lone_surrogate, unescape
from reasoner.terms.hierarchy import INTEGER_RANGES, PLAIN_LITERAL, XML_LITERAL
from reasoner.terms.term import XSD, CacheRoom

__all__ = [
    "LANG_STRING",
    "XSD_STRING",
    "escape",
    "literal_parts",
    "literal_text",
    "lone_surrogate",
    "unescape",
]


def literal_parts(text: str) -> tuple[str, str, str | None]:
    r"""Take a literal apart into its unescaped lexical form, datatype IRI and language tag.

    Raises ``ValueError`` for a text that is no literal.

    >>> literal_parts('"a\\"b"')
    ('a"b', 'http://www.w3.org/2001/XMLSchema#string', None)
    >>> literal_parts('"chat"@fr')
    ('chat', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString', 'fr')
    """
    parts = terms.literal_parts(text)
    return parts.lexical, parts.datatype, parts.language


def literal_text(lexical: str, datatype: str = XSD_STRING, language: str | None = None) -> str:
    r"""Write a literal as its canonical text; ``lexical`` is unescaped, ``language`` wins over ``datatype``.

    >>> literal_text('say "hi"\n')
    '"say \\"hi\\"\\n"'
    >>> literal_text("5", "http://www.w3.org/2001/XMLSchema#integer")
    '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'
    """
    return terms.literal_text(lexical, language, datatype)


_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[Ee][+-]?[0-9]+)?")
_SPECIAL_FLOATS = {"INF": math.inf, "+INF": math.inf, "-INF": -math.inf, "NaN": math.nan}


def parse_integer(lexical: str) -> Decimal | None:
    """Read an integer of any length; None if it is not one.

    The result is a ``Decimal`` because Python caps the number of digits that ``int`` reads from a text.
    """
    return Decimal(lexical) if _INTEGER.fullmatch(lexical) else None


def parse_decimal(lexical: str) -> Decimal | None:
    """Read a decimal number exactly; None if it is not one."""
    return Decimal(lexical) if _DECIMAL.fullmatch(lexical) else None


def parse_double(lexical: str) -> float | None:
    """Read a number as the nearest IEEE double; None if it is not one."""
    if lexical in _SPECIAL_FLOATS:
        return _SPECIAL_FLOATS[lexical]
    return float(lexical) if _FLOAT.fullmatch(lexical) else None


def parse_float(lexical: str) -> float | None:
    """Read a number as the nearest IEEE single, widened to a Python float; None if it is not one."""
    double = parse_double(lexical)
    if double is None or double == 0.0 or not math.isfinite(double):
        return double
    try:
        return float(struct.unpack("<f", struct.pack("<f", _rounded_to_odd(double, Decimal(lexical))))[0])
    except OverflowError:
        return math.copysign(math.inf, double)


def is_integral(number: Decimal) -> bool:
    """Tell whether a decimal has no fraction, however many digits it has."""
    return number == number.to_integral_value()


def float_identity(number: float) -> str:
    """Return a text that is equal for identical floats only: it tells the two zeros apart, and NaN is NaN."""
    return number.hex()


def _rounded_to_odd(double: float, exact: Decimal) -> float:
    """Return the neighbour of ``exact`` with an odd last bit unless ``double`` is exact.

    Rounding to the nearest double and then to the nearest single can miss the nearest single by one step when
    the double lands halfway between two singles; halfway points have an even last bit, so an odd one is never halfway.
    """
    nearest = Decimal(double)
    if nearest == exact or struct.unpack("<q", struct.pack("<d", double))[0] & 1:
        return double
    return math.nextafter(double, math.inf if nearest < exact else -math.inf)


_NAME_START = (
    r"A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F\u2C00-\u2FEF"
    r"\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_NAME_REST = _NAME_START + r"0-9.\u00B7\u0300-\u036F\u203F\u2040\-"

# Characters of XML 1.1, which XML Schema 1.1 allows: control characters are in, NUL and non-characters are not.
_NOT_A_CHARACTER = re.compile("[\x00\ud800-\udfff\ufffe\uffff]")
_LANGUAGE = r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*"
_WHITE_SPACE_RUN = re.compile(r"[\t\n\r ]+")

# Left to be compiled when they are first needed, because names of all scripts take long to compile.
_STRING_PATTERNS: Mapping[str, str] = {
    XSD + "string": r"(?s:.*)",
    XSD + "normalizedString": r"[^\t\n\r]*",
    XSD + "token": r"(?:[^\t\n\r ]+(?: [^\t\n\r ]+)*)?",
    XSD + "NMTOKEN": f"[{_NAME_REST}:]+",
    XSD + "Name": f"[{_NAME_START}:][{_NAME_REST}:]*",
    XSD + "NCName": f"[{_NAME_START}][{_NAME_REST}]*",
    XSD + "language": _LANGUAGE,
}

STRING_DATATYPES: frozenset[str] = frozenset(_STRING_PATTERNS)


def is_string_of(datatype: str, string: str) -> bool:
    """Tell whether a string belongs to the value space of one of ``STRING_DATATYPES``.

    >>> is_string_of(XSD + "NCName", "a:b"), is_string_of(XSD + "Name", "a:b")
    (False, True)
    """
    return re.fullmatch(_STRING_PATTERNS[datatype], string) is not None and is_character_string(string)


def is_character_string(string: str) -> bool:
    """Tell whether every character of a string is one that XML can hold."""
    return _NOT_A_CHARACTER.search(string) is None


def is_language_tag(tag: str) -> bool:
    """Tell whether a text has the shape of a language tag."""
    return re.fullmatch(_LANGUAGE, tag) is not None


def normalize_string(datatype: str, lexical: str) -> str:
    """Apply the white space rule of a string datatype: preserve, replace or collapse."""
    if datatype == XSD + "string":
        return lexical
    if datatype == XSD + "normalizedString":
        return lexical.translate({9: " ", 10: " ", 13: " "})
    return collapse(lexical)


def collapse(lexical: str) -> str:
    """Collapse white space as XML Schema does for everything but strings.

    >>> collapse("  a   b ")
    'a b'
    """
    return _WHITE_SPACE_RUN.sub(" ", lexical).strip(" ")


def canonical_xml(lexical: str) -> str | None:
    """Return the canonical form of well-formed XML content; None if it is not well-formed.

    Contents with the same elements, attributes and text have the same form, whatever the order of attributes, the
    quotes or the abbreviation of empty elements.

    >>> canonical_xml("<b y='2' x='1'/>")
    '<b x="1" y="2"></b>'
    """
    from xml.etree import ElementTree

    # The wrapper makes a document of the content; it also keeps a document type, and so any entity, out.
    try:
        document = ElementTree.canonicalize(f"<content>{lexical}</content>", with_comments=True)
    except (ElementTree.ParseError, UnicodeEncodeError):
        return None
    return document.removeprefix("<content>").removesuffix("</content>")


_YEAR = r"(?P<year>-?(?:[1-9][0-9]{3,}|0[0-9]{3}))"
_MONTH = r"(?P<month>0[1-9]|1[0-2])"
_DAY = r"(?P<day>0[1-9]|[12][0-9]|3[01])"
_CLOCK = (
    r"(?:(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9]):(?P<second>[0-5][0-9])(?:\.(?P<fraction>[0-9]+))?"
    r"|(?P<midnight>24:00:00(?:\.0+)?))"
)
_ZONE = r"(?P<zone>Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))"

_PATTERNS = {
    "dateTime": re.compile(f"{_YEAR}-{_MONTH}-{_DAY}T{_CLOCK}{_ZONE}?"),
    "dateTimeStamp": re.compile(f"{_YEAR}-{_MONTH}-{_DAY}T{_CLOCK}{_ZONE}"),
    "date": re.compile(f"{_YEAR}-{_MONTH}-{_DAY}{_ZONE}?"),
    "time": re.compile(f"{_CLOCK}{_ZONE}?"),
    "gYearMonth": re.compile(f"{_YEAR}-{_MONTH}{_ZONE}?"),
    "gYear": re.compile(f"{_YEAR}{_ZONE}?"),
}

_DAY_SECONDS = 86_400
# The widest offset from universal time, in minutes: it bounds what a moment without a zone can stand for.
_WIDEST_OFFSET = 14 * 60


@dataclass(frozen=True, slots=True)
class Moment:
    """A local time in seconds since 0000-03-01, with its offset from universal time in minutes if it has one.

    Equality is identity in the sense of XML Schema 1.1 and of OWL 2: the same instant told in two time zones is two
    values, although neither comes before the other.
    """

    seconds: int
    fraction: Decimal
    offset: int | None

    def compare(self, other: Moment) -> int | None:
        """Order two moments on the timeline; None where the missing time zone of one of them would decide."""
        if (self.offset is None) == (other.offset is None):
            mine, theirs = self._universal(0), other._universal(0)
            return (mine > theirs) - (mine < theirs)
        if self.offset is None:
            if self._universal(-_WIDEST_OFFSET) < other._universal(0):
                return -1
            return 1 if self._universal(_WIDEST_OFFSET) > other._universal(0) else None
        order = other.compare(self)
        return None if order is None else -order

    def _universal(self, assumed_offset: int) -> tuple[int, Decimal]:
        offset = assumed_offset if self.offset is None else self.offset
        return self.seconds - 60 * offset, self.fraction


def parse_moment(kind: str, lexical: str) -> Moment | None:
    """Read ``dateTime``, ``dateTimeStamp``, ``date``, ``time``, ``gYearMonth`` or ``gYear``; None if it is not one.

    What a kind leaves open takes its first moment, as XML Schema orders them.

    >>> parse_moment("date", "2001-02-29") is None
    True
    """
    match = _PATTERNS[kind].fullmatch(lexical)
    if match is None:
        return None
    fields = match.groupdict()
    # Python caps the digits that int() reads from a text, but not those that it takes from a Decimal.
    year, month, day = (
        int(Decimal(fields.get("year") or 1972)),
        int(fields.get("month") or 1),
        int(fields.get("day") or 1),
    )
    if day > _days_in_month(year, month):
        return None
    days = _days_since_epoch(year, month, day)
    if fields.get("midnight"):
        # Midnight at the end of a day is the start of the next one; a time of day has no next day to go to.
        clock = 0 if kind == "time" else _DAY_SECONDS
    else:
        clock = (int(fields.get("hour") or 0) * 60 + int(fields.get("minute") or 0)) * 60 + int(
            fields.get("second") or 0
        )
    fraction = Decimal("0." + (fields.get("fraction") or "0"))
    return Moment(days * _DAY_SECONDS + clock, fraction, _offset(fields["zone"]))


def _offset(zone: str | None) -> int | None:
    if zone is None or zone == "Z":
        return None if zone is None else 0
    minutes = int(zone[1:3]) * 60 + int(zone[4:6])
    return -minutes if zone[0] == "-" else minutes


def _days_in_month(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _days_since_epoch(year: int, month: int, day: int) -> int:
    """Count the days since 0000-03-01 of the proleptic Gregorian calendar, which Python's ``datetime`` cannot reach."""
    # A year that begins in March puts the leap day last, so that month lengths follow one linear rule.
    year, month = (year - 1, month + 9) if month < 3 else (year, month - 3)
    return year * 365 + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 1


# Value spaces; values of different spaces are never identical.
DECIMAL, FLOAT, DOUBLE = "decimal", "float", "double"
STRING, LANGUAGE_STRING, BOOLEAN, ANY_URI = "string", "langString", "boolean", "anyURI"
HEX_BINARY, BASE64_BINARY, XML = "hexBinary", "base64Binary", "XMLLiteral"
DATE_TIME = "dateTime"

_NUMERIC = frozenset({DECIMAL, FLOAT, DOUBLE})
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*")
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?")
_ROOM = CacheRoom()
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Value:
    """A data value: equal iff identical. ``rank`` is what it is ordered by, None in spaces without an order."""

    space: str
    identity: Hashable
    rank: Decimal | float | str | Moment | None = field(default=None, compare=False)


@lru_cache(maxsize=8192)
def value_of(text: str) -> Value | None:
    """Return the value of a literal; None if it is ill-typed or of a datatype that is not supported.

    >>> value_of('"05"^^<http://www.w3.org/2001/XMLSchema#byte>')
    Value(space='decimal', identity=Decimal('5'), rank=Decimal('5'))
    >>> value_of('"256"^^<http://www.w3.org/2001/XMLSchema#unsignedByte>') is None
    True
    """
    _ROOM.take(text, value_of.cache_clear)
    lexical, datatype, language = literal_parts(text)
    if language is not None:
        return Value(LANGUAGE_STRING, (lexical, language.lower()))
    parse = _PARSERS.get(datatype)
    return None if parse is None else parse(lexical)


def is_understood(datatype: str) -> bool:
    """Tell whether literals of a datatype have values here: if so, a literal of it without a value is ill-typed."""
    return datatype in _PARSERS


def value_key(text: str) -> Hashable:
    """Return a key that is equal for two literals iff they denote the same value.

    A literal without a known value is equal to itself alone. Strings have their own text as key, so that the bulk of
    the literals of a store costs nothing.

    >>> value_key('"1.0"^^<http://www.w3.org/2001/XMLSchema#decimal>') == value_key(
    ...     '"1"^^<http://www.w3.org/2001/XMLSchema#int>')
    True
    """
    if text.endswith('"'):
        return text
    value = value_of(text)
    if value is None:
        return text
    return literal_text(str(value.identity)) if value.space == STRING else value


def key_name(key: Hashable) -> str:
    """Return a text that is the same, in every process, for keys that are equal; few others share it.

    >>> number = "http://www.w3.org/2001/XMLSchema#decimal"
    >>> key_name(value_key(f'"1.0"^^<{number}>')) == key_name(value_key(f'"1"^^<{number}>'))
    True
    """
    if not isinstance(key, Value):
        return str(key)
    identity = key.identity
    if isinstance(identity, Moment):
        return f"{key.space} {identity.seconds} {hash(identity.fraction)} {identity.offset}"
    # Numbers that are equal are written in several ways; their hash is the same in every process.
    return f"{key.space} {hash(identity) if isinstance(identity, Decimal) else repr(identity)}"


def compare(first: str, second: str) -> int | None:
    """Order two literals: -1, 0 or 1; None if they have no order, such as a string and a number, or NaN and anything.

    Zero means that neither comes first, which is looser than having the same value: ``1`` and ``1.0e0`` compare as 0.
    """
    if not (first.startswith('"') and second.startswith('"')):
        return None
    left, right = value_of(first), value_of(second)
    return None if left is None or right is None else compare_values(left, right)


def compare_values(left: Value, right: Value) -> int | None:
    """Order two values; see ``compare``."""
    if left.space in _NUMERIC and right.space in _NUMERIC:
        return _compare_numbers(left.rank, right.rank)
    if left.space != right.space:
        return None
    if isinstance(left.rank, Moment) and isinstance(right.rank, Moment):
        return left.rank.compare(right.rank)
    if isinstance(left.rank, str) and isinstance(right.rank, str):
        return (left.rank > right.rank) - (left.rank < right.rank)
    return 0 if left == right else None


def _compare_numbers(left: object, right: object) -> int | None:
    # Python compares a Decimal and a float exactly, without rounding either.
    if not isinstance(left, Decimal | float) or not isinstance(right, Decimal | float):
        return None
    if isnan(left) or isnan(right):
        return None
    return (left > right) - (left < right)


def _decimal_value(lexical: str) -> Value | None:
    number = parse_decimal(collapse(lexical))
    return None if number is None else Value(DECIMAL, number, number)


def _integer_value(low: Decimal | None, high: Decimal | None, lexical: str) -> Value | None:
    number = parse_integer(collapse(lexical))
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        return None
    return Value(DECIMAL, number, number)


def _float_value(space: str, parse: Callable[[str], float | None], lexical: str) -> Value | None:
    number = parse(collapse(lexical))
    return None if number is None else Value(space, float_identity(number), number)


def _string_value(datatype: str, lexical: str) -> Value | None:
    string = normalize_string(datatype, lexical)
    return Value(STRING, string, string) if is_string_of(datatype, string) else None


def _plain_value(lexical: str) -> Value | None:
    string, at, tag = lexical.rpartition("@")
    if not at or not is_character_string(string) or not (tag == "" or is_language_tag(tag)):
        return None
    return Value(LANGUAGE_STRING, (string, tag.lower())) if tag else Value(STRING, string, string)


def _boolean_value(lexical: str) -> Value | None:
    truth = _BOOLEANS.get(collapse(lexical))
    # Ordered as texts: "false" comes before "true".
    return None if truth is None else Value(BOOLEAN, truth, str(truth).lower())


def _hex_value(lexical: str) -> Value | None:
    digits = collapse(lexical)
    return Value(HEX_BINARY, bytes.fromhex(digits)) if _HEX.fullmatch(digits) else None


def _base64_value(lexical: str) -> Value | None:
    digits = collapse(lexical).replace(" ", "")
    return Value(BASE64_BINARY, base64.b64decode(digits)) if _BASE64.fullmatch(digits) else None


def _uri_value(lexical: str) -> Value | None:
    return Value(ANY_URI, collapse(lexical)) if is_character_string(lexical) else None


def _xml_value(lexical: str) -> Value | None:
    content = canonical_xml(lexical)
    return None if content is None else Value(XML, content)


def _moment_value(space: str, kind: str, lexical: str) -> Value | None:
    moment = parse_moment(kind, collapse(lexical))
    return None if moment is None else Value(space, moment, moment)


# Beyond the required datatypes, dates, times and years have values too, so that rules can compare them.
_PARSERS: Mapping[str, Callable[[str], Value | None]] = {
    XSD + "decimal": _decimal_value,
    **{datatype: partial(_integer_value, low, high) for datatype, (low, high) in INTEGER_RANGES.items()},
    XSD + "float": partial(_float_value, FLOAT, parse_float),
    XSD + "double": partial(_float_value, DOUBLE, parse_double),
    **{datatype: partial(_string_value, datatype) for datatype in STRING_DATATYPES},
    PLAIN_LITERAL: _plain_value,
    XML_LITERAL: _xml_value,
    XSD + "boolean": _boolean_value,
    XSD + "hexBinary": _hex_value,
    XSD + "base64Binary": _base64_value,
    XSD + "anyURI": _uri_value,
    XSD + "dateTime": partial(_moment_value, DATE_TIME, "dateTime"),
    XSD + "dateTimeStamp": partial(_moment_value, DATE_TIME, "dateTimeStamp"),
    **{XSD + kind: partial(_moment_value, kind, kind) for kind in ("date", "time", "gYearMonth", "gYear")},
}
