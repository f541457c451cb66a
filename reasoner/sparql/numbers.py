"""Numbers of expressions: literals to Python numbers and back, promotion, and the functions on numerics (17.4.4)."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal, DecimalException
from functools import lru_cache
from typing import Any, NamedTuple

from reasoner.sparql.errors import ExpressionError
from reasoner.terms.hierarchy import INTEGER_RANGES
from reasoner.terms.term import XSD, CacheRoom
from reasoner.terms.value import literal_parts, value_of

INTEGER, DECIMAL, FLOAT, DOUBLE = range(4)
_NAMES = ("integer", "decimal", "float", "double")
_KINDS = {XSD + "decimal": DECIMAL, XSD + "float": FLOAT, XSD + "double": DOUBLE} | dict.fromkeys(
    INTEGER_RANGES, INTEGER
)
# Sums and products stay exact up to here; quotients, which need not end, are rounded to fewer digits.
_EXACT = Context(prec=200)
_QUOTIENT = Context(prec=28)

# To make a number of more digits takes time that grows with their square, during which nobody looks at the clock.
_MOST_DIGITS = 20_000
_ROOM = CacheRoom()


class Number(NamedTuple):
    """A number and its kind; kinds are ordered by promotion."""

    kind: int
    value: Any


@lru_cache(maxsize=65536)
def number(text: str) -> Number:
    """Return the number that a literal denotes.

    >>> number('"5"^^<http://www.w3.org/2001/XMLSchema#byte>')
    Number(kind=0, value=5)
    """
    _ROOM.take(text, number.cache_clear)
    if text.startswith('"') and not text.endswith('"'):
        kind = _KINDS.get(literal_parts(text)[1])
        value = None if kind is None else value_of(text)
        if kind is not None and value is not None:
            if digits_of(text) > _MOST_DIGITS:
                raise ExpressionError(f"a number of more than {_MOST_DIGITS:,} digits is not computed with")
            rank: Any = value.rank
            return Number(kind, int(rank) if kind == INTEGER else rank)
    raise ExpressionError(f"{text} is no number")


def digits_of(text: str) -> int:
    """Return about how many digits a literal has if it is a number of a kind that has any number of them, else 0.

    >>> digits_of('"1234"^^<http://www.w3.org/2001/XMLSchema#integer>'), digits_of('"1234"')
    (4, 0)
    """
    end = text.rfind('"^^<')
    return end - 1 if end > 0 and _KINDS.get(text[end + 4 : -1], FLOAT) < FLOAT else 0


def number_text(kind: int, value: Any) -> str:
    """Write a number as a term.

    >>> number_text(DOUBLE, 150.0)
    '"1.5E2"^^<http://www.w3.org/2001/XMLSchema#double>'
    """
    return f'"{lexical(kind, value)}"^^<{XSD}{_NAMES[kind]}>'


def lexical(kind: int, value: Any) -> str:
    """Write a number in the canonical form of its datatype."""
    if kind == INTEGER:
        # Python caps the digits of int to text, not those of a Decimal.
        return format(Decimal(value), "f")
    if kind == DECIMAL:
        text = format(Decimal(value), "f")
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text in ("-0", "") else text
    return _float_text(value, single=kind == FLOAT)


def _float_text(value: float, *, single: bool) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    digits = _shortest(value) if single else repr(value)
    exact = Decimal(digits)
    sign, figures, exponent = exact.as_tuple()
    assert isinstance(exponent, int)
    mantissa = "".join(map(str, figures)).rstrip("0") or "0"
    power = 0 if exact == 0 else len(figures) + exponent - 1
    minus = "-" if sign else ""
    return f"{minus}{mantissa[0]}.{mantissa[1:] or '0'}E{power}"


def _shortest(value: float) -> str:
    """Return the fewest digits that read back as the same 32-bit float."""
    for precision in range(1, 10):
        text = f"{value:.{precision}g}"
        if struct.pack("f", float(text)) == struct.pack("f", value):
            return text
    return repr(value)


def promoted(left: Number, right: Number) -> tuple[int, Any, Any]:
    """Bring two numbers to their common kind."""
    kind = max(left.kind, right.kind)
    return kind, _as_kind(left, kind), _as_kind(right, kind)


def _as_kind(given: Number, kind: int) -> Any:
    if kind >= FLOAT and given.kind < FLOAT:
        try:
            return float(given.value)
        except OverflowError:
            return math.copysign(math.inf, given.value)
    return Decimal(given.value) if kind == DECIMAL else given.value


def calculate(operator: str, left: Number, right: Number) -> Number:
    """Add, subtract, multiply or divide; integers divide to a decimal."""
    kind, a, b = promoted(left, right)
    if kind >= FLOAT:
        return Number(kind, _rounded(kind, _FLOAT_OPERATIONS[operator](a, b)))
    if operator == "/":
        if b == 0:
            raise ExpressionError("division by zero")
        quotient = _EXACT.divide(Decimal(a), Decimal(b)) if _divides(a, b) else _QUOTIENT.divide(Decimal(a), Decimal(b))
        return Number(DECIMAL, quotient)
    if kind == INTEGER:
        return Number(INTEGER, {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}[operator](a, b))
    try:
        return Number(DECIMAL, {"+": _EXACT.add, "-": _EXACT.subtract, "*": _EXACT.multiply}[operator](a, b))
    except DecimalException as error:
        raise ExpressionError("a decimal is out of range") from error


def _divides(a: Any, b: Any) -> bool:
    return isinstance(a, int) and isinstance(b, int) and a % b == 0


def _divide_floats(a: float, b: float) -> float:
    if b == 0:
        if a == 0 or math.isnan(a):
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


_FLOAT_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide_floats,
}


def _rounded(kind: int, value: float) -> float:
    """Bring a result of float arithmetic to 32 bits if that is its kind."""
    if kind == DOUBLE or not math.isfinite(value):
        return value
    try:
        single: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return single


def arithmetic(operator: str) -> Callable[[str, str], str]:
    """Return an operator on literals."""

    def apply(left: str, right: str) -> str:
        return number_text(*calculate(operator, number(left), number(right)))

    return apply


def negated(text: str) -> str:
    """Return ``-x``."""
    kind, value = number(text)
    return number_text(kind, -value)


def unchanged(text: str) -> str:
    """Return ``+x``."""
    number(text)
    return text


def absolute(text: str) -> str:
    kind, value = number(text)
    return number_text(kind, abs(value))


def rounding(decimal_mode: str, on_float: Callable[[float], float]) -> Callable[[str], str]:
    """Return CEIL, FLOOR or ROUND, which keep the kind of their argument."""

    def apply(text: str) -> str:
        kind, value = number(text)
        if kind == INTEGER:
            return number_text(kind, value)
        if kind == DECIMAL:
            return number_text(kind, value.quantize(Decimal(1), rounding=decimal_mode, context=_EXACT))
        return number_text(kind, value if not math.isfinite(value) else math.copysign(on_float(value), value))

    return apply


ceil = rounding(ROUND_CEILING, math.ceil)
floor = rounding(ROUND_FLOOR, math.floor)


def rounded(text: str) -> str:
    """Round to the nearest integer, and half of the way towards positive infinity, as XPath does."""
    kind, value = number(text)
    if kind == DECIMAL:
        mode = ROUND_HALF_UP if value >= 0 else "ROUND_HALF_DOWN"
        return number_text(kind, value.quantize(Decimal(1), rounding=mode, context=_EXACT))
    if kind >= FLOAT and math.isfinite(value):
        return number_text(kind, math.copysign(math.floor(value + 0.5), value))
    return number_text(kind, value)
