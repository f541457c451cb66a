"""Read reified axioms and annotations: the remarks that a document makes about its axioms."""

from __future__ import annotations

from collections.abc import Mapping

from ontologies.axioms import Annotation, Axiom, AxiomAnnotation, Triple
from ontologies.rdf_graph import RdfGraph
from ontologies.vocabulary import owl
from reasoner.rules.term import RDF_TYPE

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
