"""The state of a materialisation while a change goes through its strata."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic

from reasoner.engine import Engine, F, M, P
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.work import Work


class Update(Generic[F, P, M]):
    """I as it was, D that has left it and A that has joined it; all facts are over representatives.

    D is part of I, A has nothing in common with it, and neither has anything in common with the other: a fact that is
    overdeleted and derived again is in neither. ``explicit`` are the explicit facts after the change as they were
    given, with the heads of rules without a body, ``representatives`` the mapping after the change. ``removed`` and
    ``added_explicit`` are the facts over representatives that are explicit no more, and those that are so now.
    """

    def __init__(
        self,
        engine: Engine[F, P, M],
        facts: F,
        explicit: F,
        representatives: M,
        removed: F,
        added: F,
        work: Work,
    ) -> None:
        self.engine = engine
        self.facts = facts
        self.explicit = explicit
        self.representatives = representatives
        self.removed = removed
        self.added_explicit = added
        self.deleted = engine.empty()
        self.added = engine.empty()
        self.work = work
        self._surviving: F | None = facts
        self._current: F | None = facts

    @property
    def surviving(self) -> F:
        """I without D."""
        if self._surviving is None:
            self._surviving = self.engine.difference(self.facts, self.deleted)
        return self._surviving

    @property
    def current(self) -> F:
        """I without D and with A: what holds after the change, as far as it has gone."""
        if self._current is None:
            self._current = self.engine.extend(self.surviving, self.added)
        return self._current

    @property
    def ever(self) -> F:
        """I with A: what must not hold for a negation to have been true all along."""
        return self.engine.extend(self.facts, self.added)

    @property
    def has_changed(self) -> bool:
        """Whether any fact has left or joined so far."""
        return not (self.engine.is_empty(self.deleted) and self.engine.is_empty(self.added))

    def is_read_by(self, plans: P) -> bool:
        """Tell whether rules read anything that has left or joined so far."""
        return any(self.engine.reads(plans, facts) for facts in (self.deleted, self.added))

    def concerns(self, stratum: MaintainedStratum[F, P, M]) -> bool:
        """Tell whether a stratum can change: not if it reads nothing that has changed, and nothing changes in it."""
        engine = self.engine
        explicit = not (engine.is_empty(self.removed) and engine.is_empty(self.added_explicit))
        return explicit or stratum.is_changing or (self.has_changed and self.is_read_by(stratum.every))

    def delete(self, facts: F) -> None:
        """Move facts of I that are not in D yet to D."""
        self.deleted = self.engine.extend(self.deleted, facts)
        if self._surviving is not None:
            self._surviving = self.engine.difference(self._surviving, facts)
        self._current = None

    def restore(self, facts: F) -> None:
        """Take facts out of D."""
        self.deleted = self.engine.difference(self.deleted, facts)
        self._surviving = self._current = None

    def add(self, facts: F) -> None:
        """Let facts that do not hold at present hold again, or for the first time."""
        engine = self.engine
        current = engine.extend(self.current, facts)
        back = engine.common(facts, self.deleted)
        if not engine.is_empty(back):
            self.restore(back)
            facts = engine.difference(facts, back)
        self.added = engine.extend(self.added, facts)
        self._current = current

    def explicit_among(self, facts: F) -> F:
        """Return the facts that are explicit after the change."""
        given = self.engine.standing_for(self.explicit, self.representatives, facts)
        return self.engine.normalise(given, self.representatives)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count the rule instances of a phase, whether it ends or is given up."""
        before = self.engine.instances
        try:
            yield
        finally:
            self.work.count(name, self.engine.instances - before)
