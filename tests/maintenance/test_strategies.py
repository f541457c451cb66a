"""Every strategy gives what starting over gives, and what the oracle says, after every step of random updates."""

from __future__ import annotations

import pytest
from hypothesis import event, given, reject, settings
from hypothesis import strategies as st

from reasoner import Reasoner, UnstratifiableError
from reasoner.rules.term import SAME_AS
from tests import oracle
from tests.engines import Make
from tests.maintenance.stepping import PLAIN, Stepper, assert_same_state
from tests.strategies import RANDOM, Program, programs, updates

# The strategies by the steps that they took, over all tests of this file.
STEPS = {"taken": 0}


def assert_all_agree(
    program: Program, steps, strategies, *, equality: bool, modules: bool, make: Make = Reasoner
) -> None:
    """Step through updates and compare each strategy's state with a fresh one, and that one with the oracle."""
    try:
        stepper = Stepper(program, strategies, equality="rewrite" if equality else "none", modules=modules, make=make)
        explicit = set(program.facts)
        for added, removed in steps:
            explicit = (explicit - set(removed)) | set(added)
            fresh = stepper.step(added, removed)
            for strategy, state in stepper.states.items():
                event(strategy)
                assert_same_state(state, fresh)
            assert_oracle_agrees(stepper, program, explicit, equality)
    except UnstratifiableError:
        reject()
    STEPS["taken"] += stepper.maintained


def assert_oracle_agrees(stepper: Stepper, program: Program, explicit, equality: bool) -> None:
    try:
        closure = oracle.closure(program.rules, explicit, equality, limit=20_000)
    except (oracle.TooLarge, oracle.Unstratified):
        return
    if equality and any(SAME_AS in members for members in oracle.classes(closure)):
        return
    wanted = oracle.visible(closure, reflexive=False)
    assert oracle.visible(stepper.kb.triples(), reflexive=False) == wanted
    if equality:
        assert {frozenset(members) for members in stepper.kb.classes()} == oracle.classes(closure)


@settings(RANDOM, max_examples=110)
@given(st.data())
def test_strategies_agree_on_equality_and_recursion(data):
    program = data.draw(programs(negation=False, constraints=False))
    steps = data.draw(updates(program.facts, max_steps=6))
    assert_all_agree(program, steps, PLAIN, equality=True, modules=data.draw(st.booleans()))


@settings(RANDOM, max_examples=100)
@given(st.data())
def test_strategies_agree_on_negation_above_equality(data):
    program = data.draw(programs(constraints=False))
    steps = data.draw(updates(program.facts, max_steps=6))
    assert_all_agree(program, steps, PLAIN, equality=True, modules=data.draw(st.booleans()))


@settings(RANDOM, max_examples=60)
@given(st.data())
def test_strategies_agree_on_negation_without_equality(data):
    program = data.draw(programs(equality=False, constraints=False))
    steps = data.draw(updates(program.facts, max_steps=6, equality=False))
    assert_all_agree(program, steps, (*PLAIN, "declarative"), equality=False, modules=data.draw(st.booleans()))


@settings(RANDOM, max_examples=60)
@given(st.data())
def test_strategies_agree_on_variable_predicates(data):
    equality = data.draw(st.booleans())
    program = data.draw(programs(equality=equality, negation=False, variable_predicates=True, constraints=False))
    steps = data.draw(updates(program.facts, max_steps=5, equality=equality))
    assert_all_agree(program, steps, PLAIN, equality=equality, modules=data.draw(st.booleans()))


@settings(RANDOM, max_examples=50)
@given(st.data())
def test_strategies_agree_on_comparisons_and_literals(data):
    program = data.draw(programs(builtins=True, constraints=False))
    steps = data.draw(updates(program.facts, max_steps=5))
    assert_all_agree(program, steps, (*PLAIN, "declarative"), equality=True, modules=False)


def test_enough_steps_were_taken():
    """The count is of updates that a strategy maintained, those that it refused left out."""
    if not STEPS["taken"]:
        pytest.skip("counts the steps of the tests above, which were not run")
    assert STEPS["taken"] >= 5_000
