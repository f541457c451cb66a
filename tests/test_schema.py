"""What an ontology is read from when it lies among the data."""

from loaders.load import parse_text
from reasoner import Reasoner

PREFIXES = """@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def reasoned(turtle: str, profile: str = "dlp") -> Reasoner:
    kb = Reasoner(profile=profile)
    kb.add(parse_text(PREFIXES + turtle, "turtle"))
    return kb


def test_an_individual_of_a_class_expression_is_reasoned_about():
    kb = reasoned("""
        :p a owl:ObjectProperty .
        :i a [ a owl:Restriction ; owl:onProperty :p ; owl:maxCardinality 1 ] ; :p :x , :y .""")

    assert ("<http://e.org/x>", "<http://e.org/y>") in [tuple(members) for members in kb.classes()]


def test_facets_of_datatypes_belong_to_the_ontology():
    kb = reasoned("""
        :age a owl:DatatypeProperty . :Adult owl:equivalentClass [ a owl:Restriction ; owl:onProperty :age ;
          owl:someValuesFrom [ a rdfs:Datatype ; owl:onDatatype xsd:integer ;
            owl:withRestrictions ( [ xsd:minInclusive 18 ] ) ] ] .
        :ann :age 20 . :bob :age 3 .""")

    assert kb.select("?x a <http://e.org/Adult>") == [{"x": "<http://e.org/ann>"}]


def test_an_undeclared_functional_property_with_literals_is_not_taken_for_an_equality():
    kb = reasoned(':code a owl:FunctionalProperty . :a :code "1" . :b :code "2" .')

    assert kb.classes() == []
    assert kb.violations() == []
