"""The vocabulary that the OWL 2 RL/RDF rules range over: datatypes, annotation properties, declarations."""

from __future__ import annotations

from collections.abc import Iterable

from ontologies.vocabulary import ANNOTATION_PROPERTIES, NIL, RL_DATATYPES, owl, rdf, rdfs
from reasoner.rules.term import RDF_TYPE

DATATYPES = tuple(sorted(RL_DATATYPES))
ANNOTATIONS = tuple(sorted(ANNOTATION_PROPERTIES))

# Declarations of built-in terms that hold in every graph after RDF Semantics and the OWL 2 RDF-Based Semantics (table
# 5.3), and that no rule of the tables yields. Only declarations are here: axiomatic domains and ranges (rdf:type has
# the domain rdfs:Resource) would add a fact for each term of the data, and tell nobody anything.
AXIOMATIC = (
    (NIL, RDF_TYPE, rdf("List")),
    (owl("topObjectProperty"), RDF_TYPE, owl("ObjectProperty")),
    (owl("bottomObjectProperty"), RDF_TYPE, owl("ObjectProperty")),
    (owl("topDataProperty"), RDF_TYPE, owl("DatatypeProperty")),
    (owl("bottomDataProperty"), RDF_TYPE, owl("DatatypeProperty")),
    (owl("imports"), RDF_TYPE, owl("OntologyProperty")),
    (owl("priorVersion"), RDF_TYPE, owl("OntologyProperty")),
    (owl("backwardCompatibleWith"), RDF_TYPE, owl("OntologyProperty")),
    (owl("incompatibleWith"), RDF_TYPE, owl("OntologyProperty")),
)

_DECLARATION = rdfs("Datatype")
# In these positions a datatype receives instances; no rule body asks there whether a literal is one.
_RECEIVING = frozenset((RDF_TYPE, rdfs("range"), owl("allValuesFrom"), owl("onDatatype")))


def mentioned_datatypes(triples: Iterable[tuple[str, str, str]]) -> tuple[str, ...]:
    """Return the OWL 2 RL datatypes that occur as a subject or an object, in the order of ``DATATYPES``."""
    mentioned = {term for subject, _, object in triples for term in (subject, object) if term in RL_DATATYPES}
    return tuple(datatype for datatype in DATATYPES if datatype in mentioned)


def used_datatypes(triples: Iterable[tuple[str, str, str]]) -> tuple[str, ...]:
    """Return the OWL 2 RL datatypes for which some rule body can ask "is this literal an instance of it?".

    A datatype that is only the range of a property or the filler of ``owl:allValuesFrom`` is not among them. Leaving
    dt-type2 out for those saves a fact for each literal of the data: it has a literal as subject, so nobody sees it,
    and no rule reads it.
    """
    used: set[str] = set()
    for subject, predicate, object in triples:
        if object in RL_DATATYPES and predicate not in _RECEIVING:
            used.add(object)
        if subject in RL_DATATYPES and object != _DECLARATION:
            used.add(subject)
    return tuple(datatype for datatype in DATATYPES if datatype in used)
