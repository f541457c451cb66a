"""Unfolding: a rule with variables in place of predicates, as the rules with constants there that it stands for.

A maintenance program has predicates that are made from those of the rules (``predicate_variants``), and nothing can be
made from a variable. So such rules are unfolded first, by *choices* of predicates for the variables of each. Which
choices matter depends on what is known of the change:

- if it is known, those with which a body matches in what the rules derive, their negations left out, from all facts
  before and after it. Whatever holds before or after the change is among that, so that no other choice ever matches;
- if it is not, all choices of predicates that facts can have: ``possible_predicates``.

The predicates of a maintenance program: the variants Del, Ins, Red, New, + and - of the maintained ones, as triples.

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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise, product
from urllib.parse import quote

from reasoner.reasoning.arrange import Options, prepare
from reasoner.reasoning.engine import Engine, F, M, P
from reasoner.reasoning.materialise import materialise
from reasoner.reasoning.program import ProgramTerms, encode_program
from reasoner.rules.encode import encode_rule
from reasoner.rules.prefixes import readable_name
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.stratify import predicates_split_by_object
from reasoner.terms.term import RDF_TYPE, Term, Variable, iri, is_literal

NAMESPACE = "urn:x-maintenance:"

_SUBJECT, _PREDICATE, _OBJECT = Variable("s"), Variable("p"), Variable("o")


class VariantKind(StrEnum):
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
    kind: VariantKind = VariantKind.OLD
    asserted: bool = False

    def of(self, kind: VariantKind) -> Variant:
        """Return the same atom of another kind."""
        return replace(self, kind=kind)


@dataclass(frozen=True, slots=True)
class VariantRule:
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


def rule_of(clause: VariantRule, partition: Partition) -> Rule:
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


Choices = Mapping[Rule, Sequence[tuple[str, ...]]]
"""For each rule with variable predicates the predicates to put in place of these, in the order of first occurrence."""

WITHOUT_EQUALITY = Options(equality=False)

_ANY = Atom(Variable("s"), Variable("p"), Variable("o"))
_ANY_TYPE = Atom(Variable("s"), RDF_TYPE, Variable("o"))
_FOUND = iri(NAMESPACE + "found")


def predicate_variables(rule: Rule) -> tuple[str, ...]:
    """Return the variables in place of predicates, in the order of first occurrence.

    >>> from reasoner.rules.parser import parse_rules
    >>> predicate_variables(parse_rules("?x ?q ?y :- ?p <sub> ?q, ?x ?p ?y .")[0])
    ('q', 'p')
    """
    predicates = (atom.predicate for atom in atoms_of(rule))
    return tuple(dict.fromkeys(term.name for term in predicates if isinstance(term, Variable)))


def unfold(rules: Iterable[Rule], choices: Choices) -> tuple[Rule, ...]:
    """Put every choice of predicates in place of the variables of each rule; the names of rules stay.

    >>> from reasoner.rules.parser import parse_rules
    >>> rules = parse_rules("?y ?p ?x :- ?p a <Symmetric>, ?x ?p ?y .")
    >>> [rule.head.predicate for rule in unfold(rules, {rules[0]: [("<near>",), ("<like>",)]})]
    ['<near>', '<like>']
    """
    unfolded: dict[Rule, None] = {}
    for rule in rules:
        if names := predicate_variables(rule):
            for choice in choices[rule]:
                unfolded[_grounded(rule, dict(zip(names, choice, strict=True)))] = None
        else:
            unfolded[rule] = None
    return tuple(unfolded)


def derivable(engine: Engine[F, P, M], terms: ProgramTerms, rules: Iterable[Rule], facts: F) -> F:
    """Return what rules without their negations derive; constraints derive nothing."""
    monotone = [replace(rule, negative=()) for rule in rules if rule.head is not None]
    encoded = encode_program(monotone, terms, equality=False)
    return materialise(engine, prepare(engine, encoded, WITHOUT_EQUALITY), facts).facts


def matching_choices(engine: Engine[F, P, M], terms: ProgramTerms, rules: Iterable[Rule], facts: F) -> Choices:
    """Return the choices with which the bodies of rules match in ``facts``, and perhaps some more.

    A rule with three or more variable predicates gets those that match for each two that follow one another.
    """
    chosen = {rule: names for rule in rules if (names := predicate_variables(rule))}
    questions: list[Rule] = []
    for rule, names in chosen.items():
        # The values of the last variable, and with each value of one those of the variable before it.
        pairs: list[tuple[str, Term]] = [(left, Variable(right)) for left, right in pairwise(names)]
        for name, other in reversed([*pairs, (names[-1], _FOUND)]):
            questions.append(_question(len(questions), name, other, rule.body, rule.conditions))
    subjects, asked = _answers(engine, terms, questions, facts), iter(questions)
    choices: dict[Rule, list[tuple[str, ...]]] = {}
    for rule, names in chosen.items():
        last = next(asked)
        found: list[tuple[str, ...]] = [(value,) for value in subjects(last, _FOUND)]
        for _ in names[1:]:
            pair = next(asked)
            earlier = {value: subjects(pair, value) for value in {choice[0] for choice in found}}
            found = [(value, *choice) for choice in found for value in earlier[choice[0]]]
        choices[rule] = sorted(found)
    return choices


def all_choices(rules: Iterable[Rule], predicates: Sequence[str]) -> Choices:
    """Return every choice of some predicates for every rule."""
    return {rule: list(product(predicates, repeat=len(predicate_variables(rule)))) for rule in rules}


def possible_predicates(
    engine: Engine[F, P, M], terms: ProgramTerms, rules: Sequence[Rule], facts: F
) -> tuple[str, ...]:
    """Return the predicates that facts have, that rules name, and that facts offer as values of variable predicates.

    ``<p> rdfs:subPropertyOf <q>`` offers both to ``?x ?q ?y :- ?p rdfs:subPropertyOf ?q, ?x ?p ?y``, with or without
    facts of them.
    """
    offers = dict.fromkeys(
        (name, atom)
        for rule in rules
        for name in predicate_variables(rule)
        for atom in rule.body
        if isinstance(atom.predicate, str) and name in atom.variables
    )
    asked = [("p", _ANY), *offers]
    questions = [_question(number, name, _FOUND, (atom,)) for number, (name, atom) in enumerate(asked)]
    subjects = _answers(engine, terms, questions, facts)
    named = [atom.predicate for rule in rules for atom in atoms_of(rule) if isinstance(atom.predicate, str)]
    return tuple(sorted({*named, *(value for question in questions for value in subjects(question, _FOUND))}))


def predicate_of(name: str) -> Atom:
    """Return a predicate as its most general atom."""
    return replace(_ANY, predicate=name)


def predicates_of_facts(engine: Engine[F, P, M], terms: ProgramTerms, facts: F) -> list[Atom]:
    """Return the predicates, and the classes, that facts are of, as their most general atoms."""
    questions = [_question(0, "p", _FOUND, (_ANY,)), _question(1, "o", _FOUND, (_ANY_TYPE,))]
    subjects = _answers(engine, terms, questions, facts)
    predicates, classes = (subjects(question, _FOUND) for question in questions)
    predicates = [name for name in predicates if name != RDF_TYPE]
    return [*map(predicate_of, predicates), *(replace(_ANY_TYPE, object=name) for name in classes)]


def _question(number: int, name: str, other: Term, body: Sequence[Atom], conditions: Sequence[Builtin] = ()) -> Rule:
    """Return a rule that finds the values of a variable, each with that of another variable or with a constant."""
    head = Atom(Variable(name), iri(f"{NAMESPACE}found-{number}"), other)
    return Rule(f"found-{number}", head, tuple(body), (), tuple(conditions))


def _answers(
    engine: Engine[F, P, M], terms: ProgramTerms, questions: Iterable[Rule], facts: F
) -> Callable[[Rule, str], list[str]]:
    """Evaluate questions; return what tells the values found by one of them with a value of its other variable."""
    found = engine.evaluate(engine.compile([encode_rule(question, terms.id_of) for question in questions]), facts)

    def subjects(question: Rule, other: str) -> list[str]:
        assert question.head is not None and isinstance(question.head.predicate, str)
        ids = engine.subjects(found, terms.id_of(question.head.predicate), terms.id_of(other))
        return sorted(map(terms.text, ids))

    return subjects


def _grounded(rule: Rule, values: Mapping[str, str]) -> Rule:
    """Put constants in place of variables."""

    def term(old: Term) -> Term:
        return values.get(old.name, old) if isinstance(old, Variable) else old

    def atoms(old: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple(Atom(*map(term, atom)) for atom in old)

    return replace(
        rule,
        head=None if rule.head is None else Atom(*map(term, rule.head)),
        body=atoms(rule.body),
        negative=atoms(rule.negative),
        conditions=tuple(Builtin(part.name, tuple(map(term, part.arguments))) for part in rule.conditions),
    )
