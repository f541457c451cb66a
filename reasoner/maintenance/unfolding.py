"""Unfolding: a rule with variables in place of predicates, as the rules with constants there that it stands for.

A maintenance program has predicates that are made from those of the rules (``predicate_variants``), and nothing can be
made from a variable. So such rules are unfolded first, by *choices* of predicates for the variables of each. Which
choices matter depends on what is known of the change:

- if it is known, those with which a body matches in what the rules derive, their negations left out, from all facts
  before and after it. Whatever holds before or after the change is among that, so that no other choice ever matches;
- if it is not, all choices of predicates that facts can have: ``possible_predicates``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product

from reasoner.arrange import Options, prepare
from reasoner.engine import Engine, F, M, P
from reasoner.maintenance.predicate_variants import NAMESPACE, atoms_of
from reasoner.materialise import materialise
from reasoner.program import Terms, encode_program
from reasoner.rules.encode import encode_rule
from reasoner.rules.rule import Atom, Builtin, Rule
from reasoner.rules.term import RDF_TYPE, Term, Variable, iri

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


def derivable(engine: Engine[F, P, M], terms: Terms, rules: Iterable[Rule], facts: F) -> F:
    """Return what rules without their negations derive; constraints derive nothing."""
    monotone = [replace(rule, negative=()) for rule in rules if rule.head is not None]
    encoded = encode_program(monotone, terms, equality=False)
    return materialise(engine, prepare(engine, encoded, WITHOUT_EQUALITY), facts).facts


def matching_choices(engine: Engine[F, P, M], terms: Terms, rules: Iterable[Rule], facts: F) -> Choices:
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


def possible_predicates(engine: Engine[F, P, M], terms: Terms, rules: Sequence[Rule], facts: F) -> tuple[str, ...]:
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


def predicates_of_facts(engine: Engine[F, P, M], terms: Terms, facts: F) -> list[Atom]:
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
    engine: Engine[F, P, M], terms: Terms, questions: Iterable[Rule], facts: F
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
