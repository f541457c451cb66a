"""The work that a maintenance run did, in the measure of the papers: rule instances considered, phase by phase."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Work:
    """Rule instances considered by phase, in the order in which the phases first came, and rounds of all phases."""

    instances: dict[str, int] = field(default_factory=dict)
    rounds: int = 0

    @property
    def total(self) -> int:
        """All rule instances considered: the column D of the papers' tables."""
        return sum(self.instances.values())

    def count(self, phase: str, instances: int, rounds: int = 0) -> None:
        """Add to a phase."""
        self.instances[phase] = self.instances.get(phase, 0) + instances
        self.rounds += rounds

    def __str__(self) -> str:
        phases = ", ".join(f"{phase} {instances:,}" for phase, instances in self.instances.items() if instances)
        return f"{self.total:,} rule instances ({phases})" if phases else "no rule instance"
