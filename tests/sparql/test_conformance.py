"""The W3C SPARQL 1.0 and 1.1 query tests, where they lie beside the project."""

from __future__ import annotations

import pytest

from reasoner.sparql.errors import QuerySyntaxError
from reasoner.sparql.translate import translate
from tests.conformance.suite import harness
from tests.sparql.suite import answer, answer_from_store, cases, text_of

COMPARE = harness("sparql", "run_sparql.py").compare
CASES = cases()
# The cases of the entailment group need their regimes, and those of the service group other endpoints.
EVALUATION = [case for case in CASES if case["type"] in ("QueryEval", "CSV")]
EVALUATION = [case for case in EVALUATION if case["group"] != "entailment" and not case.get("needs_service")]
SYNTAX = [case for case in CASES if case["type"] in ("PositiveSyntax", "NegativeSyntax")]


def test_the_suite_is_there_in_full():
    assert (len(CASES), len(EVALUATION), len(SYNTAX)) == (483, 279, 162)


@pytest.mark.parametrize("case", EVALUATION, ids=lambda case: case["id"])
def test_the_answer_is_that_of_the_suite(case):
    result = answer(case)
    written = result.serialize(format="nt" if result.type in ("CONSTRUCT", "DESCRIBE") else "json").decode()

    # Numbers may be written in another way, as the harness allows.
    assert COMPARE(case["expected"], written, True), written[:2000]


@pytest.mark.parametrize("case", [case for case in EVALUATION if case["graphs"]], ids=lambda case: case["id"])
def test_the_answer_is_the_same_from_named_graphs_of_the_store(case):
    result = answer_from_store(case)
    written = result.serialize(format="nt" if result.type in ("CONSTRUCT", "DESCRIBE") else "json").decode()

    assert COMPARE(case["expected"], written, True), written[:2000]


@pytest.mark.parametrize("case", SYNTAX, ids=lambda case: case["id"])
def test_a_query_is_read_or_refused_as_in_the_suite(case):
    if case["type"] == "PositiveSyntax":
        assert translate(text_of(case)).form in ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
    else:
        with pytest.raises(QuerySyntaxError):
            translate(case["query"])
