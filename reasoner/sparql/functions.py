"""The function library (17.4): every operator and builtin that takes evaluated terms, by its name.

What treats errors of its arguments in its own way (``||``, ``IF``, ``COALESCE``, ``IN`` and ``BOUND``), and what
depends on the query (``NOW``, ``BNODE``), is in ``evaluate_expression``.
"""

from __future__ import annotations

import hashlib
import random
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from reasoner.literals.strings import is_language_tag
from reasoner.literals.text import literal_parts, literal_text
from reasoner.rules.term import XSD
from reasoner.sparql import casts, moments, numbers, strings
from reasoner.sparql.comparison import boolean, equals, is_literal, is_numeric, order
from reasoner.sparql.errors import ExpressionError


@dataclass(frozen=True, slots=True)
class Builtin:
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
    return f"<{iri if base == '<>' else urljoin(base[1:-1], iri)}>"


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


def _fixed(apply: Callable[..., str], count: int) -> Builtin:
    return Builtin(apply, count, count)


BUILTINS: Mapping[str, Builtin] = {
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
    "SUBSTR": Builtin(strings.substring, 2, 3),
    "UCASE": _fixed(strings.mapped(str.upper), 1),
    "LCASE": _fixed(strings.mapped(str.lower), 1),
    "STRSTARTS": _fixed(strings.tested(str.startswith), 2),
    "STRENDS": _fixed(strings.tested(str.endswith), 2),
    "CONTAINS": _fixed(strings.tested(lambda whole, part: part in whole), 2),
    "STRBEFORE": _fixed(strings.before, 2),
    "STRAFTER": _fixed(strings.after, 2),
    "ENCODE_FOR_URI": _fixed(strings.encoded, 1),
    "CONCAT": Builtin(strings.concatenated, 0, None),
    "LANGMATCHES": _fixed(strings.language_matches, 2),
    "REGEX": Builtin(strings.regex, 2, 3),
    "REPLACE": Builtin(strings.replaced, 3, 4),
    "ABS": _fixed(numbers.absolute, 1),
    "ROUND": _fixed(numbers.rounded, 1),
    "CEIL": _fixed(numbers.ceil, 1),
    "FLOOR": _fixed(numbers.floor, 1),
    "RAND": _fixed(lambda: numbers.number_text(numbers.DOUBLE, random.random()), 0),
    **{name: _fixed(moments.component(name), 1) for name in ("YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS")},
    "TIMEZONE": _fixed(moments.zone_duration, 1),
    "TZ": _fixed(moments.zone_text, 1),
    "MD5": _fixed(_hashed(lambda data: hashlib.md5(data, usedforsecurity=False)), 1),
    "SHA1": _fixed(_hashed(lambda data: hashlib.sha1(data, usedforsecurity=False)), 1),
    "SHA256": _fixed(_hashed(hashlib.sha256), 1),
    "SHA384": _fixed(_hashed(hashlib.sha384), 1),
    "SHA512": _fixed(_hashed(hashlib.sha512), 1),
    f"<{XSD}string>": _fixed(casts.cast_to_string, 1),
    f"<{XSD}boolean>": _fixed(casts.cast_to_boolean, 1),
    f"<{XSD}integer>": _fixed(casts.cast_to_number(numbers.INTEGER), 1),
    f"<{XSD}decimal>": _fixed(casts.cast_to_number(numbers.DECIMAL), 1),
    f"<{XSD}float>": _fixed(casts.cast_to_number(numbers.FLOAT), 1),
    f"<{XSD}double>": _fixed(casts.cast_to_number(numbers.DOUBLE), 1),
    **{f"<{XSD}{name}>": _fixed(casts.cast_to_moment(XSD + name), 1) for name in ("dateTime", "date", "time")},
}
