"""An index over triples that remembers which of them have been understood.

RDF lists: read the members of the lists of a graph, and say what is wrong with those that are not lists.

Tell object from data from annotation properties, and classes from datatypes, by declaration or else by use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loaders.errors import ReasonerError
from ontologies.axioms import Triple
from ontologies.vocabulary import (
    ANNOTATION_PROPERTIES,
    BOTTOM_DATA_PROPERTY,
    BOTTOM_OBJECT_PROPERTY,
    DATATYPE_MAP,
    NIL,
    OTHER_DATATYPES,
    TOP_DATA_PROPERTY,
    TOP_OBJECT_PROPERTY,
    is_reserved,
    owl,
    rdf,
    rdfs,
    swrl,
)
from reasoner.terms.term import RDF_TYPE, XSD

FIRST = rdf("first")
REST = rdf("rest")


class MalformedListError(ReasonerError):
    """A node that is used as a list and is none: a cell lacks a part, has it twice, or leads back to itself."""

    def __init__(self, head: str, reason: str) -> None:
        self.head = head
        self.reason = reason
        super().__init__(f"{head} is not a list: {reason}")


class Lists:
    """The lists of a graph, indexed by their cells.

    >>> lists = Lists([("_:l", FIRST, "<urn:a>"), ("_:l", REST, NIL)])
    >>> lists.members("_:l")
    ('<urn:a>',)
    """

    __slots__ = ("_first", "_rest")

    def __init__(self, triples: Iterable[tuple[str, str, str]]) -> None:
        self._first: dict[str, set[str]] = {}
        self._rest: dict[str, set[str]] = {}
        for subject, predicate, object in triples:
            if predicate == FIRST:
                self._first.setdefault(subject, set()).add(object)
            elif predicate == REST:
                self._rest.setdefault(subject, set()).add(object)

    def members(self, head: str) -> tuple[str, ...]:
        """Return the members of the list at ``head``, in order; raise ``MalformedListError`` if it is none."""
        members: list[str] = []
        seen: set[str] = set()
        cell = head
        while cell != NIL:
            if cell in seen:
                raise MalformedListError(head, f"it comes back to the cell {cell}")
            seen.add(cell)
            members.append(_only(self._first, "rdf:first", head, cell))
            cell = _only(self._rest, "rdf:rest", head, cell)
        return tuple(members)


def _only(index: dict[str, set[str]], name: str, head: str, cell: str) -> str:
    values = index.get(cell, ())
    if len(values) != 1:
        raise MalformedListError(head, f"the cell {cell} has {len(values) or 'no'} {name}")
    (value,) = values
    return value


_FIRST, _REST = rdf("first"), rdf("rest")
_LIST_TYPES = frozenset({rdf("List"), swrl("AtomList")})


class RdfGraph:
    """Triples by subject and by predicate; ``used`` are the triples that some axiom or expression accounts for."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.triples = tuple(dict.fromkeys(triples))
        self.by_subject: dict[str, dict[str, list[str]]] = {}
        self.by_predicate: dict[str, list[tuple[str, str]]] = {}
        self.used: set[Triple] = set()
        for subject, predicate, value in self.triples:
            self.by_subject.setdefault(subject, {}).setdefault(predicate, []).append(value)
            self.by_predicate.setdefault(predicate, []).append((subject, value))
        self._instances: dict[str, list[str]] = {}
        for subject, kind in self.by_predicate.get(RDF_TYPE, ()):
            self._instances.setdefault(kind, []).append(subject)

    def values(self, subject: str, predicate: str) -> Sequence[str]:
        """Return the objects of a subject and predicate, in the order of the document."""
        return self.by_subject.get(subject, {}).get(predicate, ())

    def only(self, subject: str, predicate: str) -> str | None:
        """Return the object of a subject and predicate if there is exactly one."""
        values = self.values(subject, predicate)
        return values[0] if len(values) == 1 else None

    def has_type(self, subject: str, *classes: str) -> bool:
        """Tell whether a subject has one of some types."""
        return any(value in classes for value in self.values(subject, RDF_TYPE))

    def types(self, subject: str, *classes: str) -> list[Triple]:
        """Return the type triples of a subject that name one of some classes."""
        return [(subject, RDF_TYPE, value) for value in self.values(subject, RDF_TYPE) if value in classes]

    def instances(self, kind: str) -> list[str]:
        """Return the subjects of a type, in the order of the document."""
        return self._instances.get(kind, [])

    def list(self, node: str, triples: list[Triple]) -> list[str] | None:
        """Return the members of an RDF list and add its triples to ``triples``; None if it is malformed."""
        members: list[str] = []
        seen: set[str] = set()
        while node != NIL:
            first, rest = self.only(node, _FIRST), self.only(node, _REST)
            if first is None or rest is None or node in seen:
                return None
            seen.add(node)
            members.append(first)
            triples += [(node, _FIRST, first), (node, _REST, rest), *self.types(node, *_LIST_TYPES)]
            node = rest
        return members

    def use(self, triples: Iterable[Triple]) -> None:
        """Note that triples have been understood."""
        self.used.update(triples)

    @property
    def unread(self) -> tuple[Triple, ...]:
        """The triples that nothing accounts for, in the order of the document."""
        return tuple(triple for triple in self.triples if triple not in self.used)


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
