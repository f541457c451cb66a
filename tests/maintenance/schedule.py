"""Updates that are submitted between named rounds of a dynamic session, and what readers see meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reasoner import Reasoner
from reasoner.dynamic.operations import Ticket
from reasoner.dynamic.session import DynamicSession
from reasoner.rules.rule import Rule
from tests.engines import Make
from tests.notation import Fact, facts, rules

Step = tuple[Iterable[Fact], Iterable[Fact]]


def materialised(
    program: Iterable[Rule],
    explicit: Sequence[Fact],
    equality: str = "rewrite",
    *,
    modules: bool = False,
    make: Make = Reasoner,
) -> Reasoner:
    kb = make(profile="none", equality=equality, modules=modules)
    kb.add_rules(program)
    kb.add(explicit)
    kb.materialise()
    return kb


def knowledge(rule_text: str, fact_text: str, make: Make = Reasoner) -> Reasoner:
    """Materialise rules and facts in the notation of the tests."""
    return materialised(rules(rule_text), facts(fact_text), make=make)


def state(kb: Reasoner) -> tuple[set[frozenset[str]], set[Fact], set[Fact]]:
    """Return classes, closure and explicit facts, in a form that does not depend on ids."""
    explicit = kb.store.state.explicit
    pairs = ((predicate, explicit.table(predicate).pairs()) for predicate in explicit)
    given = set(kb.store.decoded((s, predicate, o) for predicate, (s, o) in pairs))
    return {frozenset(members) for members in kb.classes()}, set(kb.triples()), given


class Schedule:
    """Submits updates, each before the round that is named for it, and checks that readers see committed states only.

    Rounds are counted from 1, over all commits; an update for a round that does not come is submitted to a new run.
    """

    def __init__(self, kb: Reasoner, steps: Sequence[Step], rounds: Sequence[int], strategy: str = "auto") -> None:
        self.kb = kb
        self.session = DynamicSession(kb, strategy)
        self.waiting = sorted(zip(rounds, range(len(steps)), steps, strict=True), key=lambda item: item[:2])
        self.tickets: list[Ticket] = []
        self.round = 0

    def run(self) -> list[Ticket]:
        """Run until every update is committed."""
        while self.waiting:
            self._note_commit()
            self._submit(self.waiting[0][0])
            self.session.run(self._between_rounds)
        return self.tickets

    def _between_rounds(self) -> None:
        self.round += 1
        if any(not ticket.done for ticket in self.carried):
            assert self.kb.store.state is self.committed
            assert set(self.kb.triples()) == self.seen
        else:
            self._note_commit()
        self._submit(self.round)

    def _note_commit(self) -> None:
        """Remember what readers see, and which updates must be done before they see anything else."""
        self.committed, self.seen = self.kb.store.state, set(self.kb.triples())
        self.carried = [ticket for ticket in self.tickets if not ticket.done][:1]

    def _submit(self, by: int) -> None:
        while self.waiting and self.waiting[0][0] <= by:
            _, _, (added, removed) = self.waiting.pop(0)
            self.tickets.append(self.session.submit(add=sorted(added), remove=sorted(removed)))
            self.carried = self.carried or self.tickets[-1:]
