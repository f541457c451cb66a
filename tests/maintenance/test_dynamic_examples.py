"""The examples of Illich and Glimm, "Fully Dynamic Materialization Maintenance", 2023, at every point of time.

The paper's facts A, B, C and D are types of one term x here. Each second update arrives before each of the rounds that
the first one takes, so that every way in which one can overtake the other is met.
"""

from __future__ import annotations

import pytest

from reasoner.dynamic.session import DYNAMIC_STRATEGIES
from tests.engines import Make
from tests.maintenance.schedule import Schedule, Step, knowledge, materialised, state
from tests.notation import Fact, facts, rules

LATEST = 9

CYCLE = """
    ?x type B :- ?x type A
    ?x type C :- ?x type B
    ?x type A :- ?x type C"""
CYCLE_WITH_ENTRY = (
    CYCLE
    + """
    ?x type A :- ?x type D"""
)
TWO_WAYS_TO_C = """
    ?x type B :- ?x type A
    ?x type C :- ?x type A
    ?x type C :- ?x type D"""
TWO_CONSEQUENCES = """
    ?x type B :- ?x type A
    ?x type C :- ?x type A"""

at_every_round = pytest.mark.parametrize("when", range(1, LATEST + 1))
by_every_strategy = pytest.mark.parametrize("strategy", DYNAMIC_STRATEGIES)


def step(add: str = "", remove: str = "") -> Step:
    return facts(add), facts(remove)


def closure(kb) -> set[Fact]:
    return set(kb.triples())


def run(make: Make, rule_text: str, fact_text: str, steps: list[Step], rounds: list[int], strategy: str):
    kb = knowledge(rule_text, fact_text, make)
    before = kb.store.state
    tickets = Schedule(kb, steps, rounds, strategy).run()
    return kb, before, tickets


@at_every_round
@by_every_strategy
def test_example_1_a_fact_that_is_taken_back_does_not_add_itself_again(make_reasoner, when, strategy):
    kb, _, _ = run(make_reasoner, CYCLE, "", [step("x type A"), step("", "x type A")], [0, when], strategy)

    assert closure(kb) == set()


@at_every_round
@by_every_strategy
def test_example_1_holds_while_another_term_goes_round_the_same_cycle(make_reasoner, when, strategy):
    """With y nothing is cancelled as a whole: x goes while y goes round."""
    steps = [step("x type A, y type A"), step("", "x type A")]
    kb, _, _ = run(make_reasoner, CYCLE, "", steps, [0, when], strategy)

    assert closure(kb) == set(facts("y type A, y type B, y type C"))


@by_every_strategy
def test_example_1_ends_however_often_the_fact_comes_and_goes(make_reasoner, strategy):
    """No overtaking: the paper's endless cycle of deletions and additions."""
    steps = [step("y type A, x type A")] + [step("", "x type A"), step("x type A")] * 4
    kb, _, tickets = run(make_reasoner, CYCLE, "z type A", steps, list(range(len(steps))), strategy)

    assert closure(kb) == set(facts(", ".join(f"{s} type {c}" for s in "xyz" for c in "ABC")))
    assert tickets[0].work.stopped <= len(steps)


@at_every_round
@by_every_strategy
def test_example_2_a_fact_that_has_a_new_cause_stays(make_reasoner, when, strategy):
    kb, _, _ = run(
        make_reasoner, CYCLE_WITH_ENTRY, "x type A", [step("", "x type A"), step("x type D")], [0, when], strategy
    )

    assert closure(kb) == set(facts("x type A, x type B, x type C, x type D"))


@at_every_round
@by_every_strategy
def test_example_2_a_fact_goes_if_its_new_cause_is_taken_back(make_reasoner, when, strategy):
    steps = [step("x type D, y type D", "x type A"), step("", "x type D")]
    kb, _, _ = run(make_reasoner, CYCLE_WITH_ENTRY, "x type A", steps, [0, when], strategy)

    assert closure(kb) == set(facts("y type A, y type B, y type C, y type D"))


@at_every_round
@by_every_strategy
def test_example_2_in_one_update_is_an_ordinary_change(make_reasoner, when, strategy):
    steps = [step("x type D", "x type A"), step("y type A")]
    kb, _, _ = run(make_reasoner, CYCLE_WITH_ENTRY, "x type A", steps, [0, when], strategy)

    assert closure(kb) == set(facts("x type A, x type B, x type C, x type D, y type A, y type B, y type C"))


@at_every_round
@by_every_strategy
def test_example_3_a_deletion_takes_away_only_what_has_no_other_derivation(make_reasoner, when, strategy):
    kb, _, _ = run(
        make_reasoner, TWO_WAYS_TO_C, "", [step("x type A, x type D"), step("", "x type A")], [0, when], strategy
    )

    assert closure(kb) == set(facts("x type D, x type C"))


@at_every_round
@by_every_strategy
def test_example_4_a_deletion_that_is_taken_back_leaves_everything_as_it_was(make_reasoner, when, strategy):
    kb, before, tickets = run(
        make_reasoner, TWO_CONSEQUENCES, "x type A", [step("", "x type A"), step("x type A")], [0, when], strategy
    )

    assert closure(kb) == set(facts("x type A, x type B, x type C"))
    if tickets[0].work.submissions == 2:
        assert tickets[0].work.cancelled == 1
        assert kb.store.state is before


@at_every_round
@by_every_strategy
def test_example_4_holds_while_another_fact_goes_for_good(make_reasoner, when, strategy):
    steps = [step("", "x type A, y type A"), step("x type A")]
    kb, _, _ = run(make_reasoner, TWO_CONSEQUENCES, "x type A, y type A", steps, [0, when], strategy)

    assert closure(kb) == set(facts("x type A, x type B, x type C"))
    assert state(kb) == state(materialised(rules(TWO_CONSEQUENCES), facts("x type A")))


def test_the_second_update_of_each_example_really_arrives_while_the_first_is_worked_on(make_reasoner):
    """One round of the cycle for each of its facts, so that there are at least four points of time to arrive at."""
    steps = [step("x type A, y type A"), step("", "x type A")]
    together = [
        when
        for when in range(1, LATEST + 1)
        if run(make_reasoner, CYCLE, "", steps, [0, when], "auto")[2][0].work.submissions == 2
    ]

    assert together[:4] == [1, 2, 3, 4]
    assert len(together) < LATEST
