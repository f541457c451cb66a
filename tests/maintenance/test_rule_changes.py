"""After every change of rules, (pi, I) is what materialising from scratch under the new rules gives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from reasoner import Reasoner, ReasonerError, UnstratifiableError
from reasoner.maintenance.race import ChangeSize
from reasoner.maintenance.strategies import RUNNERS
from reasoner.terms.term import OWL, RDF_TYPE, RDFS, SAME_AS
from tests import oracle
from tests.maintenance.rule_stepping import ALL, RuleStepper, changing_programs, run_all
from tests.maintenance.stepping import assert_same_state
from tests.strategies import RANDOM, drawn

A, B, P, X, Y, Z = (f"<http://e.org/{name}>" for name in "ABpxyz")
SUB_CLASS_OF = f"<{RDFS}subClassOf>"
EQUIVALENT, CLASS, OBJECT_PROPERTY, FUNCTIONAL = (
    f"<{OWL}{name}>" for name in ("equivalentClass", "Class", "ObjectProperty", "FunctionalProperty")
)


def check(data, strategies=ALL, equality="rewrite", make=Reasoner, **kinds):
    program, steps = data.draw(changing_programs(equality=equality != "none", **kinds))
    modules = data.draw(st.booleans())
    for stepper in run_all(program, steps, strategies, equality=equality, modules=modules, make=make):
        for reason in stepper.refused:
            event(f"{stepper.name}: {reason[:60]}")
        event(f"{stepper.name}: maintained", min(stepper.maintained, 1))


@settings(RANDOM, max_examples=drawn(25))
@given(st.data())
def test_positive_rules_without_equality_come_and_go(data):
    check(data, equality="none", negation=False, constraints=False)


@settings(RANDOM, max_examples=drawn(25))
@given(st.data())
def test_negated_rules_without_equality_come_and_go(data):
    check(data, equality="none", constraints=False)


@settings(RANDOM, max_examples=drawn(25))
@given(st.data())
def test_positive_rules_with_equality_come_and_go(data):
    check(data, negation=False, constraints=False)


@settings(RANDOM, max_examples=drawn(25))
@given(st.data())
def test_negated_rules_above_equality_come_and_go(data):
    check(data)


@settings(RANDOM, max_examples=drawn(20))
@given(st.data())
def test_rules_about_the_vocabulary_come_and_go(data):
    check(data, negation=data.draw(st.booleans()), vocabulary=True, constraints=False)


@settings(RANDOM, max_examples=drawn(20))
@given(st.data())
def test_rules_with_variable_predicates_come_and_go(data):
    equality = data.draw(st.sampled_from(["none", "rewrite"]))
    check(data, equality=equality, negation=False, variable_predicates=True, constraints=False)


@settings(RANDOM, max_examples=drawn(25))
@given(st.data())
def test_what_follows_after_a_change_of_rules_is_what_the_oracle_says(data):
    assert_as_the_oracle_says(data)


def assert_as_the_oracle_says(data, make=Reasoner):
    equality = data.draw(st.booleans())
    program, steps = data.draw(changing_programs(equality=equality, max_steps=2))
    stepper = RuleStepper(program, "auto", equality="rewrite" if equality else "none", make=make)
    rules, facts = list(program.rules), set(program.facts)
    for step in steps:
        rules = [rule for rule in rules if rule not in step.rules_removed] + list(step.rules_added)
        facts = (facts - step.removed) | step.added
        try:
            delta = stepper.step(step)
            closure = oracle.closure(rules, facts, equality, limit=20_000)
        except (UnstratifiableError, oracle.Unstratified, oracle.TooLarge):
            return
        if equality and any(SAME_AS in members for members in oracle.classes(closure)):
            return
        event(delta.strategy)
        assert set(stepper.kb.triples()) == (oracle.shown(closure, facts) if equality else oracle.visible(closure))


@settings(RANDOM, max_examples=drawn(25))
@given(st.data())
def test_putting_rules_back_restores_the_store_to_the_bit(data):
    assert_rules_come_back(data)


def assert_rules_come_back(data, make=Reasoner):
    program, steps = data.draw(changing_programs(max_steps=1))
    strategy = data.draw(st.sampled_from(["bf", "dred", "fbf", "auto"]))
    stepper = RuleStepper(program, strategy, make=make)
    before = stepper.kb.store.state
    there = replace(steps[0], added=frozenset(), removed=frozenset())
    back = replace(there, rules_added=there.rules_removed, rules_removed=there.rules_added)
    try:
        stepper.step(there)
        stepper.step(back)
    except UnstratifiableError:
        return

    assert_same_state(stepper.kb.store.state, before)


def test_a_rule_goes_with_the_last_axiom_that_states_it(make_reasoner):
    kb = make_reasoner(profile="dlp")
    equivalent, subclass = (A, EQUIVALENT, B), (A, SUB_CLASS_OF, B)
    kb.add([(A, RDF_TYPE, CLASS), (B, RDF_TYPE, CLASS), equivalent, subclass, (X, RDF_TYPE, A)])
    kb.materialise()

    first = kb.remove(subclass)
    second = kb.remove(equivalent)

    assert first.rules_lost == () and first.counts.inferred_removed == 0
    assert len(second.rules_lost) == 2
    assert second.inferred_removed == ((X, RDF_TYPE, B),)


def test_a_constraint_that_comes_shows_its_violations_in_the_delta(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add([(X, RDF_TYPE, A), (X, RDF_TYPE, B)])
    rule = f"[apart] false :- ?x a {A}, ?x a {B} ."
    with kb.transaction() as change:
        change.add_rules(rule)
    gone = kb.remove_rules(rule)

    assert [violation.rule for violation in change.delta.violations_appeared] == ["apart"]
    assert [violation.rule for violation in gone.violations_went] == ["apart"]
    assert [rule.name for rule in change.delta.rules_gained] == ["apart"] == [rule.name for rule in gone.rules_lost]


def test_dropping_a_functional_property_splits_the_classes_that_it_made(make_reasoner):
    kb = make_reasoner(profile="dlp")
    functional = (P, RDF_TYPE, FUNCTIONAL)
    kb.add([(P, RDF_TYPE, OBJECT_PROPERTY), functional, (X, P, Y), (X, P, Z), (Y, RDF_TYPE, A)])
    assert kb.classes() == [(Y, Z)]

    delta = kb.remove(functional, strategy="bf")
    again = kb.transaction(strategy="dred")
    again.add(functional)

    assert delta.strategy == "bf" and kb.classes() == [] and delta.classes_split
    assert again.commit().classes_merged and kb.classes() == [(Y, Z)]


def test_rules_that_leave_no_strata_leave_the_store_as_it_was(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add_rules(f"?x a {A} :- ?x {P} ?y, not ?x a {B} .")
    kb.add([(X, P, Y)])
    kb.materialise()
    before = kb.store.state, kb.rules()

    with pytest.raises(UnstratifiableError), kb.transaction() as change:
        change.add_rules(f"?x a {B} :- ?x a {A} .")

    assert (kb.store.state, kb.rules()) == before
    assert kb.remove((X, P, Y)).counts.inferred_removed == 1


def test_removing_a_rule_that_is_not_there_says_so(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.materialise()

    with pytest.raises(ReasonerError, match="no rule of your own that says what 'gone' does"):
        kb.remove_rules(f"[gone] ?x a {A} :- ?x a {B} .")


def test_auto_gives_up_a_change_of_rules_that_takes_longer_than_starting_over(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add_rules(f"[up] ?x a {B} :- ?x a {A} .")
    kb.add([(f"<http://e.org/{number}>", RDF_TYPE, A) for number in range(3000)])
    kb.materialise()
    kb.session.costs.scratch = 1e-9
    for name in RUNNERS:
        kb.session.costs.learn(name, ChangeSize(0, 0, 3000), 10.0)

    delta = kb.remove_rules(f"?x a {B} :- ?x a {A} .")

    assert delta.strategy == "rematerialise"
    assert "1 rules, which reach 3,000 facts" in delta.reason
