"""Fully dynamic maintenance: operations that arrive while earlier ones are still being worked on.

Illich, Glimm: Fully Dynamic Materialization Maintenance, 2023, algorithm 1, with I the facts, O the operations:

    1  O <- empty
    2  while updates are available
    3      if there is a new update
    4          determine its explicit operations
    5-6    determine an operation by a rule, cancel one, or execute one

Here a computation step (lines 5-6) is a round of DRed or of FBF, which do their phases stratum by stratum, and O is the
net change of explicit facts since the last commit, with the frontier of the round: of an addition and a deletion of
one fact the later one counts, so that what was taken back before it was worked on costs nothing. What a round does with
an update that arrives after it is told in ``dynamic_update``.

Deviation: the paper lets additions and deletions overtake one another in one set, and proposes to remember where a
recursion began, and which derivations were made, so that invalid additions and deletions (its examples 1 and 2) stop
there. Here phases are never mixed: a deletion that comes too late for the deletion phase of its stratum goes back to
where that stratum began, keeping the strata below. Nothing is ever added by an instance over a fact that is deleted
later, so that there is no recursion to remember, and its end is that of the strategies: they terminate, and maintenance
goes back at most once an update.

Deviation: a deletion that is taken back is not stopped half-way, but made up for by the insertion phase (examples 3
and 4: DRed needs no more).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

from reasoner.engine import F, M, P
from reasoner.maintenance.core import Core, CoreChange
from reasoner.maintenance.dynamic_update import BackToCoreError, BackToStratumError, DynamicUpdate
from reasoner.maintenance.program import (
    Change,
    Maintained,
    MaintenanceProgram,
    changes_sides,
    maintain_core,
    raw_of_splits,
    with_notes,
)
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.wanted import AllCancelledError, DynamicWork, Wanted, turns
from reasoner.maintenance.work import Work

Maintain = Callable[[DynamicUpdate[F, P, M], MaintainedStratum[F, P, M]], None]


def maintain_dynamically(
    program: MaintenanceProgram[F, P, M],
    strategy: Maintain[F, P, M],
    poll: Callable[[], Change[F]],
    facts: F,
    representatives: M,
    work: Work,
    dynamic_work: DynamicWork,
    *,
    overdelete: bool,
) -> Maintained[F, M]:
    """Return (pi, I) after the change that ``poll`` returned last, given the state before it.

    ``poll`` is called between rounds. It returns the change that is wanted by now, always relative to the state before
    the run, and the same object as long as nothing has arrived. Raises ``NotMaintainableError`` where only starting
    over is right.
    """
    before = Maintained(facts, representatives)
    try:
        wanted = Wanted(program, poll, dynamic_work)
        return _Run(program, strategy, wanted, before, work, overdelete).result()
    except AllCancelledError:
        return before


class _Run(Generic[F, P, M]):
    """One run over the core and the strata, from the state before it to that after the latest change."""

    def __init__(
        self,
        program: MaintenanceProgram[F, P, M],
        strategy: Maintain[F, P, M],
        wanted: Wanted[F, P, M],
        before: Maintained[F, M],
        work: Work,
        overdelete: bool,
    ) -> None:
        self.program = program
        self.engine = program.engine
        self.strategy = strategy
        self.wanted = wanted
        self.before = before
        self.work = work
        self.overdelete = overdelete

    def result(self) -> Maintained[F, M]:
        program, before = self.program, self.before
        program.require_no_occurrences(before.facts, before.representatives)
        while True:
            try:
                if not program.options.equality:
                    return self._through_strata(program.strata, before.representatives, None)
                result = self._with_equality()
                program.require_no_occurrences(result.facts, result.representatives)
                return with_notes(program, self.wanted.change, before.facts, before.representatives, result)
            except BackToCoreError:
                self.wanted.work.restarts += 1

    def _with_equality(self) -> Maintained[F, M]:
        program, mapping = self.program, self.before.representatives
        if program.core.is_whole or program.has_moved_splits(mapping):
            return self._whole()
        change = DynamicCoreChange(program, program.core, self.wanted, mapping)
        if change.is_empty:
            return self._through_strata(program.strata_between(mapping, mapping), mapping, None)
        inner = self.engine.covering(self.before.facts, program.core.splits)
        after, new = maintain_core(program, program.core, change, inner, mapping, self.work, overdelete=self.overdelete)
        splits = program.core.splits
        if program.has_moved_splits(new) or changes_sides(self.engine, self.wanted.plain, mapping, new, splits):
            return self._whole()
        return self._through_strata(program.strata_between(mapping, new), new, (inner, after))

    def _whole(self) -> Maintained[F, M]:
        program, before = self.program, self.before
        core: Core[F, P] = program.core if program.core.is_whole else program.whole
        change = DynamicCoreChange(program, core, self.wanted, before.representatives)
        return Maintained(
            *maintain_core(
                program, core, change, before.facts, before.representatives, self.work, overdelete=self.overdelete
            )
        )

    def _through_strata(
        self, strata: tuple[MaintainedStratum[F, P, M], ...], mapping: M, core: tuple[F, F] | None
    ) -> Maintained[F, M]:
        """Maintain stratum after stratum; ``core`` are the facts of the core before and after, if they changed."""
        engine, program, before = self.engine, self.program, self.before
        update = DynamicUpdate(program, strata, self.wanted, before.facts, before.representatives, mapping, self.work)
        if core is not None:
            old, new = core
            update.delete(engine.of_splits(engine.difference(old, new), program.core.splits))
            update.add(engine.of_splits(engine.difference(new, old), program.core.splits))
        update.begin_with_base()
        position = 0
        while True:
            try:
                if position == len(strata):
                    update.end()
                    return Maintained(update.current, mapping)
                update.begin(position)
                self.strategy(update, strata[position])
                position += 1
            except BackToStratumError as back:
                self.wanted.work.restarts += 1
                position = back.position


class DynamicCoreChange(CoreChange[F], Generic[F, P, M]):
    """The change of a core's explicit facts, which goes on while the core is maintained.

    A fact that is given back after it had left counts as added: a search for proofs must not see it before.
    """

    def __init__(
        self, program: MaintenanceProgram[F, P, M], core: Core[F, P], wanted: Wanted[F, P, M], representatives: M
    ) -> None:
        self._program = program
        self._core = core
        self._wanted = wanted
        self._representatives = representatives
        self._plain = wanted.plain
        self._left = self._raw(self._plain.removed)
        self._take()

    @property
    def is_empty(self) -> bool:
        """Whether no fact of the core changes."""
        engine = self._program.engine
        return engine.is_empty(self.removed) and engine.is_empty(self.added)

    def go_on(self) -> None:
        self._arrived()

    def further_removed(self, checked: F) -> F | None:
        engine = self._program.engine
        known = self._left
        self._arrived()
        late = engine.difference(self._left, known)
        if engine.is_empty(late):
            return None
        if not engine.is_empty(engine.common(engine.normalise(late, self._representatives), checked)):
            raise BackToCoreError
        return late

    def with_further_added(self, found: F) -> F:
        engine = self._program.engine
        lost, gained = self._arrived()
        if not engine.is_empty(lost):
            raise BackToCoreError
        return engine.union(found, gained)

    def _arrived(self) -> tuple[F, F]:
        """Take over what has arrived; return the facts of the core, as given, that are explicit no more and now."""
        engine = self._program.engine
        if not self._wanted.has_changed():
            return engine.empty(), engine.empty()
        old, self._plain = self._plain, self._wanted.plain
        lost, gained = map(self._raw, turns(old, self._plain, self._program))
        self._left = engine.union(self._left, self._raw(self._plain.removed))
        self._take()
        return lost, gained

    def _take(self) -> None:
        engine, plain = self._program.engine, self._plain
        self.explicit = plain.after
        self.removed = engine.normalise(self._raw(plain.removed), self._representatives)
        back = engine.difference(self._left, plain.removed)
        self.added = engine.union(self._raw(plain.added), back)

    def _raw(self, facts: F) -> F:
        return raw_of_splits(self._program.engine, facts, self._representatives, self._core.splits)
