"""Tell object from data from annotation properties, and classes from datatypes, by declaration or else by use."""

from __future__ import annotations

from ontologies.rdf_graph import RdfGraph
from ontologies.vocabulary import (
    ANNOTATION_PROPERTIES,
    BOTTOM_DATA_PROPERTY,
    BOTTOM_OBJECT_PROPERTY,
    DATATYPE_MAP,
    OTHER_DATATYPES,
    TOP_DATA_PROPERTY,
    TOP_OBJECT_PROPERTY,
    is_reserved,
    owl,
    rdfs,
)
from reasoner.rules.term import RDF_TYPE, XSD

# OWL 1 let these types stand for a declaration.
_OBJECT_TYPES = tuple(
    owl(name)
    for name in (
        *("ObjectProperty", "InverseFunctionalProperty", "TransitiveProperty", "SymmetricProperty"),
        *("AsymmetricProperty", "ReflexiveProperty", "IrreflexiveProperty"),
    )
)
_DATA_DESCRIPTIONS = (owl("onDatatype"), owl("datatypeComplementOf"))
_CONNECTIVES = (owl("unionOf"), owl("intersectionOf"), owl("oneOf"))
_DATA_TYPES = (rdfs("Datatype"), owl("DataRange"))
_FILLERS = (owl("someValuesFrom"), owl("allValuesFrom"), owl("hasValue"))
_SAME_KIND = (rdfs("subPropertyOf"), owl("equivalentProperty"), owl("propertyDisjointWith"))


class EntityKinds:
    """What the properties and the class-like nodes of a graph are; undeclared properties are guessed."""

    def __init__(self, graph: RdfGraph) -> None:
        self._graph = graph
        self.object_properties = {TOP_OBJECT_PROPERTY, BOTTOM_OBJECT_PROPERTY, *self._declared(*_OBJECT_TYPES)}
        self.data_properties = {TOP_DATA_PROPERTY, BOTTOM_DATA_PROPERTY, *self._declared(owl("DatatypeProperty"))}
        self.annotation_properties = {
            *ANNOTATION_PROPERTIES,
            *self._declared(owl("AnnotationProperty"), owl("OntologyProperty")),
        }
        self._datatypes = self._declared(rdfs("Datatype")) - self._declared(owl("Class"))
        self._guess()

    def is_data_range(self, node: str, depth: int = 0) -> bool:
        """Tell whether a node is a datatype or describes a data range."""
        if node.startswith("<"):
            return node in DATATYPE_MAP or node in OTHER_DATATYPES or node in self._datatypes
        graph = self._graph
        if graph.has_type(node, *_DATA_TYPES) or any(graph.values(node, name) for name in _DATA_DESCRIPTIONS):
            return True
        if graph.has_type(node, owl("Class"), owl("Restriction")) or depth > 20:
            return False
        for name in _CONNECTIVES:
            for first in graph.values(node, name):
                members = graph.list(first, []) or []
                if members and name == owl("oneOf"):
                    return members[0].startswith('"')
                return any(self.is_data_range(member, depth + 1) for member in members)
        return False

    def is_undeclared(self, node: str) -> bool:
        """Tell whether an IRI has no type at all."""
        return node.startswith("<") and not self._graph.values(node, RDF_TYPE)

    def is_data(self, property: str) -> bool:
        """Tell whether a property is a data property and nothing else."""
        return property in self.data_properties and property not in self.object_properties

    def is_annotation(self, property: str) -> bool:
        """Tell whether a property is an annotation property and nothing else."""
        return (
            property in self.annotation_properties
            and property not in self.object_properties
            and property not in self.data_properties
        )

    def _declared(self, *kinds: str) -> set[str]:
        wanted = frozenset(kinds)
        return {subject for subject, kind in self._graph.by_predicate.get(RDF_TYPE, ()) if kind in wanted}

    def _guess(self) -> None:
        known = self.object_properties | self.data_properties | self.annotation_properties
        objects, data = set(self.object_properties), set(self.data_properties)
        for property, is_data in self._evidence():
            if property not in known:
                (data if is_data else objects).add(property)
        # A literal value or a datatype says more than the lack of one.
        objects -= (objects & data) - self.object_properties
        self._spread(objects, data)
        self.object_properties, self.data_properties = objects, data

    def _evidence(self) -> list[tuple[str, bool]]:
        graph = self._graph
        found: list[tuple[str, bool]] = []
        found += [(node, False) for pair in graph.by_predicate.get(owl("inverseOf"), ()) for node in pair]
        found += [
            (property, self.is_data_range(value)) for property, value in graph.by_predicate.get(rdfs("range"), ())
        ]
        for node, property in graph.by_predicate.get(owl("onProperty"), ()):
            found += [
                (property, value.startswith('"') or self.is_data_range(value))
                for name in _FILLERS
                for value in graph.values(node, name)
            ]
            found += [(property, True) for _ in graph.values(node, owl("onDataRange"))]
            found += [(property, False) for name in ("onClass", "hasSelf") for _ in graph.values(node, owl(name))]
        for _, first in graph.by_predicate.get(owl("propertyChainAxiom"), ()):
            found += [(step, False) for step in graph.list(first, []) or ()]
        for node, property in graph.by_predicate.get(owl("assertionProperty"), ()):
            found.append((property, bool(graph.values(node, owl("targetValue")))))
        for predicate, pairs in graph.by_predicate.items():
            if not is_reserved(predicate) and not predicate.startswith(f"<{XSD}"):
                found.append((predicate, any(value.startswith('"') for _, value in pairs)))
        return found

    def _spread(self, objects: set[str], data: set[str]) -> None:
        """Give an unknown property the kind of a property that it is compared with."""
        known = objects | data | self.annotation_properties
        links = [pair for name in _SAME_KIND for pair in self._graph.by_predicate.get(name, ())]
        links = [pair for pair in links if not (pair[0] in known and pair[1] in known)]
        changed = True
        while changed:
            changed = False
            for first, second in (*links, *((second, first) for first, second in links)):
                if first in known and second not in known:
                    kinds = [kind for kind in (objects, data, self.annotation_properties) if first in kind]
                    kinds[0].add(second)
                    known.add(second)
                    changed = True
