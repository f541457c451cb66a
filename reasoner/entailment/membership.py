"""Show that a term belongs to a class expression or to a data range, and that situations cannot be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import ontologies.expressions as ex
from ontologies.expressions import ClassExpression, DataRange, ObjectPropertyExpression
from ontologies.expressions_to_rdf import ExpressionMapper
from ontologies.vocabulary import DIFFERENT_FROM, LITERAL, NOTHING, THING, TOP_PROPERTIES, lexical_form, owl, rdfs
from reasoner.entailment.assumptions import MOST_SUCCESSORS, Assumptions, edge
from reasoner.entailment.existential import EXISTENTIAL, Pattern, patterns_of
from reasoner.entailment.situation import Situation, Situations
from reasoner.entailment.value_space import value_space
from reasoner.literals.datatypes import in_value_space, satisfies_facet
from reasoner.literals.hierarchy import SUPPORTED
from reasoner.rules.term import RDF_TYPE, SAME_AS, Variable

_ALWAYS = frozenset({THING, rdfs("Resource")})


class Membership:
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
