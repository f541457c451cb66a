"""Say each axiom as clauses with pending class expressions: the property axioms of table 2, keys and assertions.

After Volz, Staab and Motik (2005), table 2, and the semantics of the axioms that OWL 2 added. Facts (class and property
assertions about named classes and properties, and same individuals) are triples and need no clause.

Deviation: table 1 relates every member of an n-ary equivalence to the first; we relate them to the first named class,
so that a member that has no rule does not part the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise
from typing import TypeGuard

import ontologies.axioms as ax
import ontologies.expressions as ex
from ontologies.clauses import ClassTask, Clause, Task, property_atom
from ontologies.data_clauses import DataTask
from ontologies.vocabulary import NOTHING, THING
from reasoner.rules.rule import Atom, Builtin
from reasoner.rules.term import RDF_TYPE, SAME_AS, Term, Variable

X, Y, Z = (Variable(f"_{number}") for number in range(3))


def clauses_of(axiom: ax.Axiom) -> list[Clause]:
    """Return the clauses of an axiom; none for declarations, facts, annotations and rules."""
    match axiom:
        case ax.SubClassOf(sub, super_class):
            return [_inclusion(sub, super_class)]
        case ax.EquivalentClasses(classes):
            pivot = next((part for part in classes if isinstance(part, str)), classes[0])
            others = [part for part in classes if part != pivot]
            return [clause for part in others for clause in (_inclusion(pivot, part), _inclusion(part, pivot))]
        case ax.DisjointClasses(classes):
            return _disjoint(classes)
        case ax.DisjointUnion(name, classes):
            union = ex.ObjectUnionOf(classes)
            return [_inclusion(name, union), _inclusion(union, name), *_disjoint(classes)]
        case ax.HasKey(expression, objects, data):
            return [_key(expression, (*objects, *data))]
        case ax.ClassAssertion(expression, individual):
            if isinstance(expression, str) and expression != NOTHING:
                return []
            if expression == NOTHING:
                return [_clause(body=[Atom(individual, RDF_TYPE, NOTHING)])]
            return [_clause(todo=[ClassTask(True, expression, individual)])]
        case ax.DifferentIndividuals(individuals):
            return [_clause(body=[Atom(first, SAME_AS, second)]) for first, second in combinations(individuals, 2)]
        case ax.NegativeObjectPropertyAssertion(property, source, target):
            return [_clause(body=[property_atom(property, source, target)])]
        case ax.NegativeDataPropertyAssertion(property, source, target):
            return [_clause(body=[Atom(source, property, target)])]
    return _property_clauses(axiom)


def _property_clauses(axiom: ax.Axiom) -> list[Clause]:
    match axiom:
        case ax.SubObjectPropertyOf(ex.ObjectPropertyChain(steps), super_property):
            return [_chain(steps, super_property)]
        case ax.SubObjectPropertyOf(str() | ex.ObjectInverseOf() as sub, super_property):
            return [_sub_property(sub, super_property)]
        case ax.SubDataPropertyOf(sub, super_property):
            return [_sub_property(sub, super_property)]
        case ax.EquivalentObjectProperties(properties) | ax.EquivalentDataProperties(properties):
            pivot = properties[0]
            others = [part for part in properties if part != pivot]
            return [clause for part in others for clause in (_sub_property(part, pivot), _sub_property(pivot, part))]
        case ax.DisjointObjectProperties(properties) | ax.DisjointDataProperties(properties):
            return [
                _clause(body=[property_atom(first, X, Y), property_atom(second, X, Y)])
                for first, second in combinations(properties, 2)
            ]
        case ax.InverseObjectProperties(first, second):
            return [
                _clause(body=[property_atom(second, X, Y)], heads=[property_atom(first, Y, X)]),
                _clause(body=[property_atom(first, X, Y)], heads=[property_atom(second, Y, X)]),
            ]
        case ax.ObjectPropertyDomain(property, target) | ax.DataPropertyDomain(property, target):
            return [_clause(body=[property_atom(property, X, Y)], todo=[ClassTask(True, target, X)])]
        case ax.ObjectPropertyRange(property, target):
            return [_clause(body=[property_atom(property, X, Y)], todo=[ClassTask(True, target, Y)])]
        case ax.DataPropertyRange(property, target):
            return [_clause(body=[Atom(X, property, Y)], todo=[DataTask(True, target, Y)])]
        case ax.FunctionalDataProperty(property):
            # Literals are equal by value only, so that two values are a contradiction and not an equality.
            values = [Atom(X, property, Y), Atom(X, property, Z)]
            return [_clause(body=values, conditions=[Builtin("differentValue", (Y, Z))])]
        case ax.ObjectPropertyCharacteristic(property):
            return [_characteristic(axiom, property)]
    return []


def _characteristic(axiom: ax.Axiom, property: ex.ObjectPropertyExpression) -> Clause:
    match axiom:
        case ax.FunctionalObjectProperty():
            body = [property_atom(property, X, Y), property_atom(property, X, Z)]
            return _clause(body=body, heads=[Atom(Y, SAME_AS, Z)])
        case ax.InverseFunctionalObjectProperty():
            body = [property_atom(property, X, Y), property_atom(property, Z, Y)]
            return _clause(body=body, heads=[Atom(X, SAME_AS, Z)])
        case ax.SymmetricObjectProperty():
            return _clause(body=[property_atom(property, X, Y)], heads=[property_atom(property, Y, X)])
        case ax.TransitiveObjectProperty():
            return _chain((property, property), property)
        case ax.AsymmetricObjectProperty():
            return _clause(body=[property_atom(property, X, Y), property_atom(property, Y, X)])
        case ax.IrreflexiveObjectProperty():
            return _clause(body=[property_atom(property, X, X)])
        case ax.ReflexiveObjectProperty():
            return _inclusion(THING, ex.ObjectHasSelf(property))
    raise AssertionError(f"no clause for {type(axiom).__name__}")


def _clause(
    body: Iterable[Atom] = (),
    conditions: Iterable[Builtin] = (),
    heads: Iterable[Atom] = (),
    todo: Iterable[Task] = (),
) -> Clause:
    return Clause(tuple(dict.fromkeys(body)), tuple(conditions), tuple(heads), tuple(todo), variables=3)


def _inclusion(sub: ex.ClassExpression, super_class: ex.ClassExpression) -> Clause:
    if _is_plain(sub) and _is_plain(super_class):
        # Most axioms of most ontologies are of this form: they need no rewriting.
        return _clause([Atom(X, RDF_TYPE, sub)], heads=[Atom(X, RDF_TYPE, super_class)])
    return _clause(todo=[ClassTask(False, sub, X), ClassTask(True, super_class, X)])


def _is_plain(expression: ex.ClassExpression) -> TypeGuard[str]:
    return isinstance(expression, str) and expression not in (THING, NOTHING)


def _disjoint(classes: Iterable[ex.ClassExpression]) -> list[Clause]:
    return [
        _clause(todo=[ClassTask(False, first, X), ClassTask(False, second, X)])
        for first, second in combinations(classes, 2)
    ]


def _sub_property(sub: ex.ObjectPropertyExpression, super_property: ex.ObjectPropertyExpression) -> Clause:
    return _clause(body=[property_atom(sub, X, Y)], heads=[property_atom(super_property, X, Y)])


def _chain(steps: tuple[ex.ObjectPropertyExpression, ...], super_property: ex.ObjectPropertyExpression) -> Clause:
    nodes = [Variable(f"_{number}") for number in range(len(steps) + 1)]
    body = [property_atom(step, *ends) for step, ends in zip(steps, pairwise(nodes), strict=True)]
    return _clause(body=body, heads=[property_atom(super_property, nodes[0], nodes[-1])])


def _key(expression: ex.ClassExpression, properties: tuple[ex.ObjectPropertyExpression, ...]) -> Clause:
    values = [Variable(f"_k{number}") for number in range(len(properties))]
    atoms = [
        property_atom(property, term, value)
        for property, value in zip(properties, values, strict=True)
        for term in (X, Y)
    ]
    if _is_plain(expression):
        return _clause([*(Atom(term, RDF_TYPE, expression) for term in (X, Y)), *atoms], heads=[Atom(X, SAME_AS, Y)])
    members = [ClassTask(False, expression, term) for term in (X, Y)]
    return _clause(atoms, heads=[Atom(X, SAME_AS, Y)], todo=members)


def unbound(clause: Clause) -> list[Term]:
    """Return the variables that a head or a condition uses and that no body atom binds."""
    bound = {term for atom in clause.body for term in atom}
    heads = [term for head in clause.heads for term in (tuple(head) if isinstance(head, Atom) else (head.term,))]
    used = [*heads, *(term for condition in clause.conditions for term in condition.arguments)]
    return [term for term in dict.fromkeys(used) if isinstance(term, Variable) and term not in bound]
