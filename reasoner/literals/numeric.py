"""Lexical forms of numbers to exact values: decimals, and IEEE floats of both widths."""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal

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
