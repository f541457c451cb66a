"""Canonical texts, and crossing over to other libraries and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.terms import (
    XSD_STRING,
    escape,
    from_oxigraph,
    from_rdflib,
    iri_text,
    literal_parts,
    literal_text,
    to_oxigraph,
    to_rdflib,
    unescape,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


@given(TEXT)
def test_escaping_and_unescaping_restores_any_text(text):
    assert unescape(escape(text)) == text


@given(TEXT, st.sampled_from([(None, None), ("en-GB", None), (None, INTEGER), (None, XSD_STRING)]))
def test_the_parts_of_a_literal_are_what_it_was_made_of(lexical, kind):
    language, datatype = kind
    parts = literal_parts(literal_text(lexical, language, datatype))

    assert (parts.lexical, parts.language) == (lexical, language)
    if language is None:
        assert parts.datatype == (datatype or XSD_STRING)


@pytest.mark.parametrize("escaped", [r"\ud800", r"\U00110000", r"\x"])
def test_an_escape_for_no_character_is_refused(escaped):
    with pytest.raises(ValueError, match=r"escape|character"):
        unescape(escaped)


def test_a_name_is_no_literal():
    with pytest.raises(ValueError, match="not a literal"):
        literal_parts(iri_text("http://a/b"))


@pytest.mark.parametrize(
    "term",
    ["<http://a/b>", "_:b1", '"x"', '"a\\"b\\\\\\n"', '"chat"@fr', f'"01"^^<{INTEGER}>', f'"one"^^<{INTEGER}>'],
)
def test_terms_cross_over_to_other_libraries_and_back(term):
    assert from_oxigraph(to_oxigraph(term)) == term
    assert from_rdflib(to_rdflib(term)) == term


def test_what_is_no_rdf_term_is_refused():
    with pytest.raises(TypeError, match="URIRef"):
        from_rdflib("http://a/b")
