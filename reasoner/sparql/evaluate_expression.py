"""Expressions over one row of terms: the slow path that is right for every expression.

The function library (17.4): every operator and builtin that takes evaluated terms, by its name.

What treats errors of its arguments in its own way (``||``, ``IF``, ``COALESCE``, ``IN`` and ``BOUND``), and what
depends on the query (``NOW``, ``BNODE``), is in ``evaluate_expression``.

The casts of XML Schema (17.5), over canonical texts of terms.

The functions on dates and times (17.4.5), over canonical texts of terms.
"""

from __future__ import annotations

import hashlib
import math
import random
import re
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any
from urllib.parse import urljoin
from uuid import uuid4

from reasoner.sparql import numbers, strings
from reasoner.sparql.algebra import Call, Constant, Expression, Var
from reasoner.sparql.budget import Budget
from reasoner.sparql.comparison import TRUE, boolean, effective_truth, equals, is_literal, is_numeric, order
from reasoner.sparql.errors import ExpressionError, UnsupportedQueryError
from reasoner.sparql.numbers import DECIMAL, DOUBLE, FLOAT, INTEGER, digits_of, lexical, number, number_text
from reasoner.sparql.strings import simple
from reasoner.sparql.tokens import ABSOLUTE
from reasoner.terms.term import XSD
from reasoner.terms.value import BOOLEAN, XSD_STRING, collapse, is_language_tag, literal_parts, literal_text, value_of

Row = Sequence[str | None]
Evaluated = Callable[[Row], str]

# Functions whose value can be longer than their argument, and those that calculate.
_LENGTHENING = frozenset({"ENCODE_FOR_URI", "UCASE", "LCASE", "REPLACE"})
_CALCULATING = frozenset("+-*/")


class QueryMoment:
    """What is the same throughout one query: its time, its blank nodes, and its limits."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self._began = time.time()
        self.row = 0
        self._made = 0
        self._labelled: dict[tuple[int, str], str] = {}

    @cached_property
    def now(self) -> str:
        """The time of the query, which NOW gives wherever it stands."""
        began = datetime.fromtimestamp(self._began, UTC)
        return literal_text(began.isoformat(timespec="milliseconds"), XSD + "dateTime")

    @cached_property
    def _scope(self) -> str:
        return f"q{uuid4().hex[:12]}"

    def blank(self, label: str | None = None) -> str:
        """Return a new blank node, or the one of this solution for a label."""
        if label is not None and (known := self._labelled.get((self.row, label))) is not None:
            return known
        self._made += 1
        made = f"_:{self._scope}b{self._made}"
        if label is not None:
            self._labelled[self.row, label] = made
        return made


def compiled(expression: Expression, places: Mapping[str, int], moment: QueryMoment) -> Evaluated:
    """Return a function from a row of terms, None where unbound, to the value; it raises ``ExpressionError``."""
    if isinstance(expression, Constant):
        text = expression.text
        return lambda row: text
    if isinstance(expression, Var):
        return _variable(expression.name, places)
    assert isinstance(expression, Call), "an EXISTS is replaced by a variable before"
    arguments = [compiled(argument, places, moment) for argument in expression.arguments]
    match expression.name:
        case "||":
            return _either(*arguments)
        case "&&":
            return _both(*arguments)
        case "!":
            inner = arguments[0]
            return lambda row: boolean(not effective_truth(inner(row)))
        case "BOUND":
            bound = expression.arguments[0]
            assert isinstance(bound, Var)
            place = places.get(bound.name)
            return lambda row: boolean(place is not None and row[place] is not None)
        case "IF":
            condition, then, otherwise = arguments
            return lambda row: then(row) if effective_truth(condition(row)) else otherwise(row)
        case "COALESCE":
            return _first_without_error(arguments)
        case "IN":
            return _listed(arguments[0], arguments[1:])
        case "NOW":
            return lambda row: moment.now
        case "BNODE":
            if not arguments:
                return lambda row: moment.blank()
            label = arguments[0]
            return lambda row: moment.blank(simple(label(row)))
        case operators if operators[0] in "+-*/" and len(operators) > 1:
            return _chained(operators, arguments, moment.budget)
    return _called(expression.name, arguments, moment.budget)


def _variable(name: str, places: Mapping[str, int]) -> Evaluated:
    place = places.get(name)

    def evaluate(row: Row) -> str:
        value = None if place is None else row[place]
        if value is None:
            raise ExpressionError(f"?{name} is not bound")
        return value

    return evaluate


def _called(name: str, arguments: list[Evaluated], budget: Budget) -> Evaluated:
    builtin = BUILTINS.get(name)
    if builtin is None:
        raise UnsupportedQueryError(
            f"unknown function {name}; of functions with IRIs there are the casts of XML Schema"
        )
    apply = builtin.apply
    if not builtin.least <= len(arguments) <= (len(arguments) if builtin.most is None else builtin.most):

        def refuse(row: Row) -> str:
            raise ExpressionError(f"{name} takes another number of arguments")

        return refuse
    if name == "CONCAT":
        return _joined(apply, arguments, budget)
    if name in _LENGTHENING:
        return _lengthened(name, apply, arguments, budget)
    if name in _CALCULATING:
        return _calculated(name, apply, arguments, budget)
    if len(arguments) == 1:
        only = arguments[0]
        return lambda row: apply(only(row))
    if len(arguments) == 2:
        first, second = arguments
        return lambda row: apply(first(row), second(row))
    return lambda row: apply(*(argument(row) for argument in arguments))


def _chained(operators: str, arguments: list[Evaluated], budget: Budget) -> Evaluated:
    """Return a sum or a product of many parts, worked out from the left."""
    pair: list[Evaluated] = [lambda pair: pair[0] or "", lambda pair: pair[1] or ""]
    steps = [_called(operator, pair, budget) for operator in operators]

    def evaluate(row: Row) -> str:
        value = arguments[0](row)
        for step, argument in zip(steps, arguments[1:], strict=True):
            value = step((value, argument(row)))
        return value

    return evaluate


def _joined(apply: Callable[..., str], arguments: list[Evaluated], budget: Budget) -> Evaluated:
    """Return CONCAT, which looks at its arguments one by one: all of them together may be more than memory holds."""

    def evaluate(row: Row) -> str:
        texts: list[str] = []
        total = 0
        for argument in arguments:
            texts.append(argument(row))
            total += len(texts[-1])
            budget.allow_characters(total, "CONCAT")
        return apply(*texts)

    return evaluate


def _lengthened(name: str, apply: Callable[..., str], arguments: list[Evaluated], budget: Budget) -> Evaluated:
    def evaluate(row: Row) -> str:
        text = apply(*(argument(row) for argument in arguments))
        budget.allow_characters(len(text), name)
        return text

    return evaluate


def _calculated(name: str, apply: Callable[..., str], arguments: list[Evaluated], budget: Budget) -> Evaluated:
    """Return an operator on numbers of so many digits that it takes no time worth speaking of."""
    left, right = arguments

    def evaluate(row: Row) -> str:
        first, second = left(row), right(row)
        for text in (first, second):
            budget.allow_digits(digits_of(text), f"an argument of {name}")
        found = apply(first, second)
        budget.allow_digits(digits_of(found), name)
        return found

    return evaluate


def _truth(evaluate: Evaluated, row: Row) -> bool | None:
    try:
        return effective_truth(evaluate(row))
    except ExpressionError:
        return None


def _either(left: Evaluated, right: Evaluated) -> Evaluated:
    """Return ``||``: true if one side is, whatever error the other has."""

    def evaluate(row: Row) -> str:
        first = _truth(left, row)
        if first:
            return TRUE
        second = _truth(right, row)
        if second:
            return TRUE
        if first is None or second is None:
            raise ExpressionError("neither side is true, and one is an error")
        return boolean(False)

    return evaluate


def _both(left: Evaluated, right: Evaluated) -> Evaluated:
    """Return ``&&``: false if one side is, whatever error the other has."""

    def evaluate(row: Row) -> str:
        first = _truth(left, row)
        if first is False:
            return boolean(False)
        second = _truth(right, row)
        if second is False:
            return boolean(False)
        if first is None or second is None:
            raise ExpressionError("neither side is false, and one is an error")
        return TRUE

    return evaluate


def _first_without_error(arguments: list[Evaluated]) -> Evaluated:
    def evaluate(row: Row) -> str:
        for argument in arguments:
            try:
                return argument(row)
            except ExpressionError:
                continue
        raise ExpressionError("no argument of COALESCE has a value")

    return evaluate


def _listed(wanted: Evaluated, members: list[Evaluated]) -> Evaluated:
    """Return ``IN``: true if the value equals a member, an error if it may and an error hides it."""

    def evaluate(row: Row) -> str:
        value = wanted(row)
        failed = False
        for member in members:
            try:
                if equals(value, member(row)):
                    return TRUE
            except ExpressionError:
                failed = True
        if failed:
            raise ExpressionError("a member of the list cannot be compared")
        return boolean(False)

    return evaluate


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
        return _reread(literal_text(str(value) if given < FLOAT else lexical(given, value)), _cast_datatype(kind))
    if given >= FLOAT and not math.isfinite(value):
        raise ExpressionError(f"{text} is not finite")
    if kind == INTEGER:
        return number_text(INTEGER, int(value))
    return number_text(DECIMAL, Decimal(value) if given < FLOAT else Decimal(lexical(given, value)))


def _cast_datatype(kind: int) -> str:
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


@dataclass(frozen=True, slots=True)
class TermFunction:
    """A function of terms, given and returned as canonical texts."""

    apply: Callable[..., str]
    least: int
    most: int | None


def _ordered(*wanted: int) -> Callable[[str, str], str]:
    return lambda left, right: boolean(order(left, right) in wanted)


def _language(text: str) -> str:
    if not is_literal(text):
        raise ExpressionError(f"{text} is no literal")
    return literal_text(literal_parts(text)[2] or "")


def _datatype(text: str) -> str:
    if not is_literal(text):
        raise ExpressionError(f"{text} is no literal")
    return f"<{literal_parts(text)[1]}>"


def _iri(text: str, base: str) -> str:
    if text.startswith("<"):
        return text
    iri = strings.simple(text)
    if any(character in '<>"{}|^`\\' or character <= " " for character in iri):
        raise ExpressionError(f"{text} is no IRI")
    try:
        iri = iri if base == "<>" else urljoin(base[1:-1], iri)
    except ValueError as error:
        raise ExpressionError(f"{text} cannot be made an absolute IRI: {error}") from None
    if not ABSOLUTE.match(iri):
        raise ExpressionError(f"{text} cannot be made an absolute IRI without a base")
    return f"<{iri}>"


def _typed(text: str, datatype: str) -> str:
    if not datatype.startswith("<"):
        raise ExpressionError(f"{datatype} is no datatype")
    return literal_text(strings.simple(text), datatype[1:-1])


def _tagged(text: str, tag: str) -> str:
    language = strings.simple(tag)
    if not is_language_tag(language):
        raise ExpressionError(f"{tag} is no language tag")
    return literal_text(strings.simple(text), language=language)


def _hashed(algorithm: Callable[[bytes], Any]) -> Callable[[str], str]:
    return lambda text: literal_text(algorithm(strings.simple(text).encode()).hexdigest())


def _fixed(apply: Callable[..., str], count: int) -> TermFunction:
    return TermFunction(apply, count, count)


BUILTINS: Mapping[str, TermFunction] = {
    "=": _fixed(lambda left, right: boolean(equals(left, right)), 2),
    "!=": _fixed(lambda left, right: boolean(not equals(left, right)), 2),
    "<": _fixed(_ordered(-1), 2),
    ">": _fixed(_ordered(1), 2),
    "<=": _fixed(_ordered(-1, 0), 2),
    ">=": _fixed(_ordered(0, 1), 2),
    **{sign: _fixed(numbers.arithmetic(sign), 2) for sign in "+-*/"},
    "unary -": _fixed(numbers.negated, 1),
    "unary +": _fixed(numbers.unchanged, 1),
    "SAMETERM": _fixed(lambda left, right: boolean(left == right), 2),
    "ISIRI": _fixed(lambda text: boolean(text.startswith("<")), 1),
    "ISBLANK": _fixed(lambda text: boolean(text.startswith("_:")), 1),
    "ISLITERAL": _fixed(lambda text: boolean(is_literal(text)), 1),
    "ISNUMERIC": _fixed(lambda text: boolean(is_numeric(text)), 1),
    "STR": _fixed(strings.string, 1),
    "LANG": _fixed(_language, 1),
    "DATATYPE": _fixed(_datatype, 1),
    "IRI": _fixed(_iri, 2),
    "STRDT": _fixed(_typed, 2),
    "STRLANG": _fixed(_tagged, 2),
    "UUID": _fixed(lambda: f"<urn:uuid:{uuid.uuid4()}>", 0),
    "STRUUID": _fixed(lambda: literal_text(str(uuid.uuid4())), 0),
    "STRLEN": _fixed(strings.length, 1),
    "SUBSTR": TermFunction(strings.substring, 2, 3),
    "UCASE": _fixed(strings.mapped(str.upper), 1),
    "LCASE": _fixed(strings.mapped(str.lower), 1),
    "STRSTARTS": _fixed(strings.tested(str.startswith), 2),
    "STRENDS": _fixed(strings.tested(str.endswith), 2),
    "CONTAINS": _fixed(strings.tested(lambda whole, part: part in whole), 2),
    "STRBEFORE": _fixed(strings.before, 2),
    "STRAFTER": _fixed(strings.after, 2),
    "ENCODE_FOR_URI": _fixed(strings.encoded, 1),
    "CONCAT": TermFunction(strings.concatenated, 0, None),
    "LANGMATCHES": _fixed(strings.language_matches, 2),
    "REGEX": TermFunction(strings.regex, 2, 3),
    "REPLACE": TermFunction(strings.replaced, 3, 4),
    "ABS": _fixed(numbers.absolute, 1),
    "ROUND": _fixed(numbers.rounded, 1),
    "CEIL": _fixed(numbers.ceil, 1),
    "FLOOR": _fixed(numbers.floor, 1),
    "RAND": _fixed(lambda: numbers.number_text(numbers.DOUBLE, random.random()), 0),
    **{name: _fixed(component(name), 1) for name in ("YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS")},
    "TIMEZONE": _fixed(zone_duration, 1),
    "TZ": _fixed(zone_text, 1),
    "MD5": _fixed(_hashed(lambda data: hashlib.md5(data, usedforsecurity=False)), 1),
    "SHA1": _fixed(_hashed(lambda data: hashlib.sha1(data, usedforsecurity=False)), 1),
    "SHA256": _fixed(_hashed(hashlib.sha256), 1),
    "SHA384": _fixed(_hashed(hashlib.sha384), 1),
    "SHA512": _fixed(_hashed(hashlib.sha512), 1),
    f"<{XSD}string>": _fixed(cast_to_string, 1),
    f"<{XSD}boolean>": _fixed(cast_to_boolean, 1),
    f"<{XSD}integer>": _fixed(cast_to_number(numbers.INTEGER), 1),
    f"<{XSD}decimal>": _fixed(cast_to_number(numbers.DECIMAL), 1),
    f"<{XSD}float>": _fixed(cast_to_number(numbers.FLOAT), 1),
    f"<{XSD}double>": _fixed(cast_to_number(numbers.DOUBLE), 1),
    **{f"<{XSD}{name}>": _fixed(cast_to_moment(XSD + name), 1) for name in ("dateTime", "date", "time")},
}
