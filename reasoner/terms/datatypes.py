"""Membership of literals in value spaces, and the constraining facets that narrow them.

XML Schema regular expressions in Python's dialect, for the ``xsd:pattern`` facet.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from reasoner.terms.hierarchy import (
    INTEGER_RANGES,
    PLAIN_LITERAL,
    RDFS_LITERAL,
    SUPERTYPES,
    SUPPORTED,
    XML_LITERAL,
    all_supertypes,
)
from reasoner.terms.term import RDF, XSD
from reasoner.terms.value import (
    ANY_URI,
    BASE64_BINARY,
    BOOLEAN,
    DATE_TIME,
    DECIMAL,
    DOUBLE,
    FLOAT,
    HEX_BINARY,
    LANGUAGE_STRING,
    STRING,
    STRING_DATATYPES,
    XML,
    Moment,
    Value,
    compare_values,
    is_integral,
    is_string_of,
    is_understood,
    literal_parts,
    value_of,
)

_WHITE_SPACE = " \\t\\n\\r"
# What means the same in both dialects after a backslash; multi-character escapes such as \i, \c, \p and \w do not.
_SHARED_ESCAPES = frozenset("ntr\\|.?*+(){}-[]^dD")


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> re.Pattern[str] | None:
    r"""Translate a pattern; None if it is malformed or uses what Python has no counterpart for.

    A string satisfies the facet iff the whole of it matches (``fullmatch``). ``^`` and ``$`` are ordinary
    characters, ``.`` excludes both line ends, ``\s`` is the four white space characters of XML.

    >>> bool(compile_pattern("[0-9]{3}-[a-z.]+").fullmatch("123-a.b"))
    True
    >>> compile_pattern(r"\p{Lu}") is None
    True
    """
    translated = _translate(pattern)
    try:
        return None if translated is None else re.compile(translated)
    except re.error:
        return None


def _translate(pattern: str) -> str | None:
    pieces: list[str] = []
    in_class = False
    position = 0
    while position < len(pattern):
        character = pattern[position]
        following = pattern[position + 1 : position + 2]
        position += 1
        if character == "\\":
            position += 1
            if following == "s":
                pieces.append(_WHITE_SPACE if in_class else f"[{_WHITE_SPACE}]")
            elif following == "S" and not in_class:
                pieces.append(f"[^{_WHITE_SPACE}]")
            elif following in _SHARED_ESCAPES and following:
                pieces.append(character + following)
            else:
                return None
        elif in_class:
            # A class inside a class is XML Schema's set difference.
            if character == "[":
                return None
            in_class = character != "]"
            # A doubled mark is a set operation in some dialects, and Python warns of it.
            pieces.append("\\" + character if character in "&~|" else character)
        elif character == "[":
            in_class = True
            pieces.append(character)
            if following == "^":
                pieces.append(following)
                position += 1
        elif character == "(" and following == "?":
            return None
        else:
            pieces.append({"^": "\\^", "$": "\\$", ".": "[^\\n\\r]"}.get(character, character))
    return "".join(pieces)


__all__ = ["SUPERTYPES", "SUPPORTED", "all_supertypes", "in_value_space", "is_ill_typed", "satisfies_facet"]

_WHOLE_SPACES = {
    XSD + "decimal": DECIMAL,
    XSD + "float": FLOAT,
    XSD + "double": DOUBLE,
    XSD + "boolean": BOOLEAN,
    XSD + "hexBinary": HEX_BINARY,
    XSD + "base64Binary": BASE64_BINARY,
    XSD + "anyURI": ANY_URI,
    XSD + "dateTime": DATE_TIME,
    XML_LITERAL: XML,
}
_ORDER_FACETS = {
    XSD + "minInclusive": (0, 1),
    XSD + "minExclusive": (1,),
    XSD + "maxInclusive": (-1, 0),
    XSD + "maxExclusive": (-1,),
}
_LENGTH_FACETS = {
    XSD + "length": (0,),
    XSD + "minLength": (0, 1),
    XSD + "maxLength": (-1, 0),
}

_OF_STRINGS = frozenset({RDFS_LITERAL, PLAIN_LITERAL, RDF + "langString", *STRING_DATATYPES})


def in_value_space(text: str, datatype: str) -> bool | None:
    """Tell whether the value of a literal belongs to a datatype; ``datatype`` is an IRI without brackets.

    None means that it is not known: the datatype or that of the literal is not supported, or the text is no literal.
    An ill-typed literal has no value, and so belongs to no datatype.

    >>> in_value_space('"5"^^<http://www.w3.org/2001/XMLSchema#integer>', XSD + "byte")
    True
    >>> in_value_space('"five"^^<http://www.w3.org/2001/XMLSchema#integer>', XSD + "integer")
    False
    """
    if datatype not in SUPPORTED or not text.startswith('"'):
        return None
    if not text.endswith(">") and datatype not in _OF_STRINGS:
        # Most literals of a store are strings, which need not be parsed to be told from numbers and dates.
        return False
    value = value_of(text)
    if value is None:
        return False if is_ill_typed(text) else None
    return _belongs(value, datatype)


def is_ill_typed(text: str) -> bool:
    """Tell whether a literal has a datatype that is understood and a lexical form that is not one of it.

    No literal is of datatype ``rdfs:Literal``, which maps no lexical form to a value, so that one is not understood.
    """
    return is_understood(literal_parts(text)[1]) and value_of(text) is None


def satisfies_facet(text: str, facet: str, bound: str) -> bool | None:
    """Tell whether the value of a literal satisfies a constraining facet, given by IRI and bounding literal.

    None means that the facet, the literal or the bound is not understood. Facets of order hold only within one value
    space, as OWL 2 has it: no double is at most the integer 5.

    >>> five, ten = (f'"{n}"^^<http://www.w3.org/2001/XMLSchema#integer>' for n in (5, 10))
    >>> satisfies_facet(five, XSD + "maxExclusive", ten), satisfies_facet(five, XSD + "minInclusive", ten)
    (True, False)
    """
    value, limit = value_of(text), value_of(bound)
    if value is None or limit is None:
        return None
    if facet in _ORDER_FACETS:
        return value.space == limit.space and compare_values(value, limit) in _ORDER_FACETS[facet]
    if facet in _LENGTH_FACETS:
        return _satisfies_length(value, facet, limit)
    if facet == XSD + "pattern":
        expression = compile_pattern(str(limit.identity)) if limit.space == STRING else None
        subject = _characters(value)
        return None if expression is None or subject is None else expression.fullmatch(subject) is not None
    if facet == RDF + "langRange" and limit.space == STRING:
        return _matches_language_range(value, str(limit.identity))
    return None


def _belongs(value: Value, datatype: str) -> bool:
    if datatype == RDFS_LITERAL:
        return True
    if datatype == PLAIN_LITERAL:
        return value.space in (STRING, LANGUAGE_STRING)
    if datatype in STRING_DATATYPES:
        return value.space == STRING and is_string_of(datatype, str(value.identity))
    if datatype == XSD + "dateTimeStamp":
        return value.space == DATE_TIME and isinstance(value.rank, Moment) and value.rank.offset is not None
    if datatype in INTEGER_RANGES:
        low, high = INTEGER_RANGES[datatype]
        number = value.rank
        return (
            value.space == DECIMAL
            and isinstance(number, Decimal)
            and is_integral(number)
            and (low is None or number >= low)
            and (high is None or number <= high)
        )
    return value.space == _WHOLE_SPACES[datatype]


def _satisfies_length(value: Value, facet: str, limit: Value) -> bool | None:
    measured: str | bytes | None = value.identity if isinstance(value.identity, bytes) else _characters(value)
    if measured is None or limit.space != DECIMAL:
        return None
    size = Decimal(len(measured))
    return compare_values(Value(DECIMAL, size, size), limit) in _LENGTH_FACETS[facet]


def _characters(value: Value) -> str | None:
    """Return the characters of a string, a tagged string or a URI."""
    if value.space == LANGUAGE_STRING and isinstance(value.identity, tuple):
        return str(value.identity[0])
    return str(value.identity) if value.space in (STRING, ANY_URI) else None


def _matches_language_range(value: Value, language_range: str) -> bool:
    """Match a tag against a basic language range: ``en`` matches ``en`` and ``en-GB``, ``*`` matches every tag."""
    if value.space != LANGUAGE_STRING or not isinstance(value.identity, tuple):
        return False
    tag, wanted = str(value.identity[1]), language_range.lower()
    return wanted == "*" or tag == wanted or tag.startswith(wanted + "-")
