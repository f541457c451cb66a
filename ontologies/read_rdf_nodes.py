"""Read the axioms that are blank nodes with parts: disjointness and difference of many, and negative assertions."""

from __future__ import annotations

from typing import Any

import ontologies.axioms as ax
from ontologies.entity_kinds import EntityKinds
from ontologies.rdf_graph import RdfGraph
from ontologies.read_rdf_annotations import AnnotationReader
from ontologies.read_rdf_expressions import ExpressionReader
from ontologies.vocabulary import owl

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
