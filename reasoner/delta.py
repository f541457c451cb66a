"""What a change did to the closure."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from reasoner.columnar.store import ColumnarStore, Snapshot
from reasoner.maintenance.work import Work
from reasoner.violation import TextTriple


@dataclass(frozen=True)
class Delta:
    """The facts that a change added and removed, the asserted and the inferred apart.

    Nothing is written out before it is asked for. ``strategy`` is how the materialisation was brought up to date, and
    ``reason`` why so, ``work`` the rule instances that this took.
    """

    store: ColumnarStore
    before: Snapshot
    after: Snapshot
    strategy: str
    reason: str = ""
    work: Work = field(default_factory=Work)
    seconds: float = 0.0

    @cached_property
    def asserted_added(self) -> tuple[TextTriple, ...]:
        return tuple(self._asserted[0])

    @cached_property
    def asserted_removed(self) -> tuple[TextTriple, ...]:
        return tuple(self._asserted[1])

    @cached_property
    def inferred_added(self) -> tuple[TextTriple, ...]:
        asserted = set(self.asserted_added)
        return tuple(triple for triple in self._closures[0] if triple not in asserted)

    @cached_property
    def inferred_removed(self) -> tuple[TextTriple, ...]:
        asserted = set(self.asserted_removed)
        return tuple(triple for triple in self._closures[1] if triple not in asserted)

    @cached_property
    def _asserted(self) -> tuple[list[TextTriple], list[TextTriple]]:
        return self.store.compare_explicit(self.before, self.after)

    @cached_property
    def _closures(self) -> tuple[list[TextTriple], list[TextTriple]]:
        return self.store.compare_closures(self.before, self.after)
