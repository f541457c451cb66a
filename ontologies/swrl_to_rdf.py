"""Map SWRL rules to triples, in the vocabulary of the SWRL submission."""

from __future__ import annotations

import ontologies.axioms as ax
from ontologies.expressions_to_rdf import ExpressionMapper
from ontologies.vocabulary import NIL, rdf, swrl
from reasoner.rules.term import RDF_TYPE, Variable


def map_rule(rule: ax.DLSafeRule, expressions: ExpressionMapper) -> str:
    """Add the triples of a rule and return its node."""
    node = expressions.fresh()
    variables = {
        part: None for atom in (*rule.body, *rule.head) for part in _arguments(atom) if isinstance(part, Variable)
    }
    expressions.triples += [(_term(variable), RDF_TYPE, swrl("Variable")) for variable in variables]
    body = _atom_list([_atom(atom, expressions) for atom in rule.body], expressions)
    head = _atom_list([_atom(atom, expressions) for atom in rule.head], expressions)
    expressions.triples += [(node, RDF_TYPE, swrl("Imp")), (node, swrl("body"), body), (node, swrl("head"), head)]
    return node


def _arguments(atom: ax.RuleAtom) -> tuple[ax.RuleTerm, ...]:
    match atom:
        case ax.ClassAtom(_, argument) | ax.DataRangeAtom(_, argument):
            return (argument,)
        case ax.BuiltInAtom(_, arguments):
            return arguments
    return (atom.first, atom.second)


def _term(term: ax.RuleTerm) -> str:
    if not isinstance(term, Variable):
        return term
    return f"<{term.name}>" if ":" in term.name else f"<urn:swrl:var#{term.name}>"


def _atom_list(atoms: list[str], expressions: ExpressionMapper) -> str:
    if not atoms:
        return NIL
    cells = [expressions.fresh() for _ in atoms]
    for cell, atom, rest in zip(cells, atoms, [*cells[1:], NIL], strict=True):
        expressions.triples += [
            (cell, RDF_TYPE, swrl("AtomList")),
            (cell, rdf("first"), atom),
            (cell, rdf("rest"), rest),
        ]
    return cells[0]


def _atom(atom: ax.RuleAtom, expressions: ExpressionMapper) -> str:
    node = expressions.fresh()
    match atom:
        case ax.ClassAtom(expression, argument):
            kind, parts = "ClassAtom", {"classPredicate": expressions.node(expression), "argument1": _term(argument)}
        case ax.DataRangeAtom(data_range, argument):
            kind, parts = "DataRangeAtom", {"dataRange": expressions.node(data_range), "argument1": _term(argument)}
        case ax.ObjectPropertyAtom(property, first, second):
            kind = "IndividualPropertyAtom"
            parts = {"propertyPredicate": expressions.node(property), **_pair(first, second)}
        case ax.DataPropertyAtom(property, first, second):
            kind, parts = "DatavaluedPropertyAtom", {"propertyPredicate": property, **_pair(first, second)}
        case ax.SameIndividualAtom(first, second):
            kind, parts = "SameIndividualAtom", _pair(first, second)
        case ax.DifferentIndividualsAtom(first, second):
            kind, parts = "DifferentIndividualsAtom", _pair(first, second)
        case ax.BuiltInAtom(name, arguments):
            kind = "BuiltinAtom"
            parts = {"builtin": name, "arguments": expressions.list(_term(part) for part in arguments)}
    expressions.triples.append((node, RDF_TYPE, swrl(kind)))
    expressions.triples += [(node, swrl(name), value) for name, value in parts.items()]
    return node


def _pair(first: ax.RuleTerm, second: ax.RuleTerm) -> dict[str, str]:
    return {"argument1": _term(first), "argument2": _term(second)}
