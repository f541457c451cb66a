"""The work that a maintenance run did, in the measure of the papers: rule instances considered, phase by phase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


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
