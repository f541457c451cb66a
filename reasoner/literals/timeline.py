"""Lexical forms of dates and times to points of XML Schema's timeline, with or without a time zone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

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
