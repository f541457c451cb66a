"""Patterns of XML Schema mean what XML Schema says, not what Python would take them for."""

import pytest

from reasoner.terms.datatypes import compile_pattern


@pytest.mark.parametrize(
    ("pattern", "string", "expected"),
    [
        ("a|b", "b", True),
        ("ab", "xab", False),
        ("^a$", "a", False),
        ("^a$", "^a$", True),
        (".", "\r", False),
        (r"\s", "\u00a0", False),
        (r"[\s]+", " \t\r\n", True),
        (r"\S\d", "a٣", True),
        ("[^a]", "b", True),
        ("[^^]", "^", False),
        ("[a&&b]", "&", True),
        (r"\.\-\^", ".-^", True),
        ("a{2,3}", "aaaa", False),
    ],
)
def test_a_pattern_matches_the_whole_string(pattern, string, expected):
    assert bool(compile_pattern(pattern).fullmatch(string)) is expected


@pytest.mark.parametrize("pattern", ["(", r"\p{L}", r"\i\c*", "[a-z-[aeiou]]", "(?i)a", r"\w", "a\\", r"[\S]", "[a"])
def test_a_pattern_without_a_counterpart_is_not_understood(pattern):
    assert compile_pattern(pattern) is None
