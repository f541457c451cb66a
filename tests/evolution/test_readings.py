"""What a report says about rules where they read axioms as data."""

from __future__ import annotations

import json

import pytest

from reasoner import Reasoner
from reasoner.evolution.evolving import reading_changes
from tests.evolution.ontology_strategies import PREFIX, iri, turtle

ZOO = ":Cat rdfs:subClassOf :Animal . :tom a :Cat . "


def evolved(profile: str, text: str, data: str = ZOO):
    kb = Reasoner(profile)
    kb.add(turtle(data))
    return kb.evolve(PREFIX + text, dry_run=True)


@pytest.mark.parametrize("profile", ["owl2rl", "rdfs"])
def test_static_rules_are_told_by_what_they_read_in_axioms(profile: str):
    report = evolved(profile, "add SubClassOf(:Animal :Thing) remove SubClassOf(:Cat :Animal)")
    (step,) = report.steps

    assert (step.rules_gained, step.rules_lost) == ((), ())
    assert step.readings_gained == ("[SubClassOf] ?x a :Thing :- ?x a :Animal .",)
    assert step.readings_lost == ("[SubClassOf] ?x a :Animal :- ?x a :Cat .",)
    assert f"what the rules of {profile} read in axioms, which are data to them: 1 gained, 1 lost" in str(report)
    # Nobody is an animal any more, and so nobody became a thing.
    affected = {fact.name for fact in step.affected if fact.is_class}
    assert (iri("Animal") in affected, iri("Thing") in affected, iri("Cat") in affected) == (True, False, False)
    told = json.loads(report.to_json())["steps"][0]["readings"]
    assert told == {"gained": list(step.readings_gained), "lost": list(step.readings_lost)}


def test_translated_rules_are_told_as_rules_alone():
    (step,) = evolved("dlp", "add SubClassOf(:Animal :Thing)").steps

    assert step.rules_gained == ("[SubClassOf] ?x a :Thing :- ?x a :Animal .",)
    assert (step.readings_gained, step.is_read_as_data) == ((), False)


def test_a_reading_stays_for_as_long_as_one_of_its_axioms():
    data = ZOO + ":Cat owl:equivalentClass :Feline . :Cat rdfs:subClassOf :Feline . "

    (step,) = evolved("owl2rl", "remove SubClassOf(:Cat :Feline)", data).steps
    assert step.readings_lost == ()
    (step,) = evolved("owl2rl", "remove EquivalentClasses(:Cat :Feline)", data).steps
    assert step.readings_lost == ("[EquivalentClasses] ?x a :Cat :- ?x a :Feline .",)


def test_what_a_profile_has_no_rules_for_is_no_reading():
    report = evolved("owl2rl", "add SubClassOf(:Cat ObjectSomeValuesFrom(:eats :Fish))")

    assert report.steps[0].readings_gained == ()
    assert "owl2rl reads these axioms as data: no rule changes" in str(report)
    assert reading_changes("rdfs", [], []) == ((), ())
    report = evolved("rdfs", "add DisjointClasses(:Cat :Animal)")
    assert report.steps[0].readings_gained == () and "no rule changes" in str(report)


@pytest.mark.parametrize(
    ("axiom", "data"),
    [
        ("SubClassOf(ObjectSomeValuesFrom(:eats :Fish) :Cat)", ":a :eats :b . :b a :Fish ."),
        ("SubClassOf(:Cat ObjectAllValuesFrom(:eats :Fish))", ":a :eats :b ; a :Cat ."),
        ("SubClassOf(:Cat ObjectHasValue(:eats :cod))", ":a a :Cat ."),
        ("EquivalentClasses(:Cat ObjectIntersectionOf(:Animal :Pet))", ":a a :Animal, :Pet ."),
        ("FunctionalObjectProperty(:eats)", ":a :eats :b, :c ."),
        ("TransitiveObjectProperty(:eats)", ":a :eats :b . :b :eats :c ."),
        ("InverseObjectProperties(:eats :feeds)", ":a :eats :b ."),
        ("SubObjectPropertyOf(ObjectPropertyChain(:eats :eats) :likes)", ":a :eats :b . :b :eats :c ."),
        ("ObjectPropertyRange(:eats :Fish)", ":a :eats :b ."),
    ],
)
def test_a_reading_does_what_the_axiom_does(axiom: str, data: str):
    """The reading alone, over the data, derives nothing that OWL 2 RL does not, and something of what it does."""
    kb = Reasoner("owl2rl")
    kb.add(turtle(data))
    before = set(kb.triples())
    (step,) = kb.evolve(f"{PREFIX} add {axiom}").steps
    alone = Reasoner("none")
    alone.add_rules(f"{PREFIX.replace('prefix', 'PREFIX')} " + " ".join(step.readings_gained))
    alone.add(turtle(data))

    derived = set(alone.triples(inferred_only=True))
    assert derived and derived <= set(kb.triples()) and not derived <= before
