"""Which strategy to try next for a change, and for how long, before starting over is the better thing to do.

Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited, 2019, section 10.5: no algorithm is
best for every change, so that a system may choose from several. What a strategy has cost so far does not tell what it
costs for one change: any of them can take a thousand times as long as another (proposition 29). So they race:

    1  the strategies take turns, the one that is expected to be fastest first, each for about as long as expected
    2  those that have not ended are given up; in the next round each gets more time by a factor
    3  when there is not time enough for another round, they share what is left, or the first gets it
    4  then what they have spent is a large part of the time of starting over, and that is done

What is spent is bounded by the time of starting over where a strategy may well take less, which is never more than
twice the better of the two; by a part of it where all are expected to take longer or were given up lately; and where
what a strategy takes is known to be nearly as much, by a part more. So a change costs at most a constant factor more
than by the best strategy, or than starting over, whatever is known; where much is known, the first run is the only one.

What maintaining costs in a store, and what starting over costs there, as far as it has been measured.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
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
    that size were, ``failed`` if it was given up for such a change lately, and ``doubted`` if it has only ever been
    given up, and it is not time to try it again for changes of that size."""

    strategy: str
    seconds: float
    measured: bool = False
    known: bool = False
    failed: bool = False
    doubted: bool = False


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

    def is_doubted(self, facts: int) -> bool:
        """Tell whether all runs so far were given up, and it is not time to try again for about so many facts."""
        if self.seconds or not self.failures:
            return False
        return self.has_failed(facts) or not self._failures_near(facts)

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
class ChangeSize:
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

    def learn(self, strategy: str, size: ChangeSize, seconds: float) -> None:
        """Take over what a run took that ended; of one that removes and adds it cannot be told which took what."""
        if size.reach:
            rest = seconds - self._seconds_of_facts(strategy, size)
            self._of_rules(strategy).learn(max(rest, _SMALL_PART * seconds), size.reach)
        elif not size.added:
            self._of_removal(strategy).learn(seconds, size.removed)
        elif not size.removed:
            self.addition.learn(seconds, size.added)

    def fail(self, strategy: str, size: ChangeSize) -> None:
        """Take note that a run was given up; what there is of a change first is what it is put down to."""
        for experience, facts in self._parts(strategy, size)[:1]:
            experience.fail(facts)

    def pass_by(self, strategy: str, size: ChangeSize) -> None:
        """Count a change as one that came by since the last run of a strategy."""
        for experience, facts in self._parts(strategy, size):
            experience.pass_by(facts)

    def forecast(self, strategy: str, size: ChangeSize, unknown: float = 0.0) -> Forecast:
        """Estimate what a strategy takes for a change.

        ``unknown`` is the least that a change of one fact is taken to cost where none was measured.
        """
        parts = self._parts(strategy, size)
        seconds = sum(experience.estimate(facts, unknown) for experience, facts in parts)
        failed = any(experience.has_failed(facts) for experience, facts in parts)
        known = all(experience.is_known(facts) for experience, facts in parts)
        measured = all(experience.seconds for experience, _ in parts)
        doubted = any(experience.is_doubted(facts) for experience, facts in parts)
        return Forecast(strategy, seconds, measured, known, failed, doubted)

    def _parts(self, strategy: str, size: ChangeSize) -> list[tuple[Experience, int]]:
        kinds = (
            (self._of_rules(strategy), size.reach),
            (self._of_removal(strategy), size.removed),
            (self.addition, size.added),
        )
        return [(experience, facts) for experience, facts in kinds if facts]

    def _seconds_of_facts(self, strategy: str, size: ChangeSize) -> float:
        return self.forecast(strategy, ChangeSize(size.removed, size.added)).seconds

    def _of_removal(self, strategy: str) -> Experience:
        return self.removal.setdefault(strategy, Experience())

    def _of_rules(self, strategy: str) -> Experience:
        return self.rules.setdefault(strategy, Experience())


# Each round gives a strategy so many times the time of the round before.
_GROWTH = 4

# A run may take so many times as long as changes of its size took: few take very much longer than most.
_SPREAD = 3

# The first run of a strategy compiles rules and sorts tables, so that it gets so many times the shortest of times, more
# where there are many rules that read every predicate.
FIRST_RUN = 3
FIRST_RUN_OF_MANY = 40

# What was given up lately is expected to take so many times as long, where the order is concerned.
_SETBACK = 4

# What is left of the time is shared if that gives each so many times as much as the round before.
_WORTH_SHARING = 2

# The part of the time of starting over that may be spent on strategies that are expected to take longer, or that were
# given up lately; and where what one takes is known, the part that may be spent beyond that.
_DOUBTFUL = 0.4
_BEYOND = 0.3

# A run that would get less than this part of what it is expected to take is not worth it.
_WORTH = 0.5

# The part of starting over that a change of one fact is taken to cost before any was measured.
SMALL_PART = 1 / 400

# However fast starting over is, strategies may try for so many times as long as the shortest of runs takes.
_SHORTEST_TRY = 2


class Race:
    """Strategies that take turns; ``scratch`` are the seconds of starting over, ``shortest`` those of a small run, of
    which a strategy gets ``first_run`` times as many before anything is known of it.

    ``given_up`` has the seconds of the runs of each strategy that did not end, ``failed`` these strategies and those
    that would have done the same. What bounds a race is the time that was given out and not the time that was taken: a
    run can be given up only between two steps, and if one of them was long, that is no fault of those who come next.
    """

    def __init__(
        self, forecasts: Iterable[Forecast], scratch: float, shortest: float, *, first_run: int = FIRST_RUN
    ) -> None:
        self._first_run = first_run
        self.forecasts = tuple(forecasts)
        self.scratch = scratch
        self.shortest = shortest
        self.given_up: dict[str, float] = {}
        self.failed: set[str] = set()
        self._spent = self._given = 0.0
        self._share = math.inf
        self._round = 0
        self._runners = sorted(self.forecasts, key=_rank)
        self._waiting: list[Forecast] = []
        self._begin_round()

    def next(self) -> tuple[str, float] | None:
        """Return the strategy whose turn it is, and the seconds that it gets; None if starting over is better."""
        while self._runners:
            if not self._waiting:
                self._round += 1
                self._begin_round()
            runner = self._waiting.pop(0)
            left = self._most(runner) - self._spent
            # Whoever is alone has nobody to wait for.
            self._given = left if len(self._runners) == 1 else min(left, self._turn(runner))
            if self._given >= self._worth(runner):
                return runner.strategy, self._given
            self._runners.remove(runner)
        return None

    def give_up(self, strategy: str, taken: float, alike: Collection[str] = ()) -> None:
        """Take note that the run of ``next`` has not ended in its time, and which others would have done the same."""
        self._spent += self._given
        self.given_up[strategy] = self.given_up.get(strategy, 0.0) + taken
        others = set(alike) - {strategy}
        self.failed |= {strategy, *others}
        self._runners = [each for each in self._runners if each.strategy not in others]
        self._waiting = [each for each in self._waiting if each.strategy not in others]

    def reason(self, winner: str) -> str:
        """Say why a strategy made the change."""
        expected = next(each.seconds for each in self.forecasts if each.strategy == winner)
        about = f"about {expected:.2g} s against {self.scratch:.2g} s of starting over"
        return f"{self._given_up_text()}; expected were {about}" if self.given_up else about

    def reason_to_start_over(self, size: ChangeSize) -> str:
        """Say why none of the strategies did."""
        if self.given_up:
            return f"{self._given_up_text()}, and starting over takes about {self.scratch:.2g} s"
        best = min(self.forecasts, key=lambda each: each.seconds)
        if best.seconds <= self.scratch:
            return f"{best.strategy} was given up for such a change, and starting over takes about {self.scratch:.2g} s"
        changes = size.removed + size.added
        return (
            f"maintaining {changes:,} changes would take about {best.seconds:.2g} s, starting over {self.scratch:.2g} s"
        )

    def _given_up_text(self) -> str:
        return " and ".join(f"{name} had not ended after {taken:.2g} s" for name, taken in self.given_up.items())

    def _begin_round(self) -> None:
        """Let all take turns; where there is not time enough for that, all share it, or else the first has it alone."""
        self._waiting = list(self._runners)
        if len(self._runners) > 1:
            left = self._most(self._runners[0]) - self._spent
            turns = [self._turn(runner) for runner in self._runners]
            share = left / len(turns)
            if sum(turns) > left and share >= _WORTH_SHARING * max(turns) / _GROWTH and self._round:
                self._share = share
            elif sum(turns) > left:
                self._runners, self._waiting = self._runners[:1], self._waiting[:1]

    def _turn(self, runner: Forecast) -> float:
        if runner.measured:
            seconds = max(self.shortest, _SPREAD * runner.seconds)
        else:
            # Who was never measured gets as long as those who were: it may be faster than they are.
            known = min((each.seconds for each in self.forecasts if each.known), default=0.0)
            seconds = max(self._first_run * self.shortest, _SPREAD * known, runner.seconds)
        return min(self._share, seconds * float(_GROWTH**self._round))

    def _most(self, runner: Forecast) -> float:
        """Return the seconds that may have been spent on all strategies when the turn of this one ends."""
        most = self.scratch * _DOUBTFUL
        if runner.seconds <= self.scratch and not runner.failed:
            most = max(self.scratch, runner.seconds + _BEYOND * self.scratch if runner.known else 0.0)
        return max(most, _SHORTEST_TRY * self.shortest)

    def _worth(self, runner: Forecast) -> float:
        return max(runner.seconds * _WORTH, self.shortest / 2)


def _rank(runner: Forecast) -> tuple[bool, float]:
    """Return what to sort by: one that has been tried and has never ended comes last."""
    return runner.doubted, runner.seconds * (_SETBACK if runner.failed else 1)
