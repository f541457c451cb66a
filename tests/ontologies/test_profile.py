from __future__ import annotations

import pytest

from ontologies.profile import check_profile
from reasoner.rules.errors import ReasonerError
from tests.ontologies.reading import functional, reasons, turtle


@pytest.mark.parametrize(
    "axiom",
    [
        "SubClassOf(ObjectUnionOf(:A ObjectSomeValuesFrom(:r owl:Thing)) ObjectAllValuesFrom(:r :B))",
        "SubClassOf(ObjectOneOf(:i) ObjectMaxCardinality(1 :r :B))",
        'SubClassOf(DataHasValue(:d "a") ObjectComplementOf(ObjectUnionOf(:A :B)))',
        "SubClassOf(DataSomeValuesFrom(:d xsd:int) DataMaxCardinality(0 :d xsd:string))",
        "EquivalentClasses(:A ObjectIntersectionOf(:B ObjectHasValue(:r :i)))",
        "DisjointClasses(:A ObjectSomeValuesFrom(:r :B))",
        "DataPropertyRange(:d DataIntersectionOf(xsd:int xsd:integer))",
        "HasKey(:A (:r) ())",
        "ClassAssertion(owl:Thing :i)",
        "SubObjectPropertyOf(ObjectPropertyChain(:r :r) :r)",
        "NegativeObjectPropertyAssertion(:r :i :j)",
        "AnnotationAssertion(rdfs:label :i :j)",
    ],
)
def test_axioms_of_owl2rl_are_inside(axiom: str) -> None:
    assert check_profile(functional(axiom), "owl2rl") == []


@pytest.mark.parametrize(
    ("axiom", "expected"),
    [
        ("SubClassOf(:A ObjectUnionOf(:B :C))", ["ObjectUnionOf(:B :C) is not allowed as a superclass"]),
        (
            "SubClassOf(ObjectIntersectionOf(:A ObjectAllValuesFrom(:r :B)) :C)",
            ["ObjectAllValuesFrom(:r :B) is not allowed as a subclass"],
        ),
        (
            "SubClassOf(ObjectComplementOf(:A) ObjectSomeValuesFrom(:r :B))",
            [
                "ObjectComplementOf(:A) is not allowed as a subclass",
                "ObjectSomeValuesFrom(:r :B) is not allowed as a superclass",
            ],
        ),
        (
            "SubClassOf(:A ObjectMaxCardinality(2 :r))",
            ["ObjectMaxCardinality(2 :r) is not allowed as a superclass: the number must be 0 or 1"],
        ),
        ("SubClassOf(owl:Thing :A)", ["owl:Thing is not allowed as a subclass"]),
        ("SubClassOf(:A owl:Thing)", ["owl:Thing is not allowed as a superclass"]),
        ("SubClassOf(ObjectHasSelf(:r) :A)", ["ObjectHasSelf(:r) is not allowed as a subclass"]),
        (
            "SubClassOf(:A ObjectComplementOf(ObjectComplementOf(:B)))",
            ["ObjectComplementOf(:B) is not allowed as a subclass"],
        ),
        (
            "EquivalentClasses(:A ObjectSomeValuesFrom(:r :B))",
            ["ObjectSomeValuesFrom(:r :B) is not allowed in an equivalence of classes"],
        ),
        ("DisjointUnion(:A :B :C)", ["OWL 2 RL has no DisjointUnion"]),
        ("ReflexiveObjectProperty(:r)", ["OWL 2 RL has no ReflexiveObjectProperty"]),
        ("DataPropertyRange(:d xsd:date)", ["xsd:date is not a datatype of OWL 2 RL"]),
        ("DataPropertyRange(:d owl:real)", ["owl:real is not a datatype of OWL 2 RL"]),
        ('DataPropertyRange(:d DataOneOf("a"))', ['DataOneOf("a") is not a data range of OWL 2 RL']),
        ("ObjectPropertyRange(:r ObjectOneOf(:i))", ["ObjectOneOf(:i) is not allowed as a superclass"]),
        (
            "ClassAssertion(ObjectMinCardinality(1 :r) :i)",
            ["ObjectMinCardinality(1 :r) is not allowed as a superclass"],
        ),
        ("HasKey(ObjectComplementOf(:A) (:r) ())", ["ObjectComplementOf(:A) is not allowed as a subclass"]),
    ],
)
def test_axioms_outside_owl2rl_are_listed_with_the_part_and_its_position(axiom: str, expected: list[str]) -> None:
    found = check_profile(functional(axiom), "owl2rl")
    assert reasons(found) == expected
    assert all(item.axiom_text.startswith(axiom.split("(")[0]) for item in found)


@pytest.mark.parametrize(
    ("axiom", "expected"),
    [
        ("SubClassOf(:A :B)", []),
        ("ObjectPropertyDomain(:r :A)", []),
        ("DataPropertyRange(:d xsd:int)", []),
        ("ObjectPropertyAssertion(:r :i :j)", []),
        ("SubClassOf(:A ObjectUnionOf(:B :C))", ["RDF Schema has no expression ObjectUnionOf(:B :C), only names"]),
        ("TransitiveObjectProperty(:r)", ["RDF Schema has no TransitiveObjectProperty"]),
        (
            "SubObjectPropertyOf(ObjectInverseOf(:r) :s)",
            ["RDF Schema has no expression ObjectInverseOf(:r), only names"],
        ),
    ],
)
def test_rdfs_has_names_and_hierarchies_only(axiom: str, expected: list[str]) -> None:
    assert reasons(check_profile(functional(axiom), "rdfs")) == expected


@pytest.mark.parametrize("profile", ["owl2rl", "rdfs", "dlp", "lower", "upper"])
def test_unread_triples_are_listed_in_every_profile(profile: str) -> None:
    [found] = check_profile(turtle(":A rdfs:subClassOf _:nothing ."), profile)
    assert "fits no axiom" in found.reason
    assert found.axiom_text.startswith("<http://e/#A>")


@pytest.mark.parametrize("profile", ["owl2rl", "rdfs", "dlp", "lower", "upper"])
def test_rules_with_unsupported_builtins_are_listed_in_every_profile(profile: str) -> None:
    rule = (
        "DLSafeRule(Body(DataPropertyAtom(:d Variable(:x) Variable(:n)) BuiltInAtom(swrlb:sin Variable(:n) "
        "Variable(:n))) Head(ClassAtom(:A Variable(:x))))"
    )
    [found] = check_profile(functional(rule), profile)
    assert "builtin that is not supported" in found.reason


def test_dlp_lists_what_its_translation_leaves_out() -> None:
    [found] = check_profile(functional("SubClassOf(:A ObjectUnionOf(:B :C))"), "dlp")
    assert "disjunction" in found.reason


def test_a_data_property_used_as_an_object_property_is_listed() -> None:
    ontology = turtle(":mail a owl:DatatypeProperty , owl:InverseFunctionalProperty .")
    found = check_profile(ontology, "owl2rl")
    assert reasons(found) == [":mail is a data property where an object property is needed"]


def test_no_profile_lists_nothing_and_an_unknown_one_is_an_error() -> None:
    ontology = functional("SubClassOf(:A ObjectUnionOf(:B :C))")
    assert check_profile(ontology, "none") == []
    with pytest.raises(ReasonerError, match="choose one of owl2rl"):
        check_profile(ontology, "owl2el")
