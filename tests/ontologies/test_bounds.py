from __future__ import annotations

import pytest

from ontologies.dlp import translate_dlp
from ontologies.translate import lower_bound, upper_bound
from reasoner.terms.builtins import BUILTINS
from reasoner.terms.term import RDF_TYPE
from tests.ontologies import naive_literals
from tests.ontologies.naive import Closure
from tests.ontologies.reading import functional, iri, rule_texts


def generic(texts: list[str]) -> list[str]:
    """Number the fresh constants of printed rules in the order in which they occur."""
    names: dict[str, str] = {}
    words = [text.replace("(", "( ").replace(")", " )").replace(",", " ,").split() for text in texts]
    for word in (word for line in words for word in line):
        if "skolem:" in word:
            names.setdefault(word, f"c{len(names) + 1}")
    lines = [" ".join(names.get(word, word) for word in line) for line in words]
    return [line.replace(" ,", ",").replace("( ", "(").replace(" )", ")") for line in lines]


@pytest.mark.parametrize(
    ("axiom", "rules"),
    [
        ("SubClassOf(:A :B)", ["?x a :B :- ?x a :A"]),
        ("SubClassOf(:A ObjectSomeValuesFrom(:r :B))", ["?x :r c1 :- ?x a :A", "c1 a :B :- ?x a :A"]),
        ("SubClassOf(:A ObjectSomeValuesFrom(ObjectInverseOf(:r) owl:Thing))", ["c1 :r ?x :- ?x a :A"]),
        ("SubClassOf(:A ObjectUnionOf(:B :C))", ["?x a :B :- ?x a :A", "?x a :C :- ?x a :A"]),
        (
            "SubClassOf(:A ObjectMinCardinality(2 :r))",
            ["?x :r c1 :- ?x a :A", "?x :r c2 :- ?x a :A", "false :- ?x a :A, c1 owl:sameAs c2"],
        ),
        (
            "SubClassOf(:A ObjectSomeValuesFrom(:r ObjectSomeValuesFrom(:s ObjectAllValuesFrom(:t :B))))",
            ["?x :r c1 :- ?x a :A", "c1 :s c2 :- ?x a :A", "?y a :B :- ?x a :A, c2 :t ?y"],
        ),
        # A disjunct that is an equality is dropped beside another one, and kept if it is alone.
        ("SubClassOf(ObjectMinCardinality(3 :r) :A)", ["?x a :A :- ?x :r ?y"]),
        ("SubClassOf(:A ObjectMaxCardinality(5 :r))", ["?y owl:sameAs ?y1 :- ?x a :A, ?x :r ?y, ?x :r ?y1"]),
        (
            "SubClassOf(:A ObjectOneOf(:i :j))",
            ["?x owl:sameAs :i :- ?x a :A", "?x owl:sameAs :j :- ?x a :A"],
        ),
        ("SubClassOf(:A ObjectUnionOf(:B ObjectOneOf(:i)))", ["?x a :B :- ?x a :A"]),
        (
            "SubClassOf(ObjectAllValuesFrom(:r :A) :B)",
            [
                "?x :r c1 :- ?x a owl:Thing",
                "false :- ?x a owl:Thing, c1 a :A",
                "?x a :B :- ?x a owl:Thing",
                "?x a owl:Thing :- ?x a :A",
                "?x a owl:Thing :- ?x a :B",
                "?x a owl:Thing :- ?x :r ?y",
                "?y a owl:Thing :- ?x :r ?y",
            ],
        ),
    ],
)
def test_the_upper_bound_overstates_an_axiom(axiom: str, rules: list[str]) -> None:
    translation = upper_bound(functional(axiom))
    assert generic(rule_texts(translation.rules)) == rules
    assert translation.left_out == ()


def test_the_lower_bound_is_the_description_logic_program() -> None:
    ontology = functional("SubClassOf(:A ObjectIntersectionOf(:B ObjectSomeValuesFrom(:r :C)))")
    assert lower_bound(ontology) == translate_dlp(ontology)


def test_fresh_constants_are_the_same_in_every_run_and_differ_between_axioms() -> None:
    first = functional("SubClassOf(:A ObjectSomeValuesFrom(:r :B))")
    second = functional("SubClassOf(:C ObjectSomeValuesFrom(:r :B))")
    assert upper_bound(first) == upper_bound(first)
    names = [{rule.head.object for rule in upper_bound(one).rules if rule.head} for one in (first, second)]
    assert len({name for found in names for name in found if "skolem" in str(name)}) == 2


def test_one_existential_of_an_axiom_has_one_constant_however_many_rules_it_gives() -> None:
    rules = upper_bound(functional("SubClassOf(ObjectUnionOf(:A :B) ObjectSomeValuesFrom(:r owl:Thing))")).rules
    assert len(rules) == 2
    assert len({rule.head.object for rule in rules if rule.head}) == 1


def test_the_upper_bound_finds_what_needs_an_existential() -> None:
    ontology = functional(
        "SubClassOf(:Parent ObjectSomeValuesFrom(:child :Person))",
        "SubClassOf(ObjectSomeValuesFrom(:child :Person) :Proud)",
        "ClassAssertion(:Parent :ann)",
    )
    wanted = (iri("ann"), RDF_TYPE, iri("Proud"))
    assert wanted not in Closure(lower_bound(ontology), ontology.triples)
    assert wanted in Closure(upper_bound(ontology), ontology.triples)


def test_the_upper_bound_finds_what_needs_a_data_value_that_nobody_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("datatype", "inValueSpace", "notInValueSpace"):
        monkeypatch.setitem(naive_literals.BUILTINS, name, BUILTINS[name].holds)
    ontology = functional(
        "SubClassOf(:Adult DataSomeValuesFrom(:age xsd:integer))",
        "SubClassOf(DataSomeValuesFrom(:age xsd:integer) :Aged)",
        "DataPropertyRange(:age xsd:integer)",
        "ClassAssertion(:Adult :ann)",
    )
    closure = Closure(upper_bound(ontology), ontology.triples)
    assert (iri("ann"), RDF_TYPE, iri("Aged")) in closure
    assert not closure.violations


def test_the_upper_bound_finds_what_both_sides_of_a_disjunction_imply() -> None:
    ontology = functional(
        "SubClassOf(:Pet ObjectUnionOf(:Cat :Dog))",
        "SubClassOf(:Cat :Animal)",
        "SubClassOf(:Dog :Animal)",
        "ClassAssertion(:Pet :rex)",
    )
    assert (iri("rex"), RDF_TYPE, iri("Animal")) in Closure(upper_bound(ontology), ontology.triples)
    assert (iri("rex"), RDF_TYPE, iri("Animal")) not in Closure(lower_bound(ontology), ontology.triples)
