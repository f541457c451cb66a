"""Read class expressions, data ranges and property expressions out of blank nodes and OWL 1's named descriptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ontologies.expressions as ex
from loaders.errors import Nesting
from ontologies.axioms import Triple
from ontologies.rdf_graph import EntityKinds, RdfGraph
from ontologies.vocabulary import LITERAL, NOTHING, THING, lexical_form, owl, rdf, rdfs
from reasoner.terms.term import RDF_TYPE

Found = tuple[Any, list[Triple]]

_CLASS_TYPES = (owl("Class"), owl("Restriction"), rdfs("Class"))
_DATA_TYPES = (rdfs("Datatype"), owl("DataRange"), rdfs("Class"), owl("Class"))
_PROPERTY_TYPES = (owl("ObjectProperty"), rdf("Property"))
_BOOLEANS: dict[str, tuple[type[Any], type[Any]]] = {
    owl("intersectionOf"): (ex.ObjectIntersectionOf, ex.DataIntersectionOf),
    owl("unionOf"): (ex.ObjectUnionOf, ex.DataUnionOf),
}
_CARDINALITIES: tuple[tuple[str, type[Any], type[Any]], ...] = (
    (owl("minCardinality"), ex.ObjectMinCardinality, ex.DataMinCardinality),
    (owl("maxCardinality"), ex.ObjectMaxCardinality, ex.DataMaxCardinality),
    (owl("cardinality"), ex.ObjectExactCardinality, ex.DataExactCardinality),
    (owl("minQualifiedCardinality"), ex.ObjectMinCardinality, ex.DataMinCardinality),
    (owl("maxQualifiedCardinality"), ex.ObjectMaxCardinality, ex.DataMaxCardinality),
    (owl("qualifiedCardinality"), ex.ObjectExactCardinality, ex.DataExactCardinality),
)
DESCRIPTIONS = tuple(owl(name) for name in ("intersectionOf", "unionOf", "complementOf", "oneOf", "onProperty"))


class ExpressionReader:
    """Reads each node once. One that cannot be read, or that contains itself, is None and its triples stay unread."""

    def __init__(self, graph: RdfGraph, kinds: EntityKinds) -> None:
        self.graph = graph
        self.kinds = kinds
        self._memory: dict[tuple[str, str], Found | None] = {}
        self._nesting = Nesting("an expression of the ontology")

    def class_expression(self, node: str) -> ex.ClassExpression | None:
        """Return the class that a node names or describes."""
        if node.startswith("<"):
            return None if self.kinds.is_data_range(node) else node
        found: ex.ClassExpression | None = self._read("class", node, self._describe_class)
        return found

    def data_range(self, node: str) -> ex.DataRange | None:
        """Return the data range that a node names or describes."""
        return node if node.startswith("<") else self._read("data", node, self._describe_data_range)

    def object_property(self, node: str) -> ex.ObjectPropertyExpression | None:
        """Return the object property, or the inverse of one, that a node stands for."""
        return node if node.startswith("<") else self._read("property", node, self._describe_inverse)

    def described_class(self, node: str, predicate: str) -> ex.ClassExpression | None:
        """Return what one predicate describes an IRI as, in the manner of OWL 1, by triples on the IRI itself."""
        found = self._restriction(node) if predicate == owl("onProperty") else self._connective(node, predicate)
        if found is None:
            return None
        # The type owl:Class of an IRI is a declaration, which is read as such.
        self.graph.use([*found[1], *self.graph.types(node, owl("Restriction"))])
        expression: ex.ClassExpression = found[0]
        return expression

    def _read(self, sort: str, node: str, describe: Callable[[str], Found | None]) -> Any:
        if (sort, node) not in self._memory:
            self._memory[sort, node] = None
            with self._nesting:
                found = describe(node) if not node.startswith('"') else None
            self._memory[sort, node] = found
            if found:
                self.graph.use(found[1])
        known = self._memory[sort, node]
        return known[0] if known else None

    def _describe_inverse(self, node: str) -> Found | None:
        inverse = self.graph.only(node, owl("inverseOf"))
        if inverse is None or not inverse.startswith("<"):
            return None
        triples = [(node, owl("inverseOf"), inverse), *self.graph.types(node, *_PROPERTY_TYPES)]
        return ex.ObjectInverseOf(inverse), triples

    def _describe_class(self, node: str) -> Found | None:
        found = next(filter(None, (self._connective(node, name) for name in DESCRIPTIONS)), None)
        found = found or self._restriction(node)
        return (found[0], [*found[1], *self.graph.types(node, *_CLASS_TYPES)]) if found else None

    def _connective(self, node: str, predicate: str) -> Found | None:
        return self._boolean(node, predicate, is_data=False) or self._complement_or_one_of(node, predicate)

    def _boolean(self, node: str, predicate: str, *, is_data: bool) -> Found | None:
        constructors = _BOOLEANS.get(predicate)
        first = self.graph.only(node, predicate)
        if constructors is None or first is None:
            return None
        triples = [(node, predicate, first)]
        members = self.graph.list(first, triples)
        if members is None:
            return None
        read: Callable[[str], Any] = self.data_range if is_data else self.class_expression
        operands = tuple(read(member) for member in members)
        if None in operands:
            return None
        if len(operands) == 1:
            return operands[0], triples
        if not operands and not is_data:
            return (THING if predicate == owl("intersectionOf") else NOTHING), triples
        return constructors[is_data](operands), triples

    def _complement_or_one_of(self, node: str, predicate: str) -> Found | None:
        value = self.graph.only(node, predicate)
        if value is None:
            return None
        triples = [(node, predicate, value)]
        if predicate == owl("complementOf"):
            operand = self.class_expression(value)
            return (ex.ObjectComplementOf(operand), triples) if operand else None
        if predicate != owl("oneOf"):
            return None
        members = self.graph.list(value, triples)
        if members is None or any(member.startswith('"') for member in members):
            return None
        return ex.ObjectOneOf(tuple(members)) if members else NOTHING, triples

    def _restriction(self, node: str) -> Found | None:
        triples: list[Triple] = []
        properties = self._restricted_properties(node, triples)
        if not properties:
            return None
        for read in (self._values, self._has_value, self._has_self, self._cardinality):
            if found := read(node, properties):
                return found[0], [*triples, *found[1]]
        return None

    def _restricted_properties(self, node: str, triples: list[Triple]) -> tuple[str, ...]:
        if (property := self.graph.only(node, owl("onProperty"))) is not None:
            triples.append((node, owl("onProperty"), property))
            return (property,)
        if (first := self.graph.only(node, owl("onProperties"))) is not None:
            triples.append((node, owl("onProperties"), first))
            return tuple(self.graph.list(first, triples) or ())
        return ()

    def _values(self, node: str, properties: tuple[str, ...]) -> Found | None:
        for name, class_constructor, data_constructor in (
            ("someValuesFrom", ex.ObjectSomeValuesFrom, ex.DataSomeValuesFrom),
            ("allValuesFrom", ex.ObjectAllValuesFrom, ex.DataAllValuesFrom),
        ):
            if (filler_node := self.graph.only(node, owl(name))) is None:
                continue
            triples = [(node, owl(name), filler_node)]
            if len(properties) > 1 or self.kinds.is_data_range(filler_node):
                data_filler = self.data_range(filler_node)
                return (data_constructor(properties, data_filler), triples) if data_filler else None
            property, filler = self.object_property(properties[0]), self.class_expression(filler_node)
            return (class_constructor(property, filler), triples) if property and filler else None
        return None

    def _has_value(self, node: str, properties: tuple[str, ...]) -> Found | None:
        if (value := self.graph.only(node, owl("hasValue"))) is None:
            return None
        triples = [(node, owl("hasValue"), value)]
        if value.startswith('"'):
            return ex.DataHasValue(properties[0], value), triples
        property = self.object_property(properties[0])
        return (ex.ObjectHasValue(property, value), triples) if property else None

    def _has_self(self, node: str, properties: tuple[str, ...]) -> Found | None:
        value = self.graph.only(node, owl("hasSelf"))
        if value is None or not value.startswith('"') or lexical_form(value) not in ("true", "1"):
            return None
        property = self.object_property(properties[0])
        return (ex.ObjectHasSelf(property), [(node, owl("hasSelf"), value)]) if property else None

    def _cardinality(self, node: str, properties: tuple[str, ...]) -> Found | None:
        for predicate, class_constructor, data_constructor in _CARDINALITIES:
            number = _natural(self.graph.only(node, predicate))
            if number is None:
                continue
            triples = [(node, predicate, self.graph.values(node, predicate)[0])]
            on_class, on_range = (self.graph.only(node, owl(name)) for name in ("onClass", "onDataRange"))
            # Some writers put a data range where a class belongs.
            range_name = "onDataRange" if on_class is None else "onClass"
            if on_class is not None and self.kinds.is_data_range(on_class):
                on_range = on_class
            if on_range is not None or (on_class is None and self.kinds.is_data(properties[0])):
                data_filler = self.data_range(on_range) if on_range else LITERAL
                triples += [(node, owl(range_name), on_range)] if on_range else []
                return (data_constructor(number, properties[0], data_filler), triples) if data_filler else None
            property = self.object_property(properties[0])
            filler = self.class_expression(on_class) if on_class else THING
            triples += [(node, owl("onClass"), on_class)] if on_class else []
            return (class_constructor(number, property, filler), triples) if property and filler else None
        return None

    def _describe_data_range(self, node: str) -> Found | None:
        found = next(filter(None, (self._boolean(node, name, is_data=True) for name in _BOOLEANS)), None)
        found = found or self._data_complement_or_one_of(node) or self._facets(node)
        return found and (found[0], [*found[1], *self.graph.types(node, *_DATA_TYPES)])

    def _data_complement_or_one_of(self, node: str) -> Found | None:
        if (operand_node := self.graph.only(node, owl("datatypeComplementOf"))) is not None:
            operand = self.data_range(operand_node)
            triples = [(node, owl("datatypeComplementOf"), operand_node)]
            return (ex.DataComplementOf(operand), triples) if operand else None
        if (first := self.graph.only(node, owl("oneOf"))) is not None:
            triples = [(node, owl("oneOf"), first)]
            members = self.graph.list(first, triples)
            if members is not None and all(member.startswith('"') for member in members):
                return ex.DataOneOf(tuple(members)), triples
        return None

    def _facets(self, node: str) -> Found | None:
        datatype, first = (self.graph.only(node, owl(name)) for name in ("onDatatype", "withRestrictions"))
        if datatype is None or first is None:
            return None
        triples = [(node, owl("onDatatype"), datatype), (node, owl("withRestrictions"), first)]
        facets: list[ex.Facet] = []
        for cell in self.graph.list(first, triples) or ():
            parts = [
                (facet, value)
                for facet, values in self.graph.by_subject.get(cell, {}).items()
                for value in values
                if facet != RDF_TYPE and value.startswith('"')
            ]
            facets += [ex.Facet(facet, value) for facet, value in parts]
            triples += [(cell, facet, value) for facet, value in parts]
        return (ex.DatatypeRestriction(datatype, tuple(facets)), triples) if facets else None


def _natural(value: str | None) -> int | None:
    if value is None or not value.startswith('"'):
        return None
    lexical = lexical_form(value).strip()
    return int(lexical) if lexical.isdecimal() else None
