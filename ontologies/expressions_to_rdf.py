"""Map class expressions, data ranges and property expressions to blank nodes with triples."""

from __future__ import annotations

from collections.abc import Iterable, Set
from itertools import count
from typing import Any

import ontologies.expressions as ex
from ontologies.vocabulary import LITERAL, NIL, THING, literal, owl, rdf, rdfs
from reasoner.rules.term import RDF_TYPE, XSD

Triple = tuple[str, str, str]


class ExpressionMapper:
    """Appends to ``triples`` what expressions map to; its labels begin with ``blank_prefix``, none is in ``used``."""

    def __init__(self, used: Set[str], blank_prefix: str = "") -> None:
        self.triples: list[Triple] = []
        self._labels = (label for number in count(1) if (label := f"_:{blank_prefix}axiom{number}") not in used)

    def fresh(self) -> str:
        """Return a new blank node."""
        return next(self._labels)

    def list(self, nodes: Iterable[str]) -> str:
        """Add an RDF list and return its first node."""
        items = [*nodes]
        if not items:
            return NIL
        cells = [self.fresh() for _ in items]
        for cell, item, rest in zip(cells, items, [*cells[1:], NIL], strict=True):
            self.triples += [(cell, rdf("first"), item), (cell, rdf("rest"), rest)]
        return cells[0]

    def node(self, expression: Any) -> str:
        """Add the triples of an expression and return its node; a constant stands for itself."""
        if isinstance(expression, str):
            return expression
        node = self.fresh()
        # The node's own parts come first: nested expressions add their triples when they are asked for.
        parts = self._parts(expression)
        self.triples += [(node, predicate, value) for predicate, value in parts]
        return node

    def _parts(self, expression: Any) -> Iterable[tuple[str, str]]:
        match expression:
            case ex.ObjectInverseOf(property):
                return [(owl("inverseOf"), property)]
            case ex.ObjectIntersectionOf(operands):
                return self._boolean(owl("Class"), "intersectionOf", operands)
            case ex.ObjectUnionOf(operands):
                return self._boolean(owl("Class"), "unionOf", operands)
            case ex.ObjectComplementOf(operand):
                return [(RDF_TYPE, owl("Class")), (owl("complementOf"), self.node(operand))]
            case ex.ObjectOneOf(individuals):
                return self._boolean(owl("Class"), "oneOf", individuals)
            case ex.DataIntersectionOf(operands):
                return self._boolean(rdfs("Datatype"), "intersectionOf", operands)
            case ex.DataUnionOf(operands):
                return self._boolean(rdfs("Datatype"), "unionOf", operands)
            case ex.DataComplementOf(operand):
                return [(RDF_TYPE, rdfs("Datatype")), (owl("datatypeComplementOf"), self.node(operand))]
            case ex.DataOneOf(literals):
                return self._boolean(rdfs("Datatype"), "oneOf", literals)
            case ex.DatatypeRestriction(datatype, facets):
                return [
                    (RDF_TYPE, rdfs("Datatype")),
                    (owl("onDatatype"), datatype),
                    (owl("withRestrictions"), self.list(self._facet(facet) for facet in facets)),
                ]
        return [(RDF_TYPE, owl("Restriction")), *self._restriction(expression)]

    def _boolean(self, kind: str, name: str, operands: Iterable[Any]) -> Iterable[tuple[str, str]]:
        return [(RDF_TYPE, kind), (owl(name), self.list([self.node(operand) for operand in operands]))]

    def _facet(self, facet: ex.Facet) -> str:
        node = self.fresh()
        self.triples.append((node, facet.facet, facet.value))
        return node

    def _restriction(self, expression: Any) -> Iterable[tuple[str, str]]:
        match expression:
            case ex.ObjectSomeValuesFrom(property, filler):
                return [self._on(property), (owl("someValuesFrom"), self.node(filler))]
            case ex.ObjectAllValuesFrom(property, filler):
                return [self._on(property), (owl("allValuesFrom"), self.node(filler))]
            case ex.ObjectHasValue(property, value) | ex.DataHasValue(property, value):
                return [self._on(property), (owl("hasValue"), value)]
            case ex.ObjectHasSelf(property):
                return [self._on(property), (owl("hasSelf"), literal("true", XSD + "boolean"))]
            case ex.DataSomeValuesFrom(properties, filler):
                return [self._on_all(properties), (owl("someValuesFrom"), self.node(filler))]
            case ex.DataAllValuesFrom(properties, filler):
                return [self._on_all(properties), (owl("allValuesFrom"), self.node(filler))]
            case ex.ObjectMinCardinality() | ex.DataMinCardinality():
                return self._cardinality("minCardinality", "minQualifiedCardinality", expression)
            case ex.ObjectMaxCardinality() | ex.DataMaxCardinality():
                return self._cardinality("maxCardinality", "maxQualifiedCardinality", expression)
            case ex.ObjectExactCardinality() | ex.DataExactCardinality():
                return self._cardinality("cardinality", "qualifiedCardinality", expression)
        raise AssertionError(f"no mapping for {type(expression).__name__}")

    def _on(self, property: ex.ObjectPropertyExpression) -> tuple[str, str]:
        return owl("onProperty"), self.node(property)

    def _on_all(self, properties: tuple[str, ...]) -> tuple[str, str]:
        if len(properties) == 1:
            return self._on(properties[0])
        return owl("onProperties"), self.list(properties)

    def _cardinality(self, plain: str, qualified: str, expression: Any) -> Iterable[tuple[str, str]]:
        number = literal(str(expression.number), XSD + "nonNegativeInteger")
        if expression.filler in (THING, LITERAL):
            return [self._on(expression.property), (owl(plain), number)]
        kind = "onClass" if isinstance(expression, ex.OBJECT_CARDINALITIES) else "onDataRange"
        return [
            self._on(expression.property),
            (owl(qualified), number),
            (owl(kind), self.node(expression.filler)),
        ]
