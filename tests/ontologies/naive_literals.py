"""Values of literals for the naive evaluator, written anew after XML Schema: nothing is shared with the reasoner."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from fractions import Fraction
from xml.etree.ElementTree import canonicalize

from reasoner.terms.term import OWL, RDF, RDFS, XSD

DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
FLOAT = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?INF|NaN")
INTEGERS = {
    "integer": (None, None),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-128, 127),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 255),
}
STRINGS = {
    "string": r"(?s).*",
    "normalizedString": r"[^\t\n\r]*",
    "token": r"(?! )([^\t\n\r ]| (?! |$))*",
    "language": r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*",
    "Name": r"[:\w][-.:\w]*",
    "NCName": r"[^\W\d][-.\w]*",
    "NMTOKEN": r"[-.:\w]+",
}


def value(term: str):
    """Return the value as a pair (kind, value), or None for an ill-typed literal and for what is not a literal."""
    if not term.startswith('"'):
        return None
    end = term.rindex('"')
    text, suffix = term[1:end], term[end + 1 :]
    if suffix.startswith("@"):
        return "tagged", (text, suffix.lower())
    datatype = suffix[3:-1] or XSD + "string"
    name = datatype.removeprefix(XSD)
    if datatype == RDF + "PlainLiteral":
        plain, _, tag = text.rpartition("@")
        return ("tagged", (plain, "@" + tag.lower())) if tag else ("string", plain)
    if name in STRINGS:
        return ("string", text) if re.fullmatch(STRINGS[name], text) else None
    if name == "decimal" or name in INTEGERS:
        if not DECIMAL.fullmatch(text) or (name in INTEGERS and "." in text):
            return None
        found = ("number", Fraction(text))
        return found if in_value_space_of(found, name) else None
    if name in ("float", "double"):
        return (name, _float(text)) if FLOAT.fullmatch(text) else None
    if name == "boolean":
        return ("boolean", text in ("true", "1")) if text in ("true", "false", "0", "1") else None
    if name in ("dateTime", "dateTimeStamp"):
        return _date_time(text, name)
    if datatype == OWL + "rational":
        return "number", Fraction(text)
    if datatype == RDF + "XMLLiteral":
        return datatype, canonicalize(f"<literal>{text.replace(chr(92), '')}</literal>", with_comments=True)
    return datatype, text


def in_value_space_of(found, datatype: str) -> bool:
    if found is None:
        return False
    kind, content = found
    name = datatype.strip("<>").removeprefix(XSD)
    if name == RDFS + "Literal":
        return True
    if name == RDF + "PlainLiteral":
        return kind in ("string", "tagged")
    if name in INTEGERS:
        low, high = INTEGERS[name]
        whole = kind == "number" and content.denominator == 1
        return whole and (low is None or content >= low) and (high is None or content <= high)
    if name == "decimal":
        return kind == "number"
    if name in STRINGS:
        return kind == "string" and re.fullmatch(STRINGS[name], content) is not None
    if name == "dateTimeStamp":
        return kind == "dateTime" and content[0]
    return kind in (name, XSD + name)


def same_value(left: str, right: str) -> bool:
    return left == right or (value(left) is not None and value(left) == value(right))


def different_value(left: str, right: str) -> bool:
    return value(left) is not None and value(right) is not None and value(left) != value(right)


def mergeable(left: str, right: str) -> bool:
    literals = left.startswith('"') + right.startswith('"')
    return literals == 0 or (literals == 2 and same_value(left, right))


BUILTINS = {
    "mergeable": mergeable,
    "sameValue": same_value,
    "differentValue": different_value,
    "inValueSpace": lambda term, datatype: in_value_space_of(value(term), datatype),
    "notInValueSpace": lambda term, datatype: term.startswith('"') and not in_value_space_of(value(term), datatype),
}


def _float(text: str) -> str:
    return repr(float(text.replace("INF", "inf")))


def _date_time(text: str, name: str):
    zoned = re.search(r"(Z|[+-]\d\d:\d\d)$", text) is not None
    if name == "dateTimeStamp" and not zoned:
        return None
    try:
        moment = datetime.fromisoformat(text.replace("T24:00:00", "T00:00:00"))
    except ValueError:
        return None
    moment += timedelta(days="T24:00:00" in text)
    return "dateTime", (zoned, moment.timestamp() if zoned else moment)
