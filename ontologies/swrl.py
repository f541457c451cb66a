"""Translate SWRL rules: one rule for each atom of the head.

Class expressions in atoms are translated as in a description logic program, so that a SWRL rule can become several
rules, or be left out with a reason. ``differentFrom`` in a body is a fact to be found, not the absence of ``sameAs``.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import ontologies.axioms as ax
from ontologies.clauses import ClassTask, Clause, Clausifier, DataTask, Unsupported, property_atom
from ontologies.collector import RuleCollector, Translation, simplify
from ontologies.dlp import datatype_definitions, not_horn
from ontologies.structural import ClauseFinisher
from ontologies.vocabulary import DIFFERENT_FROM, SWRLB
from ontologies.write_functional import write_functional
from reasoner.rules.rule import Atom, Builtin
from reasoner.terms.term import SAME_AS, Variable

_BUILTINS = {
    f"<{SWRLB}{name}>": builtin
    for name, builtin in (
        ("equal", "="),
        ("notEqual", "!="),
        ("lessThan", "<"),
        ("lessThanOrEqual", "<="),
        ("greaterThan", ">"),
        ("greaterThanOrEqual", ">="),
        ("contains", "contains"),
        ("startsWith", "startsWith"),
        ("endsWith", "endsWith"),
        ("matches", "matches"),
    )
}


def translate_swrl(ontology: ax.Ontology) -> Translation:
    """Translate the SWRL rules of an ontology.

    >>> from ontologies.read_functional import read_functional
    >>> text = "DLSafeRule(Body(ObjectPropertyAtom(<urn:p> Variable(<urn:x>) Variable(<urn:y>)))"
    >>> text += " Head(ObjectPropertyAtom(<urn:q> Variable(<urn:y>) Variable(<urn:x>))))"
    >>> [rule] = translate_swrl(read_functional(f"Ontology({text})")).rules
    >>> " ".join(str(term) for term in rule.head)
    '?y <urn:q> ?x'
    """
    collector = RuleCollector()
    finisher = ClauseFinisher(Clausifier(datatype_definitions(ontology)))
    rules = [axiom for axiom in ontology.axioms if isinstance(axiom, ax.DLSafeRule)]
    for rule in rules:
        _add(rule, finisher, collector)
    if any(isinstance(atom, ax.DifferentIndividualsAtom) for rule in rules for atom in rule.body):
        _add_differences(ontology, collector)
    return Translation(collector.rules, collector.left_out)


def _add(rule: ax.DLSafeRule, finisher: ClauseFinisher, collector: RuleCollector) -> None:
    source = write_functional(rule)
    body = Clause()
    for atom in rule.body:
        step = _body_atom(body, atom)
        if isinstance(step, Unsupported):
            collector.leave_out(source, step.text)
            return
        body = step
    loose = _variables(rule.body, with_builtins=True) | _variables(rule.head, with_builtins=True)
    for variable in sorted(loose - _variables(rule.body, with_builtins=False)):
        collector.leave_out(source, f"the variable {variable} is in no class or property atom of the body")
        return
    if not rule.head:
        _finish(source, body, finisher, collector)
    for atom in rule.head:
        for clause in _head_atom(body, atom):
            if isinstance(clause, Unsupported):
                collector.leave_out(source, clause.text)
            else:
                _finish(source, clause, finisher, collector)


def _finish(source: str, pending: Clause, finisher: ClauseFinisher, collector: RuleCollector) -> None:
    for clause in finisher.finish(pending):
        if isinstance(clause, Unsupported):
            collector.leave_out(source, clause.text)
        elif (simple := simplify(clause)) is not None:
            if (reason := not_horn(simple.heads)) is not None:
                collector.leave_out(source, reason)
                continue
            [head] = simple.heads or (None,)
            assert head is None or isinstance(head, Atom)
            collector.add("DLSafeRule", source, simple, head)
            collector.add_definitions("DLSafeRule", source, finisher.definitions(simple))


def _body_atom(clause: Clause, atom: ax.RuleAtom) -> Clause | Unsupported:
    """Add an atom to a body; expressions are put off until the whole rule is known."""
    match atom:
        case ax.ClassAtom(expression, argument):
            return replace(clause, todo=(*clause.todo, ClassTask(False, expression, argument)))
        case ax.DataRangeAtom(data_range, argument):
            return replace(clause, todo=(*clause.todo, DataTask(False, data_range, argument)))
        case ax.ObjectPropertyAtom(property, first, second) | ax.DataPropertyAtom(property, first, second):
            return clause.when(property_atom(property, first, second))
        case ax.SameIndividualAtom(first, second):
            return clause.when(Atom(first, SAME_AS, second))
        case ax.DifferentIndividualsAtom(first, second):
            return clause.when(Atom(first, DIFFERENT_FROM, second))
        case ax.BuiltInAtom(name, arguments):
            if name not in _BUILTINS:
                return Unsupported(atom, "calls a builtin that is not supported")
            if len(arguments) != 2:
                return Unsupported(atom, "has other than two arguments")
            return replace(clause, conditions=(*clause.conditions, Builtin(_BUILTINS[name], arguments)))
    raise AssertionError(f"no atom for {atom}")


def _head_atom(body: Clause, atom: ax.RuleAtom) -> list[Clause | Unsupported]:
    match atom:
        case ax.ClassAtom(expression, argument):
            return [replace(body, todo=(*body.todo, ClassTask(True, expression, argument)))]
        case ax.DataRangeAtom(data_range, argument):
            return [replace(body, todo=(*body.todo, DataTask(True, data_range, argument)))]
        case ax.ObjectPropertyAtom(property, first, second) | ax.DataPropertyAtom(property, first, second):
            return [body.either(property_atom(property, first, second))]
        case ax.SameIndividualAtom(first, second):
            return [body.either(Atom(first, SAME_AS, second))]
        case ax.DifferentIndividualsAtom(first, second):
            # Both a fact for other bodies to find, and a contradiction with an equality.
            return [body.either(Atom(first, DIFFERENT_FROM, second)), body.when(Atom(first, SAME_AS, second))]
    return [Unsupported(atom, "is a builtin in the head")]


def _variables(atoms: tuple[ax.RuleAtom, ...], *, with_builtins: bool) -> set[str]:
    found: set[str] = set()
    for atom in atoms:
        match atom:
            case ax.ClassAtom(_, argument):
                arguments: tuple[ax.RuleTerm, ...] = (argument,)
            case ax.DataRangeAtom(_, argument):
                arguments = (argument,) if with_builtins else ()
            case ax.BuiltInAtom(_, several):
                arguments = several if with_builtins else ()
            case _:
                arguments = (atom.first, atom.second)
        found |= {part.name for part in arguments if isinstance(part, Variable)}
    return found


def _add_differences(ontology: ax.Ontology, collector: RuleCollector) -> None:
    """Make differences complete for the bodies that ask for them: symmetric, and pairwise where many are different."""
    x, y = Variable("_0"), Variable("_1")
    collector.add("DifferentIndividuals", "", Clause(body=(Atom(x, DIFFERENT_FROM, y),)), Atom(y, DIFFERENT_FROM, x))
    for axiom in ontology.axioms:
        if isinstance(axiom, ax.DifferentIndividuals) and len(axiom.individuals) > 2:
            source = write_functional(axiom)
            for first, second in permutations(axiom.individuals, 2):
                collector.add("DifferentIndividuals", source, Clause(), Atom(first, DIFFERENT_FROM, second))
