"""Literals as numbers, dates and truth values, where nothing is lost by that."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from reasoner.literals.text import XSD_STRING, literal_parts, literal_text
from reasoner.rules.term import XSD

Value = str | int | float | bool

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(_DATE.pattern + r"T[0-9]{2}:[0-9]{2}:[0-9]{2}")


@dataclass(frozen=True, slots=True)
class ColumnType:
    """How a column holds terms: as N-Triples texts, or as the values of one datatype.

    ``read`` gives the value of a lexical form, None if the form could not be told from the value again: "01" and "1"
    would be one row where they are two.
    """

    name: str
    datatype: str
    read: Callable[[str], Value | None]
    write: Callable[[Any], str]

    def value(self, term: str) -> Value | None:
        """Return what a column of this type holds for a term, None if it cannot hold it."""
        if not self.datatype:
            return term
        if self.datatype == XSD_STRING:
            return literal_parts(term)[0] if term[0] == term[-1] == '"' else None
        ending = f'"^^<{self.datatype}>'
        return self.read(term[1 : -len(ending)]) if term[0] == '"' and term.endswith(ending) else None

    def term(self, value: Any) -> str:
        """Return the term that a value of the column stands for.

        >>> INTEGER.term(INTEGER.value('"7"^^<http://www.w3.org/2001/XMLSchema#integer>'))
        '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'
        """
        return literal_text(self.write(value), self.datatype) if self.datatype else str(value)


def type_of(terms: Iterable[str]) -> ColumnType:
    """Return the type of a column that is to hold some terms."""
    found: ColumnType | None = None
    for term in terms:
        if found is None:
            found = next((each for each in TYPES.values() if each.datatype and each.value(term) is not None), TERM)
        if found is TERM or found.value(term) is None:
            return TERM
    return found or TERM


def _integer(lexical: str) -> int | None:
    if not _INTEGER.fullmatch(lexical):
        return None
    value = int(lexical)
    return value if -(1 << 63) <= value < 1 << 63 else None


def _boolean(lexical: str) -> bool | None:
    return {"true": True, "false": False}.get(lexical)


def _real(lexical: str) -> float | None:
    try:
        value = float(lexical)
    except ValueError:
        return None
    # A negative zero equals a positive one, and what is not a number not even itself.
    return value if repr(value) == lexical and math.isfinite(value) and lexical != "-0.0" else None


def _date(lexical: str) -> str | None:
    return lexical if _DATE.fullmatch(lexical) and _is_real(date.fromisoformat, lexical) else None


def _moment(lexical: str) -> str | None:
    return lexical if _MOMENT.fullmatch(lexical) and _is_real(datetime.fromisoformat, lexical) else None


def _is_real(read: Callable[[str], object], lexical: str) -> bool:
    try:
        read(lexical)
    except ValueError:
        return False
    return not lexical.endswith("T24:00:00")


def _iso(value: Any) -> str:
    return value if isinstance(value, str) else str(value.isoformat())


TERM = ColumnType("term", "", str, str)
INTEGER = ColumnType("integer", XSD + "integer", _integer, str)
BOOLEAN = ColumnType("boolean", XSD + "boolean", _boolean, lambda value: "true" if value else "false")
DOUBLE = ColumnType("double", XSD + "double", _real, repr)
DECIMAL = ColumnType("decimal", XSD + "decimal", _real, repr)
DATE = ColumnType("date", XSD + "date", _date, _iso)
MOMENT = ColumnType("datetime", XSD + "dateTime", _moment, _iso)
STRING = ColumnType("string", XSD_STRING, str, str)

TYPES = {each.name: each for each in (TERM, INTEGER, BOOLEAN, DOUBLE, DECIMAL, DATE, MOMENT, STRING)}
