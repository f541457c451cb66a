"""What commits do about violations that they bring: tell, refuse and roll back, or not look."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from reasoner import Delta, InconsistentError, Reasoner, ReasonerError, UnstratifiableError
from reasoner.explanation.check import check_proof
from reasoner.terms.quads import ASSERTED
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
        kb.update("INSERT DATA { <a> a <C> . <new> <p> <a> }", base="")

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
    kb.update("INSERT DATA { <a> a <C> }", base="")
    kb.constraints = "reject"

    assert kb.update("INSERT DATA { <b> a <C> }", base="").counts.asserted_added == 1
    with pytest.raises(InconsistentError):
        kb.update("INSERT DATA { <b> a <A> }", base="")


def test_an_update_is_judged_as_a_whole():
    kb = disjoint(constraints="reject")

    delta = kb.update("INSERT DATA { <a> a <C> } ; DELETE { ?x a <C> } WHERE { ?x a <C> }", base="")

    assert delta.violations_appeared == () and kb.violations() == []


def test_warnings_are_in_the_delta_and_can_be_explained_later():
    kb = disjoint()
    delta = kb.update("INSERT DATA { <a> a <C> }", base="")
    kb.update("DELETE DATA { <a> a <C> }")

    (violation,) = delta.violations_appeared
    assert {proof.triple for proof in violation.explain()} == set(violation.triples)
    assert kb.violations() == []


def test_axioms_and_rules_that_bring_violations_are_rejected():
    kb = Reasoner(constraints="reject")
    kb.update("INSERT DATA { <a> a <A>, <B> }", base="")

    with pytest.raises(InconsistentError):
        kb.update("INSERT DATA { <A> <http://www.w3.org/2002/07/owl#disjointWith> <B> }", base="")
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
    try:
        kb.materialise()
    except UnstratifiableError:
        reject()
    for added, removed in steps:
        before, known = kb.store.state, len(kb.store.dictionary)
        explicit = {*kb.triples(graph=ASSERTED), *added} - removed
        refused = ()
        try:
            commit(kb, added, removed, "reject")
        except UnstratifiableError:
            assert kb.store.state is before and len(kb.store.dictionary) == known
            return
        except InconsistentError as refusal:
            assert kb.store.state is before and len(kb.store.dictionary) == known
            refused = refusal.violations
            proofs = [proof for violation in refused[:3] for proof in violation.explain()]
            told = commit(kb, added, removed, "warn")
            assert Counter(refused) == Counter(told.violations_appeared)
            # What a proof says is absent is so in the state that was refused, and has now been let in.
            holds = set(kb.triples(reflexive=True)).__contains__
            for proof in proofs:
                assert check_proof(proof, program.rules, explicit.__contains__, holds) == []


def commit(kb: Reasoner, added: frozenset[Fact], removed: frozenset[Fact], policy: str) -> Delta:
    with kb.transaction(constraints=policy) as change:
        change.remove(list(removed))
        change.add(list(added))
    return change.delta


def test_what_is_added_without_a_commit_is_judged_when_it_is_reasoned_over():
    kb = disjoint(constraints="reject")
    kb.materialise()
    before, terms = kb.store.state, len(kb.store.dictionary)
    kb.add(facts("a type C, new p a"))

    with pytest.raises(InconsistentError, match="is rejected, and taken back") as refusal:
        kb.materialise()

    assert kb.store.state is before and kb.is_materialised and len(kb.store.dictionary) == terms
    assert {proof.triple for proof in refusal.value.violations[0].explain()} == set(facts("a type B, a type C"))
    assert kb.violations() == [] and kb.add(facts("b type C")) == 1
    assert fact("b type C") in set(kb.triples())


def test_a_question_judges_what_was_loaded_before_it(tmp_path):
    path = tmp_path / "more.nt"
    path.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n<http://e.org/a> <http://e.org/q> <x:y> .\n")
    kb = Reasoner(profile="none", constraints="reject")
    kb.add_rules("false :- ?x <http://e.org/p> ?y, ?x <http://e.org/q> ?z .")
    kb.load(path)

    with pytest.raises(InconsistentError):
        list(kb.triples())

    assert list(kb.triples()) == []
    kb.load(path)
    with pytest.raises(InconsistentError):
        kb.query("ASK {}")


def test_rules_from_before_the_first_fact_that_goes_stay_and_later_ones_go():
    kb = Reasoner(profile="none", constraints="reject")
    kb.add_rules("[early] false :- ?x a <B>, ?x a <C> .")
    kb.add(facts("a type B"))
    kb.add_rules("[late] false :- ?x a <B> .")

    with pytest.raises(InconsistentError):
        kb.materialise()

    assert [rule.name for rule in kb.own_rules()] == ["early"]
    kb.add(facts("a type B, a type C"))
    with pytest.raises(InconsistentError) as refusal:
        kb.materialise()
    assert [violation.rule for violation in refusal.value.violations] == ["early"]


def test_a_rule_that_the_facts_break_by_themselves_goes():
    kb = Reasoner(constraints="reject")
    kb.add_rules("[never] false :- ?x a ?y .")

    with pytest.raises(InconsistentError):
        kb.materialise()

    assert kb.own_rules() == () and kb.violations() == []


def test_what_was_violated_when_the_policy_came_is_no_reason_to_take_facts_back():
    kb = disjoint()
    kb.add(facts("a type C"))
    kb.constraints = "reject"
    kb.add(facts("b type C"))

    assert kb.materialise().violations == 1
    kb.add(facts("b type B"))
    with pytest.raises(InconsistentError, match="1 violation"):
        kb.materialise()


@pytest.mark.parametrize("maintenance", [None, "counting", "dredc"])
def test_a_reasoner_goes_on_after_what_was_taken_back(maintenance):
    kb = Reasoner("dlp", constraints="reject", maintenance=maintenance)
    kb.update("INSERT DATA { <A> <http://www.w3.org/2002/07/owl#disjointWith> <B> . <a> a <A> }", base="")
    kb.add(facts("a type B"))
    with pytest.raises(InconsistentError):
        kb.materialise()

    assert kb.update("INSERT DATA { <b> a <B> }", base="").counts.asserted_added == 1
    with pytest.raises(InconsistentError):
        kb.update("INSERT DATA { <b> a <A> }", base="")


def test_a_subscriber_does_not_hear_of_what_was_taken_back():
    kb = disjoint(constraints="reject")
    heard = []
    with kb.subscribe("?x a ?y", heard.append):
        kb.add(facts("a type C"))
        with pytest.raises(InconsistentError):
            kb.materialise()
        kb.add(facts("b type C"))
        kb.materialise()

    assert [(change.number, change.added) for change in heard] == [(1, (("<b>", "<C>"),))]


@settings(RANDOM, max_examples=25)
@given(data=st.data())
def test_adding_is_judged_as_a_transaction_is(data):
    program = data.draw(programs())
    ready, adding = Reasoner(profile="none"), Reasoner(profile="none")
    for kb in (ready, adding):
        kb.add_rules(program.rules)
        kb.add(program.facts)
        kb.materialise()
        kb.constraints = "reject"
    for added, _ in data.draw(updates(program.facts)):
        refused = []
        try:
            commit(ready, added, frozenset(), "reject")
        except InconsistentError as refusal:
            refused = refusal.violations
        adding.add(list(added))
        try:
            adding.materialise()
            assert not refused
        except InconsistentError as refusal:
            assert Counter(refusal.violations) == Counter(refused)
        assert set(adding.triples()) == set(ready.triples())
        assert set(adding.triples(graph=ASSERTED)) == set(ready.triples(graph=ASSERTED))


def test_a_store_on_disk_keeps_its_policy(tmp_path):
    with Reasoner.open(tmp_path, create=True, profile="none", constraints="reject") as kb:
        kb.add_rules(rules(DISJOINT))
        kb.add(facts("a type A"))
    with Reasoner.open(tmp_path) as kb:
        assert kb.constraints == "reject"
        with pytest.raises(InconsistentError):
            kb.update("INSERT DATA { <a> a <C> }", base="")
    with Reasoner.open(tmp_path, constraints="warn") as kb:
        assert len(kb.update("INSERT DATA { <b> a <C>, <A> }", base="").violations_appeared) == 1
    with Reasoner.open(tmp_path) as kb:
        assert kb.constraints == "reject"
        kb.constraints = "warn"
    with Reasoner.open(tmp_path, read_only=True) as kb:
        assert kb.constraints == "warn" and len(kb.violations()) == 1


def test_what_is_rejected_on_closing_leaves_the_store_free_and_as_it_was(tmp_path):
    with Reasoner.open(tmp_path, create=True, profile="none", constraints="reject") as kb:
        kb.add_rules(rules(DISJOINT))
    with pytest.raises(InconsistentError), Reasoner.open(tmp_path) as kb:
        kb.add(facts("a type B, a type C"))
    with Reasoner.open(tmp_path) as kb:
        assert list(kb.triples()) == [] and len(kb.own_rules()) == 2
