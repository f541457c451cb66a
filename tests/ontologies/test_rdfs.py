"""The RDFS axiomatisation of paper 1, figure 2: each rule fires where it should and not where it must not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ontologies.translate import translate_rdfs
from tests.ontologies.naive import Closure
from tests.ontologies.owl2rl_case import Case

CASES = (
    Case("rdf1", ":a :p :b .", ":p a rdf:Property .", ":a :q :p ."),
    Case("rdfs2", ":p rdfs:domain :C . :a :p :b .", ":a a :C .", ":p rdfs:range :C . :a :p :b ."),
    Case("rdfs3", ":p rdfs:range :C . :a :p :b .", ":b a :C .", ":p rdfs:domain :C . :a :p :b ."),
    Case("rdfs4a", ":a :p 1 .", ":a a rdfs:Resource .", ":b :p 1 ."),
    Case("rdfs4b", ":a :p :b .", ":b a rdfs:Resource .", ":a :p 1 ."),
    Case(
        "rdfs5a",
        ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r .",
        ":p rdfs:subPropertyOf :r .",
        ":p rdfs:subPropertyOf :q . :r rdfs:subPropertyOf :q .",
    ),
    Case("rdfs6", ":p rdfs:subPropertyOf :q . :a :p :b .", ":a :q :b .", ":q rdfs:subPropertyOf :p . :a :p :b ."),
    Case("rdfs7", ":C a rdfs:Class .", ":C rdfs:subClassOf rdfs:Resource .", ":C a rdf:Property ."),
    Case(
        "rdfs8",
        ":C rdfs:subClassOf :D . :D rdfs:subClassOf :E .",
        ":C rdfs:subClassOf :E .",
        ":C rdfs:subClassOf :D . :E rdfs:subClassOf :D .",
    ),
    Case("rdfs9", ":C rdfs:subClassOf :D . :a a :C .", ":a a :D .", ":D rdfs:subClassOf :C . :a a :C ."),
    Case(
        "rdfs10",
        ":p a rdfs:ContainerMembershipProperty .",
        ":p rdfs:subPropertyOf rdfs:member .",
        ":p a rdf:Property .",
    ),
    Case("rdfs11", ":D a rdfs:Datatype .", ":D rdfs:subClassOf rdfs:Literal .", ":D a rdfs:Class ."),
    Case(
        "rdfs12",
        "rdf:type rdfs:subPropertyOf :p . :p rdfs:domain :C .",
        "rdfs:Resource rdfs:subClassOf :C .",
        "rdf:type rdfs:subPropertyOf :p . :q rdfs:domain :C .",
    ),
)


def test_the_rules_are_those_of_the_figure() -> None:
    assert [rule.name for rule in translate_rdfs([]).rules] == [case.rule for case in CASES]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_the_rule_fires_by_itself(case: Case) -> None:
    translation = translate_rdfs(case.facts)
    alone = replace(translation, rules=tuple(rule for rule in translation.rules if rule.name == case.rule))

    assert all(fact in Closure(alone, case.facts) for fact in case.expected_facts)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_the_rule_does_not_fire_on_a_near_miss(case: Case) -> None:
    closure = Closure(translate_rdfs(case.near_miss_facts), case.near_miss_facts)

    assert not any(fact in closure for fact in case.expected_facts)


def test_a_class_is_below_resource_and_not_the_other_way_round() -> None:
    """The figure prints rdfs7 with its head and body exchanged."""
    (rule,) = (rule for rule in translate_rdfs([]).rules if rule.name == "rdfs7")

    assert rule.head is not None
    assert str(rule.head.object).endswith("Resource>")
