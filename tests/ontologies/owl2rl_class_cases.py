"""Cases of the OWL 2 RL/RDF rules about classes (W3C table 6), class axioms (table 7) and datatypes (table 8)."""

from __future__ import annotations

from tests.ontologies.owl2rl_case import VIOLATION, Case


def _at_most(cardinality: str, filler: str = "") -> str:
    predicate = "owl:maxQualifiedCardinality" if filler else "owl:maxCardinality"
    on_class = f"; owl:onClass {filler}" if filler else ""
    return f":R {predicate} {cardinality} ; owl:onProperty :p {on_class} . "


ZERO, ONE, TWO = (f'"{number}"^^xsd:nonNegativeInteger' for number in range(3))

CLASS_CASES = (
    Case("cls-thing", "", "owl:Thing a owl:Class .", None),
    Case("cls-nothing1", "", "owl:Nothing a owl:Class .", None),
    Case("cls-nothing2", ":a a owl:Nothing .", VIOLATION, ":a a owl:Thing ."),
    Case(
        "cls-int1",
        ":C owl:intersectionOf (:D :E :F) . :a a :D, :E, :F .",
        ":a a :C .",
        ":C owl:intersectionOf (:D :E :F) . :a a :D, :E . :b a :F .",
    ),
    Case(
        "cls-int2",
        ":C owl:intersectionOf (:D :E) . :a a :C .",
        ":a a :D, :E .",
        ":C owl:unionOf (:D :E) . :a a :C .",
    ),
    Case("cls-uni", ":C owl:unionOf (:D :E) . :a a :E .", ":a a :C .", ":C owl:unionOf (:D :E) . :a a :F ."),
    Case(
        "cls-com",
        ":C owl:complementOf :D . :a a :C, :D .",
        VIOLATION,
        ":C owl:complementOf :D . :a a :C . :b a :D .",
    ),
    Case(
        "cls-svf1",
        ":R owl:someValuesFrom :C ; owl:onProperty :p . :a :p :b . :b a :C .",
        ":a a :R .",
        ":R owl:someValuesFrom :C ; owl:onProperty :p . :a :p :b . :a a :C .",
    ),
    Case(
        "cls-svf2",
        ":R owl:someValuesFrom owl:Thing ; owl:onProperty :p . :a :p :b .",
        ":a a :R .",
        ":R owl:someValuesFrom owl:Thing ; owl:onProperty :p . :a :q :b .",
    ),
    Case(
        "cls-avf",
        ":R owl:allValuesFrom :C ; owl:onProperty :p . :a a :R ; :p :b .",
        ":b a :C .",
        ":R owl:allValuesFrom :C ; owl:onProperty :p . :a :p :b .",
    ),
    Case(
        "cls-hv1",
        ":R owl:hasValue :b ; owl:onProperty :p . :a a :R .",
        ":a :p :b .",
        ":R owl:hasValue :b ; owl:onProperty :p . :a a :C .",
    ),
    Case(
        "cls-hv2",
        ':R owl:hasValue 18 ; owl:onProperty :p . :a :p "18"^^xsd:byte .',
        ":a a :R .",
        ":R owl:hasValue 18 ; owl:onProperty :p . :a :p 19 .",
    ),
    Case("cls-maxc1", _at_most(ZERO) + ":a a :R ; :p :b .", VIOLATION, _at_most(ONE) + ":a a :R ; :p :b ."),
    Case("cls-maxc1", _at_most("0") + ":a a :R ; :p :b .", VIOLATION, _at_most("0") + ":a :p :b ."),
    Case(
        "cls-maxc2",
        _at_most(ONE) + ":a a :R ; :p :b, :c .",
        ":b owl:sameAs :c .",
        _at_most(TWO) + ":a a :R ; :p :b, :c .",
    ),
    Case(
        "cls-maxc2",
        _at_most('"01"^^xsd:int') + ":a a :R ; :p :b, :c .",
        ":b owl:sameAs :c .",
        _at_most('"01"') + ":a a :R ; :p :b, :c .",
    ),
    Case(
        "cls-maxqc1",
        _at_most(ZERO, ":C") + ":a a :R ; :p :b . :b a :C .",
        VIOLATION,
        _at_most(ZERO, ":C") + ":a a :R ; :p :b .",
    ),
    Case(
        "cls-maxqc2",
        _at_most(ZERO, "owl:Thing") + ":a a :R ; :p :b .",
        VIOLATION,
        _at_most(ZERO, "owl:Thing") + ":a a :R ; :q :b .",
    ),
    Case(
        "cls-maxqc3",
        _at_most(ONE, ":C") + ":a a :R ; :p :b, :c . :b a :C . :c a :C .",
        ":b owl:sameAs :c .",
        _at_most(ONE, ":C") + ":a a :R ; :p :b, :c . :b a :C .",
    ),
    Case(
        "cls-maxqc4",
        _at_most(ONE, "owl:Thing") + ":a a :R ; :p :b, :c .",
        ":b owl:sameAs :c .",
        _at_most(ONE, ":C") + ":a a :R ; :p :b, :c .",
    ),
    Case("cls-oo", ":C owl:oneOf (:a :b) .", ":a a :C . :b a :C .", ":C owl:unionOf (:a :b) ."),
)

CLASS_AXIOM_CASES = (
    Case("cax-sco", ":C rdfs:subClassOf :D . :a a :C .", ":a a :D .", ":D rdfs:subClassOf :C . :a a :C ."),
    Case("cax-eqc1", ":C owl:equivalentClass :D . :a a :C .", ":a a :D .", ":C owl:equivalentClass :E . :a a :C ."),
    Case("cax-eqc2", ":C owl:equivalentClass :D . :a a :D .", ":a a :C .", ":C owl:disjointWith :D . :a a :D ."),
    Case(
        "cax-dw",
        ":C owl:disjointWith :D . :a a :C . :b a :D . :a owl:sameAs :b .",
        VIOLATION,
        ":C owl:disjointWith :D . :a a :C . :b a :D .",
    ),
    Case(
        "cax-adc",
        "[] a owl:AllDisjointClasses ; owl:members (:C :D :E) . :a a :C, :E .",
        VIOLATION,
        "[] a owl:AllDisjointClasses ; owl:members (:C :D) . :a a :C, :E .",
    ),
)

DATATYPE_CASES = (
    Case("dt-type1", "", "xsd:integer a rdfs:Datatype . xsd:anyURI a rdfs:Datatype .", None),
    Case(
        "dt-type2",
        ':R owl:someValuesFrom xsd:nonNegativeInteger ; owl:onProperty :p . :a :p "5"^^xsd:byte .',
        ":a a :R .",
        ':R owl:someValuesFrom xsd:nonNegativeInteger ; owl:onProperty :p . :a :p "-5"^^xsd:byte .',
        helpers=("cls-svf1",),
    ),
    Case(
        "dt-type2",
        ":C owl:intersectionOf (xsd:integer :D) . :R owl:someValuesFrom :C ; owl:onProperty :p . "
        ":p rdfs:range :D . :a :p 5 .",
        ":a a :R .",
        ":C owl:intersectionOf (xsd:string :D) . :R owl:someValuesFrom :C ; owl:onProperty :p . "
        ":p rdfs:range :D . :a :p 5 .",
        helpers=("cls-int1", "cls-svf1", "prp-rng"),
    ),
    Case(
        "dt-eq",
        ':p a owl:InverseFunctionalProperty . :a :p "1.0"^^xsd:decimal . :b :p 1 .',
        ":a owl:sameAs :b .",
        ':p a owl:InverseFunctionalProperty . :a :p "1.0"^^xsd:float . :b :p 1 .',
        helpers=("prp-ifp",),
    ),
    Case("dt-eq", ':a :p "1.0"^^xsd:decimal . :b :q 1 .', ":a :p 1 .", ':a :p "1.0" . :b :q 1 .'),
    Case(
        "dt-diff",
        ":p a owl:FunctionalProperty . :a :p 1, 2 .",
        VIOLATION,
        ':p a owl:FunctionalProperty . :a :p 1, "01"^^xsd:int .',
        helpers=("prp-fp",),
    ),
    Case(
        "dt-not-type",
        ":p rdfs:range xsd:integer . :a :p true .",
        VIOLATION,
        ':p rdfs:range xsd:integer . :a :p 1, "2.0"^^xsd:decimal ; :q true .',
        helpers=("prp-rng",),
    ),
    Case(
        "dt-not-type",
        ':p rdfs:range xsd:integer . :a :p "one"^^xsd:integer .',
        VIOLATION,
        ':p rdfs:range xsd:integer . :a :q "one"^^xsd:integer .',
        helpers=("prp-rng",),
    ),
)
