"""Golden translations: each row of the tables of paper 1 and of what goes beyond them, beside the rules it gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontologies.dlp import translate_dlp
from ontologies.read import read_ontology
from tests.ontologies.reading import functional, reasons, rule_texts

LUBM = Path(__file__).parents[3] / "shared" / "conformance" / "lubm" / "univ-bench.nt.gz"

TABLE_1 = {
    "SubClassOf(:A :B)": ["?x a :B :- ?x a :A"],
    "EquivalentClasses(:A :B)": ["?x a :B :- ?x a :A", "?x a :A :- ?x a :B"],
    "EquivalentClasses(:A :B :C)": [
        "?x a :B :- ?x a :A",
        "?x a :A :- ?x a :B",
        "?x a :C :- ?x a :A",
        "?x a :A :- ?x a :C",
    ],
    "SubClassOf(:A ObjectHasValue(:r :i))": ["?x :r :i :- ?x a :A"],
    "SubClassOf(:A ObjectIntersectionOf(:C :D))": ["?x a :C :- ?x a :A", "?x a :D :- ?x a :A"],
    "SubClassOf(:A ObjectAllValuesFrom(:r :C))": ["?y a :C :- ?x a :A, ?x :r ?y"],
    "SubClassOf(ObjectHasValue(:r :i) :A)": ["?x a :A :- ?x :r :i"],
    "SubClassOf(ObjectSomeValuesFrom(:r :C) :A)": ["?x a :A :- ?x :r ?y, ?y a :C"],
    "SubClassOf(ObjectIntersectionOf(:C :D) :A)": ["?x a :A :- ?x a :C, ?x a :D"],
    "SubClassOf(ObjectUnionOf(:C :D) :A)": ["?x a :A :- ?x a :C", "?x a :A :- ?x a :D"],
    # Example 1 of the paper.
    "SubClassOf(:Wine ObjectIntersectionOf(:PotableLiquid ObjectAllValuesFrom(:hasMaker :Winery)))": [
        "?x a :PotableLiquid :- ?x a :Wine",
        "?y a :Winery :- ?x a :Wine, ?x :hasMaker ?y",
    ],
}
TABLE_2 = {
    "SubObjectPropertyOf(:p :q)": ["?x :q ?y :- ?x :p ?y"],
    "ObjectPropertyDomain(:p :C)": ["?x a :C :- ?x :p ?y"],
    "ObjectPropertyRange(:p :C)": ["?y a :C :- ?x :p ?y"],
    "InverseObjectProperties(:p :q)": ["?y :p ?x :- ?x :q ?y", "?y :q ?x :- ?x :p ?y"],
    "SymmetricObjectProperty(:p)": ["?y :p ?x :- ?x :p ?y"],
    "TransitiveObjectProperty(:p)": ["?x :p ?y1 :- ?x :p ?y, ?y :p ?y1"],
    "EquivalentObjectProperties(:p :q)": ["?x :p ?y :- ?x :q ?y", "?x :q ?y :- ?x :p ?y"],
    "SubDataPropertyOf(:p :q)": ["?x :q ?y :- ?x :p ?y"],
    "DataPropertyDomain(:p :C)": ["?x a :C :- ?x :p ?y"],
}
EXPRESSIONS = {
    "SubClassOf(ObjectSomeValuesFrom(ObjectInverseOf(:r) owl:Thing) :A)": ["?y a :A :- ?x :r ?y"],
    "SubClassOf(ObjectSomeValuesFrom(:r ObjectUnionOf(:B ObjectHasSelf(:s))) :A)": [
        "?x a :A :- ?x :r ?y, ?y a :B",
        "?x a :A :- ?x :r ?y, ?y :s ?y",
    ],
    "SubClassOf(ObjectMinCardinality(1 :r :B) :A)": ["?x a :A :- ?x :r ?y, ?y a :B"],
    "SubClassOf(ObjectOneOf(:i :j) :A)": [":i a :A", ":j a :A"],
    "SubClassOf(ObjectIntersectionOf(:B ObjectOneOf(:i)) :A)": [":i a :A :- :i a :B"],
    "SubClassOf(ObjectIntersectionOf(ObjectOneOf(:i) ObjectOneOf(:j)) :A)": [":i a :A :- :i owl:sameAs :j"],
    "SubClassOf(ObjectSomeValuesFrom(:r ObjectOneOf(:i)) :A)": ["?x a :A :- ?x :r :i"],
    "SubClassOf(:A ObjectOneOf(:i))": ["?x owl:sameAs :i :- ?x a :A"],
    "SubClassOf(:A ObjectSomeValuesFrom(:r ObjectOneOf(:i)))": ["?x :r :i :- ?x a :A"],
    "SubClassOf(:A ObjectHasSelf(:r))": ["?x :r ?x :- ?x a :A"],
    "SubClassOf(:A ObjectMaxCardinality(1 :r))": ["?y owl:sameAs ?y1 :- ?x a :A, ?x :r ?y, ?x :r ?y1"],
    "SubClassOf(:A ObjectMaxCardinality(1 :r :B))": [
        "?y owl:sameAs ?y1 :- ?x a :A, ?x :r ?y, ?x :r ?y1, ?y a :B, ?y1 a :B"
    ],
    "SubClassOf(:A ObjectMaxCardinality(0 :r :B))": ["false :- ?x a :A, ?x :r ?y, ?y a :B"],
    "SubClassOf(:A ObjectExactCardinality(0 :r))": ["false :- ?x a :A, ?x :r ?y"],
    "SubClassOf(:A ObjectMinCardinality(0 :r))": [],
    "SubClassOf(:A ObjectComplementOf(:B))": ["false :- ?x a :A, ?x a :B"],
    "SubClassOf(:A ObjectComplementOf(ObjectComplementOf(:B)))": ["?x a :B :- ?x a :A"],
    "SubClassOf(:A ObjectUnionOf(ObjectComplementOf(:B) :C))": ["?x a :C :- ?x a :A, ?x a :B"],
    "SubClassOf(:A ObjectUnionOf(owl:Nothing :C))": ["?x a :C :- ?x a :A"],
    "SubClassOf(:A owl:Nothing)": ["false :- ?x a :A"],
    "SubClassOf(:A owl:Thing)": [],
    "SubClassOf(owl:Nothing :A)": [],
    "SubClassOf(:A :A)": [],
    "SubClassOf(owl:Thing :A)": ["?x a :A :- ?x a owl:Thing"],
    "SubClassOf(owl:Thing ObjectAllValuesFrom(:r :C))": ["?y a :C :- ?x :r ?y"],
    "SubClassOf(owl:Thing owl:Nothing)": ["false :- ?x a ?y"],
    "SubClassOf(ObjectComplementOf(:A) owl:Nothing)": ["?x a :A :- ?x a owl:Thing"],
    "SubClassOf(ObjectMinCardinality(2 :r) owl:Nothing)": ["?y owl:sameAs ?y1 :- ?x :r ?y, ?x :r ?y1"],
    "SubClassOf(:A ObjectAllValuesFrom(:r ObjectAllValuesFrom(:s ObjectIntersectionOf(:B :C))))": [
        "?y1 a :B :- ?x a :A, ?x :r ?y, ?y :s ?y1",
        "?y1 a :C :- ?x a :A, ?x :r ?y, ?y :s ?y1",
    ],
    "ObjectPropertyDomain(:p ObjectAllValuesFrom(:q :C))": ["?y1 a :C :- ?x :p ?y, ?x :q ?y1"],
    "ObjectPropertyRange(:p ObjectIntersectionOf(:C ObjectComplementOf(:D)))": [
        "?y a :C :- ?x :p ?y",
        "false :- ?x :p ?y, ?y a :D",
    ],
    "SubClassOf(:A ObjectAllValuesFrom(owl:bottomObjectProperty :B))": [],
    "SubObjectPropertyOf(:p owl:topObjectProperty)": [],
    "SubObjectPropertyOf(:p owl:bottomObjectProperty)": ["false :- ?x :p ?y"],
}
PROPERTIES = {
    "SubObjectPropertyOf(ObjectPropertyChain(:p ObjectInverseOf(:q) :r) :s)": [
        "?x :s ?y2 :- ?x :p ?y, ?y1 :q ?y, ?y1 :r ?y2"
    ],
    "SubObjectPropertyOf(:p ObjectInverseOf(:q))": ["?y :q ?x :- ?x :p ?y"],
    "FunctionalObjectProperty(:p)": ["?y owl:sameAs ?y1 :- ?x :p ?y, ?x :p ?y1"],
    "InverseFunctionalObjectProperty(:p)": ["?x owl:sameAs ?y1 :- ?x :p ?y, ?y1 :p ?y"],
    "IrreflexiveObjectProperty(:p)": ["false :- ?x :p ?x"],
    "AsymmetricObjectProperty(:p)": ["false :- ?x :p ?y, ?y :p ?x"],
    "DisjointObjectProperties(:p :q ObjectInverseOf(:r))": [
        "false :- ?x :p ?y, ?x :q ?y",
        "false :- ?x :p ?y, ?y :r ?x",
        "false :- ?x :q ?y, ?y :r ?x",
    ],
    "FunctionalDataProperty(:p)": ["false :- ?x :p ?y, ?x :p ?y1, differentValue(?y, ?y1)"],
    "HasKey(:A (:p) (:d))": [
        "?x owl:sameAs ?y :- ?x a :A, ?y a :A, ?x :p ?y1, ?y :p ?y1, ?x :d ?y2, ?y :d ?y2",
    ],
    "DisjointClasses(:A :B)": ["false :- ?x a :A, ?x a :B"],
    "DisjointClasses(:A ObjectSomeValuesFrom(:p :B))": ["false :- ?x a :A, ?x :p ?y, ?y a :B"],
}
INDIVIDUALS = {
    "ClassAssertion(:A :i)": [],
    "ObjectPropertyAssertion(:p :i :j)": [],
    "SameIndividual(:i :j)": [],
    "DifferentIndividuals(:i :j)": ["false :- :i owl:sameAs :j"],
    "NegativeObjectPropertyAssertion(ObjectInverseOf(:p) :i :j)": ["false :- :j :p :i"],
    'NegativeDataPropertyAssertion(:d :i "a")': ['false :- :i :d "a"'],
    "ClassAssertion(ObjectAllValuesFrom(:p :B) :i)": ["?x a :B :- :i :p ?x"],
    "ClassAssertion(ObjectHasValue(:p :j) :i)": [":i :p :j"],
    "ClassAssertion(ObjectComplementOf(:B) :i)": ["false :- :i a :B"],
    "ClassAssertion(owl:Nothing :i)": ["false :- :i a owl:Nothing"],
}
DATA = {
    "SubClassOf(DataSomeValuesFrom(:d xsd:int) :A)": ["?x a :A :- ?x :d ?y, inValueSpace(?y, xsd:int)"],
    "SubClassOf(DataSomeValuesFrom(:d rdfs:Literal) :A)": ["?x a :A :- ?x :d ?y"],
    'SubClassOf(DataHasValue(:d "a") :A)': ['?x a :A :- ?x :d "a"'],
    'SubClassOf(:A DataHasValue(:d "a"))': ['?x :d "a" :- ?x a :A'],
    "SubClassOf(:A DataAllValuesFrom(:d xsd:int))": ["false :- ?x a :A, ?x :d ?y, notInValueSpace(?y, xsd:int)"],
    "DataPropertyRange(:d xsd:int)": ["false :- ?x :d ?y, notInValueSpace(?y, xsd:int)"],
    "DataPropertyRange(:d rdfs:Literal)": [],
    'DataPropertyRange(:d DataOneOf("a" "b"))': ['false :- ?x :d ?y, differentValue(?y, "a"), differentValue(?y, "b")'],
    'SubClassOf(DataSomeValuesFrom(:d DataOneOf("a" "b")) :A)': [
        '?x a :A :- ?x :d ?y, sameValue(?y, "a")',
        '?x a :A :- ?x :d ?y, sameValue(?y, "b")',
    ],
    "DataPropertyRange(:d DataUnionOf(xsd:int xsd:string))": [
        "false :- ?x :d ?y, notInValueSpace(?y, xsd:int), notInValueSpace(?y, xsd:string)"
    ],
    "DataPropertyRange(:d DataIntersectionOf(xsd:int DataComplementOf(xsd:byte)))": [
        "false :- ?x :d ?y, notInValueSpace(?y, xsd:int)",
        "false :- ?x :d ?y, inValueSpace(?y, xsd:byte)",
    ],
    'SubClassOf(DataSomeValuesFrom(:d DatatypeRestriction(xsd:int xsd:minExclusive "5"^^xsd:int)) :A)': [
        '?x a :A :- ?x :d ?y, inValueSpace(?y, xsd:int), ?y > "5"^^xsd:int'
    ],
    'DataPropertyRange(:d DatatypeRestriction(xsd:int xsd:maxInclusive "5"^^xsd:int))': [
        "false :- ?x :d ?y, notInValueSpace(?y, xsd:int)",
        'false :- ?x :d ?y, inValueSpace(?y, xsd:int), ?y > "5"^^xsd:int',
    ],
    "SubClassOf(:A DataMaxCardinality(1 :d))": ["false :- ?x a :A, ?x :d ?y, ?x :d ?y1, differentValue(?y, ?y1)"],
    "SubClassOf(DataMinCardinality(2 :d) :A)": ["?x a :A :- ?x :d ?y, ?x :d ?y1, differentValue(?y, ?y1)"],
    "SubClassOf(:A ObjectUnionOf(DataAllValuesFrom(:d xsd:int) :B))": [
        "?x a :B :- ?x a :A, ?x :d ?y, notInValueSpace(?y, xsd:int)"
    ],
}
TRANSLATED = {**TABLE_1, **TABLE_2, **EXPRESSIONS, **PROPERTIES, **INDIVIDUALS, **DATA}


@pytest.mark.parametrize("axiom", TRANSLATED)
def test_an_axiom_becomes_its_rules_and_nothing_is_left_out(axiom: str) -> None:
    translation = translate_dlp(functional(axiom))
    assert rule_texts(translation.rules) == TRANSLATED[axiom]
    assert translation.left_out == ()


@pytest.mark.parametrize(
    ("axiom", "rules", "reason"),
    [
        (
            "SubClassOf(:A ObjectIntersectionOf(:B ObjectSomeValuesFrom(:r :C)))",
            ["?x a :B :- ?x a :A"],
            "ObjectSomeValuesFrom(:r :C) needs an existential variable in the head",
        ),
        ("SubClassOf(:A ObjectUnionOf(:B :C))", [], "needs a disjunction in the head: :B or :C"),
        ("SubClassOf(ObjectComplementOf(:A) :B)", [], "needs a disjunction in the head: :A or :B"),
        (
            "SubClassOf(ObjectAllValuesFrom(:r :A) :B)",
            [],
            "needs a disjunction in the head: ObjectSomeValuesFrom(:r ObjectComplementOf(:A)) or :B",
        ),
        (
            "SubClassOf(ObjectUnionOf(:A ObjectComplementOf(:B)) :C)",
            ["?x a :C :- ?x a :A"],
            "needs a disjunction in the head: :B or :C",
        ),
        (
            "SubClassOf(:A ObjectOneOf(:i :j))",
            [],
            "needs a disjunction in the head: ObjectOneOf(:i) or ObjectOneOf(:j)",
        ),
        (
            "SubClassOf(:A ObjectMaxCardinality(2 :r))",
            [],
            "ObjectMinCardinality(3 :r) needs a disjunction of equalities in the head",
        ),
        ("SubClassOf(ObjectMinCardinality(2 :r) :A)", [], "needs a disjunction in the head: an equality or :A"),
        (
            "SubClassOf(:A ObjectExactCardinality(1 :r))",
            ["?y owl:sameAs ?y1 :- ?x a :A, ?x :r ?y, ?x :r ?y1"],
            "ObjectMinCardinality(1 :r) needs an existential variable in the head",
        ),
        ("SubClassOf(DataMinCardinality(9 :d) :A)", [], "DataMinCardinality(9 :d) needs a rule over 9 values"),
        (
            "SubClassOf(DataSomeValuesFrom(:d :e xsd:int) :A)",
            [],
            "DataSomeValuesFrom(:d :e xsd:int) relates the values of several data properties",
        ),
        ("DataPropertyRange(:d :Unknown)", [], ":Unknown is a datatype whose values are not known"),
        (
            'SubClassOf(DataSomeValuesFrom(:d DatatypeRestriction(xsd:string xsd:length "5"^^xsd:int)) :A)',
            [],
            'DatatypeRestriction(xsd:string xsd:length "5"^^xsd:int) has the facet xsd:length, which has no builtin',
        ),
        (
            "DisjointUnion(:A :B :C)",
            ["?x a :A :- ?x a :B", "?x a :A :- ?x a :C", "false :- ?x a :B, ?x a :C"],
            "needs a disjunction in the head: :B or :C",
        ),
    ],
)
def test_what_is_no_horn_rule_is_left_out_with_the_reason(axiom: str, rules: list[str], reason: str) -> None:
    translation = translate_dlp(functional(axiom))
    assert rule_texts(translation.rules) == rules
    assert reasons(translation.left_out) == [reason]


def test_a_reflexive_property_is_left_out_with_a_remedy() -> None:
    [left_out] = translate_dlp(functional("ReflexiveObjectProperty(:p)")).left_out
    assert "ObjectHasSelf" in left_out.reason


def test_a_pattern_must_match_the_whole_string() -> None:
    axiom = 'SubClassOf(DataSomeValuesFrom(:d DatatypeRestriction(xsd:string xsd:pattern "a|b")) :A)'
    [rule] = translate_dlp(functional(axiom)).rules
    assert rule.conditions[1].arguments[1] == '"\\\\A(?:a|b)\\\\Z"'


def test_a_defined_datatype_stands_for_its_definition() -> None:
    translation = translate_dlp(
        functional("DatatypeDefinition(:Small xsd:byte)", "DataPropertyRange(:d :Small)"),
    )
    assert rule_texts(translation.rules) == ["false :- ?x :d ?y, notInValueSpace(?y, xsd:byte)"]


def test_equal_rules_of_several_axioms_are_one_rule_with_all_sources() -> None:
    translation = translate_dlp(
        functional(
            "SubClassOf(:A :B)",
            "EquivalentClasses(:A ObjectIntersectionOf(:B :C))",
            "SubClassOf(ObjectIntersectionOf(:C :B) :A)",
        )
    )
    assert rule_texts(translation.rules) == ["?x a :B :- ?x a :A", "?x a :C :- ?x a :A", "?x a :A :- ?x a :B, ?x a :C"]
    assert [len(rule.sources) for rule in translation.rules] == [2, 1, 2]
    assert translation.rules[0].sources[0] == "SubClassOf(<http://e/#A> <http://e/#B>)"
    assert [rule.name for rule in translation.rules] == ["SubClassOf", "EquivalentClasses", "EquivalentClasses"]


def test_rules_that_compare_literals_ask_for_value_equality() -> None:
    assert translate_dlp(functional('SubClassOf(DataHasValue(:d "1") :A)')).value_equality
    assert translate_dlp(functional("HasKey(:A () (:d))")).value_equality
    assert not translate_dlp(functional('SubClassOf(:A DataHasValue(:d "1"))')).value_equality


def test_the_university_benchmark_has_98_rules() -> None:
    if not LUBM.exists():
        pytest.skip("the conformance material is not beside the project")
    translation = translate_dlp(read_ontology(LUBM))
    assert len(translation.rules) == 98
    assert len(translation.left_out) == 8
    assert all("existential variable" in item.reason for item in translation.left_out)
