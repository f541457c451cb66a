"""After every change of axioms, under every profile, the store is what starting over with the new ontology gives."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from ontologies.read_functional import read_functional
from ontologies.separable import key_of
from reasoner import Reasoner, UnstratifiableError
from tests.engines import Make
from tests.maintenance.rule_stepping import started_over
from tests.maintenance.stepping import assert_same_state
from tests.notation import fact, facts, rule
from tests.strategies import RANDOM

# Several give the same rule, some give constraints, and some stand on the edge of what can be translated alone.
AXIOMS = (
    *("SubClassOf(:A :B)", "SubClassOf(:B :C)", "SubClassOf(:C :A)", "SubClassOf(:D :B)", "SubClassOf(:New :A)"),
    *("EquivalentClasses(:A :D)", "EquivalentClasses(:A :B)", "DisjointClasses(:A :D)", "DisjointClasses(:B :C :D)"),
    *("SubClassOf(ObjectSomeValuesFrom(:p :A) :B)", "SubClassOf(:A ObjectAllValuesFrom(:p :C))"),
    *(
        "SubClassOf(ObjectIntersectionOf(:A :B) :D)",
        "SubClassOf(ObjectUnionOf(:C :D) :A)",
        "SubClassOf(:A ObjectHasValue(:q :a))",
    ),
    *("SubClassOf(:A ObjectMaxCardinality(1 :p))", "SubClassOf(:A ObjectSomeValuesFrom(:q :D))"),
    *("SubObjectPropertyOf(:p :q)", "SubObjectPropertyOf(:q :r)", "SubObjectPropertyOf(ObjectPropertyChain(:p :q) :r)"),
    *("InverseObjectProperties(:p :r)", "EquivalentObjectProperties(:q :r)", "DisjointObjectProperties(:p :r)"),
    *("TransitiveObjectProperty(:p)", "SymmetricObjectProperty(:p)", "TransitiveObjectProperty(:q)"),
    *("FunctionalObjectProperty(:p)", "InverseFunctionalObjectProperty(:q)", "IrreflexiveObjectProperty(:q)"),
    *("ObjectPropertyDomain(:p :A)", "ObjectPropertyRange(:p :B)", "ObjectPropertyDomain(:undeclared :B)"),
    *("HasKey(:A (:q) ())", "HasKey(:A () (:d))", "DataPropertyRange(:d xsd:integer)", "FunctionalDataProperty(:d)"),
    *('SubClassOf(DataHasValue(:d "1"^^xsd:integer) :C)', "Declaration(Class(:New))", "DataPropertyDomain(:d :D)"),
)
DECLARATIONS = (
    *(f"Declaration(Class(:{name}))" for name in "ABCD"),
    *(f"Declaration(ObjectProperty(:{name}))" for name in "pqr"),
    "Declaration(DataProperty(:d))",
)
EX = "http://e.org/"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
SAME = "<http://www.w3.org/2002/07/owl#sameAs>"


def name(local: str) -> str:
    return f"<{EX}{local}>"


FACTS = (
    *((name(s), TYPE, name(c)) for s in "abe" for c in "ABCD"),
    *((name(s), name(p), name(o)) for s in "abe" for p in "pqr" for o in "abe"),
    *((name(s), name("d"), f'"{n}"^^<http://www.w3.org/2001/XMLSchema#integer>') for s in "ab" for n in ("1", "01")),
    (name("a"), SAME, name("b")),
    (name("a"), name("undeclared"), name("b")),
)


@cache
def triples(axiom: str) -> tuple[tuple[str, str, str], ...]:
    """Return the triples of an axiom, with blank nodes of its own."""
    text = f"Prefix(:=<{EX}>) Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>) Ontology({axiom})"
    scope = str((*AXIOMS, *DECLARATIONS).index(axiom))
    found = read_functional(text).triples
    ontology = "<http://www.w3.org/2002/07/owl#Ontology>"
    return tuple(
        tuple(re.sub(r"^_:", f"_:axiom{scope}", term) for term in triple) for triple in found if triple[2] != ontology
    )


def of_axioms(axioms) -> set[tuple[str, str, str]]:
    return {triple for axiom in axioms for triple in triples(axiom)}


def said(kb: Reasoner) -> dict:
    return {key_of(rule): frozenset(rule.sources) for rule in kb.rules()}


def constraints(kb: Reasoner) -> set:
    return {(violation.rule, violation.triples) for violation in kb.violations()}


def check_steps(data, profile: str, strategy: str, make: Make = Reasoner, most_steps: int = 4) -> None:
    held = set(data.draw(st.lists(st.sampled_from(AXIOMS), max_size=9, unique=True)))
    facts = set(data.draw(st.lists(st.sampled_from(FACTS), min_size=4, max_size=14, unique=True)))
    memory = strategy if strategy in ("counting", "dredc") else None
    kb = make(profile=profile, maintenance=memory)
    kb.add(sorted(of_axioms(DECLARATIONS)))
    kb.add(sorted(of_axioms(held) | facts))
    kb.materialise()
    for _ in range(data.draw(st.integers(1, most_steps))):
        changed = set(data.draw(st.lists(st.sampled_from(AXIOMS), min_size=1, max_size=3, unique=True)))
        moved = set(data.draw(st.lists(st.sampled_from(FACTS), max_size=2, unique=True)))
        before = of_axioms(held) | facts
        held, facts = held ^ changed, facts ^ moved
        after = of_axioms(held) | facts
        kept = of_axioms(DECLARATIONS)
        violated = constraints(kb)
        with kb.transaction(strategy=strategy) as change:
            change.remove(sorted(before - after - kept))
            change.add(sorted(after - before - kept))
        event(f"{profile}: {change.delta.strategy}")
        fresh = started_over(kb)
        assert_same_state(kb.store.state, fresh.store.state)
        assert said(kb) == said(fresh)
        assert constraints(kb) == constraints(fresh)
        delta = change.delta
        assert {(v.rule, v.triples) for v in delta.violations_appeared} == constraints(kb) - violated


@pytest.mark.parametrize("profile", ["dlp", "owl2rl", "rdfs", "lower", "upper"])
@settings(RANDOM, max_examples=14)
@given(data=st.data())
def test_random_axioms_come_and_go(profile, data):
    strategy = data.draw(st.sampled_from(["auto", "dred", "fbf", "counting", "dredc"]))
    try:
        check_steps(data, profile, strategy)
    except UnstratifiableError:
        pytest.fail("no ontology negates anything")


def test_a_constraint_that_rearranges_the_strata_does_not_keep_later_rules_from_changing():
    """It changes nothing that follows, so that the program compiled before it went on to be used, with other strata."""
    symmetric = fact("r type <http://www.w3.org/2002/07/owl#SymmetricProperty>")
    kb = Reasoner(profile="dlp")
    kb.add([*facts("b r c"), symmetric])
    kb.materialise()
    unequal = rule("?x v ?y :- ?x r ?y, ?x != ?y")
    kb.add_rules([unequal])
    with kb.transaction() as change:
        change.add_rules([rule("false :- ?x type A, ?x type B")])
        change.remove([symmetric], graph="<g>")

    kb.remove_rules([unequal])

    assert set(kb.triples()) == {*facts("b r c, c r b"), symmetric}
