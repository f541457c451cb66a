"""What an ontology says in vocabulary that no OWL 2 RL/RDF rule reads, and why: ``outside_owl2rl``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ontologies.translation import LeftOut
from ontologies.vocabulary import DATATYPE_MAP, OTHER_DATATYPES, RL_DATATYPES, owl, rdfs
from reasoner.rules.term import RDF_TYPE, is_literal

_PREDICATES = {
    owl(name): reason
    for name, reason in {
        "cardinality": "the rules know no exact cardinalities",
        "qualifiedCardinality": "the rules know no exact cardinalities",
        "minCardinality": "the rules know no minimal cardinalities",
        "minQualifiedCardinality": "the rules know no minimal cardinalities",
        "onDataRange": "the rules read qualified cardinalities over classes only",
        "onProperties": "the rules know no restrictions over several properties",
        "hasSelf": "the rules know no self restrictions",
        "disjointUnionOf": "the rules know no disjoint unions",
        "onDatatype": "the rules know no restrictions of datatypes by facets",
        "datatypeComplementOf": "the rules know no complements of datatypes",
    }.items()
}
_TYPES = {owl("ReflexiveProperty"): "the rules know no reflexive properties"}
_AT_MOST = frozenset((owl("maxCardinality"), owl("maxQualifiedCardinality")))
_RANGES = frozenset((rdfs("range"), owl("allValuesFrom"), owl("someValuesFrom")))
_OUTSIDE = (DATATYPE_MAP | OTHER_DATATYPES) - RL_DATATYPES


def outside_owl2rl(triples: Iterable[tuple[str, str, str]]) -> Iterator[LeftOut]:
    """Yield each triple whose meaning the OWL 2 RL/RDF rules do not cover, in the order of ``triples``.

    This is about vocabulary, not about positions: that ``owl:someValuesFrom`` on the right of a subclass axiom has no
    consequences is for a check of the profile's grammar to say.
    """
    for triple in triples:
        if reason := _reason(*triple):
            yield LeftOut(" ".join(triple), reason)


def _reason(subject: str, predicate: str, object: str) -> str | None:
    if predicate == RDF_TYPE:
        return _TYPES.get(object)
    if predicate in _AT_MOST and not _is_zero_or_one(object):
        return "the rules know the maximal cardinalities 0 and 1 only"
    if predicate in _RANGES and object in _OUTSIDE:
        return f"{object} is not a datatype of OWL 2 RL, its values are not checked"
    return _PREDICATES.get(predicate)


def _is_zero_or_one(term: str) -> bool:
    """Tell whether a literal stands for 0 or 1, whichever integer type it is written in."""
    return is_literal(term) and term[1 : term.rindex('"')].lstrip("+").lstrip("0") in ("", "1")
