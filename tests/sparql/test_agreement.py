"""Answers equal those of other libraries over the written-out closure, as bags, on random data and queries."""

from __future__ import annotations

from hypothesis import assume, given, settings

from reasoner import Reasoner
from reasoner.requests import query
from tests.sparql.naive import bag, oxigraph_bag, rdflib_bag
from tests.sparql.strategies import data, iri, queries
from tests.strategies import RANDOM


def store(facts: list[tuple[str, str, str]], equality: str = "rewrite") -> Reasoner:
    kb = Reasoner(profile="none", equality=equality)
    kb.add(facts)
    return kb


def ours(kb: Reasoner, text: str):
    result = query(kb, text, terms="text", timeout=60)
    found = bag(dict(zip(result.variables, row, strict=True)) for row in result)
    assert len(result) == found.total()
    return found


@settings(RANDOM, max_examples=400)
@given(data(), queries())
def test_answers_are_those_of_pyoxigraph_over_the_closure(facts, text):
    kb = store(facts)

    assert ours(kb, text) == oxigraph_bag(kb.triples(), text), text


@settings(RANDOM, max_examples=60)
@given(data(blank=False), queries(well_designed=True))
def test_answers_are_those_of_rdflib_over_the_closure(facts, text):
    kb = store(facts)

    assert ours(kb, text) == rdflib_bag(kb.triples(), text), text


@settings(RANDOM, max_examples=100)
@given(data(), queries())
def test_representatives_alone_answer_as_the_stored_triples_do(facts, text):
    # What is named in a query has to be a representative, which the term with the smallest id is.
    assume(not any(name in text for name in (":b", ":c", ":h")))
    kb = store([(iri("a"), iri("p"), iri("q")), *(fact for fact in facts if fact[0] != iri("p"))])

    found = query(kb, text, terms="text", expand=False)

    assert bag(dict(zip(found.variables, row, strict=True)) for row in found) == oxigraph_bag(kb.normal_triples(), text)


@settings(RANDOM, max_examples=60)
@given(data(), queries())
def test_equality_by_axioms_and_without_meaning_answer_as_their_triples_do(facts, text):
    for equality in ("axiomatise", "none"):
        kb = store(facts, equality)

        assert ours(kb, text) == oxigraph_bag(kb.triples(), text), (equality, text)
