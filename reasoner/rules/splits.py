"""Split predicates: the parts of the triple table that an atom can read or write.

Volz, Staab, Motik: Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005, section
6.1 (selection-based optimisation). The split points are the predicates, and for ``rdf:type`` the classes, that a
vocabulary names. Another predicate may be split by the constants in its object position just as ``rdf:type`` is by
classes; ``stratify`` asks for that where a program has no strata otherwise. What a vocabulary does not name shares a
rest: ``Split(p)`` for the other objects of a predicate p that is split by object (``TYPE_REST`` for ``rdf:type``),
``REST`` for the other predicates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from reasoner.rules.prefixes import readable_name
from reasoner.rules.rule import Atom, Rule
from reasoner.rules.term import RDF_TYPE, Variable


class Split(NamedTuple):
    """The facts of one predicate, or of one object if the predicate is split by object; both are constants.

    >>> str(Split(RDF_TYPE, "<http://e.org/Parent>")), str(Split("<http://e.org/knows>"))
    ('type(Parent)', 'knows')
    """

    predicate: str
    object: str = ""

    def __str__(self) -> str:
        if self == REST:
            return "any other predicate"
        if self == TYPE_REST:
            return "type(any other class)"
        name = "type" if self.predicate == RDF_TYPE else readable_name(self.predicate)
        return f"{name}({readable_name(self.object)})" if self.object else name


TYPE_REST = Split(RDF_TYPE)
REST = Split("")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The split points: predicates other than ``rdf:type``, classes, and the objects of predicates that need it."""

    predicates: frozenset[str]
    classes: frozenset[str]
    objects: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of_rules(cls, rules: Iterable[Rule], by_object: Collection[str] = ()) -> Vocabulary:
        """Take every predicate and every class that an atom of the rules names as a constant.

        Of the predicates ``by_object``, every constant object is a split point too. The object of an atom with a
        variable predicate may be an object of any predicate, and a class.
        """
        predicates: set[str] = set()
        classes: set[str] = set()
        objects: dict[str, set[str]] = {predicate: set() for predicate in by_object}
        anywhere: set[str] = set()
        for rule in rules:
            for atom in (*rule.body, *rule.negative, *((rule.head,) if rule.head else ())):
                if atom.predicate == RDF_TYPE:
                    if isinstance(atom.object, str):
                        classes.add(atom.object)
                elif isinstance(atom.predicate, str):
                    predicates.add(atom.predicate)
                    if isinstance(atom.object, str) and atom.predicate in objects:
                        objects[atom.predicate].add(atom.object)
                elif isinstance(atom.object, str):
                    anywhere.add(atom.object)
        split = {predicate: frozenset(found | anywhere) for predicate, found in objects.items()}
        return cls(frozenset(predicates), frozenset(classes | anywhere), split)

    @property
    def split_by_object(self) -> dict[str, frozenset[str]]:
        """The predicates that are split by object, ``rdf:type`` first, and the objects that they are split by."""
        return {RDF_TYPE: self.classes, **self.objects}

    @property
    def predicate_splits(self) -> tuple[Split, ...]:
        """The splits of predicates other than ``rdf:type``, in a fixed order, the rest last."""
        named = [
            split
            for predicate in sorted(self.predicates)
            for split in (*_object_splits(predicate, self.objects.get(predicate, ())), Split(predicate))
        ]
        return (*named, REST)

    @property
    def type_splits(self) -> tuple[Split, ...]:
        """The splits of ``rdf:type``, in a fixed order, the rest last."""
        return (*_object_splits(RDF_TYPE, self.classes), TYPE_REST)

    @property
    def splits(self) -> tuple[Split, ...]:
        """All splits: every fact belongs to exactly one of them."""
        return self.predicate_splits + self.type_splits

    def of_fact(self, predicate: str, object_: str) -> Split:
        """Return the split that a fact belongs to."""
        if predicate == RDF_TYPE:
            return Split(RDF_TYPE, object_) if object_ in self.classes else TYPE_REST
        if predicate not in self.predicates:
            return REST
        return Split(predicate, object_ if object_ in self.objects.get(predicate, ()) else "")


def splits_of(atom: Atom, vocabulary: Vocabulary) -> frozenset[Split]:
    """Return the splits that hold, or would hold, the instances of an atom.

    >>> vocabulary = Vocabulary(frozenset({"<p>"}), frozenset({"<C>"}))
    >>> sorted(map(str, splits_of(Atom(Variable("x"), Variable("p"), "<C>"), vocabulary)))
    ['<p>', 'any other predicate', 'type(<C>)']
    """
    named: list[str] = [*vocabulary.predicates, RDF_TYPE]
    if isinstance(atom.predicate, str):
        named = [atom.predicate]
    found = {split for predicate in named for split in _splits_with(predicate, atom, vocabulary)}
    return frozenset(found | {REST} if isinstance(atom.predicate, Variable) else found)


def _splits_with(predicate: str, atom: Atom, vocabulary: Vocabulary) -> Iterable[Split]:
    if isinstance(atom.object, str):
        return (vocabulary.of_fact(predicate, atom.object),)
    objects = vocabulary.split_by_object.get(predicate, ())
    return (*_object_splits(predicate, objects), vocabulary.of_fact(predicate, ""))


def _object_splits(predicate: str, objects: Iterable[str]) -> tuple[Split, ...]:
    return tuple(Split(predicate, name) for name in sorted(objects))
