"""Changes made ahead of a session: one after the other on a fork, whose state takes its place as one commit."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from reasoner.maintenance.update import Work
from reasoner.rules.errors import ReasonerError
from reasoner.state.delta import Delta

if TYPE_CHECKING:
    from reasoner.rules.rule import Rule
    from reasoner.state.session import Session
    from reasoner.terms.quads import PendingQuads


class WorkAhead:
    """A fork of a session that works with its engine, so that others see the old state until ``publish``.

    Whoever makes one holds the session's lock until it is published or rolled back. Every step is a commit to the
    fork; one that fails leaves the fork as it was before the step.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._began = time.perf_counter()
        self._before = session.state.snapshot
        self._instances = session.store.engine, session.store.engine.instances
        self._steps: list[Delta] = []
        self._given_up = 0
        self.fork = session.fork(apart=False)

    @property
    def has_steps(self) -> bool:
        return bool(self._steps)

    @property
    def is_overtaken(self) -> bool:
        """Whether somebody has changed the facts of the session itself meanwhile."""
        return self._session.state.snapshot is not self._before

    def took(self, delta: Delta) -> Delta:
        """Note what a commit to the fork did."""
        self._steps.append(delta)
        return delta

    def give_up(self, last: Delta | None, instances: int) -> None:
        """Go back to the state before the last step, which changed facts only, or note what a stopped step has cost."""
        if last is not None:
            assert self._steps.pop() is last
            self.fork.take_back(last)
        self._given_up += instances if last is None else last.work.total

    def publish(self, asked: PendingQuads, policy: str | None = None) -> Delta:
        """Let the state of the fork become that of the session; return what all steps did, which ``policy`` judges.

        ``asked`` is what was wanted of single facts by all of them.
        """
        if self.is_overtaken:
            raise ReasonerError("the facts were changed beside the update; apply it again")
        delta = self._session.take_over(self.fork, self._whole_delta(asked), policy)
        self.fork.close(forget=False)
        return delta

    def roll_back(self) -> None:
        """Forget the fork, and the terms that came with it unless somebody else uses them."""
        engine, instances = self._instances
        engine.instances = instances
        self.fork.close()

    def _whole_delta(self, asked: PendingQuads) -> Delta:
        first, last, wanted = self._steps[0], self._steps[-1], asked.request()
        work = Work()
        for step in self._steps:
            work.include(step.work)
        if self._given_up:
            work.count("given up", self._given_up)
        gained, lost = _rule_changes(self._steps)
        used = [step for step in self._steps if step.strategy != "none"] or [last]
        reasons = dict.fromkeys(step.reason for step in used)
        reason = used[0].reason if len(used) == 1 else f"{len(used)} steps: {'; '.join(reasons)}"
        return Delta(
            *(last.store, first.before, last.after, ", ".join(dict.fromkeys(step.strategy for step in used))),
            *(reason, work, time.perf_counter() - self._began),
            asked_to_add=wanted.coming(),
            asked_to_remove=wanted.going(),
            constraints_before=first.constraints_before,
            constraints_after=last.constraints_after,
            rules_gained=gained,
            rules_lost=lost,
            explainer=last.explainer,
            prefixes=last.prefixes,
        )


def _rule_changes(steps: Iterable[Delta]) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """Return the rules that came and went from the first state to the last; what did both is in neither."""
    gained: dict[Rule, None] = {}
    lost: dict[Rule, None] = {}
    for step in steps:
        for come, before, after in ((step.rules_lost, gained, lost), (step.rules_gained, lost, gained)):
            for rule in come:
                if rule in before:
                    del before[rule]
                else:
                    after[rule] = None
    return tuple(gained), tuple(lost)
