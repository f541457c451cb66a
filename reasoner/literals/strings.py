"""The string datatypes: white space, and which strings belong to which of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from reasoner.rules.term import XSD

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
