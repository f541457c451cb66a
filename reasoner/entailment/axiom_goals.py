"""Show one axiom: what it says of anything is assumed of fresh terms, and what it denies is assumed and refuted.

Show that a term belongs to a class expression or to a data range, and that situations cannot be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TypeVar

import ontologies.axioms as ax
import ontologies.expressions as ex
from ontologies.expressions import ClassExpression, DataRange, ObjectPropertyExpression, SubObjectProperty
from ontologies.vocabulary import DIFFERENT_FROM, LITERAL, NOTHING, THING, TOP_PROPERTIES, lexical_form, owl, rdfs
from ontologies.write_functional import write_functional
from ontologies.write_rdf import ExpressionMapper
from reasoner.entailment.conclusion import EXISTENTIAL, Pattern, patterns_of
from reasoner.entailment.situation import (
    MENTIONS,
    MOST_SUCCESSORS,
    Assumptions,
    Situation,
    Situations,
    edge,
    value_space,
)
from reasoner.terms.datatypes import in_value_space, satisfies_facet
from reasoner.terms.hierarchy import SUPPORTED
from reasoner.terms.term import RDF_TYPE, SAME_AS, TextTriple, Variable

Goal = Callable[[Situation], bool]


@dataclass(frozen=True, slots=True)
class Shown:
    """Why an axiom holds: in words, and the situation with the triple that was derived in it, or that it cannot be."""

    reason: str
    situation: Situation | None = None
    triple: TextTriple | None = None


class AxiomGoals:
    """Shows axioms from one situation, which is where nothing but the premises is given."""

    def __init__(self, assumptions: Assumptions, membership: MembershipProver, base: Situation) -> None:
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


_ALWAYS = frozenset({THING, rdfs("Resource")})


class MembershipProver:
    """Answers by looking at what holds in a situation, and by assuming the opposite where that is not enough.

    Every yes is right for all that the fresh terms may stand for. A no means that the rules do not show it.
    """

    def __init__(
        self, situations: Situations, assumptions: Assumptions, expand: Callable[[Situation], list[Situation]] | None
    ) -> None:
        self._situations = situations
        self._assumptions = assumptions
        self._expand = expand

    def cases(self, situation: Situation) -> list[Situation]:
        """Return the ways in which a situation can be the case, as far as they are told apart."""
        return self._expand(situation) if self._expand else [situation]

    def impossible(self, situation: Situation) -> str:
        """Say why a situation cannot be; empty if nothing speaks against it."""
        reasons: list[str] = []
        for case in self.cases(situation):
            if not (reason := self._refuted(case)):
                return ""
            reasons.append(reason)
        return "; or ".join(dict.fromkeys(reasons)) or "there is no such case"

    def _refuted(self, situation: Situation) -> str:
        if clash := self._situations.clash(situation):
            return clash
        for expression, term in situation.excluded:
            if self.holds(expression, term, situation, assuming=False):
                from ontologies.write_functional import write_functional

                return f"{term} is assumed not to belong to {write_functional(expression)}, and does"
        return ""

    def all_impossible(self, situations: Iterable[Situation]) -> str:
        """Say why none of some situations can be; empty if one may be."""
        reasons: list[str] = []
        for situation in situations:
            if not (reason := self.impossible(situation)):
                return ""
            reasons.append(reason)
        return "; or ".join(dict.fromkeys(reasons)) or "there is no such case"

    def same(self, first: str, second: str, situation: Situation) -> bool:
        """Tell whether two terms are equal."""
        return first == second or self._situations.has(situation, first, SAME_AS, second)

    def different(self, first: str, second: str, situation: Situation) -> str:
        """Say why two terms cannot be equal; empty if they may be."""
        for pair in ((first, second), (second, first)):
            if self._situations.has(situation, pair[0], DIFFERENT_FROM, pair[1]):
                return f"{pair[0]} {DIFFERENT_FROM} {pair[1]}"
        return "" if first == second else self.impossible(self._assumptions.same(situation, first, second))

    def related(self, property: ObjectPropertyExpression, s: str, o: str, situation: Situation) -> bool:
        """Tell whether two terms are related."""
        triple = edge(property, s, o)
        if triple[1] in TOP_PROPERTIES or self._situations.has(situation, *triple):
            return True
        reflexive = (triple[1], RDF_TYPE, owl("ReflexiveProperty"))
        return self.same(s, o, situation) and self._situations.has(situation, *reflexive)

    def is_data_property(self, property: str, situation: Situation) -> bool:
        """Tell whether a property is known to take literals only."""
        return self._situations.has(situation, property, RDF_TYPE, owl("DatatypeProperty"))

    def successors(self, property: ObjectPropertyExpression, s: str, situation: Situation) -> list[str]:
        """Return the terms that a term is related to."""
        if isinstance(property, str):
            return self._situations.objects(situation, s, property)
        return self._situations.subjects(situation, property.property, s)

    def holds(self, expression: ClassExpression, term: str, situation: Situation, *, assuming: bool = True) -> bool:
        """Tell whether a term belongs to a class expression; ``assuming`` allows to assume the opposite."""
        if isinstance(expression, str):
            return self._named(expression, term, situation, assuming)
        if self.is_described(expression, term, situation):
            return True
        match expression:
            case ex.ObjectIntersectionOf(operands):
                return all(self.holds(operand, term, situation, assuming=assuming) for operand in operands)
            case ex.ObjectUnionOf(operands):
                if any(self.holds(operand, term, situation, assuming=assuming) for operand in operands):
                    return True
            case ex.ObjectOneOf(individuals):
                return any(self.same(term, individual, situation) for individual in individuals)
            case ex.ObjectHasValue(property, value) | ex.DataHasValue(property, value):
                return self.related(property, term, value, situation)
            case ex.ObjectHasSelf(property):
                return self.related(property, term, term, situation)
            case ex.ObjectSomeValuesFrom(property, filler):
                if property in TOP_PROPERTIES and self.holds(filler, term, situation, assuming=assuming):
                    return True
                found = self.successors(property, term, situation)
                return any(self.holds(filler, other, situation, assuming=assuming) for other in found)
            case ex.DataSomeValuesFrom((property,), data_range):
                found = self.successors(property, term, situation)
                return any(self.is_value_of(data_range, other, situation) for other in found)
        return assuming and self._by_assumption(expression, term, situation)

    def _by_assumption(self, expression: ClassExpression, term: str, situation: Situation) -> bool:
        match expression:
            case ex.ObjectComplementOf(operand):
                return bool(self.all_impossible(self._assumptions.belongs(operand, term, situation)))
            case ex.ObjectUnionOf():
                return bool(self.all_impossible(self._assumptions.excludes(expression, term, situation)))
            case ex.ObjectAllValuesFrom(property, filler):
                other, grown = self._assumptions.thing(situation)
                grown = self._assumptions.related(grown, property, term, other)
                return bool(self.impossible(grown)) or self.holds(filler, other, grown)
            case ex.DataAllValuesFrom((property,), data_range):
                value, grown = self._assumptions.value(situation)
                grown = self._assumptions.related(grown, property, term, value)
                return bool(self.impossible(grown)) or self.is_value_of(data_range, value, grown)
            case ex.ObjectMinCardinality(number, property, filler):
                found = self.successors(property, term, situation)
                return self._many(number, [o for o in found if number and self.holds(filler, o, situation)], situation)
            case ex.DataMinCardinality(number, property, data_range):
                found = self.successors(property, term, situation)
                return self._many(number, [o for o in found if self.is_value_of(data_range, o, situation)], situation)
            case ex.ObjectMaxCardinality(number, property, filler):
                return self._few(number, property, filler, term, situation)
            case ex.DataMaxCardinality(number, property, data_range):
                return self._few_values(number, property, data_range, term, situation)
            case ex.ObjectExactCardinality(number, property, filler):
                least = ex.ObjectMinCardinality(number, property, filler)
                return self.holds(least, term, situation) and self._few(number, property, filler, term, situation)
            case ex.DataExactCardinality(number, property, data_range):
                fewest = ex.DataMinCardinality(number, property, data_range)
                few = self._few_values(number, property, data_range, term, situation)
                return few and self.holds(fewest, term, situation)
        return False

    def is_value_of(self, data_range: DataRange, term: str, situation: Situation) -> bool:
        """Tell whether a term is a value of a data range, whatever value it is."""
        if data_range == LITERAL and term.startswith('"'):
            return True
        match data_range:
            case str():
                if term.startswith('"') and data_range[1:-1] in SUPPORTED:
                    return in_value_space(term, data_range[1:-1]) is True
                types = self._situations.types(situation, term)
                return data_range in types or value_space(types).is_within(data_range[1:-1])
            case ex.DataIntersectionOf(operands):
                return all(self.is_value_of(operand, term, situation) for operand in operands)
            case ex.DataUnionOf(operands):
                return any(self.is_value_of(operand, term, situation) for operand in operands)
            case ex.DataOneOf(literals):
                return any(self.same(term, literal, situation) for literal in literals)
            case ex.DataComplementOf(operand):
                return bool(self.impossible(self._assumptions.of_range(operand, term, situation)))
            case ex.DatatypeRestriction(datatype, facets):
                return self.is_value_of(datatype, term, situation) and all(
                    term.startswith('"') and satisfies_facet(term, facet.facet[1:-1], facet.value) is True
                    for facet in facets
                )
        return False

    def is_described(self, expression: ClassExpression, term: str, situation: Situation) -> bool:
        """Tell whether a term has a type that is written down in the way of an expression."""
        mapper = ExpressionMapper(frozenset(), EXISTENTIAL)
        node = mapper.node(expression)
        # What kind of node it is follows from its parts.
        parts = [triple for triple in mapper.triples if triple[1] != RDF_TYPE]
        return bool(self._situations.answers(situation, patterns_of([*parts, (term, RDF_TYPE, node)])))

    def _named(self, name: str, term: str, situation: Situation, assuming: bool) -> bool:
        if name in _ALWAYS or self._situations.has(situation, term, RDF_TYPE, name):
            return True
        if name[1:-1] in SUPPORTED:
            return self.is_value_of(name, term, situation)
        if not assuming or name == NOTHING:
            return False
        without = self._assumptions.excludes(name, term, situation)
        # Without a complement to belong to, a term outside a class is no more than a term not known to be in it.
        return any(case.assumed != situation.assumed for case in without) and bool(self.all_impossible(without))

    def _many(self, number: int, terms: Sequence[str], situation: Situation) -> bool:
        """Tell whether so many of some terms are different from one another."""
        if number <= 1 or len(terms) < number:
            return number == 0 or len(terms) >= number
        if number > MOST_SUCCESSORS or len(terms) > 2 * MOST_SUCCESSORS:
            return False
        apart = {
            (first, second) for first, second in combinations(terms, 2) if self.different(first, second, situation)
        }
        return any(apart.issuperset(combinations(chosen, 2)) for chosen in combinations(terms, number))

    def _few(
        self, number: int, property: ObjectPropertyExpression, filler: ClassExpression, term: str, situation: Situation
    ) -> bool:
        """Tell whether one successor more than so many cannot be, unless two of them are equal."""
        if self._said_to_have_few(number, property, term, situation):
            return True
        if number >= MOST_SUCCESSORS:
            return False
        others: list[str] = []
        for _ in range(number + 1):
            other, situation = self._assumptions.thing(situation)
            situation = self._assumptions.related(situation, property, term, other)
            others.append(other)
        cases = [situation]
        for other in others:
            cases = [after for case in cases for after in self._assumptions.belongs(filler, other, case)]
        return all(self.impossible(case) or self._some_equal(others, case) for case in cases)

    def _said_to_have_few(
        self, number: int, property: ObjectPropertyExpression, term: str, situation: Situation
    ) -> bool:
        """Tell whether a term belongs to a restriction of a property to so many successors, or to fewer."""
        if not isinstance(property, str):
            return False
        for name in ("maxCardinality", "cardinality"):
            patterns: list[Pattern] = [
                (term, RDF_TYPE, Variable("r")),
                (Variable("r"), owl("onProperty"), property),
                (Variable("r"), owl(name), Variable("n")),
            ]
            for (most,) in self._situations.answers(situation, patterns, [Variable("n")]):
                lexical = lexical_form(most).strip() if most.startswith('"') else ""
                if lexical.isdecimal() and int(lexical) <= number:
                    return True
        return False

    def _few_values(self, number: int, property: str, data_range: DataRange, term: str, situation: Situation) -> bool:
        if number >= MOST_SUCCESSORS:
            return False
        others: list[str] = []
        for _ in range(number + 1):
            other, situation = self._assumptions.value(situation)
            situation = self._assumptions.related(situation, property, term, other)
            situation = self._assumptions.of_range(data_range, other, situation)
            others.append(other)
        return bool(self.impossible(situation)) or self._some_equal(others, situation)

    def _some_equal(self, terms: Sequence[str], situation: Situation) -> bool:
        return any(self.same(first, second, situation) for first, second in combinations(terms, 2))
