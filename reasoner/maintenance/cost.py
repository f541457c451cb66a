"""What maintaining costs in a store, and what starting over costs there, as far as it has been measured."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

# What an update is taken to cost before any was measured: seconds of any update, and seconds of a fact.
_BASE = 0.001
_EACH = 3e-5

# No more than this part of an update is what any update costs.
_FIXED = 0.5

# Before there were this many updates, it cannot be told what any of them costs apart from its facts.
_RUNS = 3

# Adding many times as many facts at once costs this power of it: much of what they entail is shared.
_SHARING = 0.7

# What a change of rules took tells what one takes that reaches up to this many times as many facts.
_TELLING = 4


@dataclass(slots=True)
class Cost:
    """What updates by one strategy cost: ``base`` seconds for any, and ``each`` more for a fact.

    ``facts`` is the size of the largest update that was measured lately: the more at once, the less each costs. The
    first ``runs`` pay for compiling rules, so that their base says little.
    """

    base: float = _BASE
    each: float = _EACH
    facts: int = 0
    runs: int = 0

    def estimate(self, facts: int) -> float:
        """Estimate the seconds of an update."""
        return (self.base if self.runs > _RUNS else _BASE) + facts * self.each

    def learn(self, seconds: float, facts: int) -> None:
        """Take over what an update took."""
        self.base = min(self.base, seconds) if self.runs else seconds
        self.runs += 1
        if 4 * facts >= self.facts:
            self.each = (seconds - min(self.base, _FIXED * seconds)) / facts
        self.facts = max(facts, self.facts // 2)


@dataclass(slots=True)
class CostModel:
    """The costs of removing facts by strategy, of adding facts and of changing rules, and the seconds a fact of
    starting over."""

    removal: dict[str, Cost] = field(default_factory=dict)
    addition: Cost = field(default_factory=lambda: Cost(base=0.0, each=1e-5))
    scratch: float = 0.0
    rules: Cost = field(default_factory=Cost)

    def learn_scratch(self, seconds: float, facts: int) -> None:
        """Take over what a materialisation of so many explicit facts took; a fast one says more than a slow one."""
        rate = seconds / max(1, facts)
        self.scratch = min(rate, (self.scratch + rate) / 2) if self.scratch else rate

    def learn(self, strategy: str, seconds: float, removed: int, added: int) -> None:
        """Take over what an update took; of one that both removes and adds it cannot be told which took what."""
        if removed and not added:
            self.removal.setdefault(strategy, Cost()).learn(seconds, removed)
        elif added and not removed:
            self.addition.learn(seconds, added)

    def learn_rules(self, seconds: float, reach: int) -> None:
        """Take over what a change of rules took that derive, or have derived, so many facts."""
        self.rules.learn(max(seconds, 0.0), max(reach, 1))

    def changing_rules(self, reach: int) -> float:
        """Estimate the seconds that a change of rules takes; small changes say little about what a fact of a large
        one costs."""
        known = self.rules
        each = min(known.each, _EACH) if reach > _TELLING * known.facts else known.each
        return known.estimate(0) + reach * each

    def from_scratch(self, facts: int) -> float:
        """Estimate the seconds that starting over with so many explicit facts takes."""
        return self.scratch * facts

    def removing(self, strategy: str, facts: int) -> float:
        """Estimate the seconds that removing facts takes."""
        return self.removal.get(strategy, Cost()).estimate(facts) if facts else 0.0

    def adding(self, facts: int) -> float:
        """Estimate the seconds that adding facts takes; the more at once, the less each costs."""
        known = self.addition
        if not facts or facts <= known.facts or not known.facts:
            return known.estimate(facts) if facts else 0.0
        alike = known.facts * math.pow(facts / known.facts, _SHARING)
        return known.estimate(0) + alike * known.each

    def measured(self, strategy: str) -> int:
        """Return over how many facts at once the removal by a strategy was measured."""
        return self.removal[strategy].facts if strategy in self.removal else 0
