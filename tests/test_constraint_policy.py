"""What commits do about violations that they bring: tell, refuse and roll back, or not look."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import Delta, InconsistentError, Reasoner, ReasonerError
from reasoner.explanation.check import check_proof
from reasoner.quads import ASSERTED
from tests.notation import Fact, fact, facts, rules
from tests.strategies import RANDOM, programs, updates

DISJOINT = """
?x type B :- ?x type A
false :- ?x type B, ?x type C
"""


def disjoint(**settings: str) -> Reasoner:
    kb = Reasoner(profile="none", **settings)
    kb.add_rules(rules(DISJOINT))
    kb.add(facts("a type A"))
    return kb


def test_a_rejected_commit_leaves_everything_as_it_was():
    kb = disjoint(constraints="reject")
    kb.materialise()
    state, terms = kb.store.state, len(kb.store.dictionary)

    with pytest.raises(InconsistentError, match="1 violation, the first of them rule-2") as refusal:
        kb.update("INSERT DATA { <a> a <C> . <new> <p> <a> }")

    assert kb.store.state is state and len(kb.store.dictionary) == terms
    (violation,) = refusal.value.violations
    assert sorted(violation.triples) == sorted(facts("a type B, a type C"))


def test_the_violations_of_a_rejected_commit_are_explained_by_proofs():
    kb = disjoint(constraints="reject")

    with pytest.raises(InconsistentError) as refusal, kb.transaction() as change:
        change.add(fact("a type C"))

    proofs = {proof.triple: proof for proof in refusal.value.violations[0].explain()}
    assert proofs[fact("a type B")].leaves == (fact("a type A"),)
    assert proofs[fact("a type C")].leaves == (fact("a type C"),)


def test_a_transaction_may_have_a_policy_of_its_own():
    kb = disjoint()

    with pytest.raises(InconsistentError), kb.transaction(constraints="reject") as change:
        change.add(fact("a type C"))
    with kb.transaction(constraints="ignore") as ignoring:
        ignoring.add(fact("a type C"))

    assert ignoring.delta.violations_appeared == ()
    assert len(kb.violations()) == 1


def test_what_was_violated_before_is_no_reason_to_reject():
    kb = disjoint()
    kb.update("INSERT DATA { <a> a <C> }")
    kb.constraints = "reject"

    assert kb.update("INSERT DATA { <b> a <C> }").counts.asserted_added == 1
    with pytest.raises(InconsistentError):
        kb.update("INSERT DATA { <b> a <A> }")


def test_an_update_is_judged_as_a_whole():
    kb = disjoint(constraints="reject")

    delta = kb.update("INSERT DATA { <a> a <C> } ; DELETE { ?x a <C> } WHERE { ?x a <C> }")

    assert delta.violations_appeared == () and kb.violations() == []


def test_warnings_are_in_the_delta_and_can_be_explained_later():
    kb = disjoint()
    delta = kb.update("INSERT DATA { <a> a <C> }")
    kb.update("DELETE DATA { <a> a <C> }")

    (violation,) = delta.violations_appeared
    assert {proof.triple for proof in violation.explain()} == set(violation.triples)
    assert kb.violations() == []


def test_axioms_and_rules_that_bring_violations_are_rejected():
    kb = Reasoner(constraints="reject")
    kb.update("INSERT DATA { <a> a <A>, <B> }")

    with pytest.raises(InconsistentError):
        kb.update("INSERT DATA { <A> <http://www.w3.org/2002/07/owl#disjointWith> <B> }")
    with pytest.raises(InconsistentError):
        kb.add_rules("false :- ?x a <A>, ?x a <B> .")

    assert kb.violations() == [] and len(kb.rules()) == len(Reasoner().rules())


@pytest.mark.parametrize("strategy", ["auto", "bf"])
def test_a_session_rejects_as_a_transaction_does(strategy):
    kb = disjoint(constraints="reject")
    session = kb.dynamic(strategy=strategy)
    ticket = session.submit(add=fact("a type C"))

    with pytest.raises(InconsistentError):
        session.run()
        ticket.wait()

    assert fact("a type C") not in set(kb.triples()) and kb.violations() == []


def test_an_unknown_policy_is_an_error_with_the_known_ones():
    with pytest.raises(ReasonerError, match="choose one of warn, reject, ignore"):
        Reasoner(constraints="refuse")
    with pytest.raises(ReasonerError, match="choose one of warn, reject, ignore"):
        Reasoner().transaction(constraints="abort")


@settings(RANDOM, max_examples=25)
@given(data=st.data())
def test_what_is_rejected_is_what_a_warning_would_tell_of(data):
    program = data.draw(programs())
    steps = data.draw(updates(program.facts))
    kb = Reasoner(profile="none")
    kb.add_rules(program.rules)
    kb.add(program.facts)
    kb.materialise()
    for added, removed in steps:
        before, known = kb.store.state, len(kb.store.dictionary)
        explicit = {*kb.triples(graph=ASSERTED), *added} - removed
        refused = ()
        try:
            commit(kb, added, removed, "reject")
        except InconsistentError as refusal:
            assert kb.store.state is before and len(kb.store.dictionary) == known
            refused = refusal.violations
            for proof in (proof for violation in refused[:3] for proof in violation.explain()):
                assert check_proof(proof, program.rules, explicit.__contains__) == []
            told = commit(kb, added, removed, "warn")
            assert Counter(refused) == Counter(told.violations_appeared)


def commit(kb: Reasoner, added: frozenset[Fact], removed: frozenset[Fact], policy: str) -> Delta:
    with kb.transaction(constraints=policy) as change:
        change.remove(list(removed))
        change.add(list(added))
    return change.delta
