from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from loaders.load import parse_text
from ontologies.read_functional import read_functional
from ontologies.read_rdf import ontology_of_triples
from ontologies.write_functional import write_functional
from tests.ontologies.reading import axiom_texts, turtle

CONFORMANCE = Path(__file__).parents[3] / "shared" / "conformance" / "owl2" / "owl2_tests.jsonl.gz"


@pytest.mark.parametrize(
    ("text", "axioms"),
    [
        # Guesses from use, where declarations are missing.
        (":p a owl:FunctionalProperty . :a :p 1 .", ["FunctionalDataProperty(:p)"]),
        (":p a owl:FunctionalProperty . :a :p :b .", ["FunctionalObjectProperty(:p)"]),
        (":p a owl:FunctionalProperty ; rdfs:range xsd:date .", ["FunctionalDataProperty(:p)"]),
        (":p rdfs:subPropertyOf :q . :q rdfs:range xsd:int .", ["SubDataPropertyOf(:p :q)"]),
        (":p rdfs:subPropertyOf :q . :q rdfs:range :C .", ["SubObjectPropertyOf(:p :q)"]),
        (
            ":p rdfs:domain :C . :A rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue 1 ] .",
            ["DataPropertyDomain(:p :C)"],
        ),
        (
            ":note a owl:AnnotationProperty ; rdfs:subPropertyOf rdfs:comment .",
            ["SubAnnotationPropertyOf(:note rdfs:comment)"],
        ),
        (":note a owl:AnnotationProperty ; rdfs:range xsd:string .", ["AnnotationPropertyRange(:note xsd:string)"]),
        (":note a owl:AnnotationProperty . :a :note 1 .", ['AnnotationAssertion(:note :a "1"^^xsd:integer)']),
        (":p a owl:DatatypeProperty ; rdfs:range :Unknown .", ["DataPropertyRange(:p :Unknown)"]),
        # A property that is declared as both is read as both.
        (
            ":p a owl:ObjectProperty , owl:DatatypeProperty , owl:FunctionalProperty .",
            ["FunctionalObjectProperty(:p)", "FunctionalDataProperty(:p)"],
        ),
        # One name for a class, a property and an individual.
        (
            ":A a owl:Class , owl:ObjectProperty , :B . :A :A :A .",
            ["ClassAssertion(:B :A)", "ObjectPropertyAssertion(:A :A :A)"],
        ),
        # OWL 1.
        (":A a owl:Class ; owl:unionOf ( :B :C ) .", ["EquivalentClasses(:A ObjectUnionOf(:B :C))"]),
        (
            ":A owl:complementOf :B ; owl:oneOf ( :a ) .",
            ["EquivalentClasses(:A ObjectComplementOf(:B))", "EquivalentClasses(:A ObjectOneOf(:a))"],
        ),
        (
            ":A a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B .",
            ["EquivalentClasses(:A ObjectSomeValuesFrom(:p :B))"],
        ),
        (
            ":p rdfs:range [ a owl:DataRange ; owl:oneOf ( 1 2 ) ] .",
            ['DataPropertyRange(:p DataOneOf("1"^^xsd:integer "2"^^xsd:integer))'],
        ),
        (":A a rdfs:Class ; rdfs:subClassOf [ owl:intersectionOf ( :B ) ] .", ["SubClassOf(:A :B)"]),
        (":A rdfs:subClassOf [ owl:unionOf () ] .", ["SubClassOf(:A owl:Nothing)"]),
        (":A a owl:DeprecatedClass .", ['AnnotationAssertion(owl:deprecated :A "true"^^xsd:boolean)']),
        ("[] a owl:AllDifferent ; owl:distinctMembers ( :a :b ) .", ["DifferentIndividuals(:a :b)"]),
        # The rest of the mapping.
        ("[] a owl:AllDisjointProperties ; owl:members ( :p :q :r ) .", ["DisjointObjectProperties(:p :q :r)"]),
        (
            ":q a owl:DatatypeProperty . [] a owl:AllDisjointProperties ; owl:members ( :p :q ) .",
            ["DisjointDataProperties(:p :q)"],
        ),
        ("[ owl:inverseOf :p ] rdfs:subPropertyOf :q .", ["SubObjectPropertyOf(ObjectInverseOf(:p) :q)"]),
        ("[ owl:inverseOf :p ] a owl:FunctionalProperty .", ["FunctionalObjectProperty(ObjectInverseOf(:p))"]),
        (":p owl:inverseOf [ owl:inverseOf :q ] .", ["InverseObjectProperties(:p ObjectInverseOf(:q))"]),
        (
            ":p owl:propertyChainAxiom ( :q [ owl:inverseOf :r ] ) .",
            ["SubObjectPropertyOf(ObjectPropertyChain(:q ObjectInverseOf(:r)) :p)"],
        ),
        (":a a [ a owl:Class ; owl:complementOf :B ] .", ["ClassAssertion(ObjectComplementOf(:B) :a)"]),
        (
            ":A rdfs:subClassOf [ owl:onProperty :p ; owl:minCardinality 2 ] .",
            ["SubClassOf(:A ObjectMinCardinality(2 :p))"],
        ),
        (
            ":A rdfs:subClassOf [ owl:onProperty :p ; owl:qualifiedCardinality 2 ; owl:onDataRange xsd:int ] .",
            ["SubClassOf(:A DataExactCardinality(2 :p xsd:int))"],
        ),
        (
            ":A rdfs:subClassOf [ owl:onProperties ( :p :q ) ; owl:allValuesFrom xsd:int ] .",
            ["SubClassOf(:A DataAllValuesFrom(:p :q xsd:int))"],
        ),
        (
            ":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom [ owl:datatypeComplementOf xsd:int ] ] .",
            ["SubClassOf(:A DataSomeValuesFrom(:p DataComplementOf(xsd:int)))"],
        ),
        (
            "[] owl:sourceIndividual :a ; owl:assertionProperty :p ; owl:targetValue 1 .",
            ['NegativeDataPropertyAssertion(:p :a "1"^^xsd:integer)'],
        ),
        (":A owl:hasKey ( :p :d ) . :d a owl:DatatypeProperty .", ["HasKey(:A (:p) (:d))"]),
        (":a owl:sameAs :b . :b owl:differentFrom :c .", ["SameIndividual(:a :b)", "DifferentIndividuals(:b :c)"]),
    ],
)
def test_triples_are_read_as_axioms(text: str, axioms: list[str]) -> None:
    ontology = turtle(text)
    assert ontology.unread == ()
    assert [axiom for axiom in axiom_texts(ontology) if axiom in axioms] == axioms


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ] .", 3),
        (":A rdfs:subClassOf _:x .", 1),
        ("_:x owl:complementOf _:x . :A rdfs:subClassOf _:x .", 2),
        (":A rdfs:subClassOf [ owl:unionOf [ rdf:first :B ] ] .", 3),
        (":p a owl:DatatypeProperty ; rdfs:range :C . :C a owl:Class .", 1),
        ("[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :a .", 2),
        ("[] a swrl:Imp ; swrl:head () .", 2),
        (":a owl:sameAs 1 .", 1),
        (":x a rdf:Bag .", 1),
        (
            "[] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:domain ; owl:annotatedTarget :B .",
            4,
        ),
        (":A rdfs:subClassOf [ owl:onProperty :p ; owl:minCardinality 1 ; owl:maxCardinality 2 ] .", 1),
    ],
)
def test_triples_that_fit_no_axiom_are_kept_apart(text: str, count: int) -> None:
    assert len(turtle(text).unread) == count


def test_an_expression_that_no_axiom_uses_is_read_and_says_nothing() -> None:
    ontology = turtle("[] a owl:Class ; owl:unionOf ( :A :B ) .")
    assert (ontology.axioms, ontology.unread) == ((), ())


def test_annotations_of_annotations_are_kept() -> None:
    ontology = turtle(
        """
        :A rdfs:subClassOf :B .
        _:a a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :B ;
          rdfs:comment "one" .
        [] a owl:Annotation ; owl:annotatedSource _:a ; owl:annotatedProperty rdfs:comment ;
          owl:annotatedTarget "one" ; rdfs:comment "two" .
        """
    )
    [remark] = ontology.axiom_annotations
    assert remark.axiom == ontology.axioms[0]
    [annotation] = remark.annotations
    assert (annotation.value, annotation.annotations[0].value) == ('"one"', '"two"')
    assert ontology.unread == ()


def test_a_triple_said_twice_is_one_axiom() -> None:
    triple = parse_text("<urn:A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:B> .", "ntriples")
    assert len(ontology_of_triples(triple * 2).axioms) == 1


def test_owl2_conformance_premises_survive_a_round_trip_through_functional_syntax() -> None:
    if not CONFORMANCE.exists():
        pytest.skip("the conformance material is not beside the project")
    # It holds an rdf:PlainLiteral, which the functional-style reader turns into the tagged literal that it stands for.
    strange = {"FS2RDF-literals-ar"}
    checked = 0
    with gzip.open(CONFORMANCE, "rt", encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            if case["id"] in strange:
                continue
            ontology = ontology_of_triples(parse_text(case["premise"], "ntriples"))
            text = "\n".join(write_functional(axiom) for axiom in ontology.axioms)
            again = read_functional(f"Ontology({text})")
            assert again.axioms == ontology.axioms, case["id"]
            from_triples = ontology_of_triples(again.triples)
            assert set(from_triples.axioms) == set(ontology.axioms), case["id"]
            assert from_triples.unread == (), case["id"]
            checked += 1
    assert checked > 200
