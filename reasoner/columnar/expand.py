"""From facts over representatives back to what they stand for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids, Mask
from reasoner.columnar.own_equalities import OwnEqualities
from reasoner.columnar.representatives import Representatives
from reasoner.terms.term import OCCURS, SAME

# Rows are expanded in pieces, so that a large class never stands written out in memory as a whole.
_PIECE = 1 << 20

Columns = tuple[Ids, int, Ids]


class Expansion:
    """The closure that (pi, I) stands for: every fact with every combination of equal terms.

    Facts that are no RDF (a literal as subject, a blank node or literal as predicate) are left out.
    """

    def __init__(
        self,
        facts: FactSet,
        representatives: Representatives,
        dictionary: Dictionary,
        own: OwnEqualities | None = None,
    ) -> None:
        """Make the closure of (pi, I); ``own`` are the equalities of a term with itself that are part of it."""
        self.facts = facts
        self.representatives = representatives
        self.dictionary = dictionary
        self._own = OwnEqualities() if own is None else own
        self._literal = dictionary.literal_mask()

    def pieces(self, *, equalities: bool = True) -> Iterator[Columns]:
        """Yield (subjects, predicate, objects) of the expanded closure, piece by piece, each fact once.

        Without ``equalities`` the members of classes are not written out as equal.
        """
        for predicate in self.facts:
            if predicate == OCCURS:
                continue
            s, o = self.facts.table(predicate).pairs()
            if self._own.hides(predicate):
                s, o = s[s != o], o[s != o]
            for name in self.names(predicate):
                yield from self._expanded(s, name, o)
        if equalities:
            yield from self._equalities()
        for name, terms in self._own:
            yield terms, name, terms

    def count(self) -> int:
        """Count the expanded closure without writing it out."""
        total = 0
        sizes = self.representatives.sizes
        for predicate in self.facts:
            if predicate == OCCURS:
                continue
            s, o = self.facts.table(predicate).pairs()
            rdf = ~self._literal[s]
            if self._own.hides(predicate):
                rdf &= s != o
            if self.representatives:
                total += len(self.names(predicate)) * int((sizes(s[rdf]) * sizes(o[rdf])).sum())
            else:
                total += int(np.count_nonzero(rdf)) if self.names(predicate) else 0
        equalities = len(self.names(SAME))
        for members in self._resource_classes():
            total += equalities * members.size * (members.size - 1)
        return total + sum(terms.size for _, terms in self._own)

    def _expanded(self, s: Ids, predicate: int, o: Ids) -> Iterator[Columns]:
        for start in range(0, s.size, _PIECE):
            left, right = s[start : start + _PIECE], o[start : start + _PIECE]
            if self.representatives:
                yield from self._members(left, predicate, right)
            else:
                yield self._rdf(left, predicate, right)

    def _members(self, left: Ids, predicate: int, right: Ids) -> Iterator[Columns]:
        weights = np.cumsum(self.representatives.sizes(left) * self.representatives.sizes(right))
        start = 0
        while start < left.size:
            before = int(weights[start - 1]) if start else 0
            stop = max(start + 1, int(weights.searchsorted(before + _PIECE, "right")))
            owner, s = self.representatives.expanded(left[start:stop])
            again, o = self.representatives.expanded(right[start:stop][owner])
            yield self._rdf(s[again], predicate, o)
            start = stop

    def _rdf(self, s: Ids, predicate: int, o: Ids) -> Columns:
        literal = self._literal[s]
        return (s[~literal], predicate, o[~literal]) if literal.any() else (s, predicate, o)

    def _equalities(self) -> Iterator[Columns]:
        names = self.names(SAME)
        for members in self._resource_classes():
            step = max(1, _PIECE // members.size)
            for start in range(0, members.size, step):
                left = members[start : start + step]
                s, o = np.repeat(left, members.size), np.tile(members, left.size)
                apart = s != o
                for name in names:
                    yield s[apart], name, o[apart]

    def _resource_classes(self) -> Iterator[Ids]:
        _, ends, members = self.representatives.classes()
        start = 0
        for end in ends.tolist():
            group = members[start:end]
            start = end
            group = group[~self._literal[group]]
            if group.size > 1:
                yield group

    def names(self, predicate: int) -> list[int]:
        """Return the IRIs that a predicate is known under."""
        names = self.representatives.class_of(predicate).tolist() if self.representatives else [predicate]
        texts = self.dictionary.decode(np.array(names))
        return [name for name, text in zip(names, texts, strict=True) if text[0] == "<"]


def is_asserted(s: Ids, predicate: int, o: Ids, explicit: FactSet) -> Mask:
    """Tell which facts are explicit."""
    return explicit.table(predicate).contains(s, o)
