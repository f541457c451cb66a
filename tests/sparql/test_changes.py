"""Queries over a store that changes: dead facts are no answers, new ones are, and a result stays what it was."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.requests import query
from tests.sparql.naive import bag, oxigraph_bag
from tests.sparql.notation import PREFIX, ask, store, term
from tests.sparql.strategies import data, queries
from tests.strategies import RANDOM


def large() -> Reasoner:
    """A store whose tables are so large that removed facts are only marked as dead."""
    return store(",".join(f"a{number} p b{number % 50}, b{number % 50} q {number % 7}" for number in range(3000)))


def test_facts_that_were_removed_are_no_answers():
    kb = large()
    before = ask(kb, "SELECT ?x ?n { ?x :p ?y . ?y :q ?n }")
    kb.remove([(term("a3"), term("p"), term("b3")), (term("b4"), term("q"), term("4"))])
    triples = list(kb.triples())
    texts = [
        "SELECT ?x ?n { ?x :p ?y . ?y :q ?n }",
        "SELECT ?y { :a3 :p ?y }",
        "SELECT ?x { ?x :p :b3 }",
        "SELECT ?x { ?x :p :b3 . ?x :p ?y }",
        "SELECT ?x { VALUES (?x ?y) { (:a3 :b3) (:a53 :b3) } ?x :p ?y }",
        "SELECT ?p { :a3 ?p :b3 }",
        "SELECT ?x ?n { ?x :p/:q ?n FILTER(?n = 4) }",
    ]

    assert ask(kb, texts[0]) != before
    for text in texts:
        found = query(kb, PREFIX + text, terms="text")
        answers = bag(dict(zip(found.variables, row, strict=True)) for row in found)
        assert answers == oxigraph_bag(triples, PREFIX + text), text


def test_a_result_is_of_the_state_that_was_asked():
    kb = store("a same b, a p x")
    result = query(kb, PREFIX + "SELECT ?s { ?s :p ?o }", terms="text")
    kb.remove([(term("a"), term("same"), term("b"))])

    assert sorted(row.s for row in result) == [term("a"), term("b")]
    assert ask(kb, "SELECT ?s { ?s :p ?o }") == {("a",): 1}


@settings(RANDOM, max_examples=60)
@given(data(), queries(), st.data())
def test_answers_follow_updates(facts, text, draw):
    kb = Reasoner(profile="none")
    kb.add(facts)
    query(kb, text)
    with kb.transaction() as change:
        change.remove(draw.draw(st.lists(st.sampled_from(facts), max_size=3)))

    found = query(kb, text, terms="text")

    answers = bag(dict(zip(found.variables, row, strict=True)) for row in found)
    assert answers == oxigraph_bag(kb.triples(), text), text
