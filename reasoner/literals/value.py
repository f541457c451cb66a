"""The value that a literal denotes, when two literals denote the same one, and which of two comes first.

Identity is that of the OWL 2 datatype map, which follows XML Schema 1.1: all decimal and integer datatypes share one
value space; floats, doubles and decimals are disjoint; the two zeros of a float are different values, NaN is one
value; the same instant told in two time zones is two values. Order is looser, as in SPARQL: numbers of all kinds
compare by magnitude, moments by instant, so that two values can be neither identical nor ordered apart.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache, partial
from math import isnan

from reasoner.literals.cache_room import CacheRoom
from reasoner.literals.hierarchy import INTEGER_RANGES, PLAIN_LITERAL, XML_LITERAL
from reasoner.literals.numeric import float_identity, parse_decimal, parse_double, parse_float, parse_integer
from reasoner.literals.strings import (
    STRING_DATATYPES,
    collapse,
    is_character_string,
    is_language_tag,
    is_string_of,
    normalize_string,
)
from reasoner.literals.text import literal_parts, literal_text
from reasoner.literals.timeline import Moment, parse_moment
from reasoner.literals.xml_literal import canonical_xml
from reasoner.rules.term import XSD

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
