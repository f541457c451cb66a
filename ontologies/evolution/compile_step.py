"""A step as a change of triples and rules, given the store that it is for."""

from __future__ import annotations

from difflib import get_close_matches

from ontologies.axioms import Triple
from ontologies.evolution.axiom_presence import add_axiom, remove_axiom
from ontologies.evolution.blank_parts import parts_of
from ontologies.evolution.facts import Facts, TripleSet, holds
from ontologies.evolution.find_structure import occurrences, stands_alone
from ontologies.evolution.place_terms import deprecate, move
from ontologies.evolution.rename_terms import merge, rename
from ontologies.evolution.script import (
    AddAxioms,
    AddRules,
    AddTriples,
    Deprecate,
    Merge,
    Move,
    RemoveAxioms,
    RemoveRuleNamed,
    RemoveRules,
    RemoveTriples,
    Rename,
    Script,
    Split,
    Statement,
    Step,
)
from ontologies.evolution.split_terms import split
from ontologies.evolution.working import Change, Working
from ontologies.syntax_tree import Place
from ontologies.write_functional import write_functional
from reasoner.rules.printer import print_rule
from reasoner.rules.rule import Builtin, Rule
from reasoner.rules.term import Term, Variable


def compile_step(step: Step, facts: Facts) -> Change:
    """Return what a step does to a store, statement after statement; the store stays as it is.

    Raise ``ParseError`` at the statement that cannot be: an unknown name, an axiom to remove that is not there.
    """
    working = Working(facts)
    for statement in step.statements:
        _apply(working, statement)
    return working.change()


def evolved(triples: list[Triple] | tuple[Triple, ...], script: Script) -> tuple[Triple, ...]:
    """Return what a script makes of triples, nothing being inferred.

    >>> from ontologies.evolution.parse_script import parse_script
    >>> evolved([("<urn:a>", "<urn:p>", "<urn:b>")], parse_script("rename <urn:a> to <urn:c>"))
    (('<urn:c>', '<urn:p>', '<urn:b>'),)
    """
    facts = TripleSet(triples)
    for step in script.steps:
        change = compile_step(step, facts)
        for triple in change.removed:
            facts.remove(triple)
        for triple in change.added:
            facts.add(triple)
    return tuple(facts.triples)


def _apply(working: Working, statement: Statement) -> None:
    match statement:
        case AddAxioms(axioms, annotations):
            for axiom in axioms:
                add_axiom(working, axiom, annotations)
        case RemoveAxioms(axioms):
            for axiom in axioms:
                if not remove_axiom(working, axiom):
                    raise statement.place.error(
                        "there is no such axiom to remove; write it as the store has it, or its triples in braces",
                        write_functional(axiom),
                    )
        case AddTriples(triples):
            _add_triples(working, triples)
        case RemoveTriples(triples):
            _remove_triples(working, triples, statement.place)
        case AddRules(rules):
            _add_rules(working, rules)
        case RemoveRules(rules):
            _remove_rules(working, rules, statement.place)
        case RemoveRuleNamed(name):
            _remove_rule_named(working, name, statement.place)
        case Rename():
            rename(working, statement)
        case Merge():
            merge(working, statement)
        case Split():
            split(working, statement)
        case Move():
            move(working, statement)
        case Deprecate():
            deprecate(working, statement)


def _add_triples(working: Working, triples: tuple[Triple, ...]) -> None:
    ground, _ = parts_of(triples)
    for triple in ground:
        if holds(working, triple):
            working.note(f"there already: {' '.join(triple)}")
    working.add(working.with_new_nodes(triples))


def _remove_triples(working: Working, triples: tuple[Triple, ...], place: Place) -> None:
    ground, parts = parts_of(triples)
    for triple in ground:
        if not holds(working, triple):
            raise place.error("there is no such explicit triple to remove", " ".join(triple))
    working.remove(ground)
    for part in parts:
        found = [*occurrences(working, part.triples)]
        chosen = next((one for one in found if stands_alone(working, one)), found[0] if found else None)
        if chosen is None:
            loose = [*occurrences(working, part.triples, closed=False)]
            if len(loose) > 1:
                raise place.error(
                    f"the blank nodes fit in {len(loose)} ways; say more about them", " ".join(part.triples[0])
                )
            chosen = loose[0] if loose else None
        if chosen is None:
            raise place.error("there is no such structure to remove", " ".join(part.triples[0]))
        working.remove(map(chosen.image, part.triples))


def _add_rules(working: Working, rules: tuple[Rule, ...]) -> None:
    said = {_meaning(rule) for rule in working.rules()}
    for rule in rules:
        if _meaning(rule) in said:
            working.note(f"there already: {print_rule(rule)}")
        else:
            working.add_rules([rule])


def _remove_rules(working: Working, rules: tuple[Rule, ...], place: Place) -> None:
    for rule in rules:
        found = [known for known in working.rules() if _meaning(known) == _meaning(rule)]
        if not found:
            raise place.error("there is no such rule to remove", print_rule(rule))
        working.remove_rules(found)


def _remove_rule_named(working: Working, name: str, place: Place) -> None:
    found = [rule for rule in working.rules() if rule.name == name]
    if not found:
        known = list(dict.fromkeys(rule.name for rule in working.rules()))
        nearest = get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f", did you mean [{nearest[0]}]?" if nearest else "; only rules of your own can be removed"
        raise place.error(f"there is no rule of that name{hint}", name)
    working.remove_rules(found)


def _meaning(rule: Rule) -> tuple[object, ...]:
    """Return what rules that say the same have in common, whatever they and their variables are called."""
    numbers: dict[str, int] = {}

    def term(given: Term) -> object:
        return numbers.setdefault(given.name, len(numbers)) if isinstance(given, Variable) else given

    parts = (*rule.body, "not", *rule.negative, "if", *rule.conditions, "then", *((rule.head,) if rule.head else ()))
    return tuple(
        part
        if isinstance(part, str)
        else (part.name, *map(term, part.arguments))
        if isinstance(part, Builtin)
        else tuple(map(term, part))
        for part in parts
    )
