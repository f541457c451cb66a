"""Taking steps back: rehearsed, reported and refused as steps of a script are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reasoner import Reasoner, ReasonerError
from reasoner.evolution.report import InconsistentEvolutionError
from tests.evolution.ontology_strategies import PREFIX, iri, turtle

ZOO = ":Cat rdfs:subClassOf :Animal ; owl:disjointWith :Dog . :tom a :Cat . "
APART = PREFIX + 'step "free" remove DisjointClasses(:Cat :Dog)'


def zoo(profile: str = "dlp", **settings: str) -> Reasoner:
    kb = Reasoner(profile, **settings)
    kb.add(turtle(ZOO))
    kb.materialise()
    return kb


def state(kb: Reasoner) -> tuple[object, ...]:
    return kb.store.state, len(kb.store.dictionary), kb.own_rules(), kb.evolutions()


@pytest.mark.parametrize("profile", ["dlp", "owl2rl", "lower"])
def test_what_came_since_can_keep_a_step_from_being_taken_back(profile):
    kb = zoo(profile)
    kb.evolve(APART)
    kb.update(f"INSERT DATA {{ {iri('tom')} a {iri('Dog')} }}")
    before = state(kb)

    with pytest.raises(InconsistentEvolutionError, match="taking the step 'free' back would make") as refusal:
        kb.undo_evolution()

    assert state(kb) == before
    (violation,) = refusal.value.evolution.steps[0].violations_appeared
    assert {proof.triple for proof in violation.explain()} >= set(turtle(":tom a :Cat, :Dog ."))
    assert kb.undo_evolution(allow_inconsistent=True).name == "free"
    assert len(kb.violations()) == 1 and kb.evolutions() == []


def test_a_rehearsal_tells_what_taking_back_does_and_changes_nothing():
    kb = zoo()
    kb.evolve(PREFIX + 'step "one" add SubClassOf(:Animal :Being) step "two" rename :Cat to :Feline')
    before = state(kb)

    # The way that is quickest may be another one the second time.
    rehearsed = kb.undo_evolutions(2, dry_run=True, strategy="bf")

    assert state(kb) == before and not rehearsed.applied
    assert [step.name for step in rehearsed.steps] == ["two", "one"]
    assert rehearsed.steps[1].axioms_lost == ("SubClassOf(:Animal :Being)",)
    assert str(rehearsed).endswith("rehearsed: taking 2 steps back; nothing was changed")
    done = kb.undo_evolutions(2, strategy="bf")
    assert [replace(step, seconds=0.0, reason="") for step in done.steps] == [
        replace(step, seconds=0.0, reason="") for step in rehearsed.steps
    ]
    assert str(done).endswith("taken back: 2 steps") and kb.evolutions() == []
    assert set(kb.store.texts(kb.store.state.explicit)) == set(turtle(ZOO))


def test_all_steps_are_taken_back_or_none():
    kb = zoo()
    kb.evolve(APART)
    kb.update(f"INSERT DATA {{ {iri('rex')} a {iri('Dog')}, {iri('Cat')} }}")
    kb.evolve(PREFIX + 'step "later" add SubClassOf(:Animal :Being)')
    before = state(kb)

    with pytest.raises(InconsistentEvolutionError):
        kb.undo_evolutions(2)
    with pytest.raises(ReasonerError, match="there are not 3 steps to take back: 2 recorded"):
        kb.undo_evolutions(3)
    with pytest.raises(ReasonerError, match="give 1 or more"):
        kb.undo_evolutions(0)

    assert state(kb) == before


def test_the_violations_of_a_rehearsal_can_be_explained_when_it_is_over():
    kb = zoo()

    report = kb.evolve(PREFIX + "add { :new a :Pet . :tom a :Dog . }", dry_run=True)
    kb.update(f"INSERT DATA {{ {iri('other')} a {iri('Pet')} }}")

    (violation,) = report.steps[0].violations_appeared
    assert [proof.triple for proof in violation.explain()] == list(violation.triples)


def test_a_policy_to_reject_does_not_keep_what_is_allowed_from_being_done():
    kb = zoo(constraints="reject")
    script = PREFIX + "add ClassAssertion(:Dog :tom)"

    with pytest.raises(InconsistentEvolutionError):
        kb.evolve(script)
    assert kb.evolve(script, allow_inconsistent=True).applied
    kb.undo_evolution()
    assert kb.violations() == []
