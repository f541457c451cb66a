"""What is to be explicit, asked for again and again while maintenance runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from reasoner.engine import Engine, F, M, P
from reasoner.maintenance.program import Change, MaintenanceProgram, irreflexive_change, with_stated


@dataclass(slots=True)
class DynamicWork:
    """What became of the operations of one commit.

    ``submissions`` is how many updates it carries, ``cancelled`` how many changes of single facts were taken back by a
    later one, ``arrivals`` how often further updates changed what was wanted while maintenance ran, and ``restarts``
    how often that sent it back to where a stratum, or the core, had begun.
    """

    submissions: int = 0
    cancelled: int = 0
    arrivals: int = 0
    restarts: int = 0

    @property
    def integrated(self) -> int:
        """How often further updates were taken up without going back."""
        return self.arrivals - self.restarts


class AllCancelledError(Exception):
    """Nothing is left of a change: what is wanted is what was explicit before."""


class Wanted(Generic[F, P, M]):
    """The latest change that is wanted, relative to the state before the run.

    ``poll`` returns it, and the same object as long as nothing has arrived. ``change`` is what it returned last,
    ``plain`` the same as maintenance sees it.
    """

    def __init__(self, program: MaintenanceProgram[F, P, M], poll: Callable[[], Change[F]], work: DynamicWork) -> None:
        self.work = work
        self._program = program
        self._poll = poll
        self.change = poll()
        self._take()

    def has_changed(self) -> bool:
        """Ask for what is wanted now; tell whether it is another change than before."""
        change = self._poll()
        if change is self.change:
            return False
        self.change = change
        self.work.arrivals += 1
        self._take()
        return True

    def _take(self) -> None:
        engine, change = self._program.engine, self.change
        if engine.is_empty(change.removed) and engine.is_empty(change.added):
            raise AllCancelledError
        self.plain = irreflexive_change(self._program, with_stated(self._program, self._program, change))


class NetChange(Generic[F]):
    """What a sequence of updates comes down to, given the explicit facts before all of them."""

    def __init__(self, engine: Engine[F, P, M], before: F) -> None:
        self._engine = engine
        nothing = engine.empty()
        self.change = Change(before, before, nothing, nothing)

    def take(self, added: F, removed: F) -> int:
        """Let an update follow, of which additions count where it has both; return how many facts it turned back."""
        engine, old = self._engine, self.change
        removed = engine.difference(removed, added)
        undone = engine.common(old.removed, added), engine.common(old.added, removed)
        self.change = Change(
            old.before,
            engine.union(engine.difference(old.after, removed), added),
            engine.union(engine.difference(old.removed, added), engine.common(removed, old.before)),
            engine.union(engine.difference(old.added, removed), engine.difference(added, old.before)),
        )
        return sum(map(engine.size, undone))


def turns(old: Change[F], new: Change[F], program: MaintenanceProgram[F, P, M]) -> tuple[F, F]:
    """Return the facts that are wanted no more, and those that are wanted now, if one change takes another's place."""
    engine = program.engine
    lost = engine.union(engine.difference(new.removed, old.removed), engine.difference(old.added, new.added))
    gained = engine.union(engine.difference(old.removed, new.removed), engine.difference(new.added, old.added))
    return lost, gained
