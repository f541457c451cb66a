"""Show one axiom: what it says of anything is assumed of fresh terms, and what it denies is assumed and refuted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TypeVar

import ontologies.axioms as ax
import ontologies.expressions as ex
from ontologies.expressions import ClassExpression, DataRange, ObjectPropertyExpression, SubObjectProperty
from ontologies.vocabulary import LITERAL, THING
from ontologies.write_functional import write_functional
from reasoner.entailment.assumptions import Assumptions, edge
from reasoner.entailment.membership import Membership
from reasoner.entailment.situation import MENTIONS, Situation
from reasoner.literals.hierarchy import SUPPORTED
from reasoner.rules.term import RDF_TYPE, SAME_AS
from reasoner.violation import TextTriple

Goal = Callable[[Situation], bool]


@dataclass(frozen=True, slots=True)
class Shown:
    """Why an axiom holds: in words, and the situation with the triple that was derived in it, or that it cannot be."""

    reason: str
    situation: Situation | None = None
    triple: TextTriple | None = None


class AxiomGoals:
    """Shows axioms from one situation, which is where nothing but the premises is given."""

    def __init__(self, assumptions: Assumptions, membership: Membership, base: Situation) -> None:
        self._assumptions = assumptions
        self._membership = membership
        self._base = base

    def show(self, axiom: ax.Axiom) -> Shown | None:
        """Return why an axiom holds in all models of the premises, or None if that is not shown."""
        match axiom:
            case ax.SubClassOf(sub, super_class):
                return self._sub_class(sub, super_class)
            case ax.EquivalentClasses(classes):
                return _both(self._sub_class(*pair) for pair in _ways(classes))
            case ax.DisjointClasses(classes):
                return _both(self._disjoint(*pair) for pair in combinations(classes, 2))
            case ax.DisjointUnion(name, classes):
                union = ex.ObjectUnionOf(classes)
                halves = (self._sub_class(*pair) for pair in ((name, union), (union, name)))
                return _both([*halves, *(self._disjoint(*pair) for pair in combinations(classes, 2))])
            case ax.DatatypeDefinition(datatype, data_range):
                return _both([self._sub_range(datatype, data_range), self._sub_range(data_range, datatype)])
            case ax.HasKey(expression, objects, data):
                return self._key(expression, (*objects, *data))
        return self._property_axiom(axiom) or self._assertion(axiom)

    def _property_axiom(self, axiom: ax.Axiom) -> Shown | None:
        match axiom:
            case ax.SubObjectPropertyOf(sub, over) | ax.SubDataPropertyOf(sub, over):
                return self._sub_property(sub, over)
            case ax.SubAnnotationPropertyOf(sub, over):
                return self._sub_property(sub, over)
            case ax.EquivalentObjectProperties(properties) | ax.EquivalentDataProperties(properties):
                return _both(self._sub_property(*pair) for pair in _ways(properties))
            case ax.DisjointObjectProperties(properties) | ax.DisjointDataProperties(properties):
                pairs = combinations(properties, 2)
                return _both(self._refuted([(pair[0], 0, 1), (pair[1], 0, 1)]) for pair in pairs)
            case ax.InverseObjectProperties(first, second):
                halves = ((first, second), (second, first))
                return _both(self._implied([(one, 0, 1)], (other, 1, 0)) for one, other in halves)
            case ax.ObjectPropertyDomain(property, expression) | ax.DataPropertyDomain(property, expression):
                return self._typed([(property, 0, 1)], 0, expression)
            case ax.AnnotationPropertyDomain(property, expression):
                return self._typed([(property, 0, 1)], 0, expression)
            case ax.ObjectPropertyRange(property, expression) | ax.AnnotationPropertyRange(property, expression):
                return self._typed([(property, 0, 1)], 1, expression)
            case ax.DataPropertyRange(property, data_range):
                return self._ranged(property, data_range)
            case ax.FunctionalObjectProperty(property) | ax.FunctionalDataProperty(property):
                return self._equal([(property, 0, 1), (property, 0, 2)], 1, 2)
            case ax.InverseFunctionalObjectProperty(property):
                return self._equal([(property, 0, 2), (property, 1, 2)], 0, 1)
            case ax.ReflexiveObjectProperty(property):
                return self._implied([], (property, 0, 0))
            case ax.IrreflexiveObjectProperty(property):
                return self._refuted([(property, 0, 0)])
            case ax.SymmetricObjectProperty(property):
                return self._implied([(property, 0, 1)], (property, 1, 0))
            case ax.AsymmetricObjectProperty(property):
                return self._refuted([(property, 0, 1), (property, 1, 0)])
            case ax.TransitiveObjectProperty(property):
                return self._implied([(property, 0, 1), (property, 1, 2)], (property, 0, 2))
        return None

    def _assertion(self, axiom: ax.Axiom) -> Shown | None:
        base, membership = self._base, self._membership
        match axiom:
            case ax.ClassAssertion(expression, individual):
                triple = (individual, RDF_TYPE, expression) if isinstance(expression, str) else None
                return self._everywhere(lambda case: membership.holds(expression, individual, case), triple)
            case ax.ObjectPropertyAssertion() | ax.DataPropertyAssertion():
                ends = axiom.property, axiom.source, axiom.target
                return self._everywhere(lambda case: membership.related(*ends, case), edge(*ends))
            case ax.NegativeObjectPropertyAssertion(property, source, target) | ax.NegativeDataPropertyAssertion(
                property, source, target
            ):
                assumed = self._assumptions.related(base, property, source, target)
                if reason := membership.impossible(assumed):
                    return Shown(f"otherwise {reason}", assumed)
            case ax.SameIndividual(individuals):
                pairs = list(pairwise(individuals))
                triple = (individuals[0], SAME_AS, individuals[-1])
                return self._everywhere(lambda case: all(membership.same(*pair, case) for pair in pairs), triple)
            case ax.DifferentIndividuals(individuals):
                return _both(self._different(*pair) for pair in combinations(individuals, 2))
        return None

    def _everywhere(self, goal: Goal, triple: TextTriple | None) -> Shown | None:
        """Show what is said of known individuals."""
        cases = self._membership.cases(self._base)
        if not all(self._membership.impossible(case) or goal(case) for case in cases):
            return None
        if len(cases) == 1:
            return Shown("it holds by the rules", cases[0], triple)
        return Shown(f"it holds in each of the {len(cases)} cases that there are")

    def _different(self, first: str, second: str) -> Shown | None:
        reason = self._membership.different(first, second, self._base)
        if not reason:
            return None
        return Shown(f"if {first} and {second} were equal: {reason}", self._assumptions.same(self._base, first, second))

    def _sub_class(self, sub: ClassExpression, super_class: ClassExpression) -> Shown | None:
        if isinstance(sub, str) and sub[1:-1] in SUPPORTED:
            return self._sub_range(sub, super_class) if isinstance(super_class, str) else None
        term, situation = self._assumptions.thing(self._base)
        triple = (term, RDF_TYPE, super_class) if isinstance(super_class, str) else None
        cases = self._assumptions.belongs(sub, term, situation)
        return self._in_all(cases, lambda case: self._membership.holds(super_class, term, case), triple, super_class)

    def _sub_range(self, sub: DataRange, super_range: DataRange) -> Shown | None:
        value, situation = self._assumptions.value(self._base)
        if isinstance(sub, ex.DataOneOf):
            cases = [self._assumptions.same(situation, value, literal) for literal in sub.literals]
        else:
            cases = [self._assumptions.of_range(sub, value, situation)]
        return self._in_all(
            cases, lambda case: self._membership.is_value_of(super_range, value, case), None, super_range
        )

    def _disjoint(self, first: ClassExpression, second: ClassExpression) -> Shown | None:
        term, situation = self._assumptions.thing(self._base)
        both = ex.ObjectIntersectionOf((first, second))
        cases = self._assumptions.belongs(both, term, situation)
        reason = self._membership.all_impossible(cases)
        return Shown(f"nothing can be in both: {reason}", cases[0] if cases else None) if reason else None

    def _key(self, expression: ClassExpression, properties: Sequence[ObjectPropertyExpression]) -> Shown | None:
        first, situation = self._assumptions.thing(self._base)
        second, situation = self._assumptions.thing(situation)
        for property in properties:
            value, situation = self._assumptions.value(situation)
            situation = self._assumptions.related(situation, property, first, value)
            situation = self._assumptions.related(situation, property, second, value)
        cases = self._assumptions.belongs(expression, first, situation)
        cases = [after for case in cases for after in self._assumptions.belongs(expression, second, case)]
        triple = (first, SAME_AS, second)
        return self._in_all(cases, lambda case: self._membership.same(first, second, case), triple, expression)

    def _sub_property(self, sub: SubObjectProperty, over: ObjectPropertyExpression) -> Shown | None:
        steps = sub.properties if isinstance(sub, ex.ObjectPropertyChain) else (sub,)
        edges = [(step, place, place + 1) for place, step in enumerate(steps)]
        return self._implied(edges, (over, 0, len(steps)))

    def _implied(self, given: Edges, wanted: Edge) -> Shown | None:
        """Show that fresh terms which are related in one way are related in another."""
        terms, situation = self._terms(given, wanted)
        property, s, o = wanted
        triple = edge(property, terms[s], terms[o])
        goal: Goal = lambda case: self._membership.related(property, terms[s], terms[o], case)  # noqa: E731
        return self._in_all([situation], goal, triple, property)

    def _equal(self, given: Edges, first: int, second: int) -> Shown | None:
        terms, situation = self._terms(given)
        triple = (terms[first], SAME_AS, terms[second])
        goal: Goal = lambda case: self._membership.same(terms[first], terms[second], case)  # noqa: E731
        return self._in_all([situation], goal, triple, given[0][0])

    def _refuted(self, given: Edges) -> Shown | None:
        _, situation = self._terms(given)
        reason = self._membership.impossible(situation)
        return Shown(f"otherwise {reason}", situation) if reason else None

    def _typed(self, given: Edges, place: int, expression: ClassExpression) -> Shown | None:
        terms, situation = self._terms(given)
        triple = (terms[place], RDF_TYPE, expression) if isinstance(expression, str) else None
        goal: Goal = lambda case: self._membership.holds(expression, terms[place], case)  # noqa: E731
        return self._in_all([situation], goal, triple, expression)

    def _ranged(self, property: str, data_range: DataRange) -> Shown | None:
        if data_range == LITERAL and self._membership.is_data_property(property, self._base):
            return Shown("the values of a data property are literals")
        terms, situation = self._terms([(property, 0, 1)])
        return self._in_all(
            [situation], lambda case: self._membership.is_value_of(data_range, terms[1], case), None, data_range
        )

    def _terms(self, given: Edges, wanted: Edge | None = None) -> tuple[list[str], Situation]:
        """Return fresh terms, one for each place, and the situation in which they are related as given.

        The first of all is an individual; those that only ever come second may be data values.
        """
        situation = self._base
        places = 1 + max(place for part in (*given, *([wanted] if wanted else [])) for place in part[1:])
        sources = {place for property, s, o in given for place in ((s,) if isinstance(property, str) else (s, o))} | {0}
        terms: list[str] = []
        for place in range(places):
            make = self._assumptions.thing if place in sources else self._assumptions.value
            term, situation = make(situation)
            terms.append(term)
        for property, s, o in given:
            situation = self._assumptions.related(situation, property, terms[s], terms[o])
        return terms, situation

    def _in_all(self, cases: Sequence[Situation], goal: Goal, triple: TextTriple | None, what: object) -> Shown | None:
        """Show a goal in every case that can be."""
        reasons: list[str] = []
        cases = [case for given in cases for case in self._membership.cases(given)]
        for case in cases:
            if reason := self._membership.impossible(case):
                reasons.append(f"there is none such, for otherwise {reason}")
            elif goal(case):
                then = " ".join(triple) if triple else f"membership in {write_functional(what)}"
                reasons.append(f"{_told(case.assumed)} gives {then}")
            else:
                return None
        if not cases:
            return Shown("there is no such case")
        plain = len(cases) == 1 and not self._membership.impossible(cases[0])
        return Shown("; ".join(dict.fromkeys(reasons)), cases[0], triple if plain else None)


Part = TypeVar("Part")
Edge = tuple[ObjectPropertyExpression, int, int]
Edges = Sequence[Edge]


def _ways(parts: Sequence[Part]) -> Iterable[tuple[Part, Part]]:
    """Yield the parts of an equivalence two by two, in both directions."""
    for first, second in pairwise(parts):
        yield first, second
        yield second, first


def _both(parts: Iterable[Shown | None]) -> Shown | None:
    """Put together what has to be shown in pieces; the first piece that is missing ends it."""
    found: list[Shown] = []
    for part in parts:
        if part is None:
            return None
        found.append(part)
    reasons = dict.fromkeys(part.reason for part in found)
    first = found[0] if found else Shown("it says nothing")
    return Shown("; ".join(reasons) or first.reason, first.situation, first.triple if len(found) == 1 else None)


def _told(assumed: Iterable[TextTriple]) -> str:
    facts = [" ".join(triple) for triple in assumed if triple[1] != MENTIONS and triple[2] != THING]
    return f"assuming {', '.join(facts)}" if facts else "what is known"
