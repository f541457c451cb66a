"""Equality, order and truth of terms in expressions, and the total order of ORDER BY."""

from __future__ import annotations

from functools import cmp_to_key
from math import isnan
from typing import Any

from reasoner.sparql.errors import ExpressionError
from reasoner.sparql.numbers import number, promoted
from reasoner.terms.hierarchy import INTEGER_RANGES
from reasoner.terms.term import XSD
from reasoner.terms.value import (
    BOOLEAN,
    DECIMAL,
    DOUBLE,
    FLOAT,
    LANGUAGE_STRING,
    STRING,
    Value,
    compare_values,
    literal_parts,
    value_of,
)

TRUE = f'"true"^^<{XSD}boolean>'
FALSE = f'"false"^^<{XSD}boolean>'

_NUMBER = "number"
_NUMERIC_SPACES = frozenset({DECIMAL, FLOAT, DOUBLE})
_NUMERIC_DATATYPES = frozenset({XSD + "decimal", XSD + "float", XSD + "double", *INTEGER_RANGES})
_EFFECTIVE_DATATYPES = _NUMERIC_DATATYPES | {XSD + "boolean"}


def boolean(truth: bool) -> str:
    """Write a truth value as a term."""
    return TRUE if truth else FALSE


def is_literal(text: str) -> bool:
    return text.startswith('"')


def is_numeric(text: str) -> bool:
    """Tell whether a term is a well-formed literal of a numeric datatype."""
    value = value_of(text) if is_literal(text) and not text.endswith('"') else None
    return value is not None and value.space in _NUMERIC_SPACES


def effective_truth(text: str) -> bool:
    """Return the effective boolean value (17.2.2); an ill-typed boolean or number is false.

    >>> effective_truth('""'), effective_truth('"a"')
    (False, True)
    """
    if text is TRUE or text == TRUE:
        return True
    if not is_literal(text):
        raise ExpressionError(f"{text} has no truth value")
    value = value_of(text)
    if value is None:
        if literal_parts(text)[1] in _EFFECTIVE_DATATYPES:
            return False
        raise ExpressionError(f"{text} has no truth value")
    if value.space == BOOLEAN:
        return bool(value.identity)
    if value.space in _NUMERIC_SPACES:
        number: Any = value.rank
        return not isnan(number) and number != 0
    lexical, datatype, language = literal_parts(text)
    if value.space == STRING or language is not None or datatype == XSD + "string":
        return lexical != ""
    raise ExpressionError(f"{text} has no truth value")


def equals(left: str, right: str) -> bool:
    """Compare two terms by ``=``: literals by value, and without known values only a literal with itself (17.4.1.7)."""
    if left == right:
        value = value_of(left) if is_literal(left) else None
        return value is None or value.space not in _NUMERIC_SPACES or compare_values(value, value) == 0
    if not (is_literal(left) and is_literal(right)):
        return False
    first, second = value_of(left), value_of(right)
    if LANGUAGE_STRING in (first and first.space, second and second.space):
        # A string with a language tag is never the value of any datatype.
        return first == second
    if first is None or second is None:
        raise ExpressionError(f"whether {left} equals {right} is not known")
    if first.space in _NUMERIC_SPACES and second.space in _NUMERIC_SPACES:
        return _numeric_order(left, right) == 0
    if first.space != second.space:
        return False
    if first.rank is not None and not isinstance(first.rank, str):
        order = compare_values(first, second)
        if order is None:
            raise ExpressionError(f"{left} and {right} compare differently in different time zones")
        return order == 0
    return first == second


def order(left: str, right: str) -> int:
    """Compare two literals by ``<``: -1, 0 or 1, or 2 where NaN takes part and nothing holds."""
    if is_literal(left) and is_literal(right):
        first, second = value_of(left), value_of(right)
        if first is not None and second is not None:
            if first.space in _NUMERIC_SPACES and second.space in _NUMERIC_SPACES:
                return _numeric_order(left, right)
            found = compare_values(first, second)
            if found is not None and (first.rank is not None or found == 0):
                return found
    raise ExpressionError(f"{left} and {right} have no order")


def _numeric_order(left: str, right: str) -> int:
    """Compare numbers after promotion: a decimal against a double as the double nearest to it."""
    _, a, b = promoted(number(left), number(right))
    return 2 if a != a or b != b else int(a > b) - int(a < b)


def sorted_terms(texts: list[str]) -> list[list[str]]:
    """Sort terms as ORDER BY does (15.1), and group those that no condition can tell apart.

    Blank nodes come first, then IRIs, then literals. Literals of one value space go by value; the spaces among
    themselves, and literals without known values, by an order of our own, so that the result is always the same.
    """
    keyed = sorted(((_kind(text), text) for text in texts), key=lambda item: (item[0], item[1]))
    literals = [text for kind, text in keyed if kind[0] == 2]
    groups = [[text] for kind, text in keyed if kind[0] < 2]
    by_space: dict[tuple[int, str], list[str]] = {}
    for text in literals:
        by_space.setdefault(_kind(text), []).append(text)
    for kind, members in sorted(by_space.items()):
        _sort_within(kind[1], members)
        for text in members:
            if groups and is_literal(groups[-1][0]) and _compare_values(groups[-1][0], text) == 0:
                groups[-1].append(text)
            else:
                groups.append([text])
    return groups


def _kind(text: str) -> tuple[int, str]:
    if text.startswith("_:"):
        return 0, ""
    if not is_literal(text):
        return 1, ""
    if text.endswith('"'):
        return 2, STRING
    value = value_of(text)
    if value is None:
        return 2, "~" + literal_parts(text)[1]
    return 2, _NUMBER if value.space in _NUMERIC_SPACES else value.space


def _sort_within(space: str, members: list[str]) -> None:
    if space == STRING:
        members.sort(key=lambda text: (_rank(text), text))
    elif space == _NUMBER:
        members.sort(key=lambda text: (not isnan(_rank(text)), 0 if isnan(_rank(text)) else _rank(text), text))
    else:
        members.sort(key=cmp_to_key(_compare_within))


def _rank(text: str) -> Any:
    if text.endswith('"'):
        return text[1:-1] if "\\" not in text else literal_parts(text)[0]
    value = value_of(text)
    assert value is not None
    return value.rank


def _compare_within(left: str, right: str) -> int:
    found = _compare_values(left, right)
    return found if found else (left > right) - (left < right)


def _compare_values(left: str, right: str) -> int | None:
    if left.endswith('"') and right.endswith('"'):
        return 0 if left == right else int(_rank(left) > _rank(right)) * 2 - 1
    first, second = value_of(left), value_of(right)
    if first is None or second is None:
        return 0 if left == right else None
    if isinstance(first.identity, tuple) and isinstance(second.identity, tuple):
        mine, theirs = _language_key(first), _language_key(second)
        return (mine > theirs) - (mine < theirs)
    found = compare_values(first, second)
    if found is None and first.space in _NUMERIC_SPACES and second.space in _NUMERIC_SPACES:
        # NaN sorts before every number, as XPath has it for "order by".
        return _is_nan(second) - _is_nan(first)
    return found


def _language_key(value: Value) -> tuple[str, ...]:
    assert isinstance(value.identity, tuple)
    return tuple(map(str, value.identity))


def _is_nan(value: Value) -> bool:
    number: Any = value.rank
    return bool(isnan(number))
