"""The part of a store that an ontology can be read from."""

from __future__ import annotations

from typing import Protocol

from reasoner.rules.term import OWL, RDF, RDF_TYPE, RDFS, XSD
from reasoner.violation import TextTriple

# The facets of datatypes are XSD's; a blank node as a class is a class expression.
_VOCABULARIES = tuple("<" + namespace for namespace in (RDF, RDFS, OWL, XSD, "http://www.w3.org/2003/11/swrl"))
_CLASSES = (*_VOCABULARIES, "_:")

# Statements about individuals, or for readers: there may be millions, and no axiom is among them.
_NO_SCHEMA = frozenset(
    f"<{iri}>"
    for iri in (
        OWL + "sameAs",
        RDFS + "label",
        RDFS + "comment",
        RDFS + "seeAlso",
        RDFS + "isDefinedBy",
        RDF + "value",
        OWL + "versionInfo",
    )
)
_ANNOTATED_SOURCE = f"<{OWL}annotatedSource>"
_NO_SCHEMA_TYPES = frozenset(f"<{iri}>" for iri in (OWL + "NamedIndividual", OWL + "Thing", RDFS + "Resource"))


class SchemaSource(Protocol):
    """A store that gives its explicit facts by predicate and by class."""

    def explicit_of(self, predicates: tuple[str, ...], without: frozenset[str]) -> list[TextTriple]: ...

    def explicit_types(self, classes: tuple[str, ...], without: frozenset[str]) -> list[TextTriple]: ...

    def explicit_samples(self, without: tuple[str, ...]) -> list[TextTriple]: ...

    def explicit_about(self, subjects: list[str]) -> list[TextTriple]: ...


def is_schema(triple: TextTriple) -> bool:
    """Tell whether a triple may state an axiom, so that rules depend on it."""
    _, predicate, obj = triple
    if predicate == RDF_TYPE:
        return obj.startswith(_CLASSES) and obj not in _NO_SCHEMA_TYPES
    return predicate.startswith(_VOCABULARIES) and predicate not in _NO_SCHEMA


def schema_triples(store: SchemaSource) -> list[TextTriple]:
    """Return the explicit facts that state axioms: those in the vocabulary of RDF, RDFS, OWL and SWRL.

    One fact of every other predicate comes with them, so that it can be seen whether an undeclared property takes
    literals.
    """
    return [
        *store.explicit_of(_VOCABULARIES, _NO_SCHEMA),
        *store.explicit_types(_CLASSES, _NO_SCHEMA_TYPES),
        *store.explicit_samples(_VOCABULARIES),
    ]


def ontology_triples(store: SchemaSource) -> list[TextTriple]:
    """Return the explicit facts that state axioms, with what annotates axioms, and what is annotated and no axiom.

    This is what an ontology is read from as a whole, for people to be told about it; no rule comes of the rest.
    """
    stated = schema_triples(store)
    annotated = dict.fromkeys(term for s, p, o in stated if p == _ANNOTATED_SOURCE for term in (s, o))
    return list(dict.fromkeys([*stated, *store.explicit_about(list(annotated))])) if annotated else stated
