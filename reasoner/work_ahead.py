"""Changes made ahead of a reasoner: one after the other on a copy, which takes the reasoner's place as one commit."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from reasoner.delta import Delta
from reasoner.errors import ReasonerError
from reasoner.maintenance.work import Work

if TYPE_CHECKING:
    from reasoner.commit_request import CommitRequest
    from reasoner.quads import WantedQuads
    from reasoner.reasoner import Reasoner
    from reasoner.rules.rule import Rule


class WorkAhead:
    """A copy of a reasoner that shares everything but the state, so that others see the old state until ``publish``.

    Whoever makes one holds the reasoner's lock until it is published or rolled back. A step that fails leaves the copy
    as it was before the step.
    """

    def __init__(self, kb: Reasoner) -> None:
        self._kb = kb
        self._began = time.perf_counter()
        self._checkpoint = kb.store.checkpoint()
        self._maintenance = kb._maintenance
        self._steps: list[Delta] = []
        self._given_up = 0
        self.kb = copy.copy(kb)
        self.kb.store = copy.copy(kb.store)
        self._before = dict(vars(self.kb))

    @property
    def has_steps(self) -> bool:
        return bool(self._steps)

    @property
    def is_overtaken(self) -> bool:
        """Whether somebody has changed the facts of the reasoner itself meanwhile."""
        return self._kb.store.state is not self._checkpoint.state

    def commit(self, request: CommitRequest) -> Delta:
        """Apply a change to the copy."""
        return self.take(lambda kb: kb._commit(request))

    def take(self, change: Callable[[Reasoner], Delta]) -> Delta:
        """Let something change the copy, as one commit."""
        delta = change(self.kb)
        self._steps.append(delta)
        return delta

    def give_up(self, last: Delta | None, instances: int) -> None:
        """Go back to the state before the last step, which changed facts only, or note what a stopped step has cost."""
        if last is not None:
            assert self._steps.pop() is last
            self.kb.store.state = last.before
        self._given_up += instances if last is None else last.work.total

    def publish(self, asked: WantedQuads, policy: str | None = None) -> Delta:
        """Let the copy's state become that of the reasoner; return what all steps did, which ``policy`` judges.

        ``asked`` is what was wanted of single facts by all of them.
        """
        kb, ahead = self._kb, self.kb
        if self.is_overtaken:
            raise ReasonerError("the facts were changed beside the update; apply it again")
        delta = kb._judged(self._whole_delta(asked), policy)
        changes = ahead.store.state is not kb.store.state or ahead._user_rules is not kb._user_rules
        if changes:
            kb._keep(ahead.store.state, ahead._kept())
        vars(kb.store).update(vars(ahead.store))
        # Others may have changed settings of the reasoner meanwhile, which are not the copy's to change.
        changed = {name: value for name, value in vars(ahead).items() if value is not self._before.get(name)}
        vars(kb).update(changed)
        if changes:
            kb._announce()
        return delta

    def roll_back(self) -> None:
        """Forget the copy, and the terms that came with it."""
        if self.is_overtaken:
            # Whoever changed the facts beside it may use those terms.
            return
        kb, ahead = self._kb, self.kb
        if ahead.store.engine is not kb.store.engine:
            # The copy has given up what was remembered about terms that are gone.
            kb.store.engine, kb.store.values = ahead.store.engine, ahead.store.values
        kb._restore(self._checkpoint, self._maintenance)

    def _whole_delta(self, asked: WantedQuads) -> Delta:
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
            *(self._kb.store, first.before, last.after, ", ".join(dict.fromkeys(step.strategy for step in used))),
            *(reason, work, time.perf_counter() - self._began),
            asked_to_add=wanted.coming(),
            asked_to_remove=wanted.going(),
            constraints_before=first.constraints_before,
            constraints_after=last.constraints_after,
            rules_gained=gained,
            rules_lost=lost,
            explainer=last.explainer,
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
