"""The part of a store that an ontology can be read from."""

from __future__ import annotations

from typing import Protocol

from reasoner.rules.term import OWL, RDF, RDFS
from reasoner.violation import TextTriple

_VOCABULARIES = tuple("<" + namespace for namespace in (RDF, RDFS, OWL, "http://www.w3.org/2003/11/swrl"))

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
_NO_SCHEMA_TYPES = frozenset(f"<{iri}>" for iri in (OWL + "NamedIndividual", OWL + "Thing", RDFS + "Resource"))


class SchemaSource(Protocol):
    """A store that gives its explicit facts by predicate and by class."""

    def explicit_of(self, predicates: tuple[str, ...], without: frozenset[str]) -> list[TextTriple]: ...

    def explicit_types(self, classes: tuple[str, ...], without: frozenset[str]) -> list[TextTriple]: ...


def schema_triples(store: SchemaSource) -> list[TextTriple]:
    """Return the explicit facts that state axioms: those in the vocabulary of RDF, RDFS, OWL and SWRL."""
    return [
        *store.explicit_of(_VOCABULARIES, _NO_SCHEMA),
        *store.explicit_types(_VOCABULARIES, _NO_SCHEMA_TYPES),
    ]
