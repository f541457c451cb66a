"""What is asked for: the axioms of a graph, the triples that are no axioms, and what needs no deciding."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ontologies.axioms import AnnotationAssertion, Axiom, Declaration, Ontology
from ontologies.read_rdf import ontology_of_triples
from ontologies.vocabulary import owl, rdf, rdfs
from reasoner.entailment.existential import connected, is_existential, with_existentials
from reasoner.errors import ReasonerError
from reasoner.rules.term import RDF_TYPE
from reasoner.violation import TextTriple

# Kinds of names, as triples declare them.
DECLARED = frozenset(
    {rdfs("Class"), rdfs("Datatype"), rdf("Property")}
    | {
        owl(name)
        for name in (
            *("Class", "ObjectProperty", "DatatypeProperty", "AnnotationProperty", "OntologyProperty"),
            *("NamedIndividual", "DataRange"),
        )
    }
)
# What the kinds of a name in the premises tell about a conclusion that leaves them out.
TELLING_KINDS = frozenset(
    {rdfs("Datatype")} | {owl(name) for name in ("ObjectProperty", "DatatypeProperty", "AnnotationProperty", "Class")},
)
_REIFIED = frozenset({owl("Axiom"), owl("Annotation")})


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A graph to be decided: ``triples`` is all of it but its header.

    ``declarations`` name kinds; ``axioms`` are what the graph says, annotations apart; ``unread`` are the triples that
    fit no axiom and ``annotations`` those that annotate, both in groups that share blank nodes.
    """

    triples: tuple[TextTriple, ...]
    header: tuple[TextTriple, ...]
    declarations: tuple[TextTriple, ...]
    axioms: tuple[Axiom, ...]
    unread: tuple[tuple[TextTriple, ...], ...]
    annotations: tuple[tuple[TextTriple, ...], ...]


def triples_of_conclusion(source: Any, *, format: str | None = None, base: str | None = None) -> list[TextTriple]:
    """Return the triples of a graph: a path, a text, triples, an ontology, or an object of rdflib or owlready2."""
    from reasoner.reasoner import Reasoner

    if isinstance(source, Reasoner):
        return list(source.store.texts(source.store.state.explicit))
    if isinstance(source, Ontology):
        from ontologies.write_rdf import triples_of

        return list(source.triples or triples_of(source))
    if callable(getattr(source, "serialize", None)) and callable(getattr(source, "triples", None)):
        from loaders.load import parse_text

        return parse_text(source.serialize(format="nt", encoding="utf-8"), "ntriples")
    if isinstance(source, str) and not _is_path(source):
        return _triples_of_text(source, format, base)
    if isinstance(source, (str, os.PathLike)) or callable(getattr(source, "read", None)) or hasattr(source, "graph"):
        from ontologies.read import read_ontology

        return list(read_ontology(source, format=format, base=base).triples)
    if not isinstance(source, Iterable):
        raise ReasonerError(
            f"cannot read a graph from {type(source).__name__}; give a path, a text, triples, a graph of rdflib, "
            "an ontology or an owlready2 world"
        )
    from reasoner.triple_text import checked_triples

    return checked_triples(source)


def read_conclusion(triples: Iterable[TextTriple], kinds: Iterable[TextTriple] = ()) -> Conclusion:
    """Sort the triples of a conclusion; ``kinds`` are declarations of its names that the premises have."""
    given = with_existentials(triples)
    headers = {s for s, p, o in given if p == RDF_TYPE and o == owl("Ontology")}
    body = [triple for triple in given if triple[0] not in headers]
    declarations = [triple for triple in body if _is_declaration(triple)]
    ontology = ontology_of_triples(dict.fromkeys([*body, *kinds]))
    annotations = _annotations(body, ontology)
    settled = {*declarations, *(triple for group in annotations for triple in group)}
    unread = [triple for triple in ontology.unread if triple in set(body) - settled and not _is_support(triple)]
    return Conclusion(
        tuple(body),
        tuple(triple for triple in given if triple[0] in headers),
        tuple(declarations),
        tuple(axiom for axiom in ontology.axioms if not isinstance(axiom, (Declaration, AnnotationAssertion))),
        tuple(map(tuple, connected(unread, _blanks))),
        tuple(map(tuple, annotations)),
    )


def _annotations(body: list[TextTriple], ontology: Ontology) -> list[list[TextTriple]]:
    """Return the triples that annotate, with all that their blank nodes are connected to, in groups."""
    remarks = {(a.subject, a.property, a.value) for a in ontology.axioms if isinstance(a, AnnotationAssertion)}
    about_axioms = {(a.property, a.value) for item in ontology.axiom_annotations for a in item.annotations}
    nodes = {s for s, p, o in body if is_existential(s) and ((p, o) in about_axioms or o in _REIFIED)}
    groups = connected(body, _blanks)
    return [group for group in groups if any(triple in remarks or triple[0] in nodes for triple in group)]


def _is_declaration(triple: TextTriple) -> bool:
    return triple[1] == RDF_TYPE and triple[2] in DECLARED and not is_existential(triple[0])


def _is_support(triple: TextTriple) -> bool:
    """Tell whether a triple only says that something is a list, a restriction, or a thing at all."""
    s, p, o = triple
    supports = (rdf("List"), owl("Restriction"), *DECLARED) if is_existential(s) else ()
    return p == RDF_TYPE and o in (*supports, rdfs("Resource"))


def _blanks(triple: TextTriple) -> list[str]:
    return [term for term in triple if is_existential(term)]


def _is_path(text: str) -> bool:
    if "\n" in text or text.lstrip().startswith(("<", "@", "_:", "PREFIX", "Prefix", "Ontology(")):
        return False
    return not any(sign in text for sign in (" .", "\t")) or Path(text).exists()


def _triples_of_text(text: str, format: str | None, base: str | None) -> list[TextTriple]:
    from ontologies.read import read_ontology

    content = text.encode()
    start = text.lstrip()
    if format is None and not start.startswith(("Prefix", "Ontology", "<?xml", "<Ontology", "<rdf:", "{", "[")):
        format = "turtle"
    return list(read_ontology(io.BytesIO(content), format=format, base=base).triples)
