"""Queries that are read without the grammar: the same algebra as with it, on random and on awkward texts."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner.sparql.algebra import Query
from reasoner.sparql.errors import QuerySyntaxError
from reasoner.sparql.names import Names
from reasoner.sparql.parse import parse_tree, resolve_escapes
from reasoner.sparql.plain_query import plain_query
from reasoner.sparql.translate import Translator, translate
from tests.conformance.suite import need

DECLARED = {"e": "http://e.org/", "": "http://empty.org/", "x-1": "http://x.org/#"}
BASE = "http://base.org/folder/file"


def by_the_grammar(text: str, base: str = "", prefixes: dict[str, str] | None = None) -> Query | None:
    """Translate a text the long way; None if it is no query."""
    try:
        prologue, body = parse_tree(text)
        return Translator(Names(resolve_escapes(text), prologue, base, prefixes or {})).query(body)
    except QuerySyntaxError:
        return None


def require_same(text: str, base: str = "", prefixes: dict[str, str] | None = None) -> bool:
    """Require that a text which is plain is understood as by the grammar; tell whether it is plain."""
    found = plain_query(text, base, prefixes or {})
    if found is not None:
        expected = by_the_grammar(text, base, prefixes)
        assert found == expected, text
        assert expected is not None and found.prefixes == expected.prefixes, text
    return found is not None


SPACE = st.sampled_from([" ", "\n", "\t", "  ", " \r\n "])
GAP = st.sampled_from(["", "", " ", "\n"])
VARIABLE = st.sampled_from(["?x", "?y", "$x", "?X_1", "?0", "?_"])
IRI = st.sampled_from(["<http://e.org/a>", "<http://e.org/#b>", "<rel>", "<#frag>", "<>", "<urn:é>", "<mailto:a@b.c>"])
NAME = st.sampled_from(["e:a", "e:a-b", "e:1", ":a", "x-1:_z", "e:a-"])
RESOURCE = st.one_of(VARIABLE, VARIABLE, IRI, NAME)
QUOTED = st.sampled_from(['""', '"a"', '"a # b"', '"é }"', '" . "', '"it\'s"'])
LITERAL = st.one_of(
    QUOTED,
    st.builds(str.__add__, QUOTED, st.sampled_from(["@en", "@en-GB", "@EN", "^^<http://e.org/d>", "^^e:d"])),
    st.builds(str.__add__, QUOTED, st.just("^^<http://www.w3.org/2001/XMLSchema#string>")),
    st.sampled_from(["0", "42", "007"]),
)
DECLARATION = st.sampled_from(
    ["PREFIX e: <http://e.org/>", "prefix : <http://empty.org/>", "PREFIX x-1:<http://x.org/#>", "PREFIX e: <over>"]
)


@st.composite
def plain_texts(draw: st.DrawFn) -> str:
    """Draw a text of the sub-language, with space of all kinds."""
    gap, space = (lambda: draw(GAP)), (lambda: draw(SPACE))
    parts = [f"{declaration}{space()}" for declaration in draw(st.lists(DECLARATION, max_size=3))]
    if draw(st.booleans()):
        parts.append(draw(st.sampled_from(["ASK", "ask"])))
    else:
        asked = draw(st.one_of(st.just("*"), st.lists(VARIABLE, min_size=1, max_size=3).map(" ".join)))
        parts += ["SELECT", draw(st.sampled_from(["", " DISTINCT", " reduced"])), space(), asked]
    parts += [draw(st.sampled_from([" WHERE", "\nwhere", ""])), gap(), "{", gap()]
    for number in range(draw(st.integers(0, 4))):
        if number:
            parts += [".", space()]
        parts += [draw(RESOURCE), space(), draw(st.one_of(RESOURCE, st.just("a"))), space()]
        parts.append(draw(st.one_of(RESOURCE, LITERAL)))
        for _ in range(draw(st.integers(0, 2))):
            verb = draw(st.one_of(st.none(), RESOURCE, st.just("a")))
            parts += [gap(), ","] if verb is None else [gap(), ";", gap(), verb, space()]
            parts += [gap(), draw(st.one_of(RESOURCE, LITERAL))]
        parts.append(gap())
    parts += [draw(st.sampled_from(["", " ."])) if parts[-2] != "{" else "", gap(), "}", gap()]
    parts.append(draw(st.sampled_from(["", "", "LIMIT 3", "limit 0 OFFSET 2", " LIMIT 10\nOFFSET 07 "])))
    return "".join(parts)


@settings(deadline=None)
@given(plain_texts(), st.sampled_from(["", BASE]))
def test_what_is_read_without_the_grammar_is_read_as_with_it(text, base):
    assert require_same(text, base, DECLARED)


@settings(deadline=None)
@given(plain_texts(), st.data())
def test_a_text_with_a_change_anywhere_is_read_the_same_or_left_alone(text, data):
    """Changes make mistakes and texts at the rim of the sub-language."""
    place = data.draw(st.integers(0, len(text)))
    with_what = data.draw(
        st.sampled_from(["", ".", ";", ",", "#", "a", "1", "-", " ", "}", "{", '"', "é", ":", "?x", "\\"])
    )
    require_same(text[:place] + with_what + text[place + data.draw(st.integers(0, 1)) :], "", DECLARED)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x { ?x a <http://e.org/C> }",
        "PREFIX e: <http://e.org/> SELECT DISTINCT * WHERE { ?x e:p ?y ; e:q 'a' }".replace("'", '"'),
        "PREFIX e: <http://e.org/> ASK { ?x e:p e:a, e:b . ?y e:p 7 . } LIMIT 1",
        "select ?x where { }",
    ],
)
def test_common_queries_need_no_grammar(text):
    assert require_same(text)


@pytest.mark.parametrize(
    "text",
    [
        "PREFIX e: <http://e.org/> SELECT * { ?x e:p e:a.b:c }",
        "PREFIX e: <http://e.org/> SELECT * { ?x e:p e:a\\.b }",
        'SELECT * { ?x ?p """long""" }',
        'SELECT * { ?x ?p "tab\there" }',
        "SELECT * { ?x ?p ?o # comment }\n }",
        "SELECT * { ?x <http://e.org/p>+ ?o }",
        "SELECT * { ?x unknown:p ?o }",
        "SELECT * { ?x ?p -1 }",
        "SELECT * { ?x ?p 1.5 }",
        "SELECT * { ?x ?p true }",
        "SELECT * { _:b ?p [] }",
        "SELECT * { ?x ?p ?o } ORDER BY ?x",
        "SELECT * FROM <http://e.org/g> { ?x ?p ?o }",
        "SELECT ?x ?p",
        "ASKWHERE { }",
        "SELECT ?xWHERE { ?x ?p ?o . . }",
        "",
    ],
)
def test_everything_else_is_left_to_the_grammar(text):
    assert plain_query(text, "", {}) is None


def test_an_unknown_prefix_is_still_told_with_advice():
    with pytest.raises(QuerySyntaxError, match="unknown prefix owl:; add PREFIX owl:"):
        translate("SELECT ?x { ?x a owl:Class }")


def test_the_queries_of_the_suite_are_read_the_same():
    with gzip.open(need("sparql", "sparql_tests.jsonl.gz"), "rt", encoding="utf-8") as lines:
        texts = [case["query"] for case in map(json.loads, lines) if case.get("query")]
    plain = [text for text in texts if require_same(text)]

    assert len(plain) > 30
