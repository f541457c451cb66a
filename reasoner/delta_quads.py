"""What a change did to graphs: which of them assert what they did not, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore, Snapshot
    from reasoner.quads import TextQuad


class QuadChanges:
    """The part of a delta that tells graphs apart.

    A quad is subject, predicate, object and the name of a graph, None for the default graph. A quad that comes or goes
    need not be a change of the explicit facts: another graph may assert the same triple.
    """

    store: ColumnarStore
    before: Snapshot
    after: Snapshot
    asked_to_remove: Sequence[TextTriple]

    @property
    def has_graphs(self) -> bool:
        """Whether there were named graphs before the change, or are any after it."""
        return bool(self.before.graphs or self.after.graphs)

    @cached_property
    def still_explicit(self) -> tuple[TextTriple, ...]:
        """What was to leave a graph, and is explicit still because another graph asserts it."""
        known = self.store.are_explicit(self.asked_to_remove, self.after) if self.has_graphs else ()
        return tuple(triple for triple, explicit in zip(self.asked_to_remove, known, strict=False) if explicit)

    @cached_property
    def quads_added(self) -> tuple[TextQuad, ...]:
        return tuple(self._quads_only_in(self.after, self.before))

    @cached_property
    def quads_removed(self) -> tuple[TextQuad, ...]:
        return tuple(self._quads_only_in(self.before, self.after))

    def _quads_only_in(self, one: Snapshot, other: Snapshot) -> Iterator[TextQuad]:
        from reasoner.columnar.graphs import lost_by_graphs

        for id, facts in lost_by_graphs((one.explicit, one.graphs), (other.explicit, other.graphs)):
            name = None if id < 0 else self.store.dictionary.text(id)
            yield from ((s, p, o, name) for s, p, o in self.store.texts(facts))
