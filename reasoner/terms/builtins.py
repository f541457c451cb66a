"""The conditions that rules can state about terms: comparisons, kinds of terms, datatypes, strings."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from reasoner.terms.datatypes import in_value_space
from reasoner.terms.value import LANGUAGE_STRING, STRING, compare, compare_values, literal_parts, value_of


@dataclass(frozen=True, slots=True)
class Definition:
    """A builtin: how many terms it takes, when it holds, how it is written, and what it means."""

    name: str
    arity: int
    holds: Callable[..., bool]
    meaning: str
    infix: bool = False


def equal(first: str, second: str) -> bool:
    """Hold for identical terms, for literals of the same value, and for literals that compare as equal.

    >>> equal('"1"^^<http://www.w3.org/2001/XMLSchema#int>', '"1.0"^^<http://www.w3.org/2001/XMLSchema#decimal>')
    True
    """
    if first == second:
        return True
    if not (_is_literal(first) and _is_literal(second)):
        return False
    left, right = value_of(first), value_of(second)
    return left is not None and right is not None and (left == right or compare_values(left, right) == 0)


def unequal(first: str, second: str) -> bool:
    """Hold for terms that are known not to be equal: of two literals, both must have a known value."""
    if first == second:
        return False
    if _is_literal(first) and _is_literal(second) and (value_of(first) is None or value_of(second) is None):
        return False
    return not equal(first, second)


def same_value(first: str, second: str) -> bool:
    """Hold for two literals that denote the identical value; without a known value, for identical literals."""
    if not (_is_literal(first) and _is_literal(second)):
        return False
    value = value_of(first)
    return first == second or (value is not None and value == value_of(second))


def different_spelling(first: str, second: str) -> bool:
    """Hold for two literals that denote the identical value and are not written in the same way."""
    return first != second and same_value(first, second)


def equatable(first: str, second: str) -> bool:
    """Hold for two terms that equality may make one: a literal stays as it is written, and is equal by value only."""
    return not (_is_literal(first) or _is_literal(second))


def different_value(first: str, second: str) -> bool:
    """Hold for two literals of known values that are not identical."""
    if not (_is_literal(first) and _is_literal(second)):
        return False
    left, right = value_of(first), value_of(second)
    return left is not None and right is not None and left != right


def is_valid_regex(pattern: str) -> bool:
    """Tell whether ``matches`` can use a pattern, given as a lexical form."""
    return _regex(pattern) is not None


def _ordered(*wanted: int) -> Callable[[str, str], bool]:
    def holds(first: str, second: str) -> bool:
        return compare(first, second) in wanted

    return holds


def _is_literal(term: str) -> bool:
    return term.startswith('"')


def _is_iri(term: str) -> bool:
    return term.startswith("<")


def _is_blank(term: str) -> bool:
    return term.startswith("_:")


def _has_datatype(term: str, datatype: str) -> bool:
    return _is_literal(term) and f"<{literal_parts(term)[1]}>" == datatype


def _is_in_value_space(term: str, datatype: str) -> bool:
    return _is_iri(datatype) and in_value_space(term, datatype[1:-1]) is True


def _is_not_in_value_space(term: str, datatype: str) -> bool:
    return _is_iri(datatype) and in_value_space(term, datatype[1:-1]) is False


def _has_language(term: str, tag: str) -> bool:
    return _is_literal(term) and (literal_parts(term)[2] or "").lower() == (_characters(tag) or "").lower() != ""


def _on_strings(relation: Callable[[str, str], bool]) -> Callable[[str, str], bool]:
    def holds(first: str, second: str) -> bool:
        left, right = _characters(first), _characters(second)
        return left is not None and right is not None and relation(left, right)

    return holds


def _characters(term: str) -> str | None:
    """Return the characters of a string literal, tagged or not; None for any other term."""
    value = value_of(term) if _is_literal(term) else None
    if value is None:
        return None
    if value.space == LANGUAGE_STRING and isinstance(value.identity, tuple):
        return str(value.identity[0])
    return str(value.identity) if value.space == STRING else None


def _matches(string: str, pattern: str) -> bool:
    expression = _regex(pattern)
    return expression is not None and expression.search(string) is not None


@lru_cache(maxsize=256)
def _regex(pattern: str) -> re.Pattern[str] | None:
    try:
        # Python warns of patterns that it may read differently one day; the writer of a rule cannot act on that.
        with warnings.catch_warnings(action="ignore"):
            return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


BUILTINS: Mapping[str, Definition] = {
    definition.name: definition
    for definition in (
        Definition("=", 2, equal, "both are the same term, or literals of equal value", infix=True),
        Definition("!=", 2, unequal, "the terms are known to differ; literals by value", infix=True),
        Definition("<", 2, _ordered(-1), "the first literal comes before the second", infix=True),
        Definition("<=", 2, _ordered(-1, 0), "the first literal does not come after the second", infix=True),
        Definition(">", 2, _ordered(1), "the first literal comes after the second", infix=True),
        Definition(">=", 2, _ordered(0, 1), "the first literal does not come before the second", infix=True),
        Definition("isIRI", 1, _is_iri, "the term is an IRI"),
        Definition("isBlank", 1, _is_blank, "the term is a blank node"),
        Definition("isLiteral", 1, _is_literal, "the term is a literal"),
        Definition("datatype", 2, _has_datatype, "the literal is written with exactly that datatype"),
        Definition("inValueSpace", 2, _is_in_value_space, "the literal's value belongs to the datatype"),
        Definition("notInValueSpace", 2, _is_not_in_value_space, "the literal is known not to belong to the datatype"),
        Definition("sameValue", 2, same_value, "both literals denote the identical value"),
        Definition("differentSpelling", 2, different_spelling, "two ways to write a literal of the identical value"),
        Definition("equatable", 2, equatable, "the terms may be one: both are resources"),
        Definition("differentValue", 2, different_value, "both literals have known values, which are not identical"),
        Definition("contains", 2, _on_strings(lambda whole, part: part in whole), "the string contains the other"),
        Definition("startsWith", 2, _on_strings(str.startswith), "the string starts with the other"),
        Definition("endsWith", 2, _on_strings(str.endswith), "the string ends with the other"),
        Definition("matches", 2, _on_strings(_matches), "the regular expression occurs in the string"),
        Definition("lang", 2, _has_language, "the literal has exactly that language tag, in any case"),
    )
}
