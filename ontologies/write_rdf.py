"""Map axioms to triples, after the W3C's OWL 2 Mapping to RDF Graphs, section 2.

Map class expressions, data ranges and property expressions to blank nodes with triples.

Map SWRL rules to triples, in the vocabulary of the SWRL submission.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import count, pairwise
from typing import Any

import ontologies.axioms as ax
import ontologies.expressions as ex
from ontologies.expressions import ObjectInverseOf
from ontologies.vocabulary import LITERAL, NIL, THING, literal, owl, rdf, rdfs, swrl
from reasoner.terms.term import RDF_TYPE, SAME_AS, XSD, Variable

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


def map_rule(rule: ax.DLSafeRule, expressions: ExpressionMapper) -> str:
    """Add the triples of a rule and return its node."""
    node = expressions.fresh()
    variables = {
        part: None for atom in (*rule.body, *rule.head) for part in _arguments(atom) if isinstance(part, Variable)
    }
    expressions.triples += [(_term(variable), RDF_TYPE, swrl("Variable")) for variable in variables]
    body = _atom_list([_atom(atom, expressions) for atom in rule.body], expressions)
    head = _atom_list([_atom(atom, expressions) for atom in rule.head], expressions)
    expressions.triples += [(node, RDF_TYPE, swrl("Imp")), (node, swrl("body"), body), (node, swrl("head"), head)]
    return node


def _arguments(atom: ax.RuleAtom) -> tuple[ax.RuleTerm, ...]:
    match atom:
        case ax.ClassAtom(_, argument) | ax.DataRangeAtom(_, argument):
            return (argument,)
        case ax.BuiltInAtom(_, arguments):
            return arguments
    return (atom.first, atom.second)


def _term(term: ax.RuleTerm) -> str:
    if not isinstance(term, Variable):
        return term
    return f"<{term.name}>" if ":" in term.name else f"<urn:swrl:var#{term.name}>"


def _atom_list(atoms: list[str], expressions: ExpressionMapper) -> str:
    if not atoms:
        return NIL
    cells = [expressions.fresh() for _ in atoms]
    for cell, atom, rest in zip(cells, atoms, [*cells[1:], NIL], strict=True):
        expressions.triples += [
            (cell, RDF_TYPE, swrl("AtomList")),
            (cell, rdf("first"), atom),
            (cell, rdf("rest"), rest),
        ]
    return cells[0]


def _atom(atom: ax.RuleAtom, expressions: ExpressionMapper) -> str:
    node = expressions.fresh()
    match atom:
        case ax.ClassAtom(expression, argument):
            kind, parts = "ClassAtom", {"classPredicate": expressions.node(expression), "argument1": _term(argument)}
        case ax.DataRangeAtom(data_range, argument):
            kind, parts = "DataRangeAtom", {"dataRange": expressions.node(data_range), "argument1": _term(argument)}
        case ax.ObjectPropertyAtom(property, first, second):
            kind = "IndividualPropertyAtom"
            parts = {"propertyPredicate": expressions.node(property), **_pair(first, second)}
        case ax.DataPropertyAtom(property, first, second):
            kind, parts = "DatavaluedPropertyAtom", {"propertyPredicate": property, **_pair(first, second)}
        case ax.SameIndividualAtom(first, second):
            kind, parts = "SameIndividualAtom", _pair(first, second)
        case ax.DifferentIndividualsAtom(first, second):
            kind, parts = "DifferentIndividualsAtom", _pair(first, second)
        case ax.BuiltInAtom(name, arguments):
            kind = "BuiltinAtom"
            parts = {"builtin": name, "arguments": expressions.list(_term(part) for part in arguments)}
    expressions.triples.append((node, RDF_TYPE, swrl(kind)))
    expressions.triples += [(node, swrl(name), value) for name, value in parts.items()]
    return node


def _pair(first: ax.RuleTerm, second: ax.RuleTerm) -> dict[str, str]:
    return {"argument1": _term(first), "argument2": _term(second)}


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
