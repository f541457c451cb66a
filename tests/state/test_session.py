"""One state: forks go their own ways, and a commit takes effect as a whole, as its last step, or not at all."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reasoner.state as package
from reasoner import InconsistentError, Reasoner, ReasonerError
from tests.notation import fact, facts, rules
from tests.state.stages import STAGES, assert_stage_leaves_the_state
from tests.strategies import RANDOM, drawn

RULES = rules("?x anc ?y :- ?x par ?y\n?x anc ?z :- ?x anc ?y, ?y par ?z\nfalse :- ?x anc ?x")
EXTRA = rules("?y child ?x :- ?x par ?y")


class Side:
    """A reasoner, and a model of what it was told."""

    def __init__(self, kb: Reasoner, explicit: frozenset, own: tuple) -> None:
        self.kb, self.explicit, self.own = kb, explicit, own

    def fork(self) -> Side:
        return Side(self.kb.with_session(self.kb.session.fork()), self.explicit, self.own)

    def take(self, operation: str, triples: list) -> None:
        kb, told = self.kb, frozenset(triples)
        if operation == "add":
            kb.add(triples)
            self.explicit |= told
        elif operation == "commit":
            with kb.transaction() as change:
                change.add(triples)
            self.explicit |= told
        elif operation == "remove":
            kb.remove(triples)
            self.explicit -= told
        elif operation == "update":
            lines = " . ".join(" ".join(triple) for triple in triples)
            kb.update(f"DELETE DATA {{ {lines} }} ; INSERT DATA {{ {lines} }}", base="")
            self.explicit |= told
        elif operation == "rules":
            kb.add_rules(EXTRA)
            self.own = (*RULES, *EXTRA)
        else:
            kb.materialise()
            with pytest.raises(ReasonerError), kb.transaction() as change:
                change.add([*triples, fact("brand new term")])
                change.remove_rules(rules("?x nothing ?y :- ?x such ?y"))

    def check(self) -> None:
        fresh = Reasoner("none")
        fresh.add_rules(self.own)
        fresh.add(sorted(self.explicit))
        assert set(self.kb.triples()) == set(fresh.triples())
        assert set(self.kb.own_rules()) == set(self.own)
        assert len(self.kb.violations()) == len(fresh.violations())


names = st.sampled_from("abcdefgh")
triples = st.lists(st.builds(lambda s, o: fact(f"{s} par {o}"), names, names), min_size=1, max_size=3, unique=True)
operations = st.tuples(
    st.integers(0, 2), st.sampled_from(["add", "commit", "remove", "update", "rules", "fail", "fork"]), triples
)


@settings(RANDOM, max_examples=drawn(40))
@given(triples, st.lists(operations, min_size=1, max_size=8))
def test_a_fork_and_its_origin_never_see_what_the_other_does(begun, steps):
    first = Side(Reasoner("none"), frozenset(begun), tuple(RULES))
    first.kb.add_rules(RULES)
    first.kb.add(begun)
    sides = [first, first.fork()]
    for number, (which, operation, told) in enumerate(steps):
        side = sides[which % len(sides)]
        others = [(other.kb, other.kb.session.state) for other in sides if other is not side]
        # Names that nobody has used yet get ids that others may have given, and taken back.
        told = [*told, fact(f"n{number} par {'abc'[number % 3]}")]
        if operation == "fork":
            sides.append(side.fork())
        else:
            side.take(operation, told)
        assert all(kb.session.state is state for kb, state in others)
        for each in sides:
            each.check()


def materialised() -> Reasoner:
    kb = Reasoner("none")
    kb.add_rules(RULES)
    kb.add(facts("a par b, b par c"))
    kb.materialise()
    return kb


@pytest.mark.parametrize("stage", STAGES)
def test_a_commit_that_fails_at_any_stage_leaves_the_very_same_state(stage):
    assert_stage_leaves_the_state(stage)


@pytest.mark.parametrize("stage", STAGES)
def test_so_it_does_on_disk(stage, tmp_path):
    made = [0]

    def make(profile: str) -> Reasoner:
        made[0] += 1
        return Reasoner.open(tmp_path / f"{made[0]}", create=True, profile=profile)

    assert_stage_leaves_the_state(stage, make)


def test_a_rejected_commit_leaves_the_very_same_state():
    kb = materialised()
    kb.constraints = "reject"
    state, terms = kb.session.state, len(kb.store.dictionary)

    with pytest.raises(InconsistentError), kb.transaction() as change:
        change.add(facts("c par a, new par a"))

    assert kb.session.state is state and len(kb.store.dictionary) == terms


@contextmanager
def interrupted_at(at: int):
    """Raise KeyboardInterrupt on a line of the files of states, sessions and drafts; yield how many there were."""
    folder, lines = str(Path(package.__file__).parent), [0]

    def watch(frame, kind, argument):
        if not frame.f_code.co_filename.startswith(folder):
            return None
        if kind == "line":
            lines[0] += 1
            if lines[0] == at:
                sys.settrace(None)
                raise KeyboardInterrupt
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        yield lines
    finally:
        sys.settrace(before)


def test_an_interrupt_on_any_line_of_a_commit_leaves_the_state_before_or_the_one_after_it():
    def change(kb: Reasoner) -> None:
        with kb.transaction(strategy="bf") as change:
            change.add(facts("c par d"))
            change.remove(facts("a par b"))

    kb = materialised()
    kb.remove(facts("nothing par b"), strategy="bf")
    before = set(kb.triples())
    twin = kb.with_session(kb.session.fork())
    with interrupted_at(0) as lines:
        change(twin)
    after, seen = set(twin.triples()), set()
    for at in range(1, lines[0] + 1, 3):
        kb = materialised()
        state, terms = kb.session.state, len(kb.store.dictionary)
        with pytest.raises(KeyboardInterrupt), interrupted_at(at):
            change(kb)
        took = kb.session.state is not state
        seen.add(took)
        assert set(kb.triples()) == (after if took else before)
        assert took or len(kb.store.dictionary) == terms
        kb.add(facts("e par f"))
        assert fact("e anc f") in set(kb.triples())
        change(kb)
        assert set(kb.triples()) == after | set(facts("e par f, e anc f"))
    assert False in seen


def test_a_rehearsal_leaves_no_terms_behind():
    kb = materialised()
    terms = len(kb.store.dictionary)

    with kb.session.rehearsal() as fork:
        twin = kb.with_session(fork)
        twin.update("INSERT DATA { <x> <par> <y> }", base="")
        assert fact("x anc y") in set(twin.triples())
        assert len(kb.store.dictionary) == terms + 2

    assert len(kb.store.dictionary) == terms
    assert fact("x anc y") not in set(kb.triples())


def test_terms_that_a_fork_uses_are_not_forgotten_with_a_commit_that_fails():
    kb = materialised()
    fork = kb.with_session(kb.session.fork())
    fork.update("INSERT DATA { <x> <par> <y> }", base="")

    with pytest.raises(ReasonerError), kb.transaction() as change:
        change.add(facts("z par zz"))
        change.remove_rules(rules("?x nothing ?y :- ?x such ?y"))
    kb.update("INSERT DATA { <u> <par> <v> }", base="")

    assert fact("x anc y") in set(fork.triples())
    assert fact("u anc v") in set(kb.triples())
    assert fact("u anc v") not in set(fork.triples())
