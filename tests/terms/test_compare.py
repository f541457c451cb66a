"""Literals are ordered by value: numbers across datatypes, moments on the timeline."""

import itertools
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoner.terms.value import compare
from tests.terms.notation import typed

ASCENDING = [
    [
        typed("-1e3", "double"),
        typed("-1", "int"),
        typed("0.5", "float"),
        typed("0.50001", "decimal"),
        typed("1", "byte"),
    ],
    [typed("-INF", "float"), typed("9" * 400, "integer"), typed("INF", "double")],
    [typed("0.1", "decimal"), typed("0.1", "double"), typed("0.1", "float")],
    ['""', '"A"', typed("B", "token"), '"a"', '"é"'],
    [typed("false", "boolean"), typed("1", "boolean")],
    [
        typed("-0044-03-15T12:00:00Z", "dateTime"),
        typed("2000-01-01T12:00:00+01:00", "dateTime"),
        typed("2000-01-01T12:00:00Z", "dateTimeStamp"),
        typed("2000-01-01T12:00:00.0001Z", "dateTime"),
        typed("2000-01-01T08:00:00-05:00", "dateTime"),
    ],
    [typed("1999-12-31", "date"), typed("2000-01-01", "date"), typed("2000-03-01", "date")],
    [typed("1999", "gYear"), typed("10000", "gYear")],
    [typed("11:59:59.9", "time"), typed("12:00:00", "time")],
]


@pytest.mark.parametrize("literals", ASCENDING)
def test_literals_compare_in_the_order_of_their_values(literals):
    for (i, first), (j, second) in itertools.product(enumerate(literals), repeat=2):
        assert compare(first, second) == (i > j) - (i < j)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (typed("1", "integer"), typed("1.0e0", "double")),
        (typed("0.0", "double"), typed("-0.0", "double")),
        (typed("2000-01-01T12:00:00Z", "dateTime"), typed("2000-01-01T13:00:00+01:00", "dateTime")),
        ('"a"@en', '"a"@EN'),
        (typed("0a", "hexBinary"), typed("0A", "hexBinary")),
    ],
)
def test_values_that_are_equal_but_perhaps_not_identical_compare_as_zero(first, second):
    assert compare(first, second) == 0 == compare(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('"1"', typed("1", "integer")),
        (typed("NaN", "double"), typed("NaN", "double")),
        (typed("NaN", "float"), typed("1", "integer")),
        ('"a"@en', '"b"@en'),
        ('"a"@en', '"a"'),
        (typed("x", "integer"), typed("x", "integer")),
        ('"1"^^<x:unknown>', '"1"^^<x:unknown>'),
        ("<a>", "<a>"),
        ("<a>", '"a"'),
        (typed("0a", "hexBinary"), typed("0b", "hexBinary")),
        (typed("2000-01-01T12:00:00", "dateTime"), typed("2000-01-01T12:00:00Z", "dateTime")),
        (typed("2000-01-01T12:00:00", "dateTime"), typed("2000-01-02T02:00:00Z", "dateTime")),
    ],
)
def test_what_has_no_order_compares_as_none(first, second):
    assert compare(first, second) is None
    assert compare(second, first) is None


def test_a_missing_time_zone_does_not_matter_beyond_fourteen_hours():
    unzoned = typed("2000-01-01T12:00:00", "dateTime")
    later, earlier = typed("2000-01-02T02:00:01Z", "dateTime"), typed("1999-12-31T21:59:59Z", "dateTime")

    assert (compare(unzoned, later), compare(later, unzoned)) == (-1, 1)
    assert (compare(unzoned, earlier), compare(earlier, unzoned)) == (1, -1)


ZONES = st.integers(min_value=-14 * 60, max_value=14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1), timezones=ZONES)


@given(MOMENTS, MOMENTS)
def test_zoned_moments_agree_with_the_calendar_of_python(first, second):
    expected = (first.astimezone(UTC) > second.astimezone(UTC)) - (first.astimezone(UTC) < second.astimezone(UTC))

    assert compare(typed(first.isoformat(), "dateTime"), typed(second.isoformat(), "dateTime")) == expected


NUMBERS = st.one_of(
    st.integers(-5, 5).map(lambda number: (number, typed(str(number), "integer"))),
    st.decimals(-5, 5, places=2).map(lambda number: (number, typed(f"{number:f}", "decimal"))),
    st.floats(-5, 5).map(lambda number: (number, typed(repr(number), "double"))),
)


@given(NUMBERS, NUMBERS)
def test_numbers_of_all_kinds_compare_exactly(first, second):
    assert compare(first[1], second[1]) == (first[0] > second[0]) - (first[0] < second[0])
