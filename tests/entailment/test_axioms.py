"""Every kind of axiom as a conclusion: one premise that entails it, and one that nearly does."""

from __future__ import annotations

import pytest

from tests.entailment.notation import asked

NAMES = ":A a owl:Class . :B a owl:Class . :C a owl:Class . :p a owl:ObjectProperty . :q a owl:ObjectProperty . "

# premises that entail the conclusion; premises that do not; the conclusion
CASES = {
    "subclass through a domain": (
        ":A rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue :v ] . :p rdfs:domain :B .",
        ":A rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue :v ] . :p rdfs:range :B .",
        ":A rdfs:subClassOf :B .",
    ),
    "subclass of an unsatisfiable class": (
        ":A rdfs:subClassOf :C . :A owl:disjointWith :C .",
        ":A rdfs:subClassOf :C . :B owl:disjointWith :C .",
        ":A rdfs:subClassOf :B .",
    ),
    "subclass of an intersection": (
        ":A rdfs:subClassOf :B, :C .",
        ":A rdfs:subClassOf :B .",
        ":A rdfs:subClassOf [ owl:intersectionOf (:B :C) ] .",
    ),
    "subclass from a union": (
        ":A rdfs:subClassOf :C . :B rdfs:subClassOf :C .",
        ":A rdfs:subClassOf :C .",
        "[ owl:unionOf (:A :B) ] rdfs:subClassOf :C .",
    ),
    "subclass from an enumeration": (
        ":a a :C . :b a :C .",
        ":a a :C .",
        "[ owl:oneOf (:a :b) ] rdfs:subClassOf :C .",
    ),
    "subclass of a value restriction": (
        ":p rdfs:range :B .",
        ":q rdfs:range :B .",
        ":A rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom :B ] .",
    ),
    "subclass of a maximal cardinality": (
        ":p a owl:FunctionalProperty .",
        ":p a owl:InverseFunctionalProperty .",
        ':A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality "1"^^xsd:nonNegativeInteger ] .',
    ),
    "subclass of a complement": (
        ":A owl:disjointWith :B .",
        ":A owl:disjointWith :C .",
        ":A rdfs:subClassOf [ owl:complementOf :B ] .",
    ),
    "equivalence of classes": (
        ":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :C rdfs:subClassOf :A .",
        ":A rdfs:subClassOf :B . :B rdfs:subClassOf :C .",
        ":A owl:equivalentClass :C .",
    ),
    "equivalence with an intersection": (
        ":A rdfs:subClassOf :B .",
        ":A rdfs:subClassOf :C .",
        ":A owl:equivalentClass [ owl:intersectionOf (:A :B) ] .",
    ),
    "disjointness of classes": (
        ":A rdfs:subClassOf :C . :C owl:disjointWith :B .",
        ":C rdfs:subClassOf :A . :C owl:disjointWith :B .",
        ":B owl:disjointWith :A .",
    ),
    "disjointness of all": (
        ":A owl:disjointWith :B . :B owl:disjointWith :C . :A owl:disjointWith :C .",
        ":A owl:disjointWith :B . :B owl:disjointWith :C .",
        "[] a owl:AllDisjointClasses ; owl:members (:A :B :C) .",
    ),
    "subproperty through an inverse": (
        ":p owl:inverseOf :q . :q rdfs:subPropertyOf [ owl:inverseOf :r ] .",
        ":p owl:inverseOf :q . :q rdfs:subPropertyOf :r .",
        ":p rdfs:subPropertyOf :r .",
    ),
    "equivalence of properties": (
        ":p owl:inverseOf :q . :r owl:inverseOf :q .",
        ":p owl:inverseOf :q . :r rdfs:subPropertyOf :p .",
        ":p owl:equivalentProperty :r .",
    ),
    "disjointness of properties": (
        ":p rdfs:domain :A . :q rdfs:domain :B . :A owl:disjointWith :B .",
        ":p rdfs:domain :A . :q rdfs:range :B . :A owl:disjointWith :B .",
        ":p owl:propertyDisjointWith :q .",
    ),
    "inverse properties": (
        ":p rdfs:subPropertyOf [ owl:inverseOf :q ] . :q rdfs:subPropertyOf [ owl:inverseOf :p ] .",
        ":p rdfs:subPropertyOf [ owl:inverseOf :q ] .",
        ":p owl:inverseOf :q .",
    ),
    "domain through an inverse": (
        ":p owl:inverseOf :q . :q rdfs:range :A .",
        ":q rdfs:range :A .",
        ":p rdfs:domain :A .",
    ),
    "range through a chain of properties": (
        ":p rdfs:subPropertyOf :q . :q rdfs:range [ owl:intersectionOf (:A :B) ] .",
        ":q rdfs:subPropertyOf :p . :q rdfs:range [ owl:intersectionOf (:A :B) ] .",
        ":p rdfs:range :A .",
    ),
    "functional": (
        ":p owl:inverseOf :q . :q a owl:InverseFunctionalProperty .",
        ":p owl:inverseOf :q . :q a owl:FunctionalProperty .",
        ":p a owl:FunctionalProperty .",
    ),
    "inverse functional": (
        ":p rdfs:subPropertyOf :q . :q a owl:InverseFunctionalProperty .",
        ":q rdfs:subPropertyOf :p . :q a owl:InverseFunctionalProperty .",
        ":p a owl:InverseFunctionalProperty .",
    ),
    "symmetric": (":p owl:inverseOf :p .", ":p owl:inverseOf :q .", ":p a owl:SymmetricProperty ."),
    "asymmetric": (
        ":p rdfs:domain :A ; rdfs:range :B . :A owl:disjointWith :B .",
        ":p rdfs:domain :A ; rdfs:range :B .",
        ":p a owl:AsymmetricProperty .",
    ),
    "irreflexive": (":p a owl:AsymmetricProperty .", ":p a owl:SymmetricProperty .", ":p a owl:IrreflexiveProperty ."),
    "reflexive": (
        ":q a owl:ReflexiveProperty . :q rdfs:subPropertyOf :p .",
        ":q a owl:ReflexiveProperty . :p rdfs:subPropertyOf :q .",
        ":p a owl:ReflexiveProperty .",
    ),
    "transitive": (
        ":p owl:propertyChainAxiom (:p :p) .",
        ":p owl:propertyChainAxiom (:q :p) .",
        ":p a owl:TransitiveProperty .",
    ),
    "chain": (
        ":p a owl:TransitiveProperty . :q rdfs:subPropertyOf :p .",
        ":q a owl:TransitiveProperty . :q rdfs:subPropertyOf :p .",
        ":p owl:propertyChainAxiom (:p :q :p) .",
    ),
    "key": (
        ":p a owl:InverseFunctionalProperty .",
        ":p a owl:FunctionalProperty .",
        ":A owl:hasKey (:p :q) .",
    ),
    "same individuals": (
        ":p a owl:FunctionalProperty . :a :p :b, :c .",
        ":p a owl:FunctionalProperty . :a :p :b . :d :p :c .",
        ":b owl:sameAs :c .",
    ),
    "different individuals": (
        ":a a :A . :b a :B . :A owl:disjointWith :B .",
        ":a a :A . :b a :C . :A owl:disjointWith :B .",
        ":a owl:differentFrom :b .",
    ),
    "all different": (
        ":a owl:differentFrom :b, :c . :b owl:differentFrom :c .",
        ":a owl:differentFrom :b, :c .",
        "[] a owl:AllDifferent ; owl:members (:a :b :c) .",
    ),
    "negative property assertion": (
        ":a :q :b . :p owl:propertyDisjointWith :q .",
        ":b :q :a . :p owl:propertyDisjointWith :q .",
        "[] owl:sourceIndividual :a ; owl:assertionProperty :p ; owl:targetIndividual :b .",
    ),
    "assertion of a complement": (
        ":a a :A . :A owl:disjointWith :B .",
        ":a a :A . :A owl:disjointWith :C .",
        ":a a [ owl:complementOf :B ] .",
    ),
    "assertion of a minimal cardinality": (
        ":a :p :b, :c . :b owl:differentFrom :c .",
        ":a :p :b, :c .",
        ':a a [ owl:onProperty :p ; owl:minCardinality "2"^^xsd:nonNegativeInteger ] .',
    ),
    "assertion of an existential": (
        ":a :p :b . :b a :A .",
        ":a :p :b . :c a :A .",
        ":a a [ owl:onProperty :p ; owl:someValuesFrom :A ] .",
    ),
    "the complement of a complement": (
        ":A owl:complementOf :B .",
        ":A owl:disjointWith :B .",
        ":B owl:complementOf :A .",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_axiom_is_entailed_by_the_one_and_not_by_the_other(name):
    enough, too_little, conclusion = CASES[name]

    assert asked(NAMES + enough, conclusion), name
    assert not asked(NAMES + too_little, conclusion), name


@pytest.mark.parametrize(
    ("ranges", "wanted", "entailed"),
    [
        ("xsd:byte", "xsd:short", True),
        ("xsd:short", "xsd:byte", False),
        ("xsd:short, xsd:unsignedInt", "xsd:unsignedShort", True),
        ("xsd:short, xsd:unsignedInt", "xsd:unsignedByte", False),
        ("xsd:nonNegativeInteger, xsd:nonPositiveInteger", "xsd:byte", True),
        ("xsd:integer, xsd:string", "xsd:boolean", True),
        ("xsd:token", "xsd:string", True),
        ("xsd:decimal", "xsd:integer", False),
        ("xsd:integer", "rdfs:Literal", True),
    ],
)
def test_ranges_are_compared_by_their_values(ranges, wanted, entailed):
    answer = asked(f":p a owl:DatatypeProperty ; rdfs:range {ranges} .", f":p rdfs:range {wanted} .")

    assert bool(answer) is entailed


def test_literals_are_met_by_value():
    assert asked(':a :p "01"^^xsd:integer .', ':a :p "1.0"^^xsd:decimal .')
    assert not asked(':a :p "01"^^xsd:integer .', ':a :p "2"^^xsd:integer .')
    assert not asked(":a :p :b .", ':a :p "ill"^^xsd:integer .')


@pytest.mark.parametrize(
    ("premises", "conclusion"),
    [
        (":a a [ owl:onProperty :p ; owl:hasSelf true ] .", ":a :p :a ."),
        (":C owl:disjointUnionOf (:A :B) . :a a :C, [ owl:complementOf :A ] .", ":a a :B ."),
        (":A owl:oneOf (:a :b) . :c a :A . :a a :B . :b a :B .", ":c a :B ."),
        (
            ":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :B ] . :p rdfs:domain :C .",
            ":A rdfs:subClassOf :C .",
        ),
        (":a a [ owl:onProperty :p ; owl:someValuesFrom :B ] . :B rdfs:subClassOf :C .", ":a :p [ a :C ] ."),
        (
            ':A rdfs:subClassOf [ owl:onProperty :p ; owl:cardinality "1"^^xsd:nonNegativeInteger ] . '
            ":a a :A ; :p :b, :c .",
            ":b owl:sameAs :c .",
        ),
    ],
)
def test_premises_beyond_the_profile_have_consequences_too(premises, conclusion):
    assert asked(NAMES + premises, conclusion)
    assert not asked(NAMES + premises, conclusion, patience=0)


def test_an_inconsistent_store_entails_everything_and_says_why():
    answer = asked(":A owl:disjointWith :B . :a a :A, :B .", ":x :y :z .")

    assert answer
    assert "cax-dw" in answer.inconsistency
    assert "the premises are inconsistent" in str(answer)
