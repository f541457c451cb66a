"""Read axioms out of triples: the W3C's OWL 2 Mapping to RDF Graphs, section 3, tolerant of OWL 1 and of omissions.

    1  header        the ontology's name, version, imports and annotations
    2  kinds         object, data and annotation properties; classes and datatypes
    3  expressions   every blank node that describes a class, a data range or an inverse property
    4  annotations   reified axioms and annotations, set aside until the axioms are known
    5  rules         SWRL
    6  axioms        triple by triple, in the order of the document
Whatever triple none of these accounts for is ``unread``.

Read reified axioms and annotations: the remarks that a document makes about its axioms.

Read the axioms that are blank nodes with parts: disjointness and difference of many, and negative assertions.

Read SWRL rules out of triples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import ontologies.axioms as ax
from loaders.errors import nesting_refused
from ontologies.axioms import Annotation, Axiom, AxiomAnnotation, Triple
from ontologies.expressions import ObjectPropertyChain
from ontologies.rdf_graph import EntityKinds, RdfGraph
from ontologies.read_rdf_expressions import DESCRIPTIONS, ExpressionReader
from ontologies.vocabulary import NOTHING, THING, is_reserved, literal, owl, rdf, rdfs, swrl
from reasoner.terms.term import RDF_TYPE, SAME_AS, XSD, Variable

_PARTS = (owl("annotatedSource"), owl("annotatedProperty"), owl("annotatedTarget"))


class AnnotationReader:
    """Finds remarks about triples and about nodes that stand for axioms; ``attach`` ties them to the axioms."""

    def __init__(self, graph: RdfGraph) -> None:
        self._graph = graph
        self._about_triple: dict[Triple, list[str]] = {}
        self._about_axiom: list[AxiomAnnotation] = []
        for kind in (owl("Axiom"), owl("Annotation")):
            for node in graph.instances(kind):
                if (triple := self._subject_of(node)) is not None:
                    self._about_triple.setdefault(triple, []).append(node)

    def annotation(self, node: str, property: str, value: str) -> Annotation:
        """Read the remark that one triple makes, with the remarks about that triple."""
        nested = [
            part for about in self._about_triple.get((node, property, value), ()) for part in self._remarks(about)
        ]
        return Annotation(property, value, tuple(nested))

    def set_aside(self) -> None:
        """Account for the triples of all reifications of triples that the document has."""
        graph = self._graph
        known = set(graph.triples)
        for triple, nodes in self._about_triple.items():
            if triple not in known:
                continue
            for node in nodes:
                graph.use((node, p, value) for p, values in graph.by_subject[node].items() for value in values)

    def about_node(self, node: str, own: frozenset[str]) -> tuple[Annotation, ...]:
        """Read the remarks on a node that stands for an axiom; ``own`` are the axiom's own predicates."""
        if not node.startswith("_:"):
            # What a document says of an IRI are assertions about that IRI.
            return ()
        rest = [
            (node, p, value)
            for p, values in self._graph.by_subject[node].items()
            for value in values
            if p not in own and p != RDF_TYPE
        ]
        self._graph.use(rest)
        return tuple(self.annotation(*triple) for triple in rest)

    def note(self, axiom: Axiom, annotations: tuple[Annotation, ...]) -> None:
        """Tie remarks to an axiom."""
        if annotations:
            self._about_axiom.append(AxiomAnnotation(axiom, annotations))

    def attach(self, origins: Mapping[Triple, Axiom]) -> tuple[AxiomAnnotation, ...]:
        """Return all remarks about axioms, given the axiom that each triple became."""
        for triple, nodes in self._about_triple.items():
            if (axiom := origins.get(triple)) is not None:
                self.note(axiom, tuple(part for node in nodes for part in self._remarks(node)))
        return tuple(self._about_axiom)

    def _subject_of(self, node: str) -> Triple | None:
        source, property, target = (self._graph.only(node, part) for part in _PARTS)
        return (source, property, target) if source and property and target else None

    def _remarks(self, node: str) -> list[Annotation]:
        return [
            self.annotation(node, p, value)
            for p, values in self._graph.by_subject[node].items()
            for value in values
            if p not in _PARTS and p != RDF_TYPE
        ]


_MEMBERS = (owl("members"), owl("distinctMembers"))
_NEGATIVE = tuple(owl(name) for name in ("sourceIndividual", "assertionProperty", "targetIndividual", "targetValue"))
_OWN = frozenset({*_MEMBERS, *_NEGATIVE})
_KINDS = tuple(
    owl(name) for name in ("AllDisjointClasses", "AllDisjointProperties", "AllDifferent", "NegativePropertyAssertion")
)


class NodeAxiomReader:
    """Reads such nodes ahead of all other triples; ``untyped`` are the axioms whose node lacks its type.

    ``read`` gives out the others when their type comes up.
    """

    def __init__(self, graph: RdfGraph, kinds: EntityKinds, expressions: ExpressionReader) -> None:
        self._graph = graph
        self._kinds = kinds
        self._expressions = expressions
        self._axioms: dict[str, ax.Axiom] = {}
        self.untyped: list[ax.Axiom] = []

    def set_aside(self, annotations: AnnotationReader) -> None:
        """Read all such nodes with their annotations, before their triples can be taken for assertions."""
        negative = [node for node, _ in self._graph.by_predicate.get(owl("assertionProperty"), ())]
        for kind in _KINDS:
            # A negative assertion says what it is by its parts, even if its type is missing.
            nodes = [*self._graph.instances(kind), *(negative if kind == _KINDS[-1] else ())]
            for node in dict.fromkeys(nodes):
                triples: list[ax.Triple] = []
                axiom = self._negative(node, triples) if kind == _KINDS[-1] else self._members(kind, node, triples)
                if axiom is not None:
                    self._graph.use(triples)
                    self._axioms[node] = axiom
                    if not self._graph.has_type(node, kind):
                        self.untyped.append(axiom)
                    annotations.note(axiom, annotations.about_node(node, _OWN))

    def read(self, node: str, kind: str) -> ax.Axiom | None:
        """Return the axiom that a node of one of these types stands for."""
        return self._axioms.get(node) if kind in _KINDS else None

    def _members(self, kind: str, node: str, triples: list[ax.Triple]) -> ax.Axiom | None:
        members: list[str] = []
        for predicate in _MEMBERS:
            for first in self._graph.values(node, predicate):
                found = self._graph.list(first, triples)
                if found is None:
                    return None
                triples.append((node, predicate, first))
                members += found
        if not any(predicate in self._graph.by_subject[node] for predicate in _MEMBERS):
            return None
        if kind == owl("AllDifferent"):
            return ax.DifferentIndividuals(tuple(members))
        if kind == owl("AllDisjointClasses"):
            classes: list[Any] = [self._expressions.class_expression(member) for member in members]
            return ax.DisjointClasses(tuple(classes)) if None not in classes else None
        if any(self._kinds.is_data(member) for member in members):
            return ax.DisjointDataProperties(tuple(members))
        properties: list[Any] = [self._expressions.object_property(member) for member in members]
        return ax.DisjointObjectProperties(tuple(properties)) if None not in properties else None

    def _negative(self, node: str, triples: list[ax.Triple]) -> ax.Axiom | None:
        source, property, individual, value = (self._graph.only(node, name) for name in _NEGATIVE)
        if source is None or property is None or (individual is None) == (value is None):
            return None
        parts = (source, property, individual, value)
        triples += [(node, name, part) for name, part in zip(_NEGATIVE, parts, strict=True) if part is not None]
        if value is not None:
            return ax.NegativeDataPropertyAssertion(property, source, value)
        expression = self._expressions.object_property(property)
        if expression is None or individual is None:
            return None
        return ax.NegativeObjectPropertyAssertion(expression, source, individual)


_IMP, _BODY, _HEAD = swrl("Imp"), swrl("body"), swrl("head")
_FIRST, _SECOND, _PROPERTY = swrl("argument1"), swrl("argument2"), swrl("propertyPredicate")
_ATOM_KINDS = (
    *("ClassAtom", "DataRangeAtom", "IndividualPropertyAtom", "DatavaluedPropertyAtom"),
    *("SameIndividualAtom", "DifferentIndividualsAtom", "BuiltinAtom"),
)


def read_swrl(
    graph: RdfGraph, kinds: EntityKinds, expressions: ExpressionReader, annotations: AnnotationReader
) -> list[ax.DLSafeRule]:
    """Read the rules of a graph and account for their triples; a rule with a part that cannot be read stays unread."""
    reader = _SwrlReader(graph, kinds, expressions)
    rules: list[ax.DLSafeRule] = []
    for node in graph.instances(_IMP):
        triples: list[ax.Triple] = [(node, RDF_TYPE, _IMP)]
        body, head = reader.atoms(node, _BODY, triples), reader.atoms(node, _HEAD, triples)
        if body is None or head is None:
            continue
        graph.use(triples)
        rule = ax.DLSafeRule(body, head)
        rules.append(rule)
        annotations.note(rule, annotations.about_node(node, frozenset({_BODY, _HEAD})))
    return rules


class _SwrlReader:
    def __init__(self, graph: RdfGraph, kinds: EntityKinds, expressions: ExpressionReader) -> None:
        self.graph = graph
        self.kinds = kinds
        self.expressions = expressions

    def atoms(self, rule: str, part: str, triples: list[ax.Triple]) -> tuple[ax.RuleAtom, ...] | None:
        if (first := self.graph.only(rule, part)) is None:
            return None
        triples.append((rule, part, first))
        nodes = self.graph.list(first, triples)
        if nodes is None:
            return None
        atoms: list[Any] = [self.atom(node, triples) for node in nodes]
        return tuple(atoms) if None not in atoms else None

    def atom(self, node: str, triples: list[ax.Triple]) -> ax.RuleAtom | None:
        kind = next((name for name in _ATOM_KINDS if self.graph.has_type(node, swrl(name))), None)
        if kind is None:
            return None
        triples.append((node, RDF_TYPE, swrl(kind)))
        if kind == "BuiltinAtom":
            return self.builtin(node, triples)
        first, second = self.term(node, _FIRST, triples), self.term(node, _SECOND, triples)
        if first is None:
            return None
        if kind in ("ClassAtom", "DataRangeAtom"):
            return self.unary(kind, node, first, triples)
        if second is None:
            return None
        if kind == "SameIndividualAtom":
            return ax.SameIndividualAtom(first, second)
        if kind == "DifferentIndividualsAtom":
            return ax.DifferentIndividualsAtom(first, second)
        if (property := self.part(node, _PROPERTY, triples)) is None:
            return None
        if kind == "DatavaluedPropertyAtom":
            return ax.DataPropertyAtom(property, first, second)
        expression = self.expressions.object_property(property)
        return ax.ObjectPropertyAtom(expression, first, second) if expression else None

    def unary(self, kind: str, node: str, argument: ax.RuleTerm, triples: list[ax.Triple]) -> ax.RuleAtom | None:
        if kind == "ClassAtom":
            described = self.part(node, swrl("classPredicate"), triples)
            expression = described and self.expressions.class_expression(described)
            return ax.ClassAtom(expression, argument) if expression else None
        described = self.part(node, swrl("dataRange"), triples)
        data_range = described and self.expressions.data_range(described)
        return ax.DataRangeAtom(data_range, argument) if data_range else None

    def builtin(self, node: str, triples: list[ax.Triple]) -> ax.RuleAtom | None:
        name, first = self.part(node, swrl("builtin"), triples), self.part(node, swrl("arguments"), triples)
        arguments = self.graph.list(first, triples) if first else None
        if name is None or arguments is None:
            return None
        return ax.BuiltInAtom(name, tuple(self.variable(argument) for argument in arguments))

    def term(self, node: str, predicate: str, triples: list[ax.Triple]) -> ax.RuleTerm | None:
        value = self.part(node, predicate, triples)
        return None if value is None else self.variable(value)

    def variable(self, value: str) -> ax.RuleTerm:
        if not self.graph.has_type(value, swrl("Variable")):
            return value
        return Variable(value.removeprefix("_:").strip("<>"))

    def part(self, node: str, predicate: str, triples: list[ax.Triple]) -> str | None:
        value = self.graph.only(node, predicate)
        if value is not None:
            triples.append((node, predicate, value))
        return value


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
