"""Value spaces and facets: which literal belongs to which datatype."""

import itertools

import pytest

from reasoner.terms.datatypes import all_supertypes, in_value_space, is_ill_typed, satisfies_facet
from reasoner.terms.hierarchy import SUPERTYPES, SUPPORTED
from reasoner.terms.term import RDF, XSD
from tests.terms.notation import datatype, typed

REQUIRED = [
    "rdf:PlainLiteral",
    "rdf:XMLLiteral",
    "rdfs:Literal",
    "decimal",
    "integer",
    "nonNegativeInteger",
    "nonPositiveInteger",
    "positiveInteger",
    "negativeInteger",
    "long",
    "int",
    "short",
    "byte",
    "unsignedLong",
    "unsignedInt",
    "unsignedShort",
    "unsignedByte",
    "float",
    "double",
    "string",
    "normalizedString",
    "token",
    "language",
    "Name",
    "NCName",
    "NMTOKEN",
    "boolean",
    "hexBinary",
    "base64Binary",
    "anyURI",
    "dateTime",
    "dateTimeStamp",
]

SAMPLES = [
    *[typed(str(sign * 2**power + step), "integer") for sign in (-1, 1) for power in (0, 7, 8, 15, 16, 31, 32, 63, 64)
      for step in (-1, 0, 1)],
    typed("1.5", "decimal"), typed("1", "double"), typed("1", "float"), '""', '"a"', '"a:b"', '"a_b"', '"1"', '"a b"',
    '"a  b"', '"a\\tb"', '"-"', '"en-GB"', '"a"@en', typed("true", "boolean"), typed("0a", "hexBinary"),
    typed("YQ==", "base64Binary"),
    typed("a", "anyURI"), typed("2000-01-01T00:00:00", "dateTime"), typed("2000-01-01T00:00:00Z", "dateTime"),
    typed("<a/>", "rdf:XMLLiteral"),
]  # fmt: skip


def test_the_supported_datatypes_are_those_that_owl_2_rl_requires():
    assert {datatype(name) for name in REQUIRED} == SUPPORTED
    assert len(SUPPORTED) == 32


def test_the_hierarchy_is_the_inclusion_of_value_spaces():
    """Every value of a datatype is one of each supertype; what is no supertype misses some sample."""
    for name in SUPPORTED:
        members = [text for text in SAMPLES if in_value_space(text, name)]
        assert members, name
        for other in SUPPORTED:
            included = all(in_value_space(text, other) for text in members)
            assert included == (other in all_supertypes(name)), (name, other)


def test_every_supertype_is_supported_and_none_is_redundant():
    for name, supertypes in SUPERTYPES.items():
        for first, second in itertools.permutations(supertypes, 2):
            assert first not in all_supertypes(second), name


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (typed("1.0", "decimal"), "integer", True),
        (typed("1.5", "decimal"), "integer", False),
        (typed("1" + "0" * 5000, "decimal"), "integer", True),
        (typed("1", "double"), "integer", False),
        ('"a"@en', "string", False),
        ('"a"@en', "rdf:PlainLiteral", True),
        (typed("a", "anyURI"), "string", False),
        (typed("x", "integer"), "integer", False),
        (typed("x", "integer"), "string", False),
        (typed("x", "integer"), "rdfs:Literal", False),
        (typed("2000-01-01", "date"), "integer", False),
        ('"1"^^<x:unknown>', "integer", None),
        ('"1"^^<x:unknown>', "rdfs:Literal", None),
        (typed("1", "integer"), "date", None),
        ("<a>", "string", None),
        ("_:b", "string", None),
    ],
)
def test_membership_is_true_false_or_unknown(text, name, expected):
    assert in_value_space(text, datatype(name)) is expected


def test_ill_typed_is_more_than_not_understood():
    assert is_ill_typed(typed("x", "integer"))
    assert not is_ill_typed('"x"^^<x:unknown>')
    assert not is_ill_typed('"x"')


@pytest.mark.parametrize(
    ("text", "facet", "bound", "expected"),
    [
        (typed("5", "int"), "minInclusive", typed("5.0", "decimal"), True),
        (typed("5", "int"), "minExclusive", typed("5", "integer"), False),
        (typed("5", "int"), "maxInclusive", typed("4", "integer"), False),
        (typed("5", "int"), "maxExclusive", typed("6", "integer"), True),
        (typed("5", "double"), "maxExclusive", typed("6", "integer"), False),
        (typed("2000-01-01T00:00:00", "dateTime"), "minInclusive", typed("2000-01-01T00:00:00Z", "dateTime"), False),
        ('"abc"', "length", typed("3", "integer"), True),
        ('"abc"@en', "maxLength", typed("2", "integer"), False),
        (typed("0aff", "hexBinary"), "minLength", typed("2", "integer"), True),
        (typed("5", "int"), "length", typed("1", "integer"), None),
        ('"a1"', "pattern", '"[a-z][0-9]"', True),
        ('"a12"', "pattern", '"[a-z][0-9]"', False),
        ('"a"', "pattern", '"("', None),
        ('"a"', "pattern", '"\\\\p{L}"', None),
        (typed("x", "int"), "minInclusive", typed("1", "int"), None),
        ('"a"', "unknownFacet", '"a"', None),
    ],
)
def test_facets_narrow_a_value_space(text, facet, bound, expected):
    assert satisfies_facet(text, XSD + facet, bound) is expected


@pytest.mark.parametrize(
    ("text", "language_range", "expected"),
    [('"a"@en-GB', "EN", True), ('"a"@eng', "en", False), ('"a"@fr', "*", True), ('"a"', "*", False)],
)
def test_a_language_range_matches_tags_by_subtag(text, language_range, expected):
    assert satisfies_facet(text, RDF + "langRange", f'"{language_range}"') is expected
