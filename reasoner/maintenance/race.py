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
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from reasoner.maintenance.cost import Forecast, Size

# Each round gives a strategy so many times the time of the round before.
_GROWTH = 4

# A run may take so many times as long as changes of its size took: few take very much longer than most.
_SPREAD = 3

# The first run of a strategy compiles rules and sorts tables, so that it gets so many times the shortest of times.
_FIRST_RUN = 3

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
    """Strategies that take turns; ``scratch`` are the seconds of starting over, ``shortest`` those of a small run.

    ``given_up`` has the seconds of the runs of each strategy that did not end, ``failed`` these strategies and those
    that would have done the same. What bounds a race is the time that was given out and not the time that was taken: a
    run can be given up only between two steps, and if one of them was long, that is no fault of those who come next.
    """

    def __init__(self, forecasts: Iterable[Forecast], scratch: float, shortest: float) -> None:
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

    def reason_to_start_over(self, size: Size) -> str:
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
            seconds = max(_FIRST_RUN * self.shortest, _SPREAD * known, runner.seconds)
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
    return runner.failed and not runner.measured, runner.seconds * (_SETBACK if runner.failed else 1)
