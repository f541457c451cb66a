"""The classes and properties that a report calls affected are those whose extension the step changes, and no others."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.rules.errors import ReasonerError
from reasoner.terms.term import RDF_TYPE, SAME_AS
from tests import oracle
from tests.engines import Make
from tests.evolution.ontology_strategies import (
    FACTS,
    NAMESPACE,
    PREFIX,
    SHAPES,
    axiom_texts,
    functional,
    iri,
    turtle,
)
from tests.evolution.script_strategies import statements
from tests.evolution.test_evolve import store, text_of
from tests.notation import Fact
from tests.strategies import RANDOM

PROFILES = ("dlp", "owl2rl", "rdfs")
# The oracle knows no datatypes. Names of one thing are drawn often, since what they do to others is seen nowhere else.
AXIOMS, ASSERTIONS = (tuple(shape for shape in shapes if "Data" not in shape) for shapes in (SHAPES, FACTS))
ASSERTIONS += ("SameIndividual(:{i0} :{i1})",) * 3

ZOO = ":Cat rdfs:subClassOf :Animal . :tom a :Cat . :rex a :Dog . :Dog rdfs:subClassOf :Pet . :rex a :Pet ."


def affected_by(text: str, data: str = ZOO, profile: str = "dlp") -> dict[str, tuple[int, int]]:
    """Return what a script affects of the names of the tests, with the facts that come and go."""
    kb = store(turtle(data), profile)
    (step,) = kb.evolve(PREFIX + text, dry_run=True).steps
    return {fact.name: (fact.gained, fact.lost) for fact in step.affected if fact.name.startswith(f"<{NAMESPACE}")}


def test_what_a_changed_rule_only_reads_is_not_affected():
    assert affected_by("add SubClassOf(:Cat :Pet)") == {iri("Pet"): (1, 0)}


def test_what_a_new_rule_would_derive_but_is_known_already_is_not_affected():
    assert affected_by("add SubClassOf(:Dog :Pet)") == {}


def test_a_constraint_affects_nothing():
    assert affected_by("add DisjointClasses(:Cat :Dog)") == {}


def test_what_only_becomes_explicit_or_inferred_is_not_affected():
    assert affected_by("remove ClassAssertion(:Pet :rex)") == {}
    assert affected_by("add ClassAssertion(:Animal :tom)") == {}


def test_what_follows_further_on_is_affected_though_no_rule_about_it_changes():
    data = ZOO + ":Animal rdfs:subClassOf :Being . :feeds rdfs:range :Dog ."

    assert affected_by("add ObjectPropertyAssertion(:feeds :ann :tom)", data) == {
        **{iri(name): (1, 0) for name in ("Dog", "Pet", "feeds")},
    }
    assert affected_by("remove SubClassOf(:Cat :Animal)", data) == {iri("Animal"): (0, 1), iri("Being"): (0, 1)}


def test_what_a_new_name_of_a_thing_brings_is_affected():
    assert affected_by("add SameIndividual(:tom :tim)") == {iri("Cat"): (1, 0), iri("Animal"): (1, 0)}


def test_that_a_thing_equals_itself_is_a_triple_where_somebody_asserts_it():
    kb = store(turtle(ZOO + ":tom owl:sameAs :tom ."))

    (equality,) = kb.evolve(PREFIX + "remove SameIndividual(:tom :tom)", dry_run=True).steps[0].affected

    assert (equality.name, equality.gained, equality.lost) == (SAME_AS, 0, 1)


def test_one_local_name_in_two_namespaces_is_two_names():
    kb = store(turtle(ZOO))
    (step,) = kb.evolve(
        PREFIX + "prefix o: <http://o.org/>\nadd ClassAssertion(:Bird :b) ClassAssertion(o:Bird :b)"
    ).steps

    assert {fact.name for fact in step.affected} == {iri("Bird"), "<http://o.org/Bird>"}


def test_a_report_lists_them_with_prefixes_and_as_json():
    report = store(turtle(ZOO)).evolve(PREFIX + "add SubClassOf(:Cat :Pet)", dry_run=True)

    assert "classes and properties affected\n  2  a :Pet, rdfs:subClassOf\n" in str(report)
    (step,) = json.loads(report.to_json())["steps"]
    assert {"name": iri("Pet"), "is_class": True} in step["affected"]


@pytest.mark.parametrize("profile", PROFILES)
@settings(RANDOM, max_examples=20)
@given(data=st.data())
def test_random_steps_affect_what_the_oracle_says(profile, data):
    assert_affected_are_those_that_change(data, profile)


def assert_affected_are_those_that_change(data: st.DataObject, profile: str, make: Make = Reasoner) -> None:
    """Compare the closures before and after each step, as the oracle computes them, with the report."""
    kinds = (axiom_texts(AXIOMS), axiom_texts(ASSERTIONS))
    texts = [data.draw(kind) for kind in kinds for _ in range(data.draw(st.integers(1, 4)))]
    kb = store(functional(texts, "k"), profile, make)
    for _ in range(2):
        drawn = data.draw(st.lists(statements().filter(lambda text: "Data" not in text), min_size=1, max_size=2))
        before = closure(kb)
        try:
            (step,) = kb.evolve(text_of(drawn, kb), allow_inconsistent=True).steps
        except ReasonerError:
            continue
        after = closure(kb)

        expected = {extension(fact) for fact in before ^ after}
        assert {(fact.name, fact.is_class) for fact in step.affected} == expected
        for fact in step.affected:
            mine = (fact.name, fact.is_class)
            assert fact.gained == sum(extension(new) == mine for new in after - before)
            assert fact.lost == sum(extension(old) == mine for old in before - after)


def closure(kb: Reasoner) -> set[Fact]:
    """Return all triples, by the oracle."""
    explicit, is_equality = set(kb.store.texts(kb.store.state.explicit)), kb.equality == "rewrite"
    holds = oracle.closure(kb.rules(), explicit, equality=is_equality)
    return oracle.shown(holds, explicit) if is_equality else oracle.visible(holds)


def extension(fact: Fact) -> tuple[str, bool]:
    _, predicate, obj = fact
    return (obj, True) if predicate == RDF_TYPE else (predicate, False)
