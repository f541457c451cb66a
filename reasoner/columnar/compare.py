"""Comparing two closures, with cost by what differs; what differs is counted before anything is written out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.expand import Columns, is_asserted
from reasoner.columnar.factset import AuxiliaryPredicates, FactSet, facts_of_keys, shown_facts
from reasoner.columnar.kernels import NO_KEYS, Ids, Mask, is_member, sort_distinct
from reasoner.columnar.membership import facts_about
from reasoner.columnar.representatives import Regrouping, Representatives, blocks_of
from reasoner.terms.term import OCCURS, SAME

# Rows are compared and written out in pieces of about this many.
_PIECE = 1 << 16


class Side:
    """One of two states: its explicit facts and (pi, I), and what of I can make its closure differ from the other.

    ``certain`` are facts that mention no regrouped term and that the other state lacks; ``about`` are the facts that
    mention one, and ``classes`` the regrouped classes, whose members are equal to one another. ``parts`` are the
    blocks that a representative stands for. ``names`` are the IRIs that equality goes by: with these c = c is a triple
    if it is explicit.
    """

    def __init__(
        self, explicit: FactSet, facts: FactSet, mapping: Representatives, names: frozenset[int] = frozenset()
    ) -> None:
        self.explicit = explicit
        self.facts = facts
        self.mapping = mapping
        self.names = names
        self.about = self.certain = FactSet()
        self.classes = NO_KEYS
        self.parts = Representatives()

    def face(self, other: Side, moved: Ids, blocks: Ids, literal: Mask) -> None:
        """Find what can differ, given the regrouped terms and the block of each."""
        own = sort_distinct(self.mapping.of(moved))
        firsts = sort_distinct(blocks)
        self.parts = Representatives(firsts, self.mapping.of(firsts))
        self.about = facts_about(self.facts, own)
        self.certain = self.facts.difference(other.facts).difference(self.about)
        self.classes = own[(self.parts.sizes(own) > 1) & ~literal[own]] if own.size else own

    def holds(self, s: Ids, predicate: int, o: Ids) -> Mask:
        """Tell which facts, over any terms, are in the closure."""
        normal, left, right = self.mapping.of_one(predicate), self.mapping.of(s), self.mapping.of(o)
        found = self.facts.table(normal).contains(left, right)
        if predicate not in self.names:
            return found
        return np.where(s == o, is_asserted(s, predicate, o, self.explicit), found | (left == right))

    def own(self, predicate: int) -> Ids:
        """Return the terms c for which c p c is in the closure, p being the predicate, in order."""
        if predicate in self.names:
            return self.explicit.reflexive(predicate)
        terms = self.facts.reflexive(self.mapping.of_one(predicate))
        return sort_distinct(self.mapping.expanded(terms)[1])


class Comparison:
    """What turns one closure into another.

    Terms whose class changed are cut into *blocks*: terms that were equal and still are. Either state treats all terms
    of a block alike, so that facts are compared block by block and counted by the sizes of blocks; only who asks for
    the facts has them written out, piece by piece. Triples c = c are compared apart from all others.
    """

    def __init__(self, before: Side, after: Side, dictionary: Dictionary) -> None:
        self._before, self._after = before, after
        self._dictionary = dictionary
        self._literal = dictionary.literal_mask()
        # The names of equality in either state; where one is that of another predicate, c p c is no c = c.
        self._equality = before.names | after.names
        self.regrouping = Regrouping(before.mapping, after.mapping)
        moved = self.regrouping.terms
        self._asserted_added = after.explicit.difference(before.explicit)
        self._asserted_removed = before.explicit.difference(after.explicit)
        if moved.size and moved[0] == SAME:
            # If p names owl:sameAs in one state only, c p c may be shown in the other only while both show c p d: no
            # two terms are alike then.
            moved = sort_distinct(np.concatenate((before.mapping.members, after.mapping.members)))
            blocks = moved
        else:
            blocks = blocks_of(moved, before.mapping, after.mapping)
        # A class that stayed as it was is a block.
        self._blocks = after.mapping.with_classes(moved, blocks) if moved.size else after.mapping
        before.face(after, moved, blocks, self._literal)
        after.face(before, moved, blocks, self._literal)

    def pieces(self, part: str) -> Iterator[Columns]:
        """Yield one part of the difference, under the names that ``Delta`` gives the parts."""
        before, after = self._before, self._after
        match part:
            case "gained":
                yield from self._difference(after, before)
            case "lost":
                yield from self._difference(before, after)
            case "inferred_added":
                yield from _without(self._difference(after, before), self._asserted_added)
            case "inferred_removed":
                yield from _without(self._difference(before, after), self._asserted_removed)
            case _:
                facts = self._facts(part)
                for predicate in facts:
                    s, o = facts.table(predicate).pairs()
                    yield s, predicate, o

    def counts(self) -> dict[str, int]:
        """Count every part, none of them written out, and the groups of classes that merged and split."""
        gained, lost = self._closure_counts()
        merged, split = self.regrouping.counts()
        parts = ("asserted_added", "asserted_removed", "became_explicit", "became_inferred")
        told = {part: len(self._facts(part)) for part in (*parts, "normal_added", "normal_removed")}
        # What is asserted is always shown, so that what is not new to the closure became explicit.
        return {
            **told,
            "gained": gained,
            "lost": lost,
            "inferred_added": gained - told["asserted_added"] + told["became_explicit"],
            "inferred_removed": lost - told["asserted_removed"] + told["became_inferred"],
            "classes_merged": merged,
            "classes_split": split,
        }

    def _facts(self, part: str) -> FactSet:
        """Return a part that is no larger than what is stored."""
        before, after = self._before, self._after
        match part:
            case "asserted_added":
                return self._asserted_added
            case "asserted_removed":
                return self._asserted_removed
            case "became_explicit":
                return self._held(self._asserted_added, before)
            case "became_inferred":
                return self._held(self._asserted_removed, after)
            case "normal_added":
                return self._stored(after.facts.difference(before.facts))
            case "normal_removed":
                return self._stored(before.facts.difference(after.facts))
        raise KeyError(part)

    def _stored(self, facts: FactSet) -> FactSet:
        return shown_facts(facts, AuxiliaryPredicates(self._dictionary))

    def _closure_counts(self) -> tuple[int, int]:
        """Count what the closure gained and lost without writing it out.

        What both closures hold of the facts about regrouped terms is counted from the side that has fewer blocks.
        """
        few, many = sorted((self._before, self._after), key=_block_count)
        common = sum(
            len(self._names(self._blocks, name)) * int((self._blocks.sizes(s) * self._blocks.sizes(o)).sum())
            for s, name, o in self._uncertain(few, many, shared=True)
        )
        own = [sum(terms.size for _, terms in self._own(*sides)) for sides in self._both_ways()]
        return self._weight(self._after) - common + own[0], self._weight(self._before) - common + own[1]

    def _both_ways(self) -> tuple[tuple[Side, Side], tuple[Side, Side]]:
        return (self._after, self._before), (self._before, self._after)

    def _own(self, this: Side, other: Side) -> Iterator[tuple[int, Ids]]:
        """Yield what only this closure holds of the triples c = c, by name."""
        asserted = self._asserted_added if this is self._after else self._asserted_removed
        for name in self._equality:
            if name in this.names and name in other.names:
                yield name, asserted.reflexive(name)
            elif self._names(Representatives(), name):
                terms = this.own(name)
                terms = terms[~is_member(terms, other.own(name)) & ~self._literal[terms]]
                yield name, terms

    def _difference(self, this: Side, other: Side) -> Iterator[Columns]:
        """Yield what only this closure holds."""
        for piece in self._rows(this, this.certain, this.classes[:0]):
            yield from self._written_out(*piece)
        for piece in self._uncertain(this, other, shared=False):
            yield from self._written_out(*piece)
        for name, terms in self._own(this, other):
            yield terms, name, terms

    def _uncertain(self, this: Side, other: Side, *, shared: bool) -> Iterator[Columns]:
        """Yield the facts over blocks, of those about regrouped terms, that the other closure shares or lacks."""
        for s, name, o in self._rows(this, this.about, this.classes):
            chosen = other.holds(s, name, o) == shared
            yield s[chosen], name, o[chosen]

    def _rows(self, this: Side, facts: FactSet, classes: Ids) -> Iterator[Columns]:
        """Yield facts, and the equalities within classes, over blocks."""
        tables = [(predicate, *facts.table(predicate).pairs()) for predicate in facts if predicate != OCCURS]
        for predicate, s, o in (*tables, (SAME, classes, classes)):
            resource = ~self._literal[s]
            for name in this.parts.class_of(predicate).tolist():
                if self._names(self._blocks, name):
                    for left, right in _combined(this.parts, s[resource], o[resource]):
                        apart = left != right if name in self._equality else slice(None)
                        yield left[apart], name, right[apart]

    def _written_out(self, s: Ids, name: int, o: Ids) -> Iterator[Columns]:
        names = self._names(self._blocks, name)
        for left, right in _combined(self._blocks, s, o):
            for iri in names:
                yield left, iri, right

    def _weight(self, this: Side) -> int:
        """Count what the facts that can differ stand for."""
        total = 0
        for facts in (this.certain, this.about):
            for predicate in facts:
                if predicate == OCCURS:
                    continue
                s, o = facts.table(predicate).pairs()
                shown = ~self._literal[s]
                sizes = this.mapping.sizes(s[shown]) * this.mapping.sizes(o[shown])
                names = self._names(this.mapping, predicate)
                total += len(names) * int(sizes.sum())
                if own := len(self._equality.intersection(names)):
                    total -= own * int(this.mapping.sizes(s[shown & (s == o)]).sum())
        _, parts = this.parts.expanded(this.classes)
        pairs = (this.mapping.sizes(this.classes) ** 2).sum() - (self._blocks.sizes(parts) ** 2).sum()
        return total + len(self._names(this.mapping, SAME)) * int(pairs)

    def _held(self, facts: FactSet, side: Side) -> FactSet:
        """Return the facts that a closure shows."""
        found = {}
        for predicate in facts:
            table = facts.table(predicate)
            s, o = table.pairs()
            mask = side.holds(s, predicate, o) & ~self._literal[s]
            if self._names(Representatives(), predicate):
                found[predicate] = [table.keys()[mask]]
        return facts_of_keys(found)

    def _names(self, mapping: Representatives, predicate: int) -> list[int]:
        """Return the IRIs among the members of a class; no other term may be a predicate."""
        members = mapping.class_of(predicate)
        texts = self._dictionary.decode(members)
        return [id for id, text in zip(members.tolist(), texts, strict=True) if text.startswith("<")]


def _without(pieces: Iterable[Columns], asserted: FactSet) -> Iterator[Columns]:
    for s, predicate, o in pieces:
        inferred = ~is_asserted(s, predicate, o, asserted)
        yield s[inferred], predicate, o[inferred]


def _block_count(side: Side) -> int:
    """Count the facts over blocks that a side's uncertain facts stand for."""
    sizes = side.parts.sizes
    total = int((sizes(side.classes) ** 2).sum())
    for predicate in side.about:
        s, o = side.about.table(predicate).pairs()
        total += side.parts.class_of(predicate).size * int((sizes(s) * sizes(o)).sum())
    return total


def _combined(mapping: Representatives, s: Ids, o: Ids) -> Iterator[tuple[Ids, Ids]]:
    """Yield every member of the class of s with every member of the class of o, row by row, in pieces."""
    if not mapping:
        for start in range(0, s.size, _PIECE):
            yield s[start : start + _PIECE], o[start : start + _PIECE]
        return
    for low, high in _pieces(mapping.sizes(s)):
        owner, left = mapping.expanded(s[low:high])
        objects = o[low:high][owner]
        for start, stop in _pieces(mapping.sizes(objects)):
            again, right = mapping.expanded(objects[start:stop])
            yield left[start:stop][again], right


def _pieces(sizes: Ids) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows whose sizes add up to a piece, or of one row that is larger."""
    reached = np.cumsum(sizes)
    start = 0
    while start < sizes.size:
        before = int(reached[start - 1]) if start else 0
        stop = max(start + 1, int(reached.searchsorted(before + _PIECE, "right")))
        yield start, stop
        start = stop
