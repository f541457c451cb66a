"""Axioms in and out of a store of triples: an axiom is there or it is not, whatever its blank nodes are called."""

from __future__ import annotations

from dataclasses import fields, replace

from ontologies.axioms import (
    Axiom,
    AxiomAnnotation,
    DifferentIndividuals,
    DisjointClasses,
    DisjointDataProperties,
    DisjointObjectProperties,
    EquivalentClasses,
    EquivalentDataProperties,
    EquivalentObjectProperties,
    InverseObjectProperties,
    Ontology,
    SameIndividual,
    Triple,
)
from ontologies.evolution.facts import holds
from ontologies.evolution.find_structure import Occurrence, occurrences, remarks_about, without_shared
from ontologies.evolution.working import Working
from ontologies.write_functional import write_functional
from ontologies.write_rdf import triples_of

_SYMMETRIC = (
    *(EquivalentClasses, EquivalentObjectProperties, EquivalentDataProperties, InverseObjectProperties),
    *(DisjointClasses, DisjointObjectProperties, DisjointDataProperties, SameIndividual, DifferentIndividuals),
)


def axiom_triples(axiom: Axiom, annotations: tuple[AxiomAnnotation, ...] = ()) -> tuple[Triple, ...]:
    """Return the triples of an axiom with the remarks about it; its blank nodes have labels of their own."""
    remarks = tuple(item for item in annotations if item.axiom == axiom)
    # The first triple says that there is an ontology.
    return triples_of(Ontology((axiom,), axiom_annotations=remarks))[1:]


def add_axiom(working: Working, axiom: Axiom, annotations: tuple[AxiomAnnotation, ...] = ()) -> None:
    """Add an axiom, unless it is there; remarks about it that are not there are added in any case."""
    plain, whole = axiom_triples(axiom), axiom_triples(axiom, annotations)
    present = _first(working, plain)
    if present is None:
        working.add(working.with_new_nodes(whole))
        return
    if _first(working, whole) is not None:
        working.note(f"there already: {write_functional(axiom)}")
        return
    remarks = [triple for triple in whole if triple not in set(plain)]
    working.add(working.with_new_nodes(remarks, present.nodes))


def remove_axiom(working: Working, axiom: Axiom) -> bool:
    """Remove every copy of an axiom with the remarks about it; tell whether there was one.

    What other axioms share of its expressions stays.
    """
    found = False
    for variant in _variants(axiom):
        triples = axiom_triples(variant)
        for occurrence in [*occurrences(working, triples)]:
            found = True
            remarks = [remark for triple in occurrence.triples for remark in remarks_about(working, triple)]
            working.remove(without_shared(working, [*occurrence.triples, *remarks]))
    return found


def _first(working: Working, triples: tuple[Triple, ...]) -> Occurrence | None:
    if not all(holds(working, triple) for triple in triples if not any(term.startswith("_:") for term in triple)):
        return None
    return next(occurrences(working, triples), None)


def _variants(axiom: Axiom) -> list[Axiom]:
    """Return an axiom, and if it is a symmetric one of two parts, the same the other way round."""
    if not isinstance(axiom, _SYMMETRIC):
        return [axiom]
    if isinstance(axiom, InverseObjectProperties):
        return [axiom, InverseObjectProperties(axiom.second, axiom.first)]
    name = fields(axiom)[0].name
    parts = getattr(axiom, name)
    return [axiom, replace(axiom, **{name: parts[::-1]})] if len(parts) == 2 else [axiom]
