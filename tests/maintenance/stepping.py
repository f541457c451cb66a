"""Running several strategies over the same random updates, each from its own state of one store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from reasoner import Reasoner, ReasonerError
from reasoner.columnar.factset import FactSet
from reasoner.columnar.store import Snapshot
from reasoner.state.delta import Delta
from reasoner.terms.term import OCCURS
from tests.engines import Make
from tests.notation import Fact
from tests.strategies import Program

PLAIN = ("bf", "fbf-0", "fbf-1", "fbf-3", "dred", "counting", "dredc", "auto")
EVERY = (*PLAIN, "fbf", "declarative", "rematerialise")


class Stepper:
    """One store with a state for each strategy; a strategy that cannot be used starts over, and says why."""

    def __init__(
        self,
        program: Program,
        strategies: Sequence[str],
        *,
        equality: str = "rewrite",
        modules: bool,
        make: Make = Reasoner,
    ) -> None:
        memory = "counting" if "counting" in strategies else None
        self.kb = make(profile="none", equality=equality, modules=modules, maintenance=memory)
        self.kb.add_rules(program.rules)
        self.kb.add(program.facts)
        self.kb.materialise()
        self.states = dict.fromkeys(strategies, self.kb.store.state)
        self.maintained = 0
        self.refused: list[str] = []

    def step(self, added: Iterable[Fact], removed: Iterable[Fact]) -> Snapshot:
        """Apply an update by every strategy; return the state that starting over gives."""
        for strategy in self.states:
            self._apply(strategy, added, removed)
        self._enter(next(iter(self.states.values())))
        self.kb.materialise()
        return self.kb.store.state

    def _apply(self, strategy: str, added: Iterable[Fact], removed: Iterable[Fact]) -> None:
        try:
            self.states[strategy], delta = self.apply(strategy, self.states[strategy], added, removed)
            self.maintained += delta.strategy != "rematerialise"
        except ReasonerError as refusal:
            self.refused.append(str(refusal))
            self.states[strategy], _ = self.apply("rematerialise", self.states[strategy], added, removed)

    def apply(
        self, strategy: str, state: Snapshot, added: Iterable[Fact], removed: Iterable[Fact]
    ) -> tuple[Snapshot, Delta]:
        """Apply an update to a state by a strategy, of which fbf has its depth in its name."""
        self._enter(state)
        name, _, depth = strategy.partition("-")
        with self.kb.transaction(strategy=name, depth=int(depth) if depth else None) as change:
            change.remove(list(removed))
            change.add(list(added))
        return self.kb.store.state, change.delta

    def _enter(self, state: Snapshot) -> None:
        self.kb.session.use(self.kb.store.at(state), replace(self.kb.session.state, snapshot=state))


def assert_same_state(found: Snapshot, expected: Snapshot) -> None:
    """Compare two states of one store to the bit."""
    assert found.representatives.members.tolist() == expected.representatives.members.tolist()
    assert found.representatives.targets.tolist() == expected.representatives.targets.tolist()
    assert keys(found.explicit) == keys(expected.explicit)
    assert keys(found.facts) == keys(expected.facts)


def keys(facts: FactSet) -> dict[int, list[int]]:
    """Return all facts but the notes that terms occur, which may note what other facts show as well."""
    found = {predicate: facts.table(predicate).keys().tolist() for predicate in sorted(facts) if predicate != OCCURS}
    # Facts in files may have a predicate that has lost its last fact.
    return {predicate: pairs for predicate, pairs in found.items() if pairs}
