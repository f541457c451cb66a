"""A version of an ontology that is to be compared with another one: a document, or what a store on disk asserts."""

from __future__ import annotations

from dataclasses import replace

from ontologies.axioms import Ontology


def read_version(source: str, *, base: str | None = None) -> Ontology:
    """Read an ontology; that of a store is all that it asserts, in whatever graph. ``-`` is standard input.

    A folder that is neither a store nor holds RDF is an error.
    """
    from reasoner.store.folder import is_store

    if source == "-" or not is_store(source):
        from ontologies.read import read_ontology

        return read_ontology(source, base=base)
    from ontologies.read_rdf import ontology_of_triples
    from reasoner.reasoner import Reasoner

    with Reasoner.open(source, read_only=True) as kb:
        ontology = ontology_of_triples(kb.store.texts(kb.store.state.explicit))
        return replace(ontology, prefixes=tuple(kb.prefixes.items()))
