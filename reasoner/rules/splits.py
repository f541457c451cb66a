"""Split predicates: the parts of the triple table that an atom can read or write.

Volz, Staab, Motik: Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005, section
6.1 (selection-based optimisation). The split points are the predicates, and for ``rdf:type`` the classes, that a
vocabulary names. What it does not name shares a rest: ``TYPE_REST`` for types, ``REST`` for other predicates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from reasoner.rules.prefixes import readable_name
from reasoner.rules.rule import Atom, Rule
from reasoner.rules.term import RDF_TYPE, Variable


class Split(NamedTuple):
    """The facts of one predicate, or of one class if the predicate is ``rdf:type``; both are constants.

    >>> str(Split(RDF_TYPE, "<http://e.org/Parent>")), str(Split("<http://e.org/knows>"))
    ('type(Parent)', 'knows')
    """

    predicate: str
    of_class: str = ""

    def __str__(self) -> str:
        if self == REST:
            return "any other predicate"
        if self.predicate != RDF_TYPE:
            return readable_name(self.predicate)
        return f"type({readable_name(self.of_class)})" if self.of_class else "type(any other class)"


TYPE_REST = Split(RDF_TYPE)
REST = Split("")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The split points: predicates other than ``rdf:type``, and classes."""

    predicates: frozenset[str]
    classes: frozenset[str]

    @classmethod
    def of_rules(cls, rules: Iterable[Rule]) -> Vocabulary:
        """Take every predicate and every class that an atom of the rules names as a constant."""
        predicates: set[str] = set()
        classes: set[str] = set()
        for rule in rules:
            for atom in (*rule.body, *rule.negative, *((rule.head,) if rule.head else ())):
                if atom.predicate == RDF_TYPE:
                    if isinstance(atom.object, str):
                        classes.add(atom.object)
                elif isinstance(atom.predicate, str):
                    predicates.add(atom.predicate)
        return cls(frozenset(predicates), frozenset(classes))

    @property
    def predicate_splits(self) -> tuple[Split, ...]:
        """The splits of predicates other than ``rdf:type``, in a fixed order, the rest last."""
        return (*map(Split, sorted(self.predicates)), REST)

    @property
    def type_splits(self) -> tuple[Split, ...]:
        """The splits of ``rdf:type``, in a fixed order, the rest last."""
        return (*(Split(RDF_TYPE, name) for name in sorted(self.classes)), TYPE_REST)

    @property
    def splits(self) -> tuple[Split, ...]:
        """All splits: every fact belongs to exactly one of them."""
        return self.predicate_splits + self.type_splits

    def of_fact(self, predicate: str, object_: str) -> Split:
        """Return the split that a fact belongs to."""
        if predicate == RDF_TYPE:
            return Split(RDF_TYPE, object_) if object_ in self.classes else TYPE_REST
        return Split(predicate) if predicate in self.predicates else REST


def splits_of(atom: Atom, vocabulary: Vocabulary) -> frozenset[Split]:
    """Return the splits that hold, or would hold, the instances of an atom.

    >>> vocabulary = Vocabulary(frozenset({"<p>"}), frozenset({"<C>"}))
    >>> sorted(map(str, splits_of(Atom(Variable("x"), Variable("p"), "<C>"), vocabulary)))
    ['<p>', 'any other predicate', 'type(<C>)']
    """
    if isinstance(atom.predicate, Variable):
        return frozenset(vocabulary.predicate_splits) | _type_splits_of(atom, vocabulary)
    if atom.predicate == RDF_TYPE:
        return _type_splits_of(atom, vocabulary)
    return frozenset({vocabulary.of_fact(atom.predicate, "")})


def _type_splits_of(atom: Atom, vocabulary: Vocabulary) -> frozenset[Split]:
    if isinstance(atom.object, Variable):
        return frozenset(vocabulary.type_splits)
    return frozenset({vocabulary.of_fact(RDF_TYPE, atom.object)})
