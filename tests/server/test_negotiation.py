"""Media types: what a client accepts is what it gets, or it is told what there is."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Graph
from rdflib.compare import isomorphic

from reasoner.server.backend.answer import GRAPH_TYPES, ROW_TYPES
from reasoner.server.backend.message import negotiated
from reasoner.server.backend.refusal import RefusalError
from reasoner.sparql import Result

ANCESTORS = "SELECT ?x ?y { ?x <http://e.org/ancestor> ?y }"
GRAPH = "CONSTRUCT { ?x <http://e.org/before> ?y . _:b <http://e.org/of> ?y } WHERE { ?x <http://e.org/ancestor> ?y }"


def ask(client, query, accept):
    return client.get("/sparql", params={"query": query}, headers={"Accept": accept})


@pytest.mark.parametrize("media", [media for media, name in ROW_TYPES.items() if name != "csv"])
def test_rows_come_in_every_format_that_is_offered(client, media):
    response = ask(client, ANCESTORS, media)

    assert response.headers["content-type"].partition(";")[0] == media
    assert Result.parse(response.content, ROW_TYPES[media]) == Result.parse(ask(client, ANCESTORS, "*/*").content)


def test_rows_come_as_csv(client):
    response = ask(client, ANCESTORS, "text/csv")

    head, *lines = csv.reader(io.StringIO(response.text))
    assert head == ["x", "y"] and ["http://e.org/eve", "http://e.org/enos"] in lines and len(lines) == 3


@pytest.mark.parametrize(
    ("media", "format"),
    [
        ("text/turtle", "turtle"),
        ("application/n-triples", "nt"),
        ("application/rdf+xml", "xml"),
        ("application/ld+json", "json-ld"),
        ("text/n3", "n3"),
    ],
)
def test_graphs_come_in_every_syntax_that_is_offered(client, media, format):
    response = ask(client, GRAPH, media)
    expected = Graph().parse(data=ask(client, GRAPH, "application/n-triples").text, format="nt")

    assert response.headers["content-type"].partition(";")[0] == media
    assert len(expected) == 6
    assert isomorphic(Graph().parse(data=response.text, format=format), expected)


@pytest.mark.parametrize("media", ["application/trig", "application/n-quads"])
def test_graphs_come_in_syntaxes_for_datasets(client, media):
    assert media in GRAPH_TYPES
    assert "http://e.org/before" in ask(client, GRAPH, media).text


def test_an_answer_that_cannot_be_given_names_those_that_can(client):
    for query, accept, offered in (
        (ANCESTORS, "text/turtle", "text/csv"),
        (GRAPH, "text/csv", "text/turtle"),
        ("ASK { ?x ?y ?z }", "text/csv", "application/sparql-results+xml"),
    ):
        response = ask(client, query, accept)
        assert response.status_code == 406
        assert offered in response.text and accept in response.text


def test_a_graph_that_a_syntax_cannot_hold_is_not_acceptable_in_it(client):
    response = ask(client, "CONSTRUCT { ?x <http://e.org/1> ?y } { ?x a ?y }", "application/rdf+xml")

    assert response.status_code in (200, 406)
    assert response.status_code == 200 or "text/turtle" in response.text


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", "a/x"),
        ("*/*", "a/x"),
        ("b/*", "b/z"),
        ("a/y", "a/y"),
        ("A/Y", "a/y"),
        ("a/x;q=0.1, a/y;q=0.2", "a/y"),
        ("a/*;q=0.9, a/x;q=0.1, b/z;q=0.5", "a/y"),
        ("*/*;q=0.1, b/z", "b/z"),
        ("a/*;q=0, */*", "b/z"),
        ("c/d, b/z;q=0.001", "b/z"),
        ("a/y;charset=utf-8", "a/y"),
    ],
)
def test_the_best_offer_is_taken(accept, expected):
    assert negotiated(accept, ["a/x", "a/y", "b/z"], "it") == expected


@given(st.text(max_size=60))
def test_no_header_does_harm(accept):
    try:
        assert negotiated(accept, ["a/x", "b/z"], "it") in ("a/x", "b/z")
    except RefusalError as refusal:
        assert refusal.status == 406
