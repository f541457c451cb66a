"""Violations: one for each contradiction, with whose it is, the same in lists, in deltas and on every engine."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.load import parse_text
from reasoner import Reasoner
from reasoner.terms.term import TextTriple
from tests.strategies import RANDOM

PREFIXES = "@prefix : <http://e.org/> . " + "".join(
    f"@prefix {name}: <http://www.w3.org/{path}#> . "
    for name, path in (
        ("owl", "2002/07/owl"),
        ("rdf", "1999/02/22-rdf-syntax-ns"),
        ("rdfs", "2000/01/rdf-schema"),
        ("xsd", "2001/XMLSchema"),
    )
)
PROPERTIES = ":p a owl:ObjectProperty . :q a owl:ObjectProperty . "
# Contradictions that are stated in more than one way.
REPEATED = {
    "disjointWith both ways": ":x a :A, :B . :A owl:disjointWith :B . :B owl:disjointWith :A .",
    "a list beside a pair": ":x a :A, :B . :B owl:disjointWith :A . "
    "[] a owl:AllDisjointClasses ; owl:members (:A :B :C) .",
    "propertyDisjointWith both ways": PROPERTIES
    + ":x :p :y ; :q :y . :p owl:propertyDisjointWith :q . :q owl:propertyDisjointWith :p .",
    "a list of properties beside a pair": PROPERTIES
    + ":x :p :y ; :q :y . :p owl:propertyDisjointWith :q . [] a owl:AllDisjointProperties ; owl:members (:p :q) .",
    "differentFrom both ways": ":x owl:sameAs :y . :x owl:differentFrom :y . :y owl:differentFrom :x .",
    "a list of individuals beside a pair": ":x owl:sameAs :y . :y owl:differentFrom :x . "
    "[] a owl:AllDifferent ; owl:members (:x :y) .",
    "complementOf both ways": ":A a owl:Class . :B a owl:Class . :x a :A, :B . "
    ":A owl:complementOf :B . :B owl:complementOf :A .",
    "an asymmetric pair": PROPERTIES + ":p a owl:AsymmetricProperty . :x :p :y . :y :p :x .",
    "two values of a functional property": ":age a owl:DatatypeProperty, owl:FunctionalProperty . :x :age 1, 2 .",
}


def turtle(text: str) -> list[TextTriple]:
    return parse_text(PREFIXES + text, "turtle")


def store(text: str, profile: str = "owl2rl", **settings: str) -> Reasoner:
    kb = Reasoner(profile, **settings)
    kb.add(turtle(text))
    return kb


@pytest.mark.parametrize("profile", ["owl2rl", "dlp"])
@pytest.mark.parametrize("text", REPEATED.values(), ids=REPEATED)
def test_what_is_stated_in_several_ways_is_violated_once(profile, text):
    kb = store(text, profile)

    assert len(kb.violations()) == kb.summary().violations == 1
    (violation,) = kb.violations()
    assert violation.explain()


@pytest.mark.parametrize("profile", ["owl2rl", "dlp"])
def test_which_way_is_told_does_not_depend_on_the_order_of_loading(profile):
    text = REPEATED["disjointWith both ways"]
    turned = store("", profile)
    turned.add(reversed(turtle(text)))

    assert turned.violations() == store(text, profile).violations()


def test_axioms_that_say_the_same_are_both_named():
    (violation,) = store(REPEATED["disjointWith both ways"], "dlp").violations()

    assert violation.sources == tuple(
        f"DisjointClasses({pair})"
        for pair in ("<http://e.org/A> <http://e.org/B>", "<http://e.org/B> <http://e.org/A>")
    )


@pytest.mark.parametrize("profile", ["owl2rl", "dlp"])
def test_different_contradictions_stay_apart(profile):
    kb = store(
        ":x a :A, :B, :C . :y a :A, :B . :A owl:disjointWith :B . "
        "[] a owl:AllDisjointClasses ; owl:members (:A :B :C) .",
        profile,
    )

    assert len(kb.violations()) == 4


def test_a_rule_of_ones_own_is_matched_as_it_stands():
    kb = store(":x :p :y . :y :p :x .", "none")
    kb.add_rules("[mutual] false :- ?x <http://e.org/p> ?y, ?y <http://e.org/p> ?x .")

    assert len(kb.violations()) == 2


@pytest.mark.parametrize("equality", ["rewrite", "axiomatise"])
def test_a_value_outside_its_datatype_is_told_with_subject_and_property(equality):
    text = ':age rdfs:range xsd:integer . :x :age "old" . :y :name "old" . :z :age 7 .'
    (violation,) = store(text, equality=equality).violations()

    assert violation.rule == "dt-not-type"
    assert violation.triples == tuple(turtle(':age rdfs:range xsd:integer . :x :age "old" .'))
    assert len(violation.explain()) == 2


def test_a_value_outside_the_datatype_of_a_restriction_is_told_with_subject_and_property():
    text = ":A rdfs:subClassOf :R . :R owl:onProperty :age ; owl:allValuesFrom xsd:integer . "
    (violation,) = store(text + ':x a :A ; :age "old" . :y :age "young" .').violations()

    assert turtle(':x :age "old" .')[0] in violation.triples


@pytest.mark.parametrize("equality", ["rewrite", "axiomatise"])
@pytest.mark.parametrize(
    "axiom",
    [
        ":age a owl:DatatypeProperty, owl:FunctionalProperty .",
        ":R owl:onProperty :age ; owl:maxCardinality 1 . :S owl:onProperty :age ; owl:maxCardinality 3 . "
        ":x a :R, :S . :y a :R .",
    ],
    ids=["functional", "at most one"],
)
def test_two_values_where_one_is_allowed_are_told_with_subject_and_property(equality, axiom):
    kb = store(axiom + " :x :age 1, 2 . :y :age 1 . :z :height 1, 2 .", equality=equality)
    (violation,) = kb.violations()

    assert violation.rule == "dt-diff"
    assert set(turtle(":x :age 1, 2 .")) < set(violation.triples)
    assert len(violation.explain()) == len(violation.triples)
    with kb.transaction() as transaction:
        transaction.add(turtle(":y :age 2 ."))
    assert {v.triples[-1][0] for v in transaction.delta.violations_appeared} == {"<http://e.org/y>"}
    assert {v.triples[-1][0] for v in kb.remove(turtle(":x :age 2 .")).violations_went} == {"<http://e.org/x>"}
    assert kb.remove(turtle(":age a owl:FunctionalProperty . :R owl:onProperty :age .")).violations_went
    assert kb.violations() == []


def test_every_subject_of_a_wrong_value_is_told():
    kb = store(':age rdfs:range xsd:integer . :x :age "old" . :y :age "old" .')

    assert {v.triples[1][0] for v in kb.violations()} == {"<http://e.org/x>", "<http://e.org/y>"}
    delta = kb.remove(turtle(':x :age "old" .'))
    assert [v.triples[1][0] for v in delta.violations_went] == ["<http://e.org/x>"]
    assert not delta.violations_appeared


CHANGES = tuple(
    triple
    for text in (
        ":A owl:disjointWith :B . :B owl:disjointWith :A . :B owl:disjointWith :C . :A owl:complementOf :C .",
        ":C owl:complementOf :A . :x a :A, :B, :C . :y a :A, :B . :p owl:propertyDisjointWith :q .",
        ":q owl:propertyDisjointWith :p . :x :p :y . :x :q :y . :y :p :x . :p a owl:AsymmetricProperty .",
        ":x owl:differentFrom :y . :y owl:differentFrom :x . :x owl:sameAs :y . :B owl:sameAs :C .",
        ':age rdfs:range xsd:integer . :x :age "old" . :y :age "old" . :y :name "old" . :name rdfs:range xsd:integer .',
        ":age a owl:FunctionalProperty . :x :age 1 . :x :age 2 . :p owl:sameAs :q . :years rdfs:subPropertyOf :age .",
        ':R owl:onProperty :name ; owl:allValuesFrom xsd:integer . :y a :R . :y :years "old" .',
        "<http://e.org/all> a owl:AllDisjointClasses . <http://e.org/all> owl:members <http://e.org/l1> .",
        ":M owl:onProperty :age ; owl:maxCardinality 1 . :y a :M . :y :age 3 . :y :age 1 .",
        "<http://e.org/diff> a owl:AllDifferent ; owl:members <http://e.org/l3> .",
    )
    for triple in turtle(text)
)
LISTS = turtle(
    ":l1 rdf:first :A ; rdf:rest :l2 . :l2 rdf:first :B ; rdf:rest rdf:nil . "
    ":l3 rdf:first :x ; rdf:rest :l4 . :l4 rdf:first :y ; rdf:rest rdf:nil . "
    ":p a owl:ObjectProperty . :q a owl:ObjectProperty . :age a owl:DatatypeProperty ."
)


@settings(RANDOM, max_examples=60)
@given(
    st.sampled_from([("owl2rl", "rewrite"), ("owl2rl", "rewrite"), ("owl2rl", "axiomatise"), ("dlp", "rewrite")]),
    st.sets(st.sampled_from(CHANGES), min_size=10),
    st.lists(st.sets(st.sampled_from(CHANGES), min_size=1, max_size=5), min_size=1, max_size=3),
)
def test_deltas_are_the_differences_of_the_lists(setting, start, changes):
    kb = Reasoner(setting[0], equality=setting[1])
    kb.add([*LISTS, *sorted(start)])
    before = set(kb.violations(most=10**6))
    now = set(start)
    for change in changes:
        with kb.transaction() as transaction:
            transaction.remove(sorted(change & now))
            transaction.add(sorted(change - now))
        now ^= change
        after = kb.violations(most=10**6)
        assert len(set(after)) == len(after)
        assert set(transaction.delta.violations_appeared) == set(after) - before
        assert set(transaction.delta.violations_went) == before - set(after)
        before = set(after)
    anew = Reasoner(setting[0], equality=setting[1])
    anew.add([*LISTS, *sorted(now)])
    assert bool(before) == bool(anew.violations())
