"""The predicates of a maintenance program: the variants Del, Ins, Red, New, + and - of the maintained ones, as triples.

Volz, Staab, Motik: Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005, sections
2.3 and 4.2. What the paper calls a predicate is here a most general atom: ``?s p ?o``, ``?s rdf:type C`` (or ``?s p o``
where strata are told apart by objects), or, where rules have variables in place of these, ``?s rdf:type ?o`` or
``?s ?p ?o``, the paper's single predicate t.

A triple of a variant has a fresh predicate, made from the kind and the predicate, or the class, or the predicate and
object, that it is a variant of; subject and object stay. ``<p>`` gives

    <p>                                   P, the materialisation before the change
    <urn:x-maintenance:edb:p>             P_edb, its explicit facts before the change
    <urn:x-maintenance:edb-del:p>         P_edb^Del, those that leave, and edb-ins those that join
    <urn:x-maintenance:plus:p>            P^+, what the materialisation gains, and minus P^-, what it loses
    <urn:x-maintenance:plus-class:C>      C^+, where classes are predicates: the object of such a triple is still <C>
    <urn:x-maintenance:plus-object:o:p>   the same where strata tell objects of p apart; o is percent-encoded

and so on for del, ins, red and new. What is made from a blank node or a literal has its text, percent-encoded, after
``-term``; the facts before the change of a literal in place of a predicate are of ``old-term``, because the rule
language has no such predicates. Nothing can be made from a variable predicate; rules with one are unfolded first
(``unfolding``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import quote

from reasoner.rules.prefixes import readable_name
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.stratify import predicates_split_by_object
from reasoner.rules.term import RDF_TYPE, Term, Variable, is_literal

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


@dataclass(frozen=True, slots=True)
class Partition:
    """How triples are divided into predicates.

    A variable predicate makes all of them one, if ``single``. The triples of ``rdf:type``, and of what else the strata
    need it of, are divided ``by_object``, each object being a predicate; but not those of the predicates in ``whole``,
    which have a variable object somewhere.
    """

    single: bool
    by_object: frozenset[str] = frozenset({RDF_TYPE})
    whole: frozenset[str] = frozenset()

    @classmethod
    def of_rules(cls, rules: Iterable[Rule], named: Iterable[Atom] = ()) -> Partition:
        """Return the division that gives the rules strata and has every atom, of them or named, in one predicate."""
        given = tuple(rules)
        atoms = [*named, *(atom for rule in given for atom in atoms_of(rule))]
        return cls(
            any(isinstance(atom.predicate, Variable) for atom in atoms),
            frozenset({RDF_TYPE, *predicates_split_by_object(given, equality=False)}),
            frozenset(str(atom.predicate) for atom in atoms if isinstance(atom.object, Variable)),
        )

    def joined(self, other: Partition) -> Partition:
        """Return a division that is good for the rules of both."""
        return Partition(self.single or other.single, self.by_object | other.by_object, self.whole | other.whole)

    def divides_as(self, other: Partition) -> bool:
        """Tell whether two divisions are the same."""
        mine, others = self.by_object - self.whole, other.by_object - other.whole
        return self.single == other.single and (self.single or mine == others)

    def predicate(self, atom: Atom) -> Atom:
        """Return the predicate of an atom as the most general atom of it.

        >>> Partition(single=False).predicate(Atom("<a>", RDF_TYPE, "<C>")).object
        '<C>'
        """
        if self.single:
            return Atom(_SUBJECT, _PREDICATE, _OBJECT)
        return Atom(_SUBJECT, atom.predicate, atom.object if self._is_by_object(atom) else _OBJECT)

    def triple(self, variant: Variant) -> Atom:
        """Return the triple pattern for an atom of a variant; its predicate must be a constant.

        The explicit facts, and what changes in them, are given by predicate, not by class.
        """
        atom, word = variant.atom, str(variant.kind)
        if variant.asserted:
            return replace(atom, predicate=_fresh(f"edb-{word}" if word else "edb", atom.predicate))
        if not word:
            is_literal_predicate = isinstance(atom.predicate, str) and is_literal(atom.predicate)
            return replace(atom, predicate=_fresh("old", atom.predicate)) if is_literal_predicate else atom
        if not self._is_by_object(atom):
            return replace(atom, predicate=_fresh(word, atom.predicate))
        if atom.predicate == RDF_TYPE:
            return replace(atom, predicate=_fresh(f"{word}-class", atom.object))
        assert isinstance(atom.object, str), "predicates with variable objects are whole"
        return replace(atom, predicate=_fresh(f"{word}-object:{quote(atom.object, safe='')}", atom.predicate))

    def _is_by_object(self, atom: Atom) -> bool:
        return not self.single and atom.predicate in self.by_object and atom.predicate not in self.whole


def name_of(predicate: Atom) -> str:
    """Return a readable name of a predicate.

    >>> name_of(Atom(_SUBJECT, RDF_TYPE, "<http://e.org/Parent>")), name_of(Atom(_SUBJECT, _PREDICATE, _OBJECT))
    ('Parent', 't')
    """
    if not isinstance(predicate.predicate, str):
        return "t"
    if not isinstance(predicate.object, str):
        return readable_name(predicate.predicate)
    value = readable_name(predicate.object)
    return value if predicate.predicate == RDF_TYPE else f"{readable_name(predicate.predicate)}({value})"


def atoms_of(rule: Rule) -> tuple[Atom, ...]:
    """Return all atoms of a rule, the head first."""
    return (*((rule.head,) if rule.head else ()), *rule.body, *rule.negative)


def rule_of(clause: Clause, partition: Partition) -> Rule:
    """Return the rule over triples that a clause stands for."""
    return Rule(
        clause.name,
        partition.triple(clause.head),
        tuple(map(partition.triple, clause.body)),
        tuple(map(partition.triple, clause.negative)),
        clause.conditions,
    )


def _fresh(word: str, term: Term) -> str:
    """Return the predicate that belongs to a word and a constant; no two pairs of these share one."""
    assert isinstance(term, str), "variable predicates are unfolded first"
    if term.startswith("<"):
        return f"<{NAMESPACE}{word}:{term[1:-1]}>"
    return f"<{NAMESPACE}{word}-term:{quote(term, safe='')}>"
