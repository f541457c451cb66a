"""The predicates of a maintenance program: the variants Del, Ins, Red, New, + and - of the maintained ones, as triples.

Volz, Staab, Motik: Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005, sections
2.3 and 4.2. What the paper calls a predicate is here a most general atom: ``?s p ?o``, ``?s rdf:type C``, or, where
rules have variables in place of these, ``?s rdf:type ?o`` or ``?s ?p ?o``, the paper's single predicate t.

A triple of a variant has a fresh predicate, made from the kind and the predicate, or the kind and the class, that it is
a variant of; subject and object stay. Nothing can be made from a variable predicate, so that a rule with one stands
for its instances over all predicates that there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from urllib.parse import quote

from reasoner.rules.prefixes import readable_name
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.term import RDF_TYPE, Term, Variable

NAMESPACE = "urn:x-maintenance:"

_SUBJECT, _PREDICATE, _OBJECT = Variable("s"), Variable("p"), Variable("o")


class Kind(StrEnum):
    """Which facts of a predicate P a variant holds; ``OLD`` is P itself, the materialisation before the change."""

    OLD = ""
    DEL = "del"
    INS = "ins"
    RED = "red"
    NEW = "new"
    PLUS = "plus"
    MINUS = "minus"


@dataclass(frozen=True, slots=True)
class Variant:
    """An atom of a variant of its predicate P, or of P_edb, the explicit facts of P, if ``asserted``."""

    atom: Atom
    kind: Kind = Kind.OLD
    asserted: bool = False

    def of(self, kind: Kind) -> Variant:
        """Return the same atom of another kind."""
        return replace(self, kind=kind)


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule over variants."""

    name: str
    head: Variant
    body: tuple[Variant, ...]
    negative: tuple[Variant, ...] = ()
    conditions: tuple[Builtin, ...] = ()

    @property
    def predicate_variables(self) -> tuple[str, ...]:
        """The variables in place of predicates."""
        atoms = (variant.atom for variant in (self.head, *self.body, *self.negative))
        return tuple(dict.fromkeys(atom.predicate.name for atom in atoms if isinstance(atom.predicate, Variable)))


@dataclass(frozen=True, slots=True)
class Partition:
    """How triples are divided into predicates.

    A variable predicate makes all of them one, if ``single``; a variable class those of rdf:type, if ``whole_type``.
    """

    single: bool
    whole_type: bool

    @classmethod
    def of_rules(cls, rules: Iterable[Rule]) -> Partition:
        """Return the finest division in which every atom of the rules is of one predicate."""
        atoms = [atom for rule in rules for atom in atoms_of(rule)]
        return cls(
            any(isinstance(atom.predicate, Variable) for atom in atoms),
            any(atom.predicate == RDF_TYPE and isinstance(atom.object, Variable) for atom in atoms),
        )

    def joined(self, other: Partition) -> Partition:
        """Return the finest division that is as coarse as both."""
        return Partition(self.single or other.single, self.whole_type or other.whole_type)

    def predicate(self, atom: Atom) -> Atom:
        """Return the predicate of an atom as the most general atom of it.

        >>> Partition(single=False, whole_type=False).predicate(Atom("<a>", RDF_TYPE, "<C>")).object
        '<C>'
        """
        if self.single:
            return Atom(_SUBJECT, _PREDICATE, _OBJECT)
        return Atom(_SUBJECT, atom.predicate, atom.object if self._by_class(atom) else _OBJECT)

    def triple(self, variant: Variant) -> Atom:
        """Return the triple pattern for an atom of a variant; its predicate must be a constant.

        The explicit facts, and what changes in them, are given by predicate, not by class.
        """
        atom, word = variant.atom, str(variant.kind)
        if variant.asserted:
            return replace(atom, predicate=_fresh(f"edb-{word}" if word else "edb", atom.predicate))
        if not word:
            return atom
        if self._by_class(atom):
            return replace(atom, predicate=_fresh(f"{word}-class", atom.object))
        return replace(atom, predicate=_fresh(word, atom.predicate))

    def _by_class(self, atom: Atom) -> bool:
        return atom.predicate == RDF_TYPE and not self.single and not self.whole_type


def name_of(predicate: Atom) -> str:
    """Return a readable name of a predicate.

    >>> name_of(Atom(_SUBJECT, RDF_TYPE, "<http://e.org/Parent>")), name_of(Atom(_SUBJECT, _PREDICATE, _OBJECT))
    ('Parent', 't')
    """
    of_class = predicate.predicate == RDF_TYPE and isinstance(predicate.object, str)
    term = predicate.object if of_class else predicate.predicate
    return readable_name(term) if isinstance(term, str) else "t"


def atoms_of(rule: Rule) -> tuple[Atom, ...]:
    """Return all atoms of a rule, the head first."""
    return (*((rule.head,) if rule.head else ()), *rule.body, *rule.negative)


def rules_of(clause: Clause, partition: Partition, predicates: Iterable[str] = ()) -> Iterator[Rule]:
    """Yield the rules over triples that a clause stands for, one for each choice of predicates for its variables."""
    names = clause.predicate_variables
    for choice in product(tuple(predicates), repeat=len(names)):
        chosen = _grounded(clause, dict(zip(names, choice, strict=True))) if names else clause
        yield Rule(
            chosen.name,
            partition.triple(chosen.head),
            tuple(map(partition.triple, chosen.body)),
            tuple(map(partition.triple, chosen.negative)),
            chosen.conditions,
        )


def _grounded(clause: Clause, values: Mapping[str, str]) -> Clause:
    """Put constants in place of variables."""

    def term(old: Term) -> Term:
        return values.get(old.name, old) if isinstance(old, Variable) else old

    def grounded(old: Variant) -> Variant:
        return replace(old, atom=Atom(*map(term, old.atom)))

    return Clause(
        clause.name,
        grounded(clause.head),
        tuple(map(grounded, clause.body)),
        tuple(map(grounded, clause.negative)),
        tuple(Builtin(part.name, tuple(map(term, part.arguments))) for part in clause.conditions),
    )


def _fresh(word: str, term: Term) -> str:
    """Return the predicate that belongs to a word and a constant; no two pairs of these share one."""
    assert isinstance(term, str), "variable predicates are instantiated first"
    if term.startswith("<"):
        return f"<{NAMESPACE}{word}:{term[1:-1]}>"
    return f"<{NAMESPACE}{word}-term:{quote(term, safe='')}>"
