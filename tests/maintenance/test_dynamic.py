"""Updates that arrive between the rounds of a running maintenance give what one after the other gives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import event, given, reject, settings
from hypothesis import strategies as st

from reasoner import Reasoner, ReasonerError, UnstratifiableError
from reasoner.dynamic.session import DYNAMIC_STRATEGIES
from tests.engines import Make
from tests.maintenance.schedule import Schedule, Step, materialised, state
from tests.notation import Fact, rules
from tests.strategies import RANDOM, Program, programs, updates


@st.composite
def flips(draw: st.DrawFn, given: Sequence[Fact], *, equality: bool) -> list[Step]:
    """Draw updates that put the same few facts in and out again and again."""
    new = [fact for added, _ in draw(updates(given, max_steps=2, equality=equality)) for fact in added]
    pool = draw(st.lists(st.sampled_from(sorted({*given, *new})), min_size=1, max_size=6, unique=True))
    explicit, steps = set(given), []
    for _ in range(draw(st.integers(2, 8))):
        turned = draw(st.sets(st.sampled_from(pool), min_size=1, max_size=3))
        steps.append((frozenset(turned - explicit), frozenset(turned & explicit)))
        explicit ^= turned
    return steps


def assert_as_one_after_the_other(
    data: st.DataObject, program: Program, strategy: str, equality: str = "rewrite", make: Make = Reasoner
) -> None:
    kinds = flips(program.facts, equality=equality != "none"), updates(program.facts, equality=equality != "none")
    steps = data.draw(st.one_of(*kinds))
    rounds = sorted(data.draw(st.integers(0, 10)) for _ in steps)
    assert_scheduled(program, steps, rounds, strategy, equality, make)


def assert_scheduled(
    program: Program,
    steps: Sequence[Step],
    rounds: Sequence[int],
    strategy: str,
    equality: str,
    make: Make = Reasoner,
) -> None:
    try:
        kb = materialised(program.rules, program.facts, equality, modules=strategy == "auto", make=make)
    except UnstratifiableError:
        # Constants that equality makes one may leave a program without strata.
        reject()
    schedule = Schedule(kb, steps, rounds, strategy)
    explicit = set(program.facts)
    for added, removed in steps:
        explicit = (explicit - removed) | added
    try:
        tickets = schedule.run()
    except ReasonerError as error:
        assert isinstance(error, UnstratifiableError) or "cannot be used here" in str(error)
        event("refused")
        return
    assert state(kb) == state(materialised(program.rules, sorted(explicit), equality))
    work = {id(ticket.work): ticket.work for ticket in tickets}.values()
    assert sum(commit.submissions for commit in work) == len(steps)
    event(f"stopped {min(sum(commit.stopped for commit in work), 3)}")
    event(f"arrivals {min(sum(commit.arrivals for commit in work), 3)}")
    event(tickets[0].delta.strategy)


@pytest.mark.parametrize("strategy", DYNAMIC_STRATEGIES)
@settings(RANDOM, max_examples=150)
@given(st.data())
def test_interleaved_updates_of_positive_programs_give_what_one_after_the_other_gives(strategy, data):
    program = data.draw(programs(negation=False, constraints=False))
    assert_as_one_after_the_other(data, program, strategy)


@pytest.mark.parametrize("strategy", DYNAMIC_STRATEGIES)
@settings(RANDOM, max_examples=150)
@given(st.data())
def test_interleaved_updates_of_programs_with_negation_give_what_one_after_the_other_gives(strategy, data):
    program = data.draw(programs(constraints=False))
    assert_as_one_after_the_other(data, program, strategy)


@pytest.mark.parametrize("strategy", DYNAMIC_STRATEGIES)
@settings(RANDOM, max_examples=100)
@given(st.data())
def test_interleaved_updates_without_equality_give_what_one_after_the_other_gives(strategy, data):
    program = data.draw(programs(equality=False, constraints=False))
    assert_as_one_after_the_other(data, program, strategy, equality="none")


# Recursion that takes many rounds, on base facts and on explicit facts of its own, positive and negated, above a core.
LONG = """
    ?x r ?y :- ?x e ?y
    ?x r ?z :- ?x r ?y, ?y e ?z, not ?y b ?z
    ?x w ?y :- ?x e ?y, not ?y r ?x
    ?x w ?z :- ?x w ?y, ?y w ?z, not ?x b ?z
    ?x t ?y :- ?y w ?x, ?x m ?y"""
CORE = """
    ?y same ?z :- ?x k ?y, ?x k ?z"""


def long_case(random: Random, equality: bool) -> tuple[Program, list[Step], list[int]]:
    """Draw a graph of long paths, and updates that turn a few of its facts over and over."""
    nodes = [f"<n{number}>" for number in range(10)]

    def triple() -> Fact:
        predicate = random.choice("eeeeerrwbbmt" + ("kk" if equality else ""))
        at = random.randrange(9)
        near = nodes[at + 1] if predicate in "ek" and random.random() < 0.7 else random.choice(nodes)
        return (random.choice(nodes) if predicate == "k" else nodes[at]), f"<{predicate}>", near

    path = [(one, "<e>", other) for one, other in pairwise(nodes)]
    given = list(dict.fromkeys([*path, *(triple() for _ in range(random.randrange(12)))]))
    pool = random.sample(given, min(len(given), 5)) + [triple() for _ in range(4)]
    explicit, steps = set(given), []
    for _ in range(random.randrange(2, 7)):
        turned = set(random.sample(pool, random.randrange(1, 4)))
        steps.append((turned - explicit, turned & explicit))
        explicit ^= turned
    rounds = sorted(random.randrange(25) for _ in steps)
    return Program(tuple(rules(LONG + CORE if equality else LONG)), tuple(given)), steps, rounds


@pytest.mark.parametrize("strategy", DYNAMIC_STRATEGIES)
@pytest.mark.parametrize("equality", ["none", "rewrite"])
@settings(RANDOM, max_examples=60)
@given(st.randoms(use_true_random=False))
def test_updates_that_meet_long_recursions_give_what_one_after_the_other_gives(strategy, equality, random):
    program, steps, rounds = long_case(random, equality == "rewrite")
    assert_scheduled(program, steps, rounds, strategy, equality)
