"""Which stratum a fact belongs to: the levels of split predicates, over ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from reasoner.rules.encode import Triple, is_variable
from reasoner.rules.stratify import REST, Split
from reasoner.terms.term import RDF_TYPE


@dataclass(frozen=True, slots=True)
class ObjectSet:
    """Objects of a predicate that is split by object: those ``named``, or all but those if ``others``."""

    named: frozenset[int]
    others: bool = False

    def has(self, id: int) -> bool:
        return (id in self.named) != self.others

    @property
    def is_empty(self) -> bool:
        return not self.named and not self.others

    @property
    def is_full(self) -> bool:
        return not self.named and self.others


@dataclass(frozen=True, slots=True)
class SplitSet:
    """A set of splits over ids: some predicates and objects, and whether all that are not named belong to it too.

    ``predicates`` are what it holds, or what it lacks if ``other_predicates``. ``objects`` tells which facts it holds
    of each predicate that is split by object, such as ``rdf:type``.
    """

    predicates: frozenset[int]
    objects: Mapping[int, ObjectSet]
    other_predicates: bool = False

    def has_predicate(self, predicate: int) -> bool:
        """Tell whether some facts of a predicate may belong to the set."""
        objects = self.objects.get(predicate)
        return (predicate in self.predicates) != self.other_predicates if objects is None else not objects.is_empty

    def may_hold(self, atom: Triple) -> bool:
        """Tell whether facts that match an atom can belong to the set; of one with several splits that is assumed."""
        _, predicate, obj = atom
        if is_variable(predicate):
            return True
        objects = self.objects.get(predicate)
        if objects is None:
            return self.has_predicate(predicate)
        return is_variable(obj) or objects.has(obj)

    def cut_predicates(self, present: Iterable[int]) -> Iterator[tuple[int, ObjectSet]]:
        """Yield those of some predicates of which it holds some objects only, with these."""
        for predicate in present:
            objects = self.objects.get(predicate)
            if objects is not None and not objects.is_full and not objects.is_empty:
                yield predicate, objects

    @property
    def is_everything(self) -> bool:
        return self.other_predicates and not self.predicates and all(part.is_full for part in self.objects.values())

    def without(self, predicates: frozenset[int]) -> SplitSet:
        """Return the set without all facts of some predicates."""
        named = self.predicates | predicates if self.other_predicates else self.predicates - predicates
        nothing = ObjectSet(frozenset())
        objects = {p: nothing if p in predicates else part for p, part in self.objects.items()}
        return replace(self, predicates=named, objects=objects)


@dataclass(frozen=True, slots=True)
class ObjectLevels:
    """The level of every split of a predicate that is split by object."""

    named: Mapping[int, int]
    others: int

    def highest(self, obj: int) -> int:
        """Return the level of an object, or the highest of all if a variable stands in its place."""
        if is_variable(obj):
            return max(self.others, *self.named.values()) if self.named else self.others
        return self.named.get(obj, self.others)


@dataclass(frozen=True, slots=True)
class Levels:
    """The level of every split: a stratum's rules derive facts of its level and read none above it.

    ``objects`` has the predicates that are split by object, of which ``rdf:type`` is one, ``predicates`` the others.
    """

    predicates: Mapping[int, int]
    objects: Mapping[int, ObjectLevels]
    other_predicates: int

    @classmethod
    def encoded(cls, levels: Mapping[Split, int], id_of: Callable[[str], int]) -> Levels:
        """Take over the levels of a stratification."""
        named: dict[str, dict[int, int]] = {RDF_TYPE: {}}
        for split, level in levels.items():
            if split.object:
                named.setdefault(split.predicate, {})[id_of(split.object)] = level
        objects = {id_of(p): ObjectLevels(found, levels[Split(p)]) for p, found in named.items()}
        predicates = {
            id_of(split.predicate): level
            for split, level in levels.items()
            if split != REST and split.predicate not in named
        }
        return cls(predicates, objects, levels[REST])

    def is_wild(self, atom: Triple) -> bool:
        """Tell whether an atom can match facts of several splits."""
        return is_variable(atom[1]) or (atom[1] in self.objects and is_variable(atom[2]))

    def highest(self, atom: Triple) -> int:
        """Return the highest level of the facts that an atom can match."""
        _, predicate, obj = atom
        if is_variable(predicate):
            split = (objects.highest(obj) for objects in self.objects.values())
            return max(self.other_predicates, *self.predicates.values(), *split)
        objects = self.objects.get(predicate)
        return self.predicates.get(predicate, self.other_predicates) if objects is None else objects.highest(obj)

    def matching(self, wanted: Callable[[int], bool]) -> SplitSet:
        """Return the splits whose level is wanted."""

        def chosen(named: Mapping[int, int], *, others: bool) -> frozenset[int]:
            return frozenset(id for id, level in named.items() if wanted(level) != others)

        objects = {
            predicate: ObjectSet(chosen(levels.named, others=wanted(levels.others)), wanted(levels.others))
            for predicate, levels in self.objects.items()
        }
        others = wanted(self.other_predicates)
        return SplitSet(chosen(self.predicates, others=others), objects, others)

    def naming(self, atoms: Iterable[Triple]) -> Levels:
        """Name the predicates and objects of atoms that make splits, on the levels that they are on without a name."""
        predicates: dict[int, int] = {}
        objects: dict[int, dict[int, int]] = {}
        for _, p, o in atoms:
            if not is_variable(p) and p not in self.objects and p not in self.predicates:
                predicates[p] = self.other_predicates
            if is_variable(o):
                continue
            for cut in self.objects if is_variable(p) else (p,):
                if cut in self.objects and o not in self.objects[cut].named:
                    objects.setdefault(cut, {})[o] = self.objects[cut].others
        if not predicates and not objects:
            return self
        named = {
            p: ObjectLevels({**self.objects[p].named, **new}, self.objects[p].others) for p, new in objects.items()
        }
        return replace(self, predicates={**self.predicates, **predicates}, objects={**self.objects, **named})
