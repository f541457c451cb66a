"""What maintaining costs in a store, and what starting over costs there, as far as it has been measured."""

from __future__ import annotations

from dataclasses import dataclass, field

# Fewer facts than this say more about the cost of any update than about that of a fact.
_FEWEST = 64


@dataclass(frozen=True, slots=True)
class Rate:
    """Seconds a fact, measured over so many facts at once: the more at once, the less each costs."""

    seconds: float
    facts: int

    def after(self, now: Rate) -> Rate:
        """Take a new measurement over, which counts for more if it is over more facts."""
        share = now.facts / (now.facts + self.facts / 4)
        return Rate(share * now.seconds + (1 - share) * self.seconds, max(now.facts, self.facts // 2))


@dataclass(slots=True)
class CostModel:
    """The rates of removing facts by strategy, of adding facts, and of starting over."""

    removal: dict[str, Rate] = field(default_factory=dict)
    addition: Rate | None = None
    scratch: float = 0.0

    def learn_scratch(self, seconds: float, facts: int) -> None:
        """Take over what a materialisation of so many explicit facts took."""
        self.scratch = seconds / max(1, facts)

    def learn(self, strategy: str, seconds: float, removed: int, added: int) -> None:
        """Take over what an update took."""
        if removed >= _FEWEST and removed > added:
            now = Rate(seconds / removed, removed)
            known = self.removal.get(strategy)
            self.removal[strategy] = now if known is None else known.after(now)
        elif added >= _FEWEST and not removed:
            now = Rate(seconds / added, added)
            self.addition = now if self.addition is None else self.addition.after(now)

    def from_scratch(self, facts: int) -> float:
        """Estimate the seconds that starting over with so many explicit facts takes."""
        return self.scratch * facts

    def best(self, strategies: tuple[str, ...]) -> str:
        """Return the cheapest of the strategies that were measured, or the first if none was."""
        known = [name for name in strategies if name in self.removal]
        return min(known, key=lambda name: self.removal[name].seconds) if known else strategies[0]

    def unknown(self, strategies: tuple[str, ...]) -> list[str]:
        """Return the strategies that were never measured."""
        return [name for name in strategies if name not in self.removal]
