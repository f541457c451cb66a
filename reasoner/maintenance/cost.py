"""What maintaining costs in a store, and what starting over costs there, as far as it has been measured."""

from __future__ import annotations

from dataclasses import dataclass, field

# What an update is taken to cost before any was measured, on the high side.
_UNMEASURED_BASE = 0.01
_UNMEASURED_SLOPE = 5e-5


@dataclass(slots=True)
class Cost:
    """Seconds of updates by one strategy, as a line through a small and a large one that were measured.

    ``facts`` and ``taken`` are the size and the seconds of the large one: the more facts at once, the less each costs.
    """

    small_facts: int
    small_taken: float
    facts: int
    taken: float

    def seconds(self, facts: int) -> float:
        """Estimate the seconds of an update."""
        if self.facts < 4 * self.small_facts:
            return self.taken * facts / self.facts
        slope = max(0.0, self.taken - self.small_taken) / (self.facts - self.small_facts)
        return self.small_taken + slope * (facts - self.small_facts)

    def learn(self, seconds: float, facts: int) -> None:
        """Take over what an update took."""
        if facts <= 2 * self.small_facts:
            self.small_facts, self.small_taken = facts, seconds
        if 4 * facts >= self.facts:
            self.facts, self.taken = facts, seconds


@dataclass(slots=True)
class CostModel:
    """The costs of removing facts by strategy and of adding facts, and the seconds a fact of starting over."""

    removal: dict[str, Cost] = field(default_factory=dict)
    addition: Cost | None = None
    scratch: float = 0.0

    def learn_scratch(self, seconds: float, facts: int) -> None:
        """Take over what a materialisation of so many explicit facts took."""
        self.scratch = seconds / max(1, facts)

    def learn(self, strategy: str, seconds: float, removed: int, added: int) -> None:
        """Take over what an update took; of one that both removes and adds it cannot be told which took what."""
        if removed and not added:
            self.removal.setdefault(strategy, Cost(removed, seconds, removed, seconds)).learn(seconds, removed)
        elif added and not removed:
            self.addition = self.addition or Cost(added, seconds, added, seconds)
            self.addition.learn(seconds, added)

    def from_scratch(self, facts: int) -> float:
        """Estimate the seconds that starting over with so many explicit facts takes."""
        return self.scratch * facts

    def removing(self, strategy: str, facts: int) -> float:
        """Estimate the seconds that removing facts takes."""
        known = self.removal.get(strategy)
        return known.seconds(facts) if known else _UNMEASURED_BASE + _UNMEASURED_SLOPE * facts

    def adding(self, facts: int) -> float:
        """Estimate the seconds that adding facts takes."""
        return self.addition.seconds(facts) if facts and self.addition else 0.0

    def measured(self, strategy: str) -> int:
        """Return over how many facts at once the removal by a strategy was measured."""
        known = self.removal.get(strategy)
        return known.facts if known else 0
