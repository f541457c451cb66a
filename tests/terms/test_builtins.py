"""Builtins hold exactly when their meaning says so, and never raise on odd terms."""

import itertools

import pytest

from reasoner.terms.builtins import BUILTINS, is_valid_regex
from reasoner.terms.term import XSD
from tests.terms.notation import typed

IRI, OTHER, BLANK = "<http://e.org/a>", "<http://e.org/b>", "_:b"
ONE, ONE_DOUBLE, TWO = typed("1", "integer"), typed("1.0e0", "double"), typed("2.0", "decimal")
UNKNOWN, UNKNOWN_TOO, ILL = '"1"^^<x:unknown>', '"2"^^<x:unknown>', typed("x", "integer")
NAN = typed("NaN", "double")
INTEGER = f"<{XSD}integer>"

HOLDS = [
    ("=", IRI, IRI), ("=", ONE, typed("01", "byte")), ("=", ONE, ONE_DOUBLE), ("=", UNKNOWN, UNKNOWN), ("=", NAN, NAN),
    ("=", '"a"@en', '"a"@EN'), ("=", ILL, ILL),
    ("!=", IRI, OTHER), ("!=", IRI, BLANK), ("!=", ONE, TWO), ("!=", ONE, '"1"'), ("!=", IRI, ONE),
    ("!=", UNKNOWN, IRI),
    ("<", ONE, TWO), ("<=", ONE, ONE_DOUBLE), (">", TWO, ONE), (">=", TWO, TWO), ("<", '"a"', '"b"'),
    ("isIRI", IRI), ("isBlank", BLANK), ("isLiteral", ONE),
    ("datatype", ONE, INTEGER), ("datatype", '"a"', f"<{XSD}string>"),
    ("inValueSpace", TWO, INTEGER), ("inValueSpace", ONE, f"<{XSD}byte>"),
    ("notInValueSpace", ONE_DOUBLE, INTEGER), ("notInValueSpace", ILL, INTEGER), ("notInValueSpace", '"a"', INTEGER),
    ("sameValue", ONE, typed("1.00", "decimal")), ("sameValue", UNKNOWN, UNKNOWN),
    ("sameValue", '"a"', typed("a", "token")),
    ("equatable", IRI, BLANK), ("equatable", IRI, IRI),
    ("differentSpelling", ONE, typed("01", "byte")), ("differentSpelling", '"a"', typed("a", "token")),
    ("differentValue", ONE, ONE_DOUBLE), ("differentValue", ONE, TWO), ("differentValue", ONE, '"1"'),
    ("differentValue", typed("0.0", "float"), typed("-0.0", "float")),
    ("contains", '"abc"', '"b"'), ("contains", '"abc"@en', '""'), ("startsWith", '"abc"', '"ab"'),
    ("endsWith", '"abc"', '"bc"'), ("matches", '"abc"', '"b."'), ("matches", '"a1"', '"^[a-z]\\\\d$"'),
    ("lang", '"a"@EN-gb', '"en-GB"'),
]  # fmt: skip

DOES_NOT_HOLD = [
    ("=", IRI, OTHER), ("=", ONE, TWO), ("=", ONE, '"1"'), ("=", UNKNOWN, UNKNOWN_TOO), ("=", IRI, '"http://e.org/a"'),
    ("!=", IRI, IRI), ("!=", ONE, ONE_DOUBLE), ("!=", UNKNOWN, UNKNOWN_TOO), ("!=", UNKNOWN, ONE), ("!=", ILL, ONE),
    ("<", TWO, ONE), ("<", ONE, '"2"'), ("<=", IRI, IRI), ("<=", NAN, NAN), (">", ONE, ONE), (">=", UNKNOWN, UNKNOWN),
    ("isIRI", BLANK), ("isIRI", '"<http://e.org/a>"'), ("isBlank", IRI), ("isLiteral", IRI),
    ("datatype", ONE, f"<{XSD}int>"), ("datatype", IRI, INTEGER), ("datatype", '"a"@en', f"<{XSD}string>"),
    ("inValueSpace", IRI, INTEGER), ("inValueSpace", UNKNOWN, INTEGER), ("inValueSpace", ONE, "<x:unknown>"),
    ("notInValueSpace", IRI, INTEGER), ("notInValueSpace", UNKNOWN, INTEGER), ("notInValueSpace", ONE, "<x:unknown>"),
    ("inValueSpace", ONE, '"x"'), ("notInValueSpace", ONE, '"x"'),
    ("sameValue", IRI, IRI), ("sameValue", ONE, ONE_DOUBLE), ("sameValue", UNKNOWN, UNKNOWN_TOO),
    ("sameValue", ILL, ONE),
    ("equatable", IRI, ONE), ("equatable", ONE, TWO), ("equatable", UNKNOWN, UNKNOWN_TOO),
    ("equatable", ONE, typed("01", "byte")), ("equatable", ONE, ONE),
    ("differentSpelling", ONE, ONE), ("differentSpelling", ONE, TWO), ("differentSpelling", ONE, ONE_DOUBLE),
    ("differentSpelling", IRI, OTHER), ("differentSpelling", UNKNOWN, UNKNOWN_TOO),
    ("differentValue", IRI, OTHER), ("differentValue", UNKNOWN, ONE), ("differentValue", ILL, ONE),
    ("differentValue", ONE, typed("1.0", "decimal")),
    ("contains", '"abc"', '"B"'), ("contains", "<http://abc>", '"b"'), ("contains", typed("123", "integer"), '"2"'),
    ("startsWith", '"abc"', '"b"'), ("endsWith", '"abc"', '"b"'), ("matches", '"abc"', '"^b"'),
    ("matches", '"("', '"("'),
    ("lang", '"a"', '""'), ("lang", '"a"@en', '"fr"'), ("lang", '"a"@en', ONE), ("lang", IRI, '"en"'),
]  # fmt: skip


@pytest.mark.parametrize("case", HOLDS)
def test_a_builtin_holds(case):
    name, *terms = case
    assert BUILTINS[name].holds(*terms) is True


@pytest.mark.parametrize("case", DOES_NOT_HOLD)
def test_a_builtin_does_not_hold(case):
    name, *terms = case
    assert BUILTINS[name].holds(*terms) is False


def test_every_builtin_has_a_case_where_it_holds_and_one_where_it_must_not():
    assert {case[0] for case in HOLDS} == {case[0] for case in DOES_NOT_HOLD} == set(BUILTINS)


def test_every_builtin_decides_every_combination_of_terms():
    terms = [IRI, BLANK, ONE, ONE_DOUBLE, UNKNOWN, ILL, NAN, '"a"', '"a"@en', typed("2000-01-01T00:00:00", "dateTime")]
    for definition in BUILTINS.values():
        for arguments in itertools.product(terms, repeat=definition.arity):
            assert definition.holds(*arguments) in (True, False)


COMPARABLE = [ONE, ONE_DOUBLE, TWO, '"1"', '"a"@en', IRI, BLANK]


@pytest.mark.parametrize(("first", "second"), list(itertools.product(COMPARABLE, repeat=2)))
def test_equal_and_unequal_exclude_each_other_and_are_symmetric(first, second):
    equal, unequal = BUILTINS["="].holds, BUILTINS["!="].holds

    assert equal(first, second) == equal(second, first) == (not unequal(first, second))
    assert unequal(first, second) == unequal(second, first)


def test_a_pattern_that_python_warns_about_is_still_valid():
    assert is_valid_regex("[[a]")
    assert not is_valid_regex("(")
