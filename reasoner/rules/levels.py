"""Which stratum a fact belongs to: the levels of split predicates, over ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reasoner.rules.encode import Triple, is_variable
from reasoner.rules.splits import REST, TYPE_REST, Split
from reasoner.rules.term import RDF_TYPE
from reasoner.vocabulary import TYPE


@dataclass(frozen=True, slots=True)
class SplitSet:
    """A set of splits over ids: some predicates and classes, and whether all that are not named belong to it too.

    ``predicates`` and ``classes`` are what it holds, or what it lacks if ``other_predicates`` or ``other_classes``.
    """

    predicates: frozenset[int]
    classes: frozenset[int]
    other_predicates: bool = False
    other_classes: bool = False

    def has_predicate(self, predicate: int) -> bool:
        """Tell whether the facts of a predicate other than rdf:type belong to the set."""
        return (predicate in self.predicates) != self.other_predicates

    def has_class(self, class_id: int) -> bool:
        return (class_id in self.classes) != self.other_classes


@dataclass(frozen=True, slots=True)
class Levels:
    """The level of every split: a stratum's rules derive facts of its level and read none above it."""

    predicates: Mapping[int, int]
    classes: Mapping[int, int]
    other_predicates: int
    other_classes: int

    @classmethod
    def encoded(cls, levels: Mapping[Split, int], id_of: Callable[[str], int]) -> Levels:
        """Take over the levels of a stratification."""
        predicates = {id_of(s.predicate): at for s, at in levels.items() if s.predicate != RDF_TYPE and s != REST}
        classes = {id_of(s.of_class): at for s, at in levels.items() if s.predicate == RDF_TYPE and s != TYPE_REST}
        return cls(predicates, classes, levels[REST], levels[TYPE_REST])

    def highest(self, atom: Triple) -> int:
        """Return the highest level of the facts that an atom can match."""
        _, predicate, obj = atom
        found = []
        if is_variable(predicate):
            found += [*self.predicates.values(), self.other_predicates]
        elif predicate != TYPE:
            return self.predicates.get(predicate, self.other_predicates)
        if is_variable(obj):
            found += [*self.classes.values(), self.other_classes]
        else:
            found.append(self.classes.get(obj, self.other_classes))
        return max(found)

    def matching(self, wanted: Callable[[int], bool]) -> SplitSet:
        """Return the splits whose level is wanted."""
        others, other_classes = wanted(self.other_predicates), wanted(self.other_classes)
        return SplitSet(
            frozenset(p for p, level in self.predicates.items() if wanted(level) != others),
            frozenset(c for c, level in self.classes.items() if wanted(level) != other_classes),
            others,
            other_classes,
        )
