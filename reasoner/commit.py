"""How a change of explicit facts becomes a new state of a store: by which strategy, and when by starting over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasoner.engine import DeadlineError
from reasoner.errors import ReasonerError
from reasoner.maintenance.core import NotMaintainableError
from reasoner.maintenance.cost import CostModel
from reasoner.maintenance.program import Change
from reasoner.maintenance.strategies import WITH_MEMORY, strategy_of
from reasoner.maintenance.work import Work

if TYPE_CHECKING:
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.store import ColumnarStore, Snapshot
    from reasoner.maintenance.program import MaintenanceProgram
    from reasoner.rule_change import RuleChange

# A removal that may cost as much as starting over begins with samples of so many facts, which tell what the rest costs.
_SAMPLES = (1024,)

# Samples are no good where they would be a large part of the whole.
_FEWEST = 4096
_GROWTH = 4

# What seems to cost this many times as much as starting over is not worth a sample.
_HOPELESS = 6

# A larger sample is worth this part of the time of starting over.
_WORTH_TRYING = 0.3

# Maintaining may take this much longer than starting over before it is given up: by then it is mostly nearly done.
_PATIENCE = 1.3

# Starting over is never so fast that a shorter try at maintaining would not be worth it.
_SHORTEST_TRY = 0.002


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

    def apply(self, change: Change[FactSet], strategy: str, depth: int | None) -> tuple[str, str]:
        """Bring the store up to date with a change; return the strategy that was used, and why.

        An error leaves the store as it was.
        """
        before = self.store.state
        reason = "asked for" if strategy == "rematerialise" else ""
        try:
            if not reason:
                try:
                    return self._maintain(change, strategy, depth)
                except NotMaintainableError as obstacle:
                    if strategy != "auto":
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
            return self._maintain_as_measured(change)
        self._step(change, strategy, depth)
        return strategy, "asked for"

    def _maintain_as_measured(self, change: Change[FactSet]) -> tuple[str, str]:
        """Choose by what was measured: begin a large removal with samples, and start over if that costs less.

        1. If B/F, or the strategy that the store was made for, can do all that is left in the time of starting over, it
           does.
        2. Otherwise, if that is not known well, it gets a sample of the facts that are to go.
        3. It gets larger samples as long as they are cheap: many facts at once cost less each.
        4. If it is still too expensive, the rest is done by starting over.
        """
        self.prepare()  # Compiling the rules is no part of what an update costs.
        if self.rules is not None:
            return self._maintain_rules_as_measured(change, self.rules)
        left = change
        while True:
            name, size = self._next(len(left.removed), len(left.added), len(change.after))
            part, left = self._split(left, size)
            self._try(part, name, len(change.after))
            if not len(left.removed) and not len(left.added):
                return name, self._why(name, change)

    def _maintain_rules_as_measured(self, change: Change[FactSet], rules: RuleChange) -> tuple[str, str]:
        """Maintain, unless changes of rules that reached as many facts as these took longer than starting over does.

        A change of rules is not taken apart: that would be several changes, each with a program of its own.
        """
        name, facts = self.memory or "bf", len(change.after)
        scratch = max(self.model.from_scratch(facts), _SHORTEST_TRY)
        seconds = self.model.changing_rules(rules.reach) + self._estimate(name, change)
        what = f"{len(rules.lost) + len(rules.gained):,} rules, which reach {rules.reach:,} facts"
        if seconds > scratch:
            raise _StartOverError(
                f"maintaining a change of {what}, would take about {seconds:.2g} s, starting over {scratch:.2g} s"
            )
        self._try(change, name, facts)
        return name, f"a change of {what}, in about {seconds:.2g} s against {scratch:.2g} s of starting over"

    def _estimate(self, name: str, change: Change[FactSet]) -> float:
        return self.model.removing(name, len(change.removed)) + self.model.adding(len(change.added))

    def _next(self, removed: int, added: int, facts: int) -> tuple[str, int]:
        """Return the strategy to take next, and for how many of the removed facts."""
        model, scratch = self.model, max(self.model.from_scratch(facts), _SHORTEST_TRY)
        most = scratch - model.adding(added)
        name = self.memory or "bf"
        cost = model.removing(name, removed)
        if cost <= most:
            return name, removed  # 1
        if removed >= _FEWEST and cost < _HOPELESS * most:
            for size in _SAMPLES:
                if model.measured(name) < size:
                    return name, size  # 2
            larger = model.measured(name) * _GROWTH
            if 2 * larger < removed and model.removing(name, larger) < _WORTH_TRYING * scratch:
                return name, larger  # 3
        raise _StartOverError(
            f"maintaining {removed + added:,} changes would take about {scratch - most + cost:.2g} s, "
            f"starting over {scratch:.2g} s"
        )  # 4

    def _split(self, change: Change[FactSet], size: int) -> tuple[Change[FactSet], Change[FactSet]]:
        """Split a change into what to do now and what is left; what is added waits for the last part."""
        engine, removed = self.store.engine, len(change.removed)
        nothing = engine.empty()
        if size >= removed:
            return change, Change(change.after, change.after, nothing, nothing)
        now = engine.sample(change.removed, removed // size)
        middle = engine.difference(change.before, now)
        rest = engine.difference(change.removed, now)
        return Change(change.before, middle, now, nothing), Change(middle, change.after, rest, change.added)

    def _try(self, part: Change[FactSet], name: str, facts: int) -> None:
        """Maintain, but for not much longer than starting over takes."""
        engine, scratch = self.store.engine, self.model.from_scratch(facts)
        began = self.store.clock()
        engine.deadline = began + max(_PATIENCE * scratch, _SHORTEST_TRY)
        try:
            self._step(part, name, None)
        except DeadlineError:
            self._learn(name, self.store.clock() - began, part)
            raise _StartOverError(f"{name} had not ended after the {scratch:.2g} s of starting over") from None
        finally:
            engine.deadline = None

    def _why(self, name: str, change: Change[FactSet]) -> str:
        scratch = self.model.from_scratch(len(change.after))
        seconds = self._estimate(name, change)
        return f"about {seconds:.2g} s against {scratch:.2g} s of starting over"

    def _step(self, change: Change[FactSet], name: str, depth: int | None) -> None:
        began = self.store.clock()
        self.store.state = self._maintained(change, name, depth)
        self._learn(name, self.store.clock() - began, change)

    def _learn(self, name: str, seconds: float, change: Change[FactSet]) -> None:
        if self.rules is None:
            self.model.learn(name, seconds, len(change.removed), len(change.added))
        else:
            self.model.learn_rules(seconds - self._estimate(name, change), self.rules.reach)

    def _maintained(self, change: Change[FactSet], name: str, depth: int | None) -> Snapshot:
        program = self.prepare()
        if name == "counting" and self.memory != "counting":
            raise NotMaintainableError("only a store made with Reasoner(maintenance='counting') counts derivations")
        if self.rules is not None:
            return self.rules.maintained(program, name, depth, change, self.work)
        remembering = self.store.strategy_with_memory(name, program) if name in WITH_MEMORY else None
        state = self.store.maintain(
            program,
            remembering or strategy_of(name, depth),
            change,
            self.work,
            value_equality=self.value_equality(),
            overdelete=name in ("dred", "dredc") or (name == "fbf" and depth == 0),
        )
        return replace(state, memory=remembering.memory) if remembering else state


class _StartOverError(Exception):
    """Starting over costs less than what is left to maintain; the message says why."""
