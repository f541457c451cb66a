"""How a change of explicit facts becomes a new state of a store: by which strategy, and when by starting over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasoner.engine import DeadlineError
from reasoner.errors import ReasonerError
from reasoner.maintenance.core import NotMaintainableError
from reasoner.maintenance.cost import CostModel, Size
from reasoner.maintenance.program import Change
from reasoner.maintenance.race import SMALL_PART, Race
from reasoner.maintenance.strategies import DEPTH, RUNNERS, SAME_IN_CORE, WITH_MEMORY, is_memory_of, strategy_of
from reasoner.maintenance.work import Work

if TYPE_CHECKING:
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.store import ColumnarStore, Snapshot
    from reasoner.maintenance.program import MaintenanceProgram
    from reasoner.rule_change import RuleChange


@dataclass(slots=True)
class Commit:
    """One change on its way into a store; ``prepare`` compiles the program for maintenance when it is first needed.

    If rules change with the facts, ``rules`` tells which, and ``prepare`` and ``rematerialise`` are for those after it.
    """

    store: ColumnarStore
    model: CostModel
    prepare: Callable[[], MaintenanceProgram[FactSet, Plans, Representatives]]
    rematerialise: Callable[[], None]
    value_equality: Callable[[], bool]
    memory: str | None
    work: Work
    rules: RuleChange | None = None

    def apply(
        self, change: Change[FactSet], strategy: str, depth: int | None, *, may_start_over: bool = False
    ) -> tuple[str, str]:
        """Bring the store up to date with a change; return the strategy that was used, and why.

        Where a strategy that is asked for cannot be used, that is an error unless it ``may_start_over``. An error
        leaves the store as it was.
        """
        before = self.store.state
        reason = "asked for" if strategy == "rematerialise" else ""
        try:
            if not reason:
                try:
                    used, why = self._maintain(change, strategy, depth)
                    return used, "it can be used here" if may_start_over else why
                except NotMaintainableError as obstacle:
                    if strategy != "auto" and not may_start_over:
                        raise ReasonerError(
                            f"{strategy} cannot be used here: {obstacle}; use auto or rematerialise"
                        ) from None
                    reason = str(obstacle)
                except _StartOverError as decision:
                    reason = str(decision)
            self.store.state = replace(before, explicit=change.after)
            self.rematerialise()
            return "rematerialise", reason
        except BaseException:
            self.store.state = before
            raise

    def _maintain(self, change: Change[FactSet], strategy: str, depth: int | None) -> tuple[str, str]:
        if strategy == "auto":
            return self._maintain_by_race(change)
        learns = self._is_ready(strategy) and (strategy != "fbf" or depth in (None, DEPTH))
        began = self.store.clock()
        self.store.state = self._maintained(change, strategy, depth, self.work)
        if learns:
            self.model.learn(strategy, self._size(change), self.store.clock() - began)
        return strategy, "asked for"

    def _maintain_by_race(self, change: Change[FactSet]) -> tuple[str, str]:
        """Let strategies take turns by what they have cost so far, and start over when that is the better thing.

        Only a run that ends teaches what it costs, and only if it had at hand what it remembers. Of one that is given
        up nothing is learned but that it was.
        """
        self.prepare()  # Compiling the rules is no part of what an update costs.
        model, store, size = self.model, self.store, self._size(change)
        scratch, shortest = model.from_scratch(len(change.after)), store.shortest_run
        forecasts = [model.forecast(name, size, max(shortest, SMALL_PART * scratch)) for name in self._runners(change)]
        for each in forecasts:
            model.pass_by(each.strategy, size)
        race = Race(forecasts, scratch, shortest)
        while (turn := race.next()) is not None:
            name, seconds = turn
            learns, began = self._is_ready(name), store.clock()
            work = Work(between_rounds=self.work.between_rounds)
            ended = self._run(change, name, began + seconds, work)
            taken = store.clock() - began
            if not ended:
                same = name in SAME_IN_CORE and not _is_above_core(work)
                race.give_up(name, taken, alike=SAME_IN_CORE if same else ())
                continue
            if learns:
                model.learn(name, size, taken)
            self._note_failures(race, size, winner=name)
            return name, self._about(change) + race.reason(name)
        self._note_failures(race, size)
        raise _StartOverError(self._about(change) + race.reason_to_start_over(size))

    def _runners(self, change: Change[FactSet]) -> tuple[str, ...]:
        """Return the strategies that may make a change; they differ only where something is lost."""
        if self.memory is not None:
            return (self.memory,)
        return RUNNERS if len(change.removed) or self.rules is not None else RUNNERS[:1]

    def _size(self, change: Change[FactSet]) -> Size:
        return Size(len(change.removed), len(change.added), max(1, self.rules.reach) if self.rules else 0)

    def _about(self, change: Change[FactSet]) -> str:
        if self.rules is None:
            return ""
        rules = len(self.rules.lost) + len(self.rules.gained)
        return f"a change of {rules:,} rules, which reach {self.rules.reach:,} facts: "

    def _run(self, change: Change[FactSet], name: str, deadline: float, work: Work) -> bool:
        """Maintain until a time; tell whether that was enough. If it was not, the store is as it was."""
        engine, clock = self.store.engine, self.store.clock
        before, ended = engine.instances, False
        engine.overdue = lambda: clock() > deadline
        try:
            state = self._maintained(change, name, None, work)
            ended = True
        except DeadlineError:
            return False
        finally:
            engine.overdue = None
            if not ended:
                self.work.count(f"{name} given up", engine.instances - before)
        self.store.state = state
        self.work.include(work)
        return True

    def _note_failures(self, race: Race, size: Size, winner: str | None = None) -> None:
        for name in race.failed - {winner}:
            self.model.fail(name, size)

    def _is_ready(self, name: str) -> bool:
        """Tell whether a strategy has at hand what it remembers of the state, and need not compute it anew."""
        return name not in WITH_MEMORY or is_memory_of(name, self.store.state.memory)

    def _maintained(self, change: Change[FactSet], name: str, depth: int | None, work: Work) -> Snapshot:
        program = self.prepare()
        if name == "counting" and self.memory != "counting":
            raise NotMaintainableError("only a store made with Reasoner(maintenance='counting') counts derivations")
        if self.rules is not None:
            return self.rules.maintained(program, name, depth, change, work)
        remembering = self.store.strategy_with_memory(name, program) if name in WITH_MEMORY else None
        state = self.store.maintain(
            program,
            remembering or strategy_of(name, depth),
            change,
            work,
            value_equality=self.value_equality(),
            overdelete=name in ("dred", "dredc") or (name == "fbf" and depth == 0),
        )
        return replace(state, memory=remembering.memory) if remembering else state


def _is_above_core(work: Work) -> bool:
    """Tell whether a run that was given up had come to the strata above equality, whose phases count in any case."""
    return any(not phase.startswith("equality") for phase in work.instances)


class _StartOverError(Exception):
    """Starting over costs less than what is left to maintain; the message says why."""
