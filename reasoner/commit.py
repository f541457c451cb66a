"""How a change of explicit facts becomes a new state of a store: by which strategy, and when by starting over."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reasoner.engine import DeadlineError
from reasoner.errors import ReasonerError
from reasoner.maintenance.core import NotMaintainableError
from reasoner.maintenance.cost import CostModel
from reasoner.maintenance.maintain import Change
from reasoner.maintenance.strategies import strategy_of
from reasoner.maintenance.work import Work

if TYPE_CHECKING:
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.plans import Plans
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.store import ColumnarStore, Snapshot
    from reasoner.maintenance.maintain import MaintenanceProgram

# A large removal starts with samples of this many facts, which tell what the rest will cost.
_SAMPLE = 256
_GROWTH = 4

# A larger sample is worth this part of the time of starting over.
_WORTH_TRYING = 0.15

# Starting over is never so fast that a shorter try at maintaining would not be worth it.
_SHORTEST_TRY = 0.05

# What auto chooses from, in the order in which it tries them out.
_CANDIDATES = ("bf", "dred")


@dataclass(slots=True)
class Commit:
    """One change on its way into a store; ``prepare`` compiles the program for maintenance when it is first needed."""

    store: ColumnarStore
    model: CostModel
    prepare: Callable[[], MaintenanceProgram[FactSet, Plans, Representatives]]
    rematerialise: Callable[[], None]
    value_equality: Callable[[], bool]
    memory: str | None
    work: Work

    def apply(self, change: Change[FactSet], strategy: str, depth: int | None, scratch: str) -> tuple[str, str]:
        """Bring the store up to date with a change; return the strategy that was used, and why.

        ``scratch`` says why only starting over will do, if that is so. An error leaves the store as it was.
        """
        before = self.store.state
        reason = scratch or ("asked for" if strategy == "rematerialise" else "")
        used = strategy
        try:
            if not reason:
                try:
                    used, reason = self._maintain(change, strategy, depth)
                    return used, reason
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
        if strategy == "auto" and self.memory is None:
            return self._maintain_as_measured(change)
        name = (self.memory or strategy) if strategy == "auto" else strategy
        self._step(change, name, depth)
        return name, "the store keeps what it needs" if strategy == "auto" else "asked for"

    def _maintain_as_measured(self, change: Change[FactSet]) -> tuple[str, str]:
        """Choose by what was measured: begin a large removal with samples, and start over if that costs less.

        1. Each strategy that was never measured gets a sample of the facts that are to go.
        2. If the cheapest can do all that is left in the time of starting over, it does.
        3. Otherwise it gets a larger sample, as long as that is cheap: many facts at once cost less each.
        4. If it is still too expensive, the rest is done by starting over.
        """
        used: dict[str, None] = {}
        left = change
        while True:
            name, size = self._next(len(left.removed), len(left.added), len(change.after))
            used[name] = None
            part, left = self._split(left, size)
            self._try(part, name, len(change.after))
            if not len(left.removed) and not len(left.added):
                return "+".join(used), self._why(list(used), change)

    def _next(self, removed: int, added: int, facts: int) -> tuple[str, int]:
        """Return the strategy to take next, and for how many of the removed facts."""
        model, scratch = self.model, self.model.from_scratch(facts)
        unknown = model.unknown(_CANDIDATES)
        if removed > 2 * _SAMPLE and unknown:
            return unknown[0], _SAMPLE  # 1
        name = model.best(_CANDIDATES)
        rate = model.removal.get(name)
        cost = (removed * rate.seconds if rate else 0.0) + (added * model.addition.seconds if model.addition else 0.0)
        if rate is None or cost <= max(scratch, _SHORTEST_TRY):
            return name, removed  # 2
        larger = rate.facts * _GROWTH
        if larger * 2 < removed and larger * rate.seconds < _WORTH_TRYING * scratch:
            return name, larger  # 3
        raise _StartOverError(
            f"maintaining {removed + added:,} changes would take about {cost:.2g} s, starting over {scratch:.2g} s"
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
        """Maintain, but for no longer than starting over takes."""
        engine, scratch = self.store.engine, self.model.from_scratch(facts)
        began = time.perf_counter()
        engine.deadline = began + max(scratch, _SHORTEST_TRY)
        try:
            self._step(part, name, None)
        except DeadlineError:
            self.model.learn(name, time.perf_counter() - began, len(part.removed), len(part.added))
            raise _StartOverError(f"{name} had not ended after the {scratch:.2g} s of starting over") from None
        finally:
            engine.deadline = None

    def _why(self, used: list[str], change: Change[FactSet]) -> str:
        changes = len(change.removed) + len(change.added)
        rate = self.model.removal.get(used[-1])
        if len(change.removed) == 0 or rate is None:
            return f"{changes:,} changes of {len(change.after):,} explicit facts"
        steps = "in steps, " if len(used) > 1 else ""
        return f"{changes:,} changes, {steps}at {rate.seconds * 1e6:.0f} microseconds for a removed fact"

    def _step(self, change: Change[FactSet], name: str, depth: int | None) -> None:
        began = time.perf_counter()
        self.store.state = self._maintained(change, name, depth)
        self.model.learn(name, time.perf_counter() - began, len(change.removed), len(change.added))

    def _maintained(self, change: Change[FactSet], name: str, depth: int | None) -> Snapshot:
        return self.store.maintain(
            self.prepare(),
            strategy_of(name, depth),
            change,
            self.work,
            value_equality=self.value_equality(),
            overdelete=name == "dred" or (name == "fbf" and depth == 0),
        )


class _StartOverError(Exception):
    """Starting over costs less than what is left to maintain; the message says why."""
