"""The stages of a commit, each of which can be made to fail."""

from __future__ import annotations

from typing import Any

import pytest

from reasoner import Reasoner
from reasoner.state.constraint_policy import ConstraintPolicy
from reasoner.state.delta import Delta
from reasoner.state.draft import Commit, Draft
from reasoner.state.persistence import Persistence
from tests.engines import Make
from tests.notation import facts, rules

STAGES = {
    "facts": (Draft, "_rule_change"),
    "maintenance": (Commit, "_maintained"),
    "delta": (Delta, "__init__"),
    "judgement": (ConstraintPolicy, "judged"),
    "disk": (Persistence, "keep"),
    "end": (Draft, "finished"),
}


def assert_stage_leaves_the_state(stage: str, make: Make = Reasoner) -> None:
    """Stop a commit at the beginning and at the end of a stage: the state is the same object, and work goes on."""
    kb = make(profile="none")
    kb.add_rules(rules("?x anc ?y :- ?x par ?y\n?x anc ?z :- ?x anc ?y, ?y par ?z"))
    kb.add(facts("a par b, b par c"))
    kb.materialise()
    shown = set(kb.triples())
    owner, name = STAGES[stage]
    real = getattr(owner, name)

    def at_the_beginning(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    def at_the_end(*given: Any, **named: Any) -> None:
        real(*given, **named)
        raise KeyboardInterrupt

    for stopped in (at_the_beginning, at_the_end):
        state, terms = kb.session.state, len(kb.store.dictionary)
        with (
            pytest.MonkeyPatch.context() as patch,
            pytest.raises(KeyboardInterrupt),
            kb.transaction(strategy="bf") as change,
        ):
            patch.setattr(owner, name, stopped)
            change.add(facts("c par new"))
            change.remove(facts("a par b"))
        assert kb.session.state is state
        assert len(kb.store.dictionary) == terms
        assert set(kb.triples()) == shown
    with kb.transaction() as change:
        change.add(facts("c par other"))
    assert set(kb.triples()) == shown | set(facts("c par other, c anc other, b anc other, a anc other"))
