"""What maintaining costs in a store, and what starting over costs there, as far as it has been measured."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

# Many times as many facts at once cost this power of it: much of what has to be looked at for them is shared.
_SHARING = 0.5

# What facts that change together with rules take is not measured apart; the rules take this part of it at least.
_SMALL_PART = 0.1

# A measurement tells about changes of up to twice as many facts, a failure about those of up to eight times as many.
_ALIKE = 1
_NEAR = 3

# What runs of a size took is expected to be less by this factor for every change that was not made so: sooner or later
# it is tried again.
_FADING = 0.98

# A strategy that is given up again and again is kept back for up to 2 to the power of this many changes.
_LONGEST = 6


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a strategy is expected to take for a change: ``measured`` if any changes were, ``known`` if changes of about
    that size were, and ``failed`` if it was given up for such a change lately."""

    strategy: str
    seconds: float
    measured: bool = False
    known: bool = False
    failed: bool = False


@dataclass(slots=True)
class Experience:
    """What one way to make changes has cost: seconds by the size of the change, of runs that ended, and failures.

    Sizes are told apart by powers of two. Of a run that was given up nothing is known but that: it fails for changes
    of about its size until some changes have come by, twice as many each time, and then is tried again.
    """

    seconds: dict[int, float] = field(default_factory=dict)
    failures: dict[int, _Failure] = field(default_factory=dict)

    def learn(self, seconds: float, facts: int) -> None:
        """Take over what a run took that ended; one run that takes long among many counts little."""
        at = facts.bit_length()
        before = self.seconds.get(at)
        self.seconds[at] = seconds if before is None else math.sqrt(before * seconds)
        self.failures = {size: failure for size, failure in self.failures.items() if abs(size - at) > _NEAR}

    def fail(self, facts: int) -> None:
        """Take note that a run was given up, unless it was a short try by one that was kept back."""
        if self.has_failed(facts):
            return
        at = facts.bit_length()
        times = min(_LONGEST, 1 + (self.failures[at].times if at in self.failures else 0))
        self.failures[at] = _Failure(times, 2**times)

    def has_failed(self, facts: int) -> bool:
        """Tell whether a run for about so many facts was given up lately."""
        return any(failure.wait > 0 for failure in self._failures_near(facts))

    def pass_by(self, facts: int) -> None:
        """Count a change of so many facts as one that came by since the last run: what it told fades."""
        for failure in self._failures_near(facts):
            failure.wait -= 1
        for at in self.seconds:
            if abs(facts.bit_length() - at) <= _ALIKE:
                self.seconds[at] *= _FADING

    def is_known(self, facts: int) -> bool:
        """Tell whether runs for about so many facts have ended."""
        return any(abs(facts.bit_length() - at) <= _ALIKE for at in self.seconds)

    def estimate(self, facts: int, unknown: float) -> float:
        """Estimate the seconds of a change, by the sizes next to it that were measured.

        ``unknown`` is what one fact is taken to cost where none was measured.
        """
        size = facts.bit_length()
        below = max((at for at in self.seconds if at <= size), default=None)
        above = min((at for at in self.seconds if at > size), default=None)
        if below is None and above is None:
            return unknown * math.pow(facts, _SHARING)
        if below is None or above is None:
            at = above if below is None else below
            assert at is not None
            return self.seconds[at] * math.pow(2, _SHARING * (size - at))
        part = (size - below) / (above - below)
        return math.pow(self.seconds[below], 1 - part) * math.pow(self.seconds[above], part)

    def _failures_near(self, facts: int) -> list[_Failure]:
        return [failure for at, failure in self.failures.items() if abs(at - facts.bit_length()) <= _NEAR]


@dataclass(slots=True)
class _Failure:
    """How often a run was given up without one that ended in between, and for how many changes that still counts."""

    times: int
    wait: int


@dataclass(frozen=True, slots=True)
class Size:
    """How large a change is: facts that are removed and added, and facts that rules which come or go derive."""

    removed: int
    added: int
    reach: int = 0


@dataclass(slots=True)
class CostModel:
    """The costs of removing facts and of changing rules by strategy and of adding facts, and the seconds a fact of
    starting over."""

    removal: dict[str, Experience] = field(default_factory=dict)
    addition: Experience = field(default_factory=Experience)
    rules: dict[str, Experience] = field(default_factory=dict)
    scratch: float = 0.0

    def learn_scratch(self, seconds: float, facts: int) -> None:
        """Take over what a materialisation of so many explicit facts took; a fast one says more than a slow one."""
        rate = seconds / max(1, facts)
        self.scratch = min(rate, (self.scratch + rate) / 2) if self.scratch else rate

    def from_scratch(self, facts: int) -> float:
        """Estimate the seconds that starting over with so many explicit facts takes."""
        return self.scratch * facts

    def learn(self, strategy: str, size: Size, seconds: float) -> None:
        """Take over what a run took that ended; of one that removes and adds it cannot be told which took what."""
        if size.reach:
            rest = seconds - self._seconds_of_facts(strategy, size)
            self._of_rules(strategy).learn(max(rest, _SMALL_PART * seconds), size.reach)
        elif not size.added:
            self._of_removal(strategy).learn(seconds, size.removed)
        elif not size.removed:
            self.addition.learn(seconds, size.added)

    def fail(self, strategy: str, size: Size) -> None:
        """Take note that a run was given up; what there is of a change first is what it is put down to."""
        for experience, facts in self._parts(strategy, size)[:1]:
            experience.fail(facts)

    def pass_by(self, strategy: str, size: Size) -> None:
        """Count a change as one that came by since the last run of a strategy."""
        for experience, facts in self._parts(strategy, size):
            experience.pass_by(facts)

    def forecast(self, strategy: str, size: Size, unknown: float = 0.0) -> Forecast:
        """Estimate what a strategy takes for a change.

        ``unknown`` is the least that a change of one fact is taken to cost where none was measured.
        """
        parts = self._parts(strategy, size)
        seconds = sum(experience.estimate(facts, unknown) for experience, facts in parts)
        failed = any(experience.has_failed(facts) for experience, facts in parts)
        known = all(experience.is_known(facts) for experience, facts in parts)
        measured = all(experience.seconds for experience, _ in parts)
        return Forecast(strategy, seconds, measured, known, failed)

    def _parts(self, strategy: str, size: Size) -> list[tuple[Experience, int]]:
        kinds = (
            (self._of_rules(strategy), size.reach),
            (self._of_removal(strategy), size.removed),
            (self.addition, size.added),
        )
        return [(experience, facts) for experience, facts in kinds if facts]

    def _seconds_of_facts(self, strategy: str, size: Size) -> float:
        return self.forecast(strategy, Size(size.removed, size.added)).seconds

    def _of_removal(self, strategy: str) -> Experience:
        return self.removal.setdefault(strategy, Experience())

    def _of_rules(self, strategy: str) -> Experience:
        return self.rules.setdefault(strategy, Experience())
