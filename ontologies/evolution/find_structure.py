"""Where triples with blank nodes occur in a store: a search for subgraphs, from the names that they mention.

Axioms in and out of a store of triples: an axiom is there or it is not, whatever its blank nodes are called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

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
from ontologies.evolution.working import Facts, Working, about, holds
from ontologies.vocabulary import owl, rdf, rdfs
from ontologies.write_functional import write_functional
from ontologies.write_rdf import triples_of
from reasoner.terms.term import RDF_TYPE

# Types that tools write beside the triples that already say as much.
_SILENT = frozenset({rdf("List"), owl("Class"), rdfs("Class"), rdf("Property")})
_REIFIED = (owl("annotatedSource"), owl("annotatedProperty"), owl("annotatedTarget"))


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place where a structure was found: the store's blank node for each of the structure's, and its triples."""

    nodes: dict[str, str]
    triples: tuple[Triple, ...]

    def image(self, triple: Triple) -> Triple:
        """Return a triple of the structure as it is in the store."""
        s, p, o = triple
        return self.nodes.get(s, s), p, self.nodes.get(o, o)


def occurrences(facts: Facts, structure: Sequence[Triple], *, closed: bool = True) -> Iterator[Occurrence]:
    """Yield where a structure occurs, different triples each time.

    If ``closed``, a blank node says nothing in the store beyond what it says in the structure, so that a restriction on
    one thing is not found in a restriction on two.
    """
    seen: set[frozenset[Triple]] = set()
    for nodes in _bindings(facts, list(dict.fromkeys(structure)), {}):
        found = Occurrence(nodes, ())
        triples = dict.fromkeys(found.image(triple) for triple in structure)
        if closed:
            extra = [t for node in nodes.values() for t in facts.matching(s=node) if t not in triples]
            if any(t[1] != RDF_TYPE or t[2] not in _SILENT for t in extra):
                continue
            triples.update(dict.fromkeys(extra))
        key = frozenset(triples)
        if key not in seen:
            seen.add(key)
            yield Occurrence(nodes, tuple(triples))


def stands_alone(facts: Facts, found: Occurrence) -> bool:
    """Tell whether nothing else in the store mentions the blank nodes of an occurrence."""
    own = set(found.triples)
    return all(triple in own for node in found.nodes.values() for triple in about(facts, node))


def without_shared(facts: Facts, triples: Sequence[Triple]) -> list[Triple]:
    """Leave out of triples that are to go what others refer to: an expression stays while something uses it."""
    going = dict.fromkeys(triples)
    changed = True
    while changed:
        changed = False
        for node in dict.fromkeys(term for triple in going for term in triple if term.startswith("_:")):
            if any(triple not in going for triple in facts.matching(o=node)):
                kept = [triple for triple in going if triple[0] == node]
                changed = changed or bool(kept)
                for triple in kept:
                    del going[triple]
    return list(going)


def remarks_about(facts: Facts, triple: Triple) -> list[Triple]:
    """Return the triples of the reified axioms that make remarks about a triple."""
    source, predicate, target = triple
    found: list[Triple] = []
    for node, _, _ in facts.matching(p=_REIFIED[0], o=source):
        about_it = ((node, _REIFIED[1], predicate), (node, _REIFIED[2], target))
        if node.startswith("_:") and all(facts.matching(*part) for part in about_it):
            found += facts.matching(s=node)
    return found


def _bindings(facts: Facts, waiting: list[Triple], nodes: dict[str, str]) -> Iterator[dict[str, str]]:
    """Yield every way to give the blank nodes of triples different blank nodes of the store."""
    if not waiting:
        yield dict(nodes)
        return
    triple = _most_telling(facts, waiting, nodes)
    rest = [other for other in waiting if other is not triple]
    asked = [None if _is_open(term, nodes) else nodes.get(term, term) for term in triple]
    taken = set(nodes.values())
    for candidate in facts.matching(*asked):
        bound = dict(nodes)
        for term, value in zip(triple, candidate, strict=True):
            if not term.startswith("_:"):
                continue
            if bound.get(term, value) != value or not value.startswith("_:"):
                break
            if term not in bound and value in taken | (set(bound.values()) - taken):
                break
            bound[term] = value
        else:
            yield from _bindings(facts, rest, bound)


def _most_telling(facts: Facts, waiting: list[Triple], nodes: dict[str, str]) -> Triple:
    """Choose the triple to look up next: one without open nodes, or one with few answers."""

    def open_count(triple: Triple) -> int:
        return sum(_is_open(term, nodes) for term in dict.fromkeys(triple))

    fewest = min(map(open_count, waiting))
    choices = [triple for triple in waiting if open_count(triple) == fewest]
    if fewest == 0 or len(choices) == 1:
        return choices[0]
    # Types and list cells are everywhere; what mentions a name of the ontology's own is rare.
    choices.sort(key=lambda triple: triple[1] == RDF_TYPE or triple[2].endswith("#nil>"))

    def answers(triple: Triple) -> int:
        asked = [None if _is_open(term, nodes) else nodes.get(term, term) for term in triple]
        return len(facts.matching(*asked))

    return min(choices[:4], key=answers)


def _is_open(term: str, nodes: dict[str, str]) -> bool:
    return term.startswith("_:") and term not in nodes


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
