"""The state of a materialisation while a change goes through its strata.

The work that a maintenance run did, in the measure of the papers: rule instances considered, phase by phase.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic

from reasoner.maintenance.strata import MaintainedStratum
from reasoner.reasoning.engine import Engine, F, M, P


class Update(Generic[F, P, M]):
    """I as it was, D that has left it and A that has joined it; all facts are over representatives.

    D is part of I, A has nothing in common with it, and neither has anything in common with the other: a fact that is
    overdeleted and derived again is in neither. ``explicit`` are the explicit facts after the change as they were
    given, with the heads of rules without a body, ``representatives`` the mapping after the change. ``removed`` and
    ``added_explicit`` are the facts over representatives that are explicit no more, and those that are so now.
    """

    def __init__(
        self,
        engine: Engine[F, P, M],
        facts: F,
        explicit: F,
        representatives: M,
        removed: F,
        added: F,
        work: Work,
    ) -> None:
        self.engine = engine
        self.facts = facts
        self.explicit = explicit
        self.representatives = representatives
        self.removed = removed
        self.added_explicit = added
        self.deleted = engine.empty()
        self.added = engine.empty()
        self.work = work
        self._surviving: F | None = facts
        self._current: F | None = facts

    @property
    def surviving(self) -> F:
        """I without D."""
        if self._surviving is None:
            self._surviving = self.engine.difference(self.facts, self.deleted)
        return self._surviving

    @property
    def current(self) -> F:
        """I without D and with A: what holds after the change, as far as it has gone."""
        if self._current is None:
            self._current = self.engine.extend(self.surviving, self.added)
        return self._current

    @property
    def ever(self) -> F:
        """I with A: what must not hold for a negation to have been true all along."""
        return self.engine.extend(self.facts, self.added)

    @property
    def has_changed(self) -> bool:
        """Whether any fact has left or joined so far."""
        return not (self.engine.is_empty(self.deleted) and self.engine.is_empty(self.added))

    def is_read_by(self, plans: P) -> bool:
        """Tell whether rules read anything that has left or joined so far."""
        return any(self.engine.reads(plans, facts) for facts in (self.deleted, self.added))

    def concerns(self, stratum: MaintainedStratum[F, P, M]) -> bool:
        """Tell whether a stratum can change: not if it reads nothing that has changed, and nothing changes in it."""
        engine = self.engine
        explicit = not (engine.is_empty(self.removed) and engine.is_empty(self.added_explicit))
        return explicit or stratum.is_changing or (self.has_changed and self.is_read_by(stratum.every))

    def delete(self, facts: F) -> None:
        """Move facts of I that are not in D yet to D."""
        self.deleted = self.engine.extend(self.deleted, facts)
        if self._surviving is not None:
            self._surviving = self.engine.difference(self._surviving, facts)
        self._current = None

    def restore(self, facts: F) -> None:
        """Take facts out of D."""
        self.deleted = self.engine.difference(self.deleted, facts)
        self._surviving = self._current = None

    def add(self, facts: F) -> None:
        """Let facts that do not hold at present hold again, or for the first time."""
        engine = self.engine
        current = engine.extend(self.current, facts)
        back = engine.common(facts, self.deleted)
        if not engine.is_empty(back):
            self.restore(back)
            facts = engine.difference(facts, back)
        self.added = engine.extend(self.added, facts)
        self._current = current

    def explicit_among(self, facts: F) -> F:
        """Return the facts that are explicit after the change."""
        given = self.engine.standing_for(self.explicit, self.representatives, facts)
        return self.engine.normalise(given, self.representatives)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count the rule instances of a phase, whether it ends or is given up."""
        before = self.engine.instances
        try:
            yield
        finally:
            self.work.count(name, self.engine.instances - before)


@dataclass(slots=True)
class Work:
    """Rule instances considered by phase, in the order in which the phases first came, and rounds of all phases.

    ``core`` is what maintained the core of equality, ``bf`` or ``dred``, if anything did; ``above`` says whether the
    strata above it, which are all strata where there is no equality, were maintained by the strategy.

    ``between_rounds`` is called when a round is over; it may raise, and so give up a run that nobody needs any more.
    """

    instances: dict[str, int] = field(default_factory=dict)
    rounds: int = 0
    core: str = ""
    above: bool = False
    between_rounds: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)

    @property
    def total(self) -> int:
        """All rule instances considered: the column D of the papers' tables."""
        return sum(self.instances.values())

    def count(self, phase: str, instances: int, rounds: int = 0) -> None:
        """Add to a phase."""
        self.instances[phase] = self.instances.get(phase, 0) + instances
        self.rounds += rounds

    def include(self, other: Work) -> None:
        """Add all that another run did."""
        for phase, instances in other.instances.items():
            self.count(phase, instances)
        self.rounds += other.rounds
        self.core = self.core or other.core
        self.above = self.above or other.above

    def end_round(self) -> None:
        """Count a round that is over."""
        self.rounds += 1
        self.between_rounds()

    def __str__(self) -> str:
        phases = ", ".join(f"{phase} {instances:,}" for phase, instances in self.instances.items() if instances)
        return f"{self.total:,} rule instances ({phases})" if phases else "no rule instance"
