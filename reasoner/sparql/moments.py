"""The functions on dates and times (17.4.5), over canonical texts of terms."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from reasoner.literals.text import literal_parts, literal_text
from reasoner.literals.value import value_of
from reasoner.rules.term import XSD
from reasoner.sparql.errors import ExpressionError
from reasoner.sparql.numbers import DECIMAL, INTEGER, number_text

_DATE = r"(?P<YEAR>-?\d{4,})-(?P<MONTH>\d\d)-(?P<DAY>\d\d)"
_TIME = r"(?P<HOURS>\d\d):(?P<MINUTES>\d\d):(?P<SECONDS>\d\d(?:\.\d+)?)"
_ZONE = r"(?P<zone>Z|[+-]\d\d:\d\d)?"
_SHAPES = {
    XSD + "dateTime": re.compile(f"{_DATE}T{_TIME}{_ZONE}"),
    XSD + "dateTimeStamp": re.compile(f"{_DATE}T{_TIME}{_ZONE}"),
    XSD + "date": re.compile(f"{_DATE}{_ZONE}"),
    XSD + "time": re.compile(f"{_TIME}{_ZONE}"),
}


def _fields(text: str) -> dict[str, str | None]:
    if text.startswith('"') and value_of(text) is not None:
        lexical, datatype, _ = literal_parts(text)
        if datatype in _SHAPES and (match := _SHAPES[datatype].fullmatch(lexical.strip())):
            return match.groupdict()
    raise ExpressionError(f"{text} is no date or time")


def component(name: str) -> Callable[[str], str]:
    """Return YEAR, MONTH, DAY, HOURS, MINUTES or SECONDS."""

    def apply(text: str) -> str:
        found = _fields(text).get(name)
        if found is None:
            raise ExpressionError(f"{text} has no {name}")
        return number_text(DECIMAL if name == "SECONDS" else INTEGER, Decimal(found))

    return apply


def zone_text(text: str) -> str:
    """Return TZ: the zone as it is written, empty without one."""
    return literal_text(_fields(text)["zone"] or "")


def zone_duration(text: str) -> str:
    """Return TIMEZONE: the zone as a duration; without one an error."""
    zone = _fields(text)["zone"]
    if zone is None:
        raise ExpressionError(f"{text} has no time zone")
    hours, minutes = (0, 0) if zone == "Z" else (int(zone[1:3]), int(zone[4:6]))
    sign = "-" if zone.startswith("-") and (hours or minutes) else ""
    written = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    return literal_text(f"{sign}PT{written or '0S'}", XSD + "dayTimeDuration")
