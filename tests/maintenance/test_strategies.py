"""Every strategy gives what starting over gives, and what the oracle says, after every step of random updates."""

from __future__ import annotations

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from reasoner import Reasoner, UnstratifiableError
from reasoner.columnar import chaining
from reasoner.maintenance import backward_forward
from reasoner.terms.term import SAME_AS
from tests import oracle
from tests.engines import Make
from tests.maintenance.stepping import EVERY, PLAIN, Stepper, assert_same_state
from tests.notation import facts, rules
from tests.strategies import RANDOM, Program, drawn, programs, updates

# The strategies by the steps that they took, over all tests of this file.
STEPS = {"taken": 0}


def assert_all_agree(
    program: Program, steps, strategies, *, equality: str, modules: bool, make: Make = Reasoner
) -> None:
    """Step through updates and compare each strategy's state with a fresh one, and that one with the oracle."""
    try:
        stepper = Stepper(program, strategies, equality=equality, modules=modules, make=make)
        explicit = set(program.facts)
        for added, removed in steps:
            explicit = (explicit - set(removed)) | set(added)
            fresh = stepper.step(added, removed)
            for state in stepper.states.values():
                assert_same_state(state, fresh)
            assert_oracle_agrees(stepper, program, explicit, equality)
    except UnstratifiableError:
        reject()
    STEPS["taken"] += stepper.maintained


def assert_oracle_agrees(stepper: Stepper, program: Program, explicit, equality: str) -> None:
    try:
        closure = oracle.closure(program.rules, explicit, equality != "none", limit=20_000)
    except (oracle.TooLarge, oracle.Unstratified):
        return
    if equality != "none" and any(SAME_AS in members for members in oracle.classes(closure)):
        return
    wanted = oracle.visible(closure) if equality == "none" else oracle.shown(closure, explicit)
    assert set(stepper.kb.triples()) == wanted
    if equality == "rewrite":
        assert {frozenset(members) for members in stepper.kb.classes()} == oracle.classes(closure)


@settings(RANDOM, max_examples=drawn(110))
@given(st.data())
def test_strategies_agree_on_equality_and_recursion(data):
    program = data.draw(programs(negation=False, constraints=False))
    steps = data.draw(updates(program.facts, max_steps=6))
    assert_all_agree(program, steps, PLAIN, equality="rewrite", modules=data.draw(st.booleans()))


@settings(RANDOM, max_examples=drawn(100))
@given(st.data())
def test_strategies_agree_on_negation_above_equality(data):
    program = data.draw(programs(constraints=False, objects=True))
    steps = data.draw(updates(program.facts, max_steps=6))
    assert_all_agree(program, steps, PLAIN, equality="rewrite", modules=data.draw(st.booleans()))


@settings(RANDOM, max_examples=drawn(60))
@given(st.data())
def test_strategies_agree_on_negation_without_equality(data):
    program = data.draw(programs(equality=False, constraints=False))
    steps = data.draw(updates(program.facts, max_steps=6, equality=False))
    assert_all_agree(program, steps, (*PLAIN, "declarative"), equality="none", modules=data.draw(st.booleans()))


@settings(RANDOM, max_examples=drawn(60))
@given(st.data())
def test_strategies_agree_on_variable_predicates(data):
    equality = data.draw(st.sampled_from(["rewrite", "none"]))
    with_equality = equality == "rewrite"
    program = data.draw(programs(equality=with_equality, negation=False, variable_predicates=True, constraints=False))
    steps = data.draw(updates(program.facts, max_steps=5, equality=with_equality))
    assert_all_agree(program, steps, PLAIN, equality=equality, modules=data.draw(st.booleans()))


@settings(RANDOM, max_examples=drawn(50))
@given(st.data())
def test_strategies_agree_on_comparisons_and_literals(data):
    program = data.draw(programs(builtins=True, constraints=False))
    steps = data.draw(updates(program.facts, max_steps=5))
    assert_all_agree(program, steps, (*PLAIN, "declarative"), equality="rewrite", modules=False)


@pytest.mark.parametrize(
    ("program", "data", "removed"),
    [
        # Of two facts that say of owl:sameAs, or of a, what follows from either, one goes.
        ("?u type C :- ?x ?u ?y, ?x type A", "a type A, b type A", "a type A"),
        ("?x related ?y :- ?x ?u ?y, ?x type Doc", "a type Doc, a same b, a cites b", "a cites b"),
        # The equality is read by the second atom, and the first is of the stratum itself.
        ("?x u ?z :- ?x u ?y, ?y ?p ?z\n?x u ?y :- ?x p ?y", "a p b, a q b, a u b, b q b", "a u b, b q b"),
        # The same through a class that no rule names, and through a rule with two variable predicates.
        ("?x v ?z :- ?x ?p ?y, ?y ?q ?z, ?x type B", "a type B, a p a, a q a", "a p a, a q a"),
        ("?x type ?u :- ?x ?u ?y, ?x p ?z", "a p b, a same c, a q c", "a q c"),
    ],
)
def test_what_follows_through_an_equality_outlives_its_other_proof(make_reasoner, program, data, removed):
    """A variable predicate may be owl:sameAs: a rule that is recursive otherwise then reads only below its stratum."""
    given_rules = Program(tuple(rules(program)), tuple(facts(data)))
    for modules in (True, False):
        steps = [((), facts(removed))]
        assert_all_agree(given_rules, steps, EVERY, equality="rewrite", modules=modules, make=make_reasoner)


def agree_on_the_vocabulary(data, equality: str, **kinds: bool) -> None:
    with_equality = equality != "none"
    program = data.draw(programs(equality=with_equality, constraints=False, vocabulary=True, **kinds))
    steps = data.draw(updates(program.facts, equality=with_equality, rules=program.rules))
    assert_all_agree(program, steps, EVERY, equality=equality, modules=data.draw(st.booleans()))


@settings(RANDOM, max_examples=drawn(130))
@given(st.data())
def test_strategies_agree_on_the_vocabulary_and_variable_predicates_above_equality(data):
    agree_on_the_vocabulary(data, "rewrite", negation=False)


@settings(RANDOM, max_examples=drawn(90))
@given(st.data())
def test_strategies_agree_on_the_vocabulary_and_variable_predicates_under_negation(data):
    agree_on_the_vocabulary(data, data.draw(st.sampled_from(["rewrite", "rewrite", "none"])))


@settings(RANDOM, max_examples=drawn(12))
@given(st.data())
def test_strategies_agree_on_the_vocabulary_where_equality_is_axiomatised(data):
    agree_on_the_vocabulary(data, "axiomatise", negation=False)


@settings(RANDOM, max_examples=drawn(60))
@given(st.data())
def test_strategies_agree_where_facts_have_more_proofs_than_are_tried_at_once(data):
    program = data.draw(programs(negation=False, constraints=False, variable_predicates=data.draw(st.booleans())))
    steps = data.draw(updates(program.facts, max_steps=4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backward_forward, "_FEW", 1)
        patch.setattr(chaining, "_SAMPLED", 1)
        assert_all_agree(program, steps, ("bf", "fbf", "auto"), equality="rewrite", modules=data.draw(st.booleans()))


def test_enough_steps_were_taken():
    """The count is of updates that a strategy maintained, those that it refused left out."""
    if not STEPS["taken"]:
        pytest.skip("counts the steps of the tests above, which were not run")
    assert STEPS["taken"] >= 5_000
