"""The limits of a query: memory, and the size of what expressions compute."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from reasoner import Reasoner
from reasoner.requests import query
from reasoner.sparql.budget import Budget
from reasoner.sparql.errors import QueryMemoryError, ValueTooLargeError
from reasoner.sparql.numbers import digits_of, number
from reasoner.terms.value import value_of

XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.fixture(scope="module")
def kb():
    made = Reasoner(profile="none")
    made.add([(f"<urn:n{n}>", "<urn:next>", f"<urn:n{n + 1}>") for n in range(2000)])
    return made


def test_columns_are_counted_while_they_live_and_once():
    budget = Budget(most_memory=100_000)
    column = np.arange(1000)

    budget.hold([column, column])
    budget.hold([column])
    assert budget.memory_left == 100_000 - 8000
    del column
    gc.collect()

    assert budget.memory_left == 100_000
    with pytest.raises(QueryMemoryError, match="most_memory"):
        budget.hold([np.arange(20_000)])


def test_a_step_is_refused_before_it_is_made():
    budget = Budget(most_memory=1000)

    budget.check(10, 2)
    with pytest.raises(QueryMemoryError, match="100 rows"):
        budget.check(100, 2)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?a ?p ?b . ?c ?q ?d }",
        "SELECT * { ?a (<urn:next>|^<urn:next>)* ?b }",
        "SELECT * { { SELECT ?a { ?a ?p ?b } } { SELECT ?c { ?c ?p ?d } } }",
        "SELECT * { ?a ?p ?b OPTIONAL { ?c ?q ?d } }",
        "SELECT ?x { ?a ?p ?b . ?c ?q ?b2 BIND(CONCAT(STR(?a), STR(?c)) AS ?x) }",
    ],
)
def test_a_query_stays_within_its_memory(kb, text):
    with pytest.raises(QueryMemoryError, match="--max-memory"):
        query(kb, text, budget=Budget(most_memory=4 << 20))


def test_what_fits_is_answered(kb):
    budget = Budget(most_memory=4 << 20)

    assert (
        len(query(kb, "SELECT * { ?a <urn:next>/<urn:next> ?b FILTER(STRLEN(STR(?b)) > 2) }", budget=budget).rows()) > 0
    )


def test_texts_that_a_query_makes_are_counted(kb):
    text = "SELECT ?x { ?a ?p ?b BIND(CONCAT(STR(?a), '%s') AS ?x) }" % ("x" * 5000)

    with pytest.raises(QueryMemoryError):
        query(kb, text, budget=Budget(most_memory=4 << 20)).rows()


def test_the_texts_of_an_answer_are_counted(kb):
    result = query(kb, "SELECT * { ?a ?p ?b }", budget=Budget(most_memory=100_000), terms="text")

    with pytest.raises(QueryMemoryError):
        result.serialize(format="csv")


@pytest.mark.parametrize("operator", ["+", "-", "*"])
def test_numbers_have_so_many_digits(kb, operator):
    huge = "9" * 60
    with pytest.raises(ValueTooLargeError, match="--max-digits"):
        query(kb, f"SELECT ({huge} {operator} {huge} AS ?x) {{}}", budget=Budget(most_digits=50))
    assert query(kb, "SELECT (999 * 999 AS ?x) {}", budget=Budget(most_digits=50), terms="text").rows() == [
        (f'"998001"^^<{XSD}integer>',)
    ]


def test_digits_are_those_of_numbers_that_have_any_number_of_them():
    assert digits_of(f'"{"1" * 70}"^^<{XSD}decimal>') == 70
    assert digits_of(f'"1.5E3"^^<{XSD}double>') == digits_of("<urn:a>") == digits_of('"12"@en') == 0


def test_caches_of_texts_do_not_keep_long_ones_for_ever():
    for place in range(100):
        value_of(f'"{place}{"x" * 1_000_000}"^^<{XSD}string>')
        number(f'"{place}{"0" * 15_000}"^^<{XSD}integer>')

    assert value_of.cache_info().currsize < 100
