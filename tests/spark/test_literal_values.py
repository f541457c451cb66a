"""Literals of one value on Spark: the tests of the columnar engine, and one with facts in files."""

from __future__ import annotations

import pytest

from tests.test_literal_values import (  # noqa: F401
    ONE,
    PADDED,
    SAME_AS,
    filled,
    iri,
    rows,
    test_a_delta_has_the_literals_that_came_and_went,
    test_a_literal_in_a_pattern_asks_for_its_value,
    test_answers_have_all_literals_of_a_value_where_they_are_asked_for,
    test_both_literals_are_inferred_where_both_are_written,
    test_entailment_and_proofs_go_by_value,
    test_variables_join_literals_as_they_are_written,
    test_what_is_written_out_has_each_literal_once,
)

AGES = ":k a owl:InverseFunctionalProperty ; rdfs:subPropertyOf :q . :a :k 1 . :b :k 01 . :c :k 2 ."


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let every test that makes a reasoner make it on Spark, in files if its name says so."""
    if "make_reasoner" in metafunc.fixturenames:
        place = "spark in files" if "in_files" in metafunc.function.__name__ else "spark"
        metafunc.parametrize("make_reasoner", [place], indirect=True)


def test_literals_in_files_are_compared_by_value_and_answered_as_written(make_reasoner):
    kb = filled(make_reasoner, [AGES], profile="dlp")

    assert kb.classes() == [(iri("a"), iri("b"))]
    assert rows(kb, "SELECT DISTINCT ?o { :a :q ?o }") == sorted([(ONE,), (PADDED,)])
    assert rows(kb, "SELECT ?s { ?s :q 1 }") == [(iri("a"),), (iri("b"),)]
    kb.literals = "by-value"
    assert rows(kb, "SELECT ?o { :c :q ?o }") == [('"2"^^<http://www.w3.org/2001/XMLSchema#integer>',)]
    kb.remove([(iri("b"), iri("k"), PADDED)])
    assert (iri("a"), SAME_AS, iri("b")) not in set(kb.triples())
