"""Map axioms to triples, after the W3C's OWL 2 Mapping to RDF Graphs, section 2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import ontologies.axioms as ax
from ontologies.expressions import ObjectInverseOf
from ontologies.expressions_to_rdf import ExpressionMapper
from ontologies.swrl_to_rdf import map_rule
from ontologies.vocabulary import owl, rdfs
from reasoner.rules.term import RDF_TYPE, SAME_AS

_DECLARED = {
    "Class": owl("Class"),
    "Datatype": rdfs("Datatype"),
    "ObjectProperty": owl("ObjectProperty"),
    "DataProperty": owl("DatatypeProperty"),
    "AnnotationProperty": owl("AnnotationProperty"),
    "NamedIndividual": owl("NamedIndividual"),
}
_CHARACTERISTICS: dict[type[ax.Axiom], str] = {
    ax.FunctionalObjectProperty: owl("FunctionalProperty"),
    ax.FunctionalDataProperty: owl("FunctionalProperty"),
    ax.InverseFunctionalObjectProperty: owl("InverseFunctionalProperty"),
    ax.ReflexiveObjectProperty: owl("ReflexiveProperty"),
    ax.IrreflexiveObjectProperty: owl("IrreflexiveProperty"),
    ax.SymmetricObjectProperty: owl("SymmetricProperty"),
    ax.AsymmetricObjectProperty: owl("AsymmetricProperty"),
    ax.TransitiveObjectProperty: owl("TransitiveProperty"),
}


def triples_of(ontology: ax.Ontology, blank_prefix: str = "") -> tuple[ax.Triple, ...]:
    """Return the triples that an ontology's header, axioms and annotations map to; structures get fresh blank nodes."""
    used = {term for axiom in ontology.axioms for term in _blank_nodes(axiom)}
    mapper = _Mapper(ExpressionMapper(used, blank_prefix))
    remarks: dict[ax.Axiom, list[ax.Annotation]] = {}
    for item in ontology.axiom_annotations:
        remarks.setdefault(item.axiom, []).extend(item.annotations)
    mapper.header(ontology)
    for axiom in ontology.axioms:
        mapper.axiom(axiom, remarks.get(axiom, ()))
    # An expression that occurs twice is mapped twice, but a plain axiom said twice is one triple.
    return tuple(dict.fromkeys(mapper.triples))


def _blank_nodes(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        if part.startswith("_:"):
            yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from _blank_nodes(item)
    elif hasattr(part, "__dataclass_fields__"):
        for name in part.__dataclass_fields__:
            yield from _blank_nodes(getattr(part, name))


class _Mapper:
    def __init__(self, expressions: ExpressionMapper) -> None:
        self.expressions = expressions
        self.triples = expressions.triples

    def header(self, ontology: ax.Ontology) -> None:
        node = ontology.iri or self.expressions.fresh()
        self.triples.append((node, RDF_TYPE, owl("Ontology")))
        if ontology.version:
            self.triples.append((node, owl("versionIRI"), ontology.version))
        self.triples += [(node, owl("imports"), name) for name in ontology.imports]
        self.annotate_node(node, ontology.annotations)

    def axiom(self, axiom: ax.Axiom, annotations: Sequence[ax.Annotation]) -> None:
        """Map an axiom to its main triples, and each of them, if it is annotated, to its reification as well."""
        if isinstance(axiom, ax.DLSafeRule):
            self.annotate_node(map_rule(axiom, self.expressions), annotations)
            return
        if (node := self.node_axiom(axiom)) is not None:
            self.annotate_node(node, annotations)
            return
        for triple in self.main_triples(axiom):
            self.triples.append(triple)
            if annotations:
                self.reify(triple, owl("Axiom"), annotations)

    def annotate_node(self, node: str, annotations: Iterable[ax.Annotation]) -> None:
        for annotation in annotations:
            triple = (node, annotation.property, annotation.value)
            self.triples.append(triple)
            if annotation.annotations:
                self.reify(triple, owl("Annotation"), annotation.annotations)

    def reify(self, triple: ax.Triple, kind: str, annotations: Iterable[ax.Annotation]) -> None:
        node = self.expressions.fresh()
        source, predicate, target = triple
        self.triples += [
            (node, RDF_TYPE, kind),
            (node, owl("annotatedSource"), source),
            (node, owl("annotatedProperty"), predicate),
            (node, owl("annotatedTarget"), target),
        ]
        self.annotate_node(node, annotations)

    def node_axiom(self, axiom: ax.Axiom) -> str | None:
        """Map an axiom that is a blank node with parts; return that node, or None if the axiom is not of this kind."""
        match axiom:
            case ax.DisjointClasses(parts) if len(parts) != 2:
                return self.members("AllDisjointClasses", parts)
            case ax.DisjointObjectProperties(parts) if len(parts) != 2:
                return self.members("AllDisjointProperties", parts)
            case ax.DisjointDataProperties(parts) if len(parts) != 2:
                return self.members("AllDisjointProperties", parts)
            case ax.DifferentIndividuals(parts) if len(parts) != 2:
                return self.members("AllDifferent", parts)
            case ax.NegativeObjectPropertyAssertion(property, source, target):
                return self.negative(property, source, "targetIndividual", target)
            case ax.NegativeDataPropertyAssertion(property, source, target):
                return self.negative(property, source, "targetValue", target)
        return None

    def members(self, kind: str, parts: Iterable[Any]) -> str:
        node = self.expressions.fresh()
        self.triples += [
            (node, RDF_TYPE, owl(kind)),
            (node, owl("members"), self.expressions.list(self.expressions.node(part) for part in parts)),
        ]
        return node

    def negative(self, property: Any, source: str, target_name: str, target: str) -> str:
        node = self.expressions.fresh()
        self.triples += [
            (node, RDF_TYPE, owl("NegativePropertyAssertion")),
            (node, owl("sourceIndividual"), source),
            (node, owl("assertionProperty"), self.expressions.node(property)),
            (node, owl(target_name), target),
        ]
        return node

    def main_triples(self, axiom: ax.Axiom) -> list[ax.Triple]:
        node, items = self.expressions.node, self.expressions.list
        match axiom:
            case ax.Declaration(kind, entity):
                return [(entity, RDF_TYPE, _DECLARED[kind])]
            case ax.SubClassOf(sub, super_class):
                return [(node(sub), rdfs("subClassOf"), node(super_class))]
            case ax.EquivalentClasses(parts):
                return self.chain(parts, owl("equivalentClass"))
            case ax.DisjointClasses(parts):
                return self.chain(parts, owl("disjointWith"))
            case ax.DisjointUnion(name, parts):
                return [(name, owl("disjointUnionOf"), items(node(part) for part in parts))]
            case ax.SubObjectPropertyOf(ax_chain, super_property) if hasattr(ax_chain, "properties"):
                steps = items(node(step) for step in ax_chain.properties)
                return [(node(super_property), owl("propertyChainAxiom"), steps)]
            case ax.SubObjectPropertyOf(sub, super_property) | ax.SubDataPropertyOf(sub, super_property):
                return [(node(sub), rdfs("subPropertyOf"), node(super_property))]
            case ax.EquivalentObjectProperties(parts) | ax.EquivalentDataProperties(parts):
                return self.chain(parts, owl("equivalentProperty"))
            case ax.DisjointObjectProperties(parts) | ax.DisjointDataProperties(parts):
                return self.chain(parts, owl("propertyDisjointWith"))
            case ax.InverseObjectProperties(ObjectInverseOf(first), ObjectInverseOf(second)):
                return [(first, owl("inverseOf"), second)]
            case ax.InverseObjectProperties(ObjectInverseOf() as first, second):
                # A blank node with this property is an expression, so that the name has to come first.
                return [(node(second), owl("inverseOf"), node(first))]
            case ax.InverseObjectProperties(first, second):
                return [(node(first), owl("inverseOf"), node(second))]
            case ax.ObjectPropertyDomain(property, target) | ax.DataPropertyDomain(property, target):
                return [(node(property), rdfs("domain"), node(target))]
            case ax.ObjectPropertyRange(property, target) | ax.DataPropertyRange(property, target):
                return [(node(property), rdfs("range"), node(target))]
            case ax.ObjectPropertyCharacteristic(property) | ax.FunctionalDataProperty(property):
                return [(node(property), RDF_TYPE, _CHARACTERISTICS[type(axiom)])]
            case ax.DatatypeDefinition(datatype, data_range):
                return [(datatype, owl("equivalentClass"), node(data_range))]
            case ax.HasKey(expression, objects, data):
                return [(node(expression), owl("hasKey"), items(node(part) for part in (*objects, *data)))]
        return self.assertion(axiom)

    def assertion(self, axiom: ax.Axiom) -> list[ax.Triple]:
        node = self.expressions.node
        match axiom:
            case ax.SameIndividual(parts):
                return self.chain(parts, SAME_AS)
            case ax.DifferentIndividuals(parts):
                return self.chain(parts, owl("differentFrom"))
            case ax.ClassAssertion(expression, individual):
                return [(individual, RDF_TYPE, node(expression))]
            case ax.ObjectPropertyAssertion(property, source, target):
                if isinstance(property, str):
                    return [(source, property, target)]
                return [(target, property.property, source)]
            case ax.DataPropertyAssertion(property, source, target):
                return [(source, property, target)]
            case ax.AnnotationAssertion(property, subject, value):
                return [(subject, property, value)]
            case ax.SubAnnotationPropertyOf(sub, super_property):
                return [(sub, rdfs("subPropertyOf"), super_property)]
            case ax.AnnotationPropertyDomain(property, target):
                return [(property, rdfs("domain"), target)]
            case ax.AnnotationPropertyRange(property, target):
                return [(property, rdfs("range"), target)]
        raise AssertionError(f"no mapping for {type(axiom).__name__}")

    def chain(self, parts: Sequence[Any], predicate: str) -> list[ax.Triple]:
        nodes = [self.expressions.node(part) for part in parts]
        return [(first, predicate, second) for first, second in pairwise(nodes)]
