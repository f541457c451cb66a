"""Read axioms out of triples: the W3C's OWL 2 Mapping to RDF Graphs, section 3, tolerant of OWL 1 and of omissions.

    1  header        the ontology's name, version, imports and annotations
    2  kinds         object, data and annotation properties; classes and datatypes
    3  expressions   every blank node that describes a class, a data range or an inverse property
    4  annotations   reified axioms and annotations, set aside until the axioms are known
    5  rules         SWRL
    6  axioms        triple by triple, in the order of the document
Whatever triple none of these accounts for is ``unread``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import ontologies.axioms as ax
from loaders.errors import nesting_refused
from ontologies.entity_kinds import EntityKinds
from ontologies.expressions import ObjectPropertyChain
from ontologies.rdf_graph import RdfGraph
from ontologies.read_rdf_annotations import AnnotationReader
from ontologies.read_rdf_expressions import DESCRIPTIONS, ExpressionReader
from ontologies.read_rdf_nodes import NodeAxiomReader
from ontologies.read_rdf_swrl import read_swrl
from ontologies.vocabulary import NOTHING, THING, is_reserved, literal, owl, rdf, rdfs, swrl
from reasoner.rules.term import RDF_TYPE, SAME_AS, XSD

_DECLARATIONS = {
    owl("Class"): "Class",
    rdfs("Class"): "Class",
    rdfs("Datatype"): "Datatype",
    owl("DataRange"): "Datatype",
    owl("ObjectProperty"): "ObjectProperty",
    owl("DatatypeProperty"): "DataProperty",
    owl("AnnotationProperty"): "AnnotationProperty",
    owl("OntologyProperty"): "AnnotationProperty",
    owl("NamedIndividual"): "NamedIndividual",
}
_CHARACTERISTICS: dict[str, type[ax.ObjectPropertyCharacteristic]] = {
    owl("InverseFunctionalProperty"): ax.InverseFunctionalObjectProperty,
    owl("ReflexiveProperty"): ax.ReflexiveObjectProperty,
    owl("IrreflexiveProperty"): ax.IrreflexiveObjectProperty,
    owl("SymmetricProperty"): ax.SymmetricObjectProperty,
    owl("AsymmetricProperty"): ax.AsymmetricObjectProperty,
    owl("TransitiveProperty"): ax.TransitiveObjectProperty,
}
# Types that say nothing beyond what the other triples of their subject say.
_SILENT_TYPES = frozenset({rdf("Property"), rdfs("Resource"), swrl("Variable"), swrl("Builtin"), owl("Ontology")})
_DEPRECATED = frozenset({owl("DeprecatedClass"), owl("DeprecatedProperty")})

Read = Callable[[str, str], Sequence[ax.Axiom] | None]


@nesting_refused("an expression of the ontology")
def ontology_of_triples(triples: Iterable[ax.Triple]) -> ax.Ontology:
    """Read an ontology out of its triples; what fits no axiom is in ``unread``, and nothing is dropped.

    >>> part = ("<urn:part>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>",
    ...         "<http://www.w3.org/2002/07/owl#TransitiveProperty>")
    >>> ontology_of_triples([part]).axioms
    (TransitiveObjectProperty(property='<urn:part>'),)
    """
    return _RdfReader(RdfGraph(triples)).read()


class _RdfReader:
    def __init__(self, graph: RdfGraph) -> None:
        self.graph = graph
        self.kinds = EntityKinds(graph)  # 2
        self.expressions = ExpressionReader(graph, self.kinds)
        self.annotations = AnnotationReader(graph)
        self.nodes = NodeAxiomReader(graph, self.kinds, self.expressions)
        self.readers: dict[str, Read] = {
            RDF_TYPE: self.type,
            rdfs("subClassOf"): self.sub_class,
            owl("equivalentClass"): self.equivalent_class,
            owl("disjointWith"): self.disjoint_class,
            owl("disjointUnionOf"): self.disjoint_union,
            owl("hasKey"): self.key,
            rdfs("subPropertyOf"): self.sub_property,
            owl("equivalentProperty"): self.equivalent_property,
            owl("propertyDisjointWith"): self.disjoint_property,
            owl("inverseOf"): self.inverse,
            owl("propertyChainAxiom"): self.chain,
            rdfs("domain"): self.domain,
            rdfs("range"): self.range,
            SAME_AS: lambda s, o: [ax.SameIndividual((s, o))] if not o.startswith('"') else None,
            owl("differentFrom"): lambda s, o: [ax.DifferentIndividuals((s, o))] if not o.startswith('"') else None,
            **{name: partial(self.described, name) for name in DESCRIPTIONS},
        }

    def read(self) -> ax.Ontology:
        graph = self.graph
        iri, version, imports, remarks = self.header()  # 1
        for node in graph.by_subject:  # 3
            if node.startswith("_:"):
                self.blank_expression(node)
        self.annotations.set_aside()  # 4
        self.nodes.set_aside(self.annotations)
        rules = read_swrl(graph, self.kinds, self.expressions, self.annotations)  # 5
        axioms: list[ax.Axiom] = []
        origins: dict[ax.Triple, ax.Axiom] = {}
        for triple in graph.triples:  # 6
            if triple not in graph.used and (found := self.triple(*triple)) is not None:
                graph.use([triple])
                axioms += found
                if found:
                    origins[triple] = found[0]
        return ax.Ontology(
            axioms=(*dict.fromkeys([*axioms, *self.nodes.untyped, *rules]),),
            triples=graph.triples,
            iri=iri,
            version=version,
            imports=imports,
            unread=graph.unread,
            annotations=remarks,
            axiom_annotations=self.annotations.attach(origins),
        )

    def header(self) -> tuple[str | None, str | None, tuple[str, ...], tuple[ax.Annotation, ...]]:
        graph = self.graph
        imported = {value for _, value in graph.by_predicate.get(owl("imports"), ())}
        importing = [node for node, _ in graph.by_predicate.get(owl("imports"), ())]
        nodes = list(dict.fromkeys([*graph.instances(owl("Ontology")), *importing]))
        main = next((node for node in nodes if node not in imported), None)
        imports: list[str] = []
        remarks: list[ax.Annotation] = []
        for node in nodes:
            graph.use([(node, RDF_TYPE, owl("Ontology"))])
            for predicate, values in graph.by_subject[node].items():
                triples = [(node, predicate, value) for value in values]
                if predicate == owl("imports"):
                    imports += values
                    graph.use(triples)
                elif predicate == owl("versionIRI"):
                    graph.use(triples)
                elif predicate in self.kinds.annotation_properties and node == main:
                    remarks += [self.annotations.annotation(*triple) for triple in triples]
                    graph.use(triples)
        version = graph.only(main, owl("versionIRI")) if main else None
        return main if main and main.startswith("<") else None, version, tuple(imports), tuple(remarks)

    def blank_expression(self, node: str) -> None:
        """Read a blank node as an expression, so that its triples are accounted for even if no axiom refers to it."""
        if self.kinds.is_data_range(node):
            self.expressions.data_range(node)
        elif any(name in self.graph.by_subject[node] for name in (*DESCRIPTIONS, owl("onProperties"))):
            self.expressions.class_expression(node)
        elif owl("inverseOf") in self.graph.by_subject[node]:
            self.expressions.object_property(node)

    def triple(self, s: str, p: str, o: str) -> Sequence[ax.Axiom] | None:
        if (reader := self.readers.get(p)) is not None:
            return reader(s, o)
        if p in self.kinds.annotation_properties and self.kinds.is_annotation(p):
            return [ax.AnnotationAssertion(p, s, o)]
        if is_reserved(p) and p not in self.kinds.object_properties | self.kinds.data_properties:
            return None
        return [ax.DataPropertyAssertion(p, s, o) if o.startswith('"') else ax.ObjectPropertyAssertion(p, s, o)]

    def type(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        if o in _DECLARATIONS:
            return [ax.Declaration(_DECLARATIONS[o], s)] if s.startswith("<") else None
        if o in _CHARACTERISTICS:
            property = self.expressions.object_property(s)
            return [_CHARACTERISTICS[o](property)] if property else None
        if o == owl("FunctionalProperty"):
            return self.functional(s)
        if o in _SILENT_TYPES:
            return []
        if o in _DEPRECATED:
            return [ax.AnnotationAssertion(owl("deprecated"), s, literal("true", XSD + "boolean"))]
        if (axiom := self.nodes.read(s, o)) is not None:
            return [axiom]
        if is_reserved(o) and o not in (THING, NOTHING):
            return None
        expression = self.expressions.class_expression(o)
        return [ax.ClassAssertion(expression, s)] if expression else None

    def functional(self, s: str) -> Sequence[ax.Axiom] | None:
        if self.kinds.is_data(s):
            return [ax.FunctionalDataProperty(s)]
        property = self.expressions.object_property(s)
        if property is None:
            return None
        both = s in self.kinds.data_properties
        return [ax.FunctionalObjectProperty(property), *([ax.FunctionalDataProperty(s)] if both else [])]

    def described(self, predicate: str, s: str, _o: str) -> Sequence[ax.Axiom] | None:
        """Read OWL 1's ``A owl:unionOf (...)`` about an IRI as an equivalence."""
        if not s.startswith("<"):
            return None
        expression = self.expressions.described_class(s, predicate)
        return [ax.EquivalentClasses((s, expression))] if expression else None

    def sub_class(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        sub, super_class = self.expressions.class_expression(s), self.expressions.class_expression(o)
        return [ax.SubClassOf(sub, super_class)] if sub and super_class else None

    def equivalent_class(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        if self.kinds.is_data_range(o) or self.kinds.is_data_range(s):
            name, node = (s, o) if s.startswith("<") else (o, s)
            data_range = self.expressions.data_range(node)
            return [ax.DatatypeDefinition(name, data_range)] if data_range and name.startswith("<") else None
        first, second = self.expressions.class_expression(s), self.expressions.class_expression(o)
        return [ax.EquivalentClasses((first, second))] if first and second else None

    def disjoint_class(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        first, second = self.expressions.class_expression(s), self.expressions.class_expression(o)
        return [ax.DisjointClasses((first, second))] if first and second else None

    def disjoint_union(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        triples: list[ax.Triple] = []
        members = self.graph.list(o, triples)
        classes = [self.expressions.class_expression(member) for member in members or ()]
        known = tuple(part for part in classes if part)
        if members is None or len(known) < len(classes) or not s.startswith("<"):
            return None
        self.graph.use(triples)
        return [ax.DisjointUnion(s, known)]

    def key(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        triples: list[ax.Triple] = []
        members, expression = self.graph.list(o, triples), self.expressions.class_expression(s)
        if not members or expression is None:
            return None
        data = tuple(member for member in members if self.kinds.is_data(member))
        objects = [self.expressions.object_property(member) for member in members if member not in data]
        known = tuple(part for part in objects if part)
        if len(known) < len(objects):
            return None
        self.graph.use(triples)
        return [ax.HasKey(expression, known, data)]

    def sub_property(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        if self.kinds.is_annotation(s) and self.kinds.is_annotation(o):
            return [ax.SubAnnotationPropertyOf(s, o)]
        if self.kinds.is_data(s) or self.kinds.is_data(o):
            return [ax.SubDataPropertyOf(s, o)] if not o.startswith("_:") else None
        sub, super_property = self.expressions.object_property(s), self.expressions.object_property(o)
        return [ax.SubObjectPropertyOf(sub, super_property)] if sub and super_property else None

    def equivalent_property(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        if self.kinds.is_data(s) or self.kinds.is_data(o):
            return [ax.EquivalentDataProperties((s, o))]
        first, second = self.expressions.object_property(s), self.expressions.object_property(o)
        return [ax.EquivalentObjectProperties((first, second))] if first and second else None

    def disjoint_property(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        if self.kinds.is_data(s) or self.kinds.is_data(o):
            return [ax.DisjointDataProperties((s, o))]
        first, second = self.expressions.object_property(s), self.expressions.object_property(o)
        return [ax.DisjointObjectProperties((first, second))] if first and second else None

    def inverse(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        if not s.startswith("<"):
            return None
        second = self.expressions.object_property(o)
        return [ax.InverseObjectProperties(s, second)] if second else None

    def chain(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        triples: list[ax.Triple] = []
        members, super_property = self.graph.list(o, triples), self.expressions.object_property(s)
        steps = [self.expressions.object_property(member) for member in members or ()]
        known = tuple(step for step in steps if step)
        if super_property is None or not known or len(known) < len(steps):
            return None
        self.graph.use(triples)
        return [ax.SubObjectPropertyOf(ObjectPropertyChain(known), super_property)]

    def domain(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        if self.kinds.is_annotation(s) and o.startswith("<"):
            return [ax.AnnotationPropertyDomain(s, o)]
        expression, property = self.expressions.class_expression(o), self.expressions.object_property(s)
        if expression is None or property is None:
            return None
        return [
            ax.DataPropertyDomain(s, expression)
            if self.kinds.is_data(s)
            else ax.ObjectPropertyDomain(property, expression)
        ]

    def range(self, s: str, o: str) -> Sequence[ax.Axiom] | None:
        if self.kinds.is_annotation(s) and o.startswith("<"):
            return [ax.AnnotationPropertyRange(s, o)]
        if self.kinds.is_data_range(o) or (self.kinds.is_data(s) and self.kinds.is_undeclared(o)):
            data_range = self.expressions.data_range(o)
            return [ax.DataPropertyRange(s, data_range)] if data_range and s.startswith("<") else None
        expression, property = self.expressions.class_expression(o), self.expressions.object_property(s)
        if expression is None or property is None or self.kinds.is_data(s):
            return None
        return [ax.ObjectPropertyRange(property, expression)]
