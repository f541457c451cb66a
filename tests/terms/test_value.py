"""Two literals have the same key iff they denote the same value of the OWL 2 datatype map."""

import math
import struct
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoner.terms.value import parse_float, value_key, value_of
from tests.terms.notation import typed

SAME = [
    (typed("1", "integer"), typed("+01.00", "decimal")),
    (typed("1", "byte"), typed("1", "unsignedLong")),
    (typed("-0", "integer"), typed("0.0", "decimal")),
    (typed(" 7\t", "int"), typed("7", "short")),
    (typed("9" * 5000, "integer"), typed("0" + "9" * 5000 + ".0", "decimal")),
    (typed("1e2", "double"), typed("100", "double")),
    (typed("NaN", "float"), typed("NaN", "float")),
    (typed("INF", "double"), typed("+INF", "double")),
    (typed("1e400", "double"), typed("INF", "double")),
    (typed("0.1", "float"), typed("0.100000001", "float")),
    (typed("16777217", "float"), typed("16777216", "float")),
    ('"a b"', typed("a b", "token")),
    ('"a b"', typed(" a  b ", "token")),
    ('"a b"', typed("a\\tb", "normalizedString")),
    ('"a"', typed("a@", "rdf:PlainLiteral")),
    ('"a"@en', typed("a@EN", "rdf:PlainLiteral")),
    ('"a"@en-GB', '"a"@EN-gb'),
    (typed("true", "boolean"), typed("1", "boolean")),
    (typed("0aFf", "hexBinary"), typed("0AfF", "hexBinary")),
    (typed("YWI=", "base64Binary"), typed("YW I =", "base64Binary")),
    (typed(" http://e.org/ ", "anyURI"), typed("http://e.org/", "anyURI")),
    (typed("2000-01-01T00:00:00Z", "dateTime"), typed("2000-01-01T00:00:00.000+00:00", "dateTimeStamp")),
    (typed("1999-12-31T24:00:00", "dateTime"), typed("2000-01-01T00:00:00", "dateTime")),
    (typed("<a x='1' y='2'/>", "rdf:XMLLiteral"), typed('<a y=\\"2\\" x=\\"1\\"></a>', "rdf:XMLLiteral")),
    (typed("2000-01-01Z", "date"), typed("2000-01-01+00:00", "date")),
]

DIFFERENT = [
    (typed("1", "integer"), typed("1", "double")),
    (typed("1", "double"), typed("1", "float")),
    (typed("1", "integer"), typed("1.0000000000000000000000000000000001", "decimal")),
    (typed("9" * 5000, "integer"), typed("8" + "9" * 4999, "integer")),
    (typed("0.0", "double"), typed("-0.0", "double")),
    (typed("0", "float"), typed("-0", "float")),
    (typed("0.1", "double"), typed("0.100000001", "double")),
    ('"a"', '"A"'),
    ('"a"', '"a"@en'),
    ('"a"@en', '"a"@en-GB'),
    ('"http://e.org/"', typed("http://e.org/", "anyURI")),
    ('"a  b"', typed("a  b", "token")),
    (typed("61", "hexBinary"), typed("YQ==", "base64Binary")),
    (typed("true", "boolean"), typed("1", "integer")),
    (typed("<a/>", "rdf:XMLLiteral"), '"<a/>"'),
    # XML Schema 1.1 and OWL 2: the same instant, equal on the timeline, but not the identical value.
    (typed("2000-01-01T12:00:00Z", "dateTime"), typed("2000-01-01T13:00:00+01:00", "dateTime")),
    (typed("2000-01-01T12:00:00Z", "dateTime"), typed("2000-01-01T12:00:00", "dateTime")),
    (typed("2000-01-01", "date"), typed("2000-01-01T00:00:00", "dateTime")),
    # Without a known value, only the identical literal is the same.
    (typed("x", "integer"), typed("y", "integer")),
    (typed("300", "byte"), typed("300", "int")),
    ('"1"^^<x:unknown>', '"01"^^<x:unknown>'),
    ('"a\\"^^<x:y>"', '"a"^^<x:y>'),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_literals_of_one_value_have_one_key(first, second):
    assert value_key(first) == value_key(second)
    assert hash(value_key(first)) == hash(value_key(second))


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_literals_of_different_values_have_different_keys(first, second):
    assert value_key(first) != value_key(second)


ILL_TYPED = [
    *[typed(lexical, "integer") for lexical in ("", "1.0", "1e3", "٣", "1 2", "+-1", "0x1", "1_000")],
    *[typed(lexical, "decimal") for lexical in (".", "1e3", "INF", "1,5")],
    *[typed(lexical, "double") for lexical in ("inf", "nan", "-NaN", "1e", "infinity", "1_0")],
    typed("128", "byte"),
    typed("-129", "byte"),
    typed("-1", "unsignedByte"),
    typed("0", "positiveInteger"),
    typed("0", "negativeInteger"),
    typed("1", "nonPositiveInteger"),
    typed("18446744073709551616", "unsignedLong"),
    typed("TRUE", "boolean"),
    typed("abc", "hexBinary"),
    *[typed(lexical, "base64Binary") for lexical in ("YQ=", "YQ", "Y===", "YR==", "Y*==")],
    *[typed(lexical, "NCName") for lexical in ("a:b", "1a", "", "-a")],
    typed("a b", "NMTOKEN"),
    typed("1a", "Name"),
    typed("toolonglanguage", "language"),
    typed("\x00", "string"),
    typed("no tag", "rdf:PlainLiteral"),
    typed("a@1", "rdf:PlainLiteral"),
    *[typed(lexical, "rdf:XMLLiteral") for lexical in ("<a>", "</content><content>", "&undefined;", "<x:a/>")],
    typed("2001-02-29T00:00:00", "dateTime"),
    typed("1900-02-29T00:00:00", "dateTime"),
    typed("2000-13-01T00:00:00", "dateTime"),
    typed("2000-01-01T24:00:01", "dateTime"),
    typed("2000-01-01T00:00:00+14:01", "dateTime"),
    typed("2000-01-01T00:00:00", "dateTimeStamp"),
    typed("02000-01-01T00:00:00", "dateTime"),
    typed("200-01-01", "date"),
    typed("2000-04-31", "date"),
]


@pytest.mark.parametrize("text", ILL_TYPED)
def test_an_ill_typed_literal_has_no_value(text):
    assert value_of(text) is None


WELL_TYPED = [
    typed("-128", "byte"),
    typed("18446744073709551615", "unsignedLong"),
    typed("2000-02-29T00:00:00", "dateTime"),
    typed("-0001-01-01T00:00:00Z", "dateTime"),
    typed("0000-01-01T00:00:00Z", "dateTime"),
    typed("12000-01-01T00:00:00-14:00", "dateTimeStamp"),
    typed("1" * 5000 + "-01-01", "date"),
    typed("", "hexBinary"),
    typed("", "base64Binary"),
    typed("", "token"),
    typed("", "rdf:XMLLiteral"),
    typed("a:b-c.d", "Name"),
    typed("-1.x", "NMTOKEN"),
    typed("é", "NCName"),
    typed("zh-Hant", "language"),
    typed(".5", "decimal"),
    typed("5.", "decimal"),
    typed(".5E-3", "float"),
    typed("24:00:00", "time"),
]


@pytest.mark.parametrize("text", WELL_TYPED)
def test_a_well_typed_literal_has_a_value(text):
    assert value_of(text) is not None


def test_a_datatype_that_is_not_supported_gives_no_value():
    assert value_of('"1"^^<http://example.org/length>') is None
    assert value_of(typed("1", "rdfs:Literal")) is None


@given(st.integers(), st.integers(min_value=0, max_value=5), st.integers(min_value=0, max_value=5))
def test_zeros_around_a_number_do_not_change_its_value(number, leading, trailing):
    sign = "-" if number < 0 else ""
    padded = typed(f"{sign}{'0' * leading}{abs(number)}.{'0' * trailing}", "decimal")

    assert value_key(padded) == value_key(typed(str(number), "integer"))


@given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.floats(min_value=-1, max_value=1))
def test_a_float_is_the_nearest_single_to_its_exact_decimal(single, nudge):
    """Near the middle between two singles, rounding by way of a double goes wrong."""
    below = struct.unpack("<i", struct.pack("<f", single))[0]
    neighbour = struct.unpack("<f", struct.pack("<i", below + 1))[0]
    if not math.isfinite(neighbour):
        return
    middle = (Fraction(single) + Fraction(neighbour)) / 2
    exact = middle + (Fraction(neighbour) - Fraction(single)) * Fraction(nudge) / 2**60

    parsed = parse_float(_decimal_digits(exact))

    assert parsed is not None
    nearest = min(abs(exact - Fraction(candidate)) for candidate in (single, neighbour))
    assert abs(exact - Fraction(parsed)) == nearest


def _decimal_digits(number: Fraction) -> str:
    """Write a binary fraction exactly, which takes as many decimals as its denominator has bits."""
    places = number.denominator.bit_length() - 1
    digits = str(abs(number.numerator) * 5**places).rjust(places + 1, "0")
    whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :]
    return ("-" if number < 0 else "") + whole + "." + (fraction or "0")
