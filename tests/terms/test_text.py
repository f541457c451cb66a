"""Literals are taken apart and put together without loss."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoner.terms.value import escape, literal_parts, literal_text, unescape

CHARACTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
DATATYPES = st.sampled_from(["http://www.w3.org/2001/XMLSchema#string", "http://www.w3.org/2001/XMLSchema#int", "x:y"])


@given(CHARACTERS, DATATYPES)
def test_a_typed_literal_survives_writing_and_reading(lexical, datatype):
    assert literal_parts(literal_text(lexical, datatype)) == (lexical, datatype, None)


@given(CHARACTERS, st.sampled_from(["en", "EN-gb", "zh-Hant-TW"]))
def test_a_tagged_literal_survives_with_the_case_of_its_tag(lexical, tag):
    assert literal_parts(literal_text(lexical, language=tag))[0::2] == (lexical, tag)


@given(CHARACTERS)
def test_escaped_text_holds_no_raw_line_end_and_unescapes_to_itself(lexical):
    escaped = escape(lexical)

    assert not set(escaped) & set("\n\r\t\b\f")
    assert unescape(escaped) == lexical


def test_xsd_string_is_never_written_out():
    assert literal_text("a", "http://www.w3.org/2001/XMLSchema#string") == '"a"'


def test_numeric_escapes_become_characters():
    assert unescape(r"\u0041\U0001F600\t") == "A\U0001f600\t"


@pytest.mark.parametrize("body", [r"\x", "\\", r"\u12", r"\uD800", r"\U00110000"])
def test_an_escape_without_a_character_is_refused(body):
    with pytest.raises(ValueError):
        unescape(body)


@pytest.mark.parametrize("text", ["<a>", "_:b", '"', '"a', '"a"^^x', '"a"x'])
def test_what_is_no_literal_is_refused(text):
    with pytest.raises(ValueError, match="not a literal"):
        literal_parts(text)
