"""The translation of an ontology by the OWL 2 RL/RDF rules: what depends on the ontology, and what is left out."""

from __future__ import annotations

import time

import pytest

from ontologies.owl2rl import translate_owl2rl, used_datatypes
from ontologies.rdf_graph import Lists, MalformedListError
from ontologies.vocabulary import NIL, RL_DATATYPES, owl, rdf, xsd
from reasoner.rules.rule import Rule
from tests.ontologies.naive import Closure
from tests.ontologies.owl2rl_case import read


def ex(name: str) -> str:
    return f"<http://example.org/{name}>"


def rules_of(turtle: str, name: str) -> list[Rule]:
    return [rule for rule in translate_owl2rl(read(turtle)).rules if rule.name == name]


def test_a_rule_over_a_list_keeps_the_axiom_in_its_body_and_names_it() -> None:
    (rule,) = rules_of(":C owl:intersectionOf (:D :E) .", "cls-int1")

    assert [(atom.predicate, atom.object) for atom in rule.body] == [
        (owl("intersectionOf"), "_:b0"),
        (rdf("type"), ex("D")),
        (rdf("type"), ex("E")),
    ]
    assert rule.sources == (f"{ex('C')} {owl('intersectionOf')} ( {ex('D')} {ex('E')} )",)


def test_all_different_gives_a_constraint_for_every_two_members() -> None:
    rules = rules_of("[] a owl:AllDifferent ; owl:members (:a :b :c :d) .", "eq-diff2")

    pairs = {(rule.body[-1].subject, rule.body[-1].object) for rule in rules}
    assert len(rules) == 6
    assert (ex("a"), ex("d")) in pairs
    assert (ex("d"), ex("a")) not in pairs


def test_members_of_a_collection_without_a_stated_type_are_expanded_for_each_type_that_it_may_turn_out_to_have() -> (
    None
):
    facts = read(
        ":x a :Distinct ; owl:members (:a :b) . :Distinct rdfs:subClassOf owl:AllDifferent . :a owl:sameAs :b ."
    )

    assert Closure(translate_owl2rl(facts), facts).violations == {"eq-diff2"}


def test_members_of_a_collection_with_a_stated_type_are_expanded_for_that_type_only() -> None:
    names = {rule.name for rule in translate_owl2rl(read("[] a owl:AllDifferent ; owl:members (:a :b) .")).rules}

    assert "eq-diff2" in names
    assert not {"prp-adp", "cax-adc"} & names


def test_a_key_of_two_properties_needs_a_value_of_its_own_for_each() -> None:
    (rule,) = rules_of(":C owl:hasKey (:p :q) .", "prp-key")

    values = [atom.object for atom in rule.body[3:]]
    assert len(rule.body) == 7
    assert values[0] == values[1] != values[2] == values[3]


def test_a_list_that_two_axioms_share_names_both() -> None:
    (rule,) = rules_of(
        ":C owl:intersectionOf _:l . :D owl:intersectionOf _:l . _:l rdf:first :E ; rdf:rest ().", "cls-int1"
    )

    assert [source.split()[0] for source in rule.sources] == [ex("C"), ex("D")]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ("_:l rdf:first :D ; rdf:rest _:l .", "comes back to the cell"),
        ("_:l rdf:first :D ; rdf:rest _:m .", "has no rdf:first"),
        ("_:l rdf:first :D .", "has no rdf:rest"),
        ("_:l rdf:first :D, :E ; rdf:rest () .", "has 2 rdf:first"),
        ("_:l rdf:first :D ; rdf:rest (), (:E) .", "has 2 rdf:rest"),
    ],
)
def test_a_malformed_list_is_left_out_with_its_reason(cells: str, reason: str) -> None:
    translation = translate_owl2rl(read(":C owl:unionOf _:l ." + cells))

    assert [(left.axiom_text.split()[0], reason in left.reason) for left in translation.left_out] == [(ex("C"), True)]
    assert not any(rule.name in ("cls-uni", "scm-uni") for rule in translation.rules)


def test_an_empty_list_is_left_out_with_its_reason() -> None:
    (left,) = translate_owl2rl(read(":C owl:intersectionOf () .")).left_out

    assert left.axiom_text.startswith(ex("C"))
    assert "one member or more" in left.reason


def test_members_come_in_the_order_of_the_list() -> None:
    triples = read("[] :is (:c :a :b :a) .")
    head = next(object for _, predicate, object in triples if predicate == ex("is"))

    assert Lists(triples).members(head) == (ex("c"), ex("a"), ex("b"), ex("a"))
    assert Lists(triples).members(NIL) == ()
    with pytest.raises(MalformedListError, match="has no rdf:first"):
        Lists(triples).members(ex("a"))


@pytest.mark.parametrize(
    ("turtle", "reason"),
    [
        (":R owl:maxCardinality 2 .", "0 and 1 only"),
        (":R owl:cardinality 1 .", "exact cardinalities"),
        (":R owl:hasSelf true .", "self restrictions"),
        (":p a owl:ReflexiveProperty .", "reflexive properties"),
        (":p rdfs:range xsd:date .", "not a datatype of OWL 2 RL"),
        (":D owl:onDatatype xsd:integer .", "facets"),
    ],
)
def test_vocabulary_that_no_rule_reads_is_left_out_with_its_reason(turtle: str, reason: str) -> None:
    (left,) = translate_owl2rl(read(turtle)).left_out

    assert reason in left.reason


@pytest.mark.parametrize("cardinality", ["0", "1", '"01"^^xsd:int', '"1"^^xsd:nonNegativeInteger'])
def test_the_cardinalities_that_the_rules_read_are_not_left_out(cardinality: str) -> None:
    assert translate_owl2rl(read(f":R owl:maxCardinality {cardinality} .")).left_out == ()


@pytest.mark.parametrize(
    ("turtle", "used"),
    [
        (":p rdfs:range xsd:string .", ()),
        (":R owl:allValuesFrom xsd:string . xsd:string a rdfs:Datatype .", ()),
        (":R owl:someValuesFrom xsd:string .", ("string",)),
        ("xsd:byte rdfs:subClassOf :C .", ("byte",)),
        (":C owl:unionOf (xsd:int xsd:long) .", ("int", "long")),
        (":R owl:someValuesFrom xsd:date .", ()),
    ],
)
def test_literals_are_typed_only_for_datatypes_that_a_rule_can_ask_for(turtle: str, used: tuple[str, ...]) -> None:
    assert used_datatypes(read(turtle)) == tuple(xsd(name) for name in used)


def test_the_constraint_on_a_datatype_is_there_when_it_is_mentioned() -> None:
    assert [rule.body[0].object for rule in rules_of(":p rdfs:range xsd:string .", "dt-not-type")] == [xsd("string")]
    assert rules_of(":p rdfs:range :C .", "dt-not-type") == []


def test_all_required_datatypes_are_declared() -> None:
    heads = [rule.head for rule in rules_of("", "dt-type1")]

    assert {head.subject for head in heads if head} == RL_DATATYPES
    assert len(heads) == len(RL_DATATYPES) == 33


def test_the_translation_asks_for_equality_by_value() -> None:
    assert translate_owl2rl([]).value_equality


def test_an_inverse_in_a_property_chain_is_followed() -> None:
    facts = read(":uncle owl:propertyChainAxiom ([ owl:inverseOf :child ] :brother) . :a :child :b . :a :brother :c .")

    assert (ex("b"), ex("uncle"), ex("c")) in Closure(translate_owl2rl(facts), facts)


def test_nothing_contradicts_in_an_empty_graph() -> None:
    assert Closure(translate_owl2rl([]), []).violations == set()


def test_translating_an_ordinary_ontology_takes_milliseconds() -> None:
    """Start-up counts. The bound is ten times what it takes, so that a busy machine passes."""
    classes = "".join(f":C{i} rdfs:subClassOf :C{i // 2} ; owl:intersectionOf (:A{i} :B{i}) ." for i in range(100))
    triples = read(classes)
    translate_owl2rl([])
    start = time.perf_counter()

    translate_owl2rl(triples)

    assert time.perf_counter() - start < 0.3
