"""A change that goes on while it is on its way through the strata: what each phase does with operations that arrive.

E is what is explicit; I, D and A are those of ``Update``; a *base* fact is of a split that has explicit facts only.

    while a stratum deletes, further operations make
        its own facts that lose E doubtful, and the heads of the instances over I that lose a base fact or find one of
        their negated atoms among the new ones
        nothing hold again: what an operation gives back is not seen before the stratum inserts, so that the search for
        proofs goes on in a state that only shrinks, and what is not provable in it never will be
    when it begins to insert, they make
        its own facts that have E again, and the heads of the instances that have a base fact again, be inserted
    while it inserts, they make
        its own facts that have E now, and the heads of the instances with a new base fact, join the next round
    of strata that have not begun they change E only; base facts go into D and A at once

Maintenance goes back to where a stratum began if an operation concerns a stratum that is done; if a fact that was used
as proved loses E or an instance; and if, during insertion, a fact that holds by now loses E or may lose an instance. D
and A at the beginning of each stratum are immutable values, so that remembering them costs nothing. Every return is
caused by an operation that has arrived, so that there are no more returns than operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic

from reasoner.engine import F, M, P
from reasoner.maintenance.program import Change, MaintenanceProgram, explicit_change, raw_of_splits
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.update import Update
from reasoner.maintenance.wanted import Wanted, turns
from reasoner.maintenance.work import Work


class BackToCoreError(Exception):
    """An operation concerns the facts that equalities are derived from, which are done."""


class BackToStratumError(Exception):
    """An operation concerns what a stratum has done; ``position`` is the first such stratum."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class DynamicUpdate(Update[F, P, M], Generic[F, P, M]):
    """An ``Update`` that asks between rounds what is wanted by now."""

    def __init__(
        self,
        program: MaintenanceProgram[F, P, M],
        strata: tuple[MaintainedStratum[F, P, M], ...],
        wanted: Wanted[F, P, M],
        facts: F,
        before: M,
        after: M,
        work: Work,
    ) -> None:
        self.program = program
        self.strata = strata
        self.wanted = wanted
        self._before = before
        self._plain = wanted.plain
        empty = program.engine.empty()
        super().__init__(program.engine, facts, wanted.plain.after, after, empty, empty, work)
        self.removed, self.added_explicit = self._normal_change(wanted.plain)
        self._checkpoints: list[tuple[F, F]] = []
        self._position = 0
        self._deleting = False
        self._listening = True
        self._lost_here = self._gained_here = empty

    def begin_with_base(self) -> None:
        """Let the facts that only explicit facts have come and go."""
        self.delete(self.engine.of_splits(self.removed, self.program.base))
        self.add(self.engine.of_splits(self.added_explicit, self.program.base))

    def begin(self, position: int) -> None:
        """Begin with a stratum, or again with one that was begun before."""
        if position < len(self._checkpoints):
            self._set(*self._checkpoints[position])
            del self._checkpoints[position:]
        self._position = position
        self._deleting = False
        self._arrived()
        self._checkpoints.append((self.deleted, self.added))
        self._deleting = True
        self._lost_here = self._gained_here = self.engine.empty()
        self.explicit = self._plain.after

    def end(self) -> None:
        """Take up what has arrived when all strata are done."""
        self._position = len(self.strata)
        self._deleting = False
        self._arrived()

    @contextmanager
    def uninterrupted(self) -> Iterator[None]:
        """Take nothing up while a stratum is maintained in one go."""
        self._listening = False
        try:
            yield
        finally:
            self._listening = True

    def explicit_among(self, facts: F) -> F:
        """Return the facts that were explicit when the stratum began, and have been so ever since."""
        return self.engine.difference(super().explicit_among(facts), self._lost_here)

    def further_losses(self, stratum: MaintainedStratum[F, P, M], *proved: F) -> F:
        engine = self.engine
        lost, gained = self._arrived()
        if engine.is_empty(lost) and engine.is_empty(gained):
            return lost
        base = self.program.base
        fewer = engine.common(engine.of_splits(lost, base), self.facts)
        more = engine.difference(engine.of_splits(gained, base), self.facts)
        heads = stratum.own_heads(engine.changed_heads(stratum.kept, self.facts, self.facts, fewer, more))
        for known in proved:
            if not engine.is_empty(engine.common(engine.union(lost, heads), known)):
                raise BackToStratumError(self._position)
        self._lost_here = engine.union(self._lost_here, lost)
        self._gained_here = engine.union(engine.difference(self._gained_here, lost), gained)
        self._set(engine.union(self.deleted, fewer), engine.union(self.added, more))
        own = engine.of_splits(engine.common(lost, self.removed), stratum.intake)
        return engine.union(own, heads)

    def gains_before_insertion(self, stratum: MaintainedStratum[F, P, M]) -> F:
        engine = self.engine
        self._deleting = False
        self.explicit = self._plain.after
        base = self.program.base
        back = engine.common(engine.of_splits(self._gained_here, base), self.deleted)
        withdrawn = engine.difference(
            engine.common(engine.of_splits(self._lost_here, base), self.added), self.added_explicit
        )
        if not engine.is_empty(back) or not engine.is_empty(withdrawn):
            self._set(engine.difference(self.deleted, back), engine.difference(self.added, withdrawn))
        current = self.current
        heads = stratum.own_heads(engine.changed_heads(stratum.every, current, current, back, withdrawn))
        return engine.union(engine.of_splits(self._gained_here, stratum.intake), heads)

    def with_further_gains(self, stratum: MaintainedStratum[F, P, M], found: F) -> F:
        engine = self.engine
        held, joined = self.current, self.added
        lost, gained = self._arrived()
        if engine.is_empty(lost) and engine.is_empty(gained):
            return found
        base = self.program.base
        fewer, more = engine.of_splits(lost, base), engine.of_splits(gained, base)
        own = engine.of_splits(lost, stratum.intake)
        # Whatever other negated atoms say: instances of earlier rounds may have been over any fact of I and A.
        ever = engine.extend(self.facts, joined)
        endangered = stratum.own_heads(engine.changed_heads(stratum.every, ever, engine.empty(), fewer, more))
        for risk in (endangered, engine.common(own, held), engine.common(own, found)):
            if not engine.is_empty(risk):
                raise BackToStratumError(self._position)
        current = self.current
        heads = stratum.own_heads(engine.changed_heads(stratum.every, current, current, more, fewer))
        return engine.union(engine.union(found, engine.of_splits(gained, stratum.intake)), heads)

    def _arrived(self) -> tuple[F, F]:
        """Return the facts, over representatives, that lose and gain E by what has arrived since the last call.

        E of the strata to come, and base facts at all checkpoints, are as wanted after it; so are the base facts of D
        and A, unless the stratum deletes, which sees to them itself.
        """
        engine = self.engine
        nothing = engine.empty()
        if not self._listening or not self.wanted.has_changed():
            return nothing, nothing
        old, self._plain = self._plain, self.wanted.plain
        self._require_core_untouched(old)
        removed, added = self._normal_change(self._plain)
        lost, gained = turns(
            Change(nothing, nothing, self.removed, self.added_explicit),
            Change(nothing, nothing, removed, added),
            self.program,
        )
        self.removed, self.added_explicit = removed, added
        base_lost, base_gained = (engine.of_splits(part, self.program.base) for part in (lost, gained))
        self._checkpoints = [self._amended(*at, base_lost, base_gained) for at in self._checkpoints]
        if not self._deleting:
            self._set(*self._amended(self.deleted, self.added, base_lost, base_gained))
            self.explicit = self._plain.after
        self._require_done_untouched(lost, gained)
        return lost, gained

    def _require_done_untouched(self, lost: F, gained: F) -> None:
        """Go back to the first of the strata that are done for which an operation makes a difference.

        What holds in any case may be explicit now; a base fact may come or go if no instance over any fact reads it.
        """
        engine = self.engine
        touched = engine.union(lost, engine.difference(gained, self.current))
        base = engine.of_splits(engine.union(lost, gained), self.program.base)
        ever = engine.union(self.ever, base)
        for position, stratum in enumerate(self.strata[: self._position]):
            own = engine.of_splits(touched, stratum.intake)
            if not engine.is_empty(own) or not engine.is_empty(
                stratum.own_heads(engine.changed_heads(stratum.every, ever, engine.empty(), base, base))
            ):
                raise BackToStratumError(position)

    def _amended(self, deleted: F, added: F, lost: F, gained: F) -> tuple[F, F]:
        """Return D and A after base facts have lost and gained E."""
        engine = self.engine
        deleted = engine.union(engine.difference(deleted, gained), engine.common(lost, self.facts))
        return deleted, engine.union(engine.difference(added, lost), engine.difference(gained, self.facts))

    def _require_core_untouched(self, old: Change[F]) -> None:
        if not self.program.options.equality:
            return
        engine, splits = self.engine, self.program.core.splits
        changed = engine.union(*turns(old, self._plain, self.program))
        for mapping in (self._before, self.representatives):
            if not engine.is_empty(raw_of_splits(engine, changed, mapping, splits)):
                raise BackToCoreError

    def _normal_change(self, plain: Change[F]) -> tuple[F, F]:
        engine = self.engine
        if not self.program.options.equality:
            return plain.removed, plain.added
        gone, come = explicit_change(engine, plain, self._before, self.representatives)
        return engine.of_splits(gone, self.program.above), engine.of_splits(come, self.program.above)

    def _set(self, deleted: F, added: F) -> None:
        self.deleted, self.added = deleted, added
        self._surviving = self._current = None
