"""Stores that go through the same changes of rules and facts, each by a strategy of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from reasoner import Reasoner, ReasonerError, UnstratifiableError
from reasoner.rules.rule import Rule
from reasoner.state.delta import Delta
from tests.engines import Make
from tests.maintenance.stepping import assert_same_state
from tests.notation import Fact
from tests.strategies import Program, programs, updates

ALL = ("bf", "fbf-0", "fbf-1", "fbf-3", "dred", "counting", "dredc", "declarative", "auto")


@dataclass(frozen=True)
class Step:
    """Facts and rules in and out."""

    added: frozenset[Fact]
    removed: frozenset[Fact]
    rules_added: tuple[Rule, ...]
    rules_removed: tuple[Rule, ...]


@st.composite
def changing_programs(draw: st.DrawFn, *, max_steps: int = 4, **kinds: bool) -> tuple[Program, list[Step]]:
    """Draw a program, and steps that exchange some of its rules for those of another and back, and facts with them."""
    program, other = draw(programs(**kinds)), draw(programs(**kinds))
    pool = list(dict.fromkeys((*program.rules, *other.rules)))
    rules, steps = list(program.rules), []
    equality = kinds.get("equality", True)
    about = pool if kinds.get("vocabulary") else None
    facts = draw(updates(program.facts, max_steps=max_steps, equality=equality, rules=about))
    for added, removed in facts:
        if draw(st.booleans()):
            added = removed = frozenset()
        changed = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=4, unique=True))
        going, coming = [rule for rule in changed if rule in rules], [rule for rule in changed if rule not in rules]
        rules = [rule for rule in rules if rule not in going] + coming
        steps.append(Step(added, removed, tuple(coming), tuple(going)))
    return program, steps


class RuleStepper:
    """One store for a strategy, which starts over where it cannot be used, and says why."""

    def __init__(
        self,
        program: Program,
        strategy: str,
        *,
        equality: str = "rewrite",
        modules: bool = True,
        make: Make = Reasoner,
    ) -> None:
        self.name, _, depth = strategy.partition("-")
        self.depth = int(depth) if depth else None
        memory = self.name if self.name in ("counting", "dredc") else None
        self.kb = make(profile="none", equality=equality, modules=modules, maintenance=memory)
        self.kb.add_rules(program.rules)
        self.kb.add(program.facts)
        self.kb.materialise()
        self.maintained = 0
        self.refused: list[str] = []

    def step(self, step: Step) -> Delta:
        """Apply a step, and compare the state with that of starting over."""
        try:
            delta = self._apply(step, self.name)
            self.maintained += delta.strategy != "rematerialise"
        except UnstratifiableError:
            raise
        except ReasonerError as refusal:
            self.refused.append(str(refusal))
            delta = self._apply(step, "rematerialise")
        assert_same_state(self.kb.store.state, started_over(self.kb).store.state)
        return delta

    def _apply(self, step: Step, strategy: str) -> Delta:
        with self.kb.transaction(strategy=strategy, depth=self.depth if strategy == self.name else None) as change:
            change.remove(list(step.removed))
            change.add(list(step.added))
            change.remove_rules(step.rules_removed)
            change.add_rules(step.rules_added)
        return change.delta


def started_over(kb: Reasoner) -> Reasoner:
    """Return a copy of a store that has materialised all of it anew, with the same ids of terms."""
    fresh = kb.with_session(kb.session.fork(apart=False))
    fresh.session.start_over(anew=True)
    fresh.materialise()
    return fresh


def run_all(program: Program, steps: Sequence[Step], strategies: Iterable[str], **options: object) -> list[RuleStepper]:
    """Take the steps by every strategy; a step after which the rules have no strata leaves everything as it was."""
    steppers = [RuleStepper(program, strategy, **options) for strategy in strategies]
    for stepper in steppers:
        for step in steps:
            before = stepper.kb.store.state, stepper.kb.rules()
            try:
                stepper.step(step)
            except UnstratifiableError:
                assert (stepper.kb.store.state, stepper.kb.rules()) == before
                break
    return steppers
