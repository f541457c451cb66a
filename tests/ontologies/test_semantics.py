"""The translations against the model theory, on random axioms and interpretations."""

from __future__ import annotations

from random import Random

import pytest

from ontologies.axioms import Ontology
from ontologies.dlp import translate_dlp
from ontologies.read_functional import read_axiom
from ontologies.read_rdf import ontology_of_triples
from ontologies.translate import upper_bound
from ontologies.write_functional import write_functional
from ontologies.write_rdf import triples_of
from reasoner.terms.term import RDF_TYPE
from tests.ontologies.semantics import THING, random_axiom, random_interpretation

SEEDS = range(8)
AXIOMS = 120
INTERPRETATIONS = 12


@pytest.mark.parametrize("seed", SEEDS)
def test_a_description_logic_program_follows_from_its_axiom(seed: int) -> None:
    random = Random(seed)
    tried = 0
    for _ in range(AXIOMS):
        axiom = random_axiom(random)
        rules = translate_dlp(Ontology((axiom,))).rules
        for _ in range(INTERPRETATIONS):
            interpretation = random_interpretation(random)
            if interpretation.satisfies(axiom):
                tried += 1
                assert interpretation.satisfies_rules(rules), write_functional(axiom)
    assert tried > AXIOMS


@pytest.mark.parametrize("seed", SEEDS)
def test_an_axiom_of_which_nothing_is_left_out_follows_from_its_rules(seed: int) -> None:
    random = Random(seed)
    tried = 0
    for _ in range(AXIOMS):
        axiom = random_axiom(random)
        translation = translate_dlp(Ontology((axiom,)))
        for _ in range(INTERPRETATIONS if not translation.left_out else 0):
            interpretation = random_interpretation(random)
            if not interpretation.satisfies(axiom) and not _is_named_fact(axiom):
                tried += 1
                assert not interpretation.satisfies_rules(translation.rules), write_functional(axiom)
    assert tried > AXIOMS


@pytest.mark.parametrize("seed", SEEDS)
def test_every_axiom_follows_from_its_upper_bound(seed: int) -> None:
    random = Random(seed)
    tried = 0
    for _ in range(AXIOMS):
        axiom = random_axiom(random)
        translation = upper_bound(Ontology((axiom,)))
        assert translation.left_out == ()
        constants = tuple({name for rule in translation.rules for name in rule.constants if "skolem" in name})
        for _ in range(INTERPRETATIONS):
            interpretation = random_interpretation(random, constants)
            if not interpretation.satisfies(axiom) and not _is_named_fact(axiom):
                tried += 1
                assert not interpretation.satisfies_rules(translation.rules), write_functional(axiom)
    assert tried > AXIOMS


@pytest.mark.parametrize("seed", SEEDS)
def test_the_lower_bound_follows_from_the_upper_bound(seed: int) -> None:
    random = Random(seed)
    for _ in range(AXIOMS):
        axiom = random_axiom(random)
        lower, upper = translate_dlp(Ontology((axiom,))).rules, upper_bound(Ontology((axiom,))).rules
        if any(len(rule.variables) > 6 for rule in (*lower, *upper)):
            continue
        constants = tuple({name for rule in upper for name in rule.constants if "skolem" in name})
        for _ in range(INTERPRETATIONS):
            interpretation = random_interpretation(random, constants)
            if interpretation.satisfies_rules(upper):
                assert interpretation.satisfies_rules(lower), write_functional(axiom)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_axioms_survive_text_and_triples(seed: int) -> None:
    random = Random(seed)
    for _ in range(AXIOMS):
        axiom = random_axiom(random)
        assert read_axiom(write_functional(axiom)) == axiom
        again = ontology_of_triples(triples_of(Ontology((axiom,))))
        assert again.unread == ()
        interpretation = random_interpretation(random)
        # An n-ary equivalence comes back as pairs, so that only the meaning is the same.
        assert all(map(interpretation.satisfies, again.axioms)) == interpretation.satisfies(axiom)


def _is_named_fact(axiom) -> bool:
    """Tell whether an axiom is a triple of the data, which needs no rule."""
    text = write_functional(axiom)
    return text.startswith(("ClassAssertion(<", "ClassAssertion(owl:"))


def test_the_meaning_of_a_rule_is_that_of_its_variables() -> None:
    random = Random(0)
    [rule] = translate_dlp(Ontology((read_axiom("SubClassOf(owl:Thing <http://e/#A>)"),))).rules
    assert (rule.body[0].predicate, rule.body[0].object) == (RDF_TYPE, THING)
    seen = {random_interpretation(random).satisfies_rule(rule) for _ in range(50)}
    assert seen == {True, False}
