"""The RDFS axiomatisation: ``translate_rdfs``.

R. Volz, S. Staab, B. Motik: "Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases",
Journal on Data Semantics II, 2005, section 2.1, figure 2. A static set of rules over triples, with the figure's names;
it leaves out datatype entailment and the "if and only if" reading of domains and ranges.

Deviation: the figure prints rdfs7 as ``t(C, a, Class) :- t(C, subClassOf, Resource)``. The RDF model theory, which the
text says it implements, has it the other way round: every class is a subclass of rdfs:Resource. We follow that.
The figure's ``t(S, a; B)`` in rdfs9 is read as ``t(S, a, B)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ontologies.translation import Translation
from reasoner.rules.parser import parse_rules

RDFS_RULES = """
[rdf1]   ?p a rdf:Property :- ?s ?p ?o .
[rdfs2]  ?s a ?c :- ?p rdfs:domain ?c, ?s ?p ?o .
[rdfs3]  ?o a ?c :- ?p rdfs:range ?c, ?s ?p ?o .
[rdfs4a] ?s a rdfs:Resource :- ?s ?p ?o .
[rdfs4b] ?o a rdfs:Resource :- ?s ?p ?o .
[rdfs5a] ?p rdfs:subPropertyOf ?r :- ?q rdfs:subPropertyOf ?r, ?p rdfs:subPropertyOf ?q .
[rdfs6]  ?s ?r ?o :- ?p rdfs:subPropertyOf ?r, ?s ?p ?o .
[rdfs7]  ?c rdfs:subClassOf rdfs:Resource :- ?c a rdfs:Class .
[rdfs8]  ?a rdfs:subClassOf ?c :- ?b rdfs:subClassOf ?c, ?a rdfs:subClassOf ?b .
[rdfs9]  ?s a ?b :- ?s a ?a, ?a rdfs:subClassOf ?b .
[rdfs10] ?x rdfs:subPropertyOf rdfs:member :- ?x a rdfs:ContainerMembershipProperty .
[rdfs11] ?x rdfs:subClassOf rdfs:Literal :- ?x a rdfs:Datatype .
[rdfs12] rdfs:Resource rdfs:subClassOf ?y :- ?x rdfs:domain ?y, rdf:type rdfs:subPropertyOf ?x .
"""


def translate_rdfs(triples: Sequence[tuple[str, str, str]]) -> Translation:
    """Return the rules of figure 2; they are the same whatever ``triples`` say, and leave nothing of RDFS out."""
    return _translation()


@cache
def _translation() -> Translation:
    return Translation(tuple(parse_rules(RDFS_RULES)))
