"""Unbound variables in expressions over frames: the values and errors of the columnar evaluator."""

from __future__ import annotations

from collections import Counter

import pytest

from reasoner import Reasoner
from reasoner.requests import query
from tests.spark.test_query import source  # noqa: F401
from tests.sparql.test_unbound import FACTS, PREFIXES
from tests.sparql.unbound_expressions import BINARY, UNARY

FORMS = ["?w", *(form.format("?w") for form in UNARY), *(form.format("?w", "?o") for form in BINARY)]
QUERIES = [
    "ASK { ?s ?p ?o FILTER(?w) }",
    "SELECT ?s { ?s :p ?o FILTER(?w) }",
    "SELECT ?s { ?s :p ?o FILTER(!?w || ?o = 1) }",
    "SELECT ?s { ?s :p ?o FILTER(?w = 1 || !BOUND(?w)) }",
    "SELECT ?s { ?s :p ?o FILTER(?w != :a) }",
    "SELECT ?s { ?s :p ?o FILTER(?w IN (1, ?o)) }",
    "SELECT ?s { ?s :p ?o FILTER(isIRI(?w) || isLiteral(?o)) }",
    "SELECT ?s { ?s :p ?o FILTER NOT EXISTS { ?s :q ?z FILTER(?w) } }",
    "SELECT ?s ?z { ?s :p ?o OPTIONAL { ?s :q ?z FILTER(?w) } }",
    "SELECT ?s { ?s :p ?o } ORDER BY ?w DESC(?w + 1)",
    "SELECT ?s { ?s :p ?o } GROUP BY ?s HAVING(?w)",
    "SELECT ?s { ?s :p ?o } GROUP BY ?s HAVING(COUNT(?w) = 0)",
    "SELECT (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?w",
    "SELECT (COUNT(?w) AS ?n) (SUM(?w) AS ?t) (MIN(?w) AS ?l) (SAMPLE(?w) AS ?e) (GROUP_CONCAT(?w) AS ?g) { ?s :p ?o }",
    "SELECT (COUNT(?w + 1) AS ?n) (SUM(?w + ?o) AS ?t) (SUM(COALESCE(?w, 1)) AS ?c) { ?s :p ?o }",
    "SELECT ?s { ?s :p ?o { FILTER(?o) } }",
    "SELECT ?s ?z { ?s :p ?o OPTIONAL { ?s :q ?z } FILTER(?z || ?w) }",
]


@pytest.fixture(scope="module")
def kb() -> Reasoner:
    kb = Reasoner(profile="none")
    kb.add(FACTS)
    return kb


def same(frames, kb, text: str) -> None:
    from reasoner.spark.query.answer import query as query_frames

    found, expected = query_frames(frames, PREFIXES + text, terms="text"), query(kb, PREFIXES + text, terms="text")
    if text.startswith("ASK"):
        assert found.askAnswer == expected.askAnswer, text
    else:
        assert Counter(found.texts()) == Counter(expected.texts()), text


def test_every_form_of_expression_has_the_value_that_columns_give_it(source, kb):  # noqa: F811
    for start in range(0, len(FORMS), 22):
        chosen = list(enumerate(FORMS))[start : start + 22]
        shown = " ".join(f"?v{number}" for number, _ in chosen)
        bound = " ".join(f"BIND({form} AS ?v{number})" for number, form in chosen)
        same(source, kb, f"SELECT ?s {shown} {{ ?s :p ?o {bound} }}")


@pytest.mark.parametrize("text", QUERIES)
def test_an_unbound_variable_is_an_error_wherever_it_stands(source, kb, text):  # noqa: F811
    same(source, kb, text)
