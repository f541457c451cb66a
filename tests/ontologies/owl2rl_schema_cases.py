"""Cases of the OWL 2 RL/RDF rules about schema vocabulary (W3C table 9)."""

from __future__ import annotations

from tests.ontologies.owl2rl_case import Case

SUPERCLASS = ":R rdfs:subClassOf :S ."


def _restrictions(kind: str, filler: str, other_filler: str, property: str = ":p", other_property: str = ":q") -> str:
    """Write the restrictions :R and :S, each on its property with its filler."""
    return (
        f":R {kind} {filler} ; owl:onProperty {property} . "
        f":S {kind} {other_filler} ; owl:onProperty {other_property} . "
    )


SCHEMA_CASES = (
    Case(
        "scm-cls",
        ":C a owl:Class .",
        ":C rdfs:subClassOf :C, owl:Thing ; owl:equivalentClass :C . owl:Nothing rdfs:subClassOf :C .",
        ":C a rdfs:Class .",
    ),
    Case(
        "scm-sco",
        ":C rdfs:subClassOf :D . :D rdfs:subClassOf :E .",
        ":C rdfs:subClassOf :E .",
        ":C rdfs:subClassOf :D . :E rdfs:subClassOf :D .",
    ),
    Case(
        "scm-eqc1",
        ":C owl:equivalentClass :D .",
        ":C rdfs:subClassOf :D . :D rdfs:subClassOf :C .",
        ":C owl:disjointWith :D .",
    ),
    Case(
        "scm-eqc2",
        ":C rdfs:subClassOf :D . :D rdfs:subClassOf :C .",
        ":C owl:equivalentClass :D . :D owl:equivalentClass :C .",
        ":C rdfs:subClassOf :D .",
    ),
    Case(
        "scm-op",
        ":p a owl:ObjectProperty .",
        ":p rdfs:subPropertyOf :p ; owl:equivalentProperty :p .",
        ":p a rdf:Property .",
    ),
    Case(
        "scm-dp",
        ":p a owl:DatatypeProperty .",
        ":p rdfs:subPropertyOf :p ; owl:equivalentProperty :p .",
        ":p a owl:AnnotationProperty .",
    ),
    Case(
        "scm-spo",
        ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r .",
        ":p rdfs:subPropertyOf :r .",
        ":p rdfs:subPropertyOf :q . :r rdfs:subPropertyOf :q .",
    ),
    Case(
        "scm-eqp1",
        ":p owl:equivalentProperty :q .",
        ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :p .",
        ":p owl:inverseOf :q .",
    ),
    Case(
        "scm-eqp2",
        ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :p .",
        ":p owl:equivalentProperty :q . :q owl:equivalentProperty :p .",
        ":p rdfs:subPropertyOf :q .",
    ),
    Case(
        "scm-dom1",
        ":p rdfs:domain :C . :C rdfs:subClassOf :D .",
        ":p rdfs:domain :D .",
        ":p rdfs:domain :C . :D rdfs:subClassOf :C .",
    ),
    Case(
        "scm-dom2",
        ":q rdfs:domain :C . :p rdfs:subPropertyOf :q .",
        ":p rdfs:domain :C .",
        ":q rdfs:domain :C . :q rdfs:subPropertyOf :p .",
    ),
    Case(
        "scm-rng1",
        ":p rdfs:range :C . :C rdfs:subClassOf :D .",
        ":p rdfs:range :D .",
        ":p rdfs:range :C . :D rdfs:subClassOf :C .",
    ),
    Case(
        "scm-rng2",
        ":q rdfs:range :C . :p rdfs:subPropertyOf :q .",
        ":p rdfs:range :C .",
        ":q rdfs:range :C . :q rdfs:subPropertyOf :p .",
    ),
    Case(
        "scm-hv",
        _restrictions("owl:hasValue", ":i", ":i") + ":p rdfs:subPropertyOf :q .",
        SUPERCLASS,
        _restrictions("owl:hasValue", ":i", ":j") + ":p rdfs:subPropertyOf :q .",
    ),
    Case(
        "scm-svf1",
        _restrictions("owl:someValuesFrom", ":C", ":D", ":p", ":p") + ":C rdfs:subClassOf :D .",
        SUPERCLASS,
        _restrictions("owl:someValuesFrom", ":C", ":D", ":p", ":q") + ":C rdfs:subClassOf :D .",
    ),
    Case(
        "scm-svf2",
        _restrictions("owl:someValuesFrom", ":C", ":C") + ":p rdfs:subPropertyOf :q .",
        SUPERCLASS,
        _restrictions("owl:someValuesFrom", ":C", ":C") + ":q rdfs:subPropertyOf :p .",
    ),
    Case(
        "scm-avf1",
        _restrictions("owl:allValuesFrom", ":C", ":D", ":p", ":p") + ":C rdfs:subClassOf :D .",
        SUPERCLASS,
        _restrictions("owl:allValuesFrom", ":C", ":D", ":p", ":p") + ":D rdfs:subClassOf :C .",
    ),
    Case(
        "scm-avf2",
        _restrictions("owl:allValuesFrom", ":C", ":C") + ":q rdfs:subPropertyOf :p .",
        SUPERCLASS,
        _restrictions("owl:allValuesFrom", ":C", ":C") + ":p rdfs:subPropertyOf :q .",
    ),
    Case(
        "scm-int",
        ":C owl:intersectionOf (:D :E) .",
        ":C rdfs:subClassOf :D, :E .",
        ":C owl:unionOf (:D :E) .",
    ),
    Case(
        "scm-uni",
        ":C owl:unionOf (:D :E) .",
        ":D rdfs:subClassOf :C . :E rdfs:subClassOf :C .",
        ":C owl:intersectionOf (:D :E) .",
    ),
)
