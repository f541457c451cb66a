"""Assume that a term belongs to a class expression, or that it does not: one situation for each way this can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import ontologies.expressions as ex
from ontologies.expressions import ClassExpression, DataRange, ObjectPropertyExpression
from ontologies.expressions_to_rdf import ExpressionMapper
from ontologies.vocabulary import BOTTOM_PROPERTIES, DIFFERENT_FROM, LITERAL, NOTHING, THING, TOP_PROPERTIES, owl
from reasoner.entailment.situation import MENTIONS, Situation, Situations
from reasoner.rules.term import RDF_TYPE, SAME_AS
from reasoner.violation import TextTriple

# More successors than these are not written out one by one.
MOST_SUCCESSORS = 12

Assume = Callable[[Situation], list[Situation]]


class Assumptions:
    """Turns expressions into facts about fresh terms, which stand for anything that there may be.

    A union or an enumeration splits a situation into cases. What no fact can say becomes axioms of the situation, and
    what only its negation could tell is ``excluded``.
    """

    def __init__(self, situations: Situations) -> None:
        self._situations = situations

    def thing(self, situation: Situation) -> tuple[str, Situation]:
        """Return a fresh individual, and the situation in which it exists."""
        term = self._situations.fresh()
        return term, self._situations.assume(situation, [(term, RDF_TYPE, THING)], fresh=[term])

    def value(self, situation: Situation) -> tuple[str, Situation]:
        """Return a fresh term that may stand for a data value."""
        term = self._situations.fresh()
        return term, self._situations.assume(situation, [(term, MENTIONS, term)], fresh=[term])

    def related(self, situation: Situation, property: ObjectPropertyExpression, s: str, o: str) -> Situation:
        """Assume that two terms are related."""
        triple = edge(property, s, o)
        if triple[1] in TOP_PROPERTIES:
            return situation
        contradiction = f"{triple[1]} relates nothing" if triple[1] in BOTTOM_PROPERTIES else ""
        return self._situations.assume(situation, [triple], contradiction=contradiction)

    def same(self, situation: Situation, first: str, second: str) -> Situation:
        """Assume that two terms are equal."""
        return self._situations.assume(situation, [(first, SAME_AS, second)] if first != second else [])

    def belongs(self, expression: ClassExpression, term: str, situation: Situation) -> list[Situation]:
        """Assume that a term belongs to a class expression."""
        assume = self._situations.assume
        match expression:
            case str() if expression == NOTHING:
                return [assume(situation, [], contradiction=f"nothing belongs to {NOTHING}")]
            case str():
                return [assume(situation, [(term, RDF_TYPE, expression)])]
            case ex.ObjectIntersectionOf(operands):
                return _all(situation, [self._step(operand, term) for operand in operands])
            case ex.ObjectUnionOf(operands):
                return [case for operand in operands for case in self.belongs(operand, term, situation)]
            case ex.ObjectComplementOf(operand):
                return self.excludes(operand, term, situation)
            case ex.ObjectOneOf(individuals):
                return [self.same(situation, term, individual) for individual in individuals]
            case ex.ObjectHasValue(property, value) | ex.DataHasValue(property, value):
                return [self.related(situation, property, term, value)]
            case ex.ObjectHasSelf(property):
                return [self.related(situation, property, term, term)]
            case ex.ObjectSomeValuesFrom(property, filler):
                return self.successors(1, property, filler, term, situation)
            case ex.DataSomeValuesFrom((property,), data_range):
                return self.values(1, property, data_range, term, situation)
            case ex.ObjectMinCardinality(number, property, filler):
                return self.successors(number, property, filler, term, situation)
            case ex.DataMinCardinality(number, property, data_range):
                return self.values(number, property, data_range, term, situation)
            case ex.ObjectExactCardinality(number, property, filler):
                at_most = self.described(ex.ObjectMaxCardinality(number, property, filler), term, situation)
                return self.successors(number, property, filler, term, at_most)
            case ex.DataExactCardinality(number, property, data_range):
                at_most = self.described(ex.DataMaxCardinality(number, property, data_range), term, situation)
                return self.values(number, property, data_range, term, at_most)
        return [self.described(expression, term, situation)]

    def excludes(self, expression: ClassExpression, term: str, situation: Situation) -> list[Situation]:
        """Assume that a term does not belong to a class expression."""
        match expression:
            case str() if expression == NOTHING:
                return [situation]
            case str() if expression == THING:
                return self.belongs(NOTHING, term, situation)
            case str():
                complements = self._complements(expression, situation)
                facts = [(term, RDF_TYPE, complement) for complement in complements]
                return [self._situations.assume(situation, facts, excluded=[(expression, term)])]
            case ex.ObjectComplementOf(operand):
                return self.belongs(operand, term, situation)
            case ex.ObjectIntersectionOf(operands):
                return [case for operand in operands for case in self.excludes(operand, term, situation)]
            case ex.ObjectUnionOf(operands):
                return _all(situation, [self._excluding(operand, term) for operand in operands])
            case ex.ObjectAllValuesFrom(property, filler):
                return self.successors(1, property, ex.ObjectComplementOf(filler), term, situation)
            case ex.ObjectMaxCardinality(number, property, filler):
                return self.successors(number + 1, property, filler, term, situation)
            case ex.DataMaxCardinality(number, property, data_range):
                return self.values(number + 1, property, data_range, term, situation)
            case ex.ObjectMinCardinality(0) | ex.DataMinCardinality(0):
                return self.belongs(NOTHING, term, situation)
            case ex.ObjectSomeValuesFrom(property, filler) | ex.ObjectMinCardinality(1, property, filler):
                excluded = ex.ObjectSomeValuesFrom(property, filler)
                only = ex.ObjectAllValuesFrom(property, complement_of(filler))
                known = self._situations.assume(situation, [], excluded=[(excluded, term)])
                return [self.described(only, term, known)] if isinstance(filler, str) and filler != THING else [known]
        return [self._situations.assume(situation, [], excluded=[(expression, term)])]

    def of_range(self, data_range: DataRange, term: str, situation: Situation) -> Situation:
        """Assume that a term is a value of a data range."""
        if data_range == LITERAL:
            return situation
        if isinstance(data_range, str):
            return self._situations.assume(situation, [(term, RDF_TYPE, data_range)])
        return self.described(data_range, term, situation)

    def successors(
        self, number: int, property: ObjectPropertyExpression, filler: ClassExpression, term: str, situation: Situation
    ) -> list[Situation]:
        """Assume so many different successors of a term in a class; of a great many, that there is one."""
        found: list[str] = []
        cases = [situation]
        for _ in range(number if number <= MOST_SUCCESSORS else 1):
            fresh = self._situations.fresh()
            found.append(fresh)
            cases = [self._situations.assume(case, [(fresh, RDF_TYPE, THING)], fresh=[fresh]) for case in cases]
            cases = [self.related(case, property, term, fresh) for case in cases]
            cases = [after for case in cases for after in self.belongs(filler, fresh, case)]
            if not cases:
                return []
        return [self._apart(found, case) for case in cases]

    def values(
        self, number: int, property: str, data_range: DataRange, term: str, situation: Situation
    ) -> list[Situation]:
        """Assume so many different values of a data property."""
        found: list[str] = []
        for _ in range(number if number <= MOST_SUCCESSORS else 1):
            fresh, situation = self.value(situation)
            situation = self.related(situation, property, term, fresh)
            situation = self.of_range(data_range, fresh, situation)
            found.append(fresh)
        return [self._apart(found, situation)]

    def described(self, expression: ClassExpression | DataRange, term: str, situation: Situation) -> Situation:
        """Assume membership in an expression by its own axioms."""
        mapper = ExpressionMapper(frozenset(), self._situations.fresh()[2:])
        node = mapper.node(expression)
        return self._situations.assume(situation, [*mapper.triples, (term, RDF_TYPE, node)])

    def _apart(self, terms: Sequence[str], situation: Situation) -> Situation:
        facts: list[TextTriple] = [(first, DIFFERENT_FROM, second) for first, second in combinations(terms, 2)]
        return self._situations.assume(situation, facts)

    def _complements(self, name: str, situation: Situation) -> list[str]:
        situations, complement = self._situations, owl("complementOf")
        return [
            *situations.subjects(situation, complement, name),
            *situations.objects(situation, name, complement),
        ]

    def _step(self, expression: ClassExpression, term: str) -> Assume:
        return lambda situation: self.belongs(expression, term, situation)

    def _excluding(self, expression: ClassExpression, term: str) -> Assume:
        return lambda situation: self.excludes(expression, term, situation)


def edge(property: ObjectPropertyExpression, s: str, o: str) -> TextTriple:
    """Return the triple that relates two terms by a property or by the inverse of one."""
    return (s, property, o) if isinstance(property, str) else (o, property.property, s)


def complement_of(expression: ClassExpression) -> ClassExpression:
    """Return the complement of a class, without doubling it."""
    return expression.operand if isinstance(expression, ex.ObjectComplementOf) else ex.ObjectComplementOf(expression)


def _all(situation: Situation, steps: Iterable[Assume]) -> list[Situation]:
    cases = [situation]
    for step in steps:
        cases = [after for case in cases for after in step(case)]
    return cases
