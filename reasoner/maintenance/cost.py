"""What maintaining costs in a store, and what starting over costs there, as far as it has been measured."""

from __future__ import annotations

from dataclasses import dataclass, field

# What an update is taken to cost before any was measured: seconds of any update, rule instances that a fact takes,
# and seconds of an instance.
_BASE = 0.001
_INSTANCES = 8.0
_SECONDS = 4e-6

# Before there were this many updates, it cannot be told what any of them costs apart from its facts.
_RUNS = 3


@dataclass(slots=True)
class Cost:
    """What updates by one strategy cost: ``base`` seconds for any, and for each fact so many rule ``instances`` of so
    many ``seconds``.

    ``facts`` is the size of the largest update that was measured lately: the more at once, the less each costs. The
    first ``runs`` pay for compiling rules, so that their base says little.
    """

    base: float = _BASE
    instances: float = _INSTANCES
    seconds: float = _SECONDS
    facts: int = 0
    runs: int = 0

    def estimate(self, facts: int) -> float:
        """Estimate the seconds of an update."""
        base = self.base if self.runs > _RUNS else _BASE
        return base + facts * self.instances * self.seconds

    def learn(self, seconds: float, facts: int, instances: int) -> None:
        """Take over what an update took."""
        known = min(self.facts, 4 * facts)
        self.instances = (known * self.instances + instances) / (known + facts)
        self.base = min(self.base, seconds) if self.runs else seconds
        self.runs += 1
        if instances and 4 * facts >= self.facts:
            fixed = min(self.base, 0.7 * seconds) if self.runs > _RUNS else 0.0
            self.seconds = (seconds - fixed) / instances
        self.facts = max(facts, self.facts // 2)


@dataclass(slots=True)
class CostModel:
    """The costs of removing facts by strategy and of adding facts, and the seconds a fact of starting over."""

    removal: dict[str, Cost] = field(default_factory=dict)
    addition: Cost = field(default_factory=lambda: Cost(base=0.0, instances=2.0))
    scratch: float = 0.0

    def learn_scratch(self, seconds: float, facts: int) -> None:
        """Take over what a materialisation of so many explicit facts took."""
        self.scratch = seconds / max(1, facts)

    def learn(self, strategy: str, seconds: float, removed: int, added: int, instances: int) -> None:
        """Take over what an update took; of one that both removes and adds it cannot be told which took what."""
        if removed and not added:
            self.removal.setdefault(strategy, Cost()).learn(seconds, removed, instances)
        elif added and not removed:
            self.addition.learn(seconds, added, instances)

    def from_scratch(self, facts: int) -> float:
        """Estimate the seconds that starting over with so many explicit facts takes."""
        return self.scratch * facts

    def removing(self, strategy: str, facts: int) -> float:
        """Estimate the seconds that removing facts takes."""
        return self.removal.get(strategy, Cost()).estimate(facts) if facts else 0.0

    def adding(self, facts: int) -> float:
        """Estimate the seconds that adding facts takes."""
        return self.addition.estimate(facts) if facts else 0.0

    def measured(self, strategy: str) -> int:
        """Return over how many facts at once the removal by a strategy was measured."""
        return self.removal[strategy].facts if strategy in self.removal else 0
