"""The casts of XML Schema (17.5), over canonical texts of terms."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

from reasoner.literals.strings import collapse
from reasoner.literals.text import XSD_STRING, literal_parts, literal_text
from reasoner.literals.value import BOOLEAN, value_of
from reasoner.rules.term import XSD
from reasoner.sparql.comparison import boolean, effective_truth, is_numeric
from reasoner.sparql.errors import ExpressionError
from reasoner.sparql.numbers import DECIMAL, DOUBLE, FLOAT, INTEGER, lexical, number, number_text

_NUMERIC = {XSD + "integer": INTEGER, XSD + "decimal": DECIMAL, XSD + "float": FLOAT, XSD + "double": DOUBLE}


def cast_to_string(text: str) -> str:
    """Cast anything but a blank node; numbers and booleans take their canonical form."""
    if text.startswith("<"):
        return literal_text(text[1:-1])
    if not text.startswith('"'):
        raise ExpressionError("a blank node is no string")
    if is_numeric(text):
        kind, value = number(text)
        if kind < FLOAT:
            return literal_text(lexical(kind, value))
        return literal_text(_plain_float(kind, value))
    value_found = value_of(text)
    if value_found is not None and value_found.space == BOOLEAN:
        return literal_text("true" if value_found.identity else "false")
    return literal_text(literal_parts(text)[0])


def _plain_float(kind: int, value: float) -> str:
    """Write a float as XPath does: without an exponent between a millionth and a million."""
    if math.isfinite(value) and (value == 0 or 1e-6 <= abs(value) < 1e6):
        text = format(Decimal(lexical(kind, value)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return lexical(kind, value)


def cast_to_boolean(text: str) -> str:
    """Cast a number, a string or a boolean to its canonical form, ``true`` or ``false``."""
    return boolean(effective_truth(text if is_numeric(text) else _reread(text, XSD + "boolean")))


def cast_to_number(kind: int) -> Callable[[str], str]:
    """Return the cast to one of the four kinds of numbers."""
    datatype = next(name for name, known in _NUMERIC.items() if known == kind)

    def apply(text: str) -> str:
        if is_numeric(text):
            return _converted(text, kind)
        found = value_of(text) if text.startswith('"') else None
        if found is not None and found.space == BOOLEAN:
            return _converted(number_text(INTEGER, 1 if found.identity else 0), kind)
        return _reread(text, datatype)

    return apply


def _converted(text: str, kind: int) -> str:
    given, value = number(text)
    if kind >= FLOAT:
        return _reread(literal_text(str(value) if given < FLOAT else lexical(given, value)), _datatype(kind))
    if given >= FLOAT and not math.isfinite(value):
        raise ExpressionError(f"{text} is not finite")
    if kind == INTEGER:
        return number_text(INTEGER, int(value))
    return number_text(DECIMAL, Decimal(value) if given < FLOAT else Decimal(lexical(given, value)))


def _datatype(kind: int) -> str:
    return next(name for name, known in _NUMERIC.items() if known == kind)


def cast_to_moment(datatype: str) -> Callable[[str], str]:
    """Return the cast to a date or time; a dateTime gives its date, a date the dateTime of its midnight."""

    def apply(text: str) -> str:
        if text.startswith('"') and value_of(text) is not None:
            written, given, _ = literal_parts(text)
            if given == XSD + "dateTime" and datatype == XSD + "date":
                zone = written[written.index("T") + 9 :].lstrip(".0123456789")
                return literal_text(written[: written.index("T")] + zone, datatype)
            if given == XSD + "date" and datatype == XSD + "dateTime":
                end = written.index("-", 1) + 6
                return literal_text(f"{written[:end]}T00:00:00{written[end:]}", datatype)
            if given == datatype:
                return text
        return _reread(text, datatype)

    return apply


def _reread(text: str, datatype: str) -> str:
    """Read the characters of a string as a literal of another datatype."""
    if text.startswith('"'):
        written, given, _ = literal_parts(text)
        if given in (XSD_STRING, datatype):
            result = literal_text(collapse(written), datatype)
            if value_of(result) is not None:
                return result
    raise ExpressionError(f"{text} is no {datatype}")
