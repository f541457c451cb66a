"""What an answer says, where a conclusion can come from, and what is left alone."""

from __future__ import annotations

import io
import json
import threading

import pytest
import rdflib

from loaders.load import parse_text
from ontologies.read import read_ontology
from reasoner import Reasoner, ReasonerError
from tests.entailment.notation import PREFIXES, asked, knowing

PREMISES = ":Cat rdfs:subClassOf :Pet . :Pet rdfs:subClassOf :Animal . :tom a :Cat . :tom :likes _:x . _:x a :Mouse ."
CONCLUSION = ":Cat rdfs:subClassOf :Animal ."


SOURCES = ("text", "triples", "one triple", "rdflib", "reasoner", "functional", "ontology", "stream")


def source_of(name: str) -> object:
    triples = parse_text(PREFIXES + CONCLUSION, "turtle")
    graph = rdflib.Graph().parse(data=PREFIXES + CONCLUSION, format="turtle")
    other = Reasoner(profile="none")
    other.add(triples)
    functional = "Prefix(:=<http://e.org/>) Ontology(SubClassOf(:Cat :Animal))"
    sources = {
        "text": PREFIXES + CONCLUSION,
        "triples": triples,
        "one triple": triples[0],
        "rdflib": graph,
        "reasoner": other,
        "functional": functional,
        "ontology": read_ontology(io.BytesIO(functional.encode())),
        "stream": io.BytesIO(functional.encode()),
    }
    return sources[name]


@pytest.mark.parametrize("name", SOURCES)
def test_a_conclusion_can_come_from_anywhere(name):
    answer = knowing(PREMISES).entails(source_of(name))

    assert answer
    assert [part.text for part in answer.parts] == ["SubClassOf(<http://e.org/Cat> <http://e.org/Animal>)"]


def test_a_conclusion_can_be_a_file(tmp_path):
    path = tmp_path / "conclusion.ttl"
    path.write_text(PREFIXES + CONCLUSION)

    assert knowing(PREMISES).entails(path)
    assert knowing(PREMISES).entails(str(path))


def test_what_is_no_graph_is_refused():
    with pytest.raises(ReasonerError, match="cannot read a graph from int"):
        Reasoner().entails(3)
    with pytest.raises(ReasonerError, match="unknown semantics"):
        Reasoner().entails([], semantics="loose")
    with pytest.raises(ReasonerError, match="upper"):
        Reasoner(profile="upper").entails([])


def test_blank_nodes_say_that_there_is_something():
    assert asked(PREMISES, ":tom :likes [ a :Mouse ] .")
    assert asked(PREMISES, "[] a :Animal ; :likes [] .")
    assert not asked(PREMISES, ":tom :likes [ a :Cat ] .")
    assert not asked(PREMISES, "_:y :likes _:y .")


def test_blank_nodes_may_be_of_class_expressions():
    premises = PREMISES + ":Cat owl:disjointWith :Mouse . :likes a owl:ObjectProperty ."

    assert asked(premises, ":tom :likes [ a [ owl:complementOf :Cat ] ] .")
    assert not asked(premises, ":tom :likes [ a [ owl:complementOf :Mouse ] ] .")
    assert asked(premises, ":tom :likes _:y . _:y owl:differentFrom :tom .")


def test_every_part_is_told_with_its_reason():
    premises = PREMISES + ":Dog owl:disjointWith :Pet ."
    answer = asked(premises, ":tom a :Animal . :Cat owl:disjointWith :Dog . :Animal rdfs:subClassOf :Cat .")

    assert not answer
    assert [(part.text.split("(")[0], part.entailed) for part in answer.parts] == [
        ("ClassAssertion", True),
        ("DisjointClasses", True),
        ("SubClassOf", False),
    ]
    assert [part.text.split("(")[0] for part in answer.missing] == ["SubClassOf"]
    assert "cax-dw" in answer.parts[1].reason
    assert str(answer).startswith("not entailed\nentailed: ClassAssertion")
    told = json.loads(answer.to_json())
    assert told["entailed"] is False
    assert [part["entailed"] for part in told["parts"]] == [True, True, False]


def test_a_part_has_a_proof_from_what_was_assumed():
    answer = asked(":p rdfs:domain :A . :q owl:inverseOf :p .", ":q rdfs:range :A .")
    proof = answer.parts[0].proof()

    assert answer
    assert "prp-dom" in str(proof)
    assert any(fact[1] == "<http://e.org/q>" for fact in answer.parts[0].assumed)
    assert asked(PREMISES, ":Pet rdfs:subClassOf :Cat .").parts[0].proof() is None


def test_annotations_and_declarations_count_as_the_semantics_says():
    premises = ':A owl:equivalentClass :B ; rdfs:comment "a remark" .'
    conclusion = ':B a owl:Class ; rdfs:comment "a remark" .'

    assert not asked(premises, conclusion)
    assert asked(premises, conclusion, semantics="direct")
    assert asked(premises, ':A a owl:Class ; rdfs:comment "a remark" .')
    ignored = asked(premises, conclusion + " <http://e.org/> a owl:Ontology .", semantics="direct").ignored
    assert len(ignored) == 3


def test_what_is_said_about_an_ontology_is_not_waved_through():
    header, said = "<http://e.org/o> a owl:Ontology ; owl:imports <http://e.org/i> .", "<http://e.org/o> :p :b ."

    assert asked(":a :p :b .", header + " :a :p :b .")
    assert not asked(":a :p :b .", header + said)
    assert asked(f":a :p :b . {said}", header + said)
    assert asked(":a :p :b .", header + said + " :a :p :b .", semantics="direct")


@pytest.mark.parametrize("kind", [":b a :C .", ":b a owl:NamedIndividual .", ""])
def test_that_the_value_of_an_annotation_is_a_thing_is_no_further_condition(kind):
    premises = f":ap a owl:AnnotationProperty . :A :ap :b . {kind}"

    for semantics in ("rdf", "direct"):
        assert asked(premises, ":A :ap [ a owl:Thing ] .", semantics=semantics)
    assert not asked(premises, ":A :ap [ a owl:Thing , :D ] .")
    assert not asked(premises, ":B :ap [ a owl:Thing ] .")


def test_names_that_the_premises_do_not_know_are_no_classes():
    answer = asked(PREMISES, ":Unicorn rdfs:subClassOf owl:Thing .")

    assert not answer
    assert answer.missing[0].text == "<http://e.org/Unicorn> is a class"
    assert not asked(PREMISES, ":Unicorn a owl:Class .")
    assert asked(PREMISES, ":Cat a owl:Class . :likes a rdf:Property .")
    assert asked("", "owl:Thing a owl:Class . owl:sameAs a rdf:Property .")
    for wrong in ("owl:Thing a owl:ObjectProperty .", "owl:sameAs a owl:Class .", "owl:Foo a owl:Class ."):
        assert not asked(PREMISES, wrong)


def test_keys_are_about_named_individuals_under_the_direct_semantics():
    premises = ":A a owl:Class . owl:Thing owl:hasKey (:p) . :p a owl:ObjectProperty ."

    assert asked(premises, ":p a owl:InverseFunctionalProperty .")
    assert not asked(premises, ":p a owl:InverseFunctionalProperty .", semantics="direct")
    assert asked(premises, ":A owl:hasKey (:p) .", semantics="direct")


def test_rules_with_negation_allow_no_assumptions():
    kb = knowing(":p a owl:ObjectProperty . :A a owl:Class . :B a owl:Class . :a a :A .", profile="none")
    kb.add_rules("PREFIX e: <http://e.org/> ?x a e:B :- ?x a e:A, not ?x e:p ?x .")

    assert kb.entails(PREFIXES + ":a a :B .")
    assert not kb.entails(PREFIXES + ":A rdfs:subClassOf :B .")


def test_monotone_rules_of_ones_own_count():
    kb = knowing(":A a owl:Class . :B a owl:Class .")
    kb.add_rules("PREFIX e: <http://e.org/> ?x a e:B :- ?x a e:A .")

    assert kb.entails(PREFIXES + ":A rdfs:subClassOf :B .")


@pytest.mark.parametrize("profile", ["owl2rl", "dlp", "lower", "rdfs"])
def test_every_sound_profile_can_be_asked(profile):
    kb = knowing(":A rdfs:subClassOf :B . :p rdfs:domain :A .", profile=profile)

    assert kb.entails(PREFIXES + ":p rdfs:domain :B .")
    assert not kb.entails(PREFIXES + ":p rdfs:range :B .")


def test_asking_changes_nothing():
    kb = knowing(PREMISES + ":Cat owl:disjointWith :Mouse .")
    triples, rules = sorted(kb.triples()), kb.rules()
    before = kb.store.state

    for conclusion in (":Cat rdfs:subClassOf :Mouse .", ":Mouse owl:disjointWith :Cat .", ":tom owl:sameAs :tim ."):
        kb.entails(PREFIXES + conclusion)

    assert kb.store.state is before
    assert sorted(kb.triples()) == triples
    assert kb.rules() == rules
    assert kb.violations() == []


def test_answers_follow_the_store():
    kb = knowing(":p a owl:ObjectProperty . :A owl:disjointWith :B . :a a :A . :b a :C .")
    question = PREFIXES + ":a owl:differentFrom :b ."
    assert not kb.entails(question)

    with kb.transaction() as change:
        change.add(("<http://e.org/b>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://e.org/B>"))
    assert kb.entails(question)
    kb.remove(("<http://e.org/A>", "<http://www.w3.org/2002/07/owl#disjointWith>", "<http://e.org/B>"))
    assert not kb.entails(question)


def test_readers_see_nothing_of_what_is_assumed():
    kb = knowing(":A rdfs:subClassOf :B . :a a :A .")
    kb.materialise()
    expected, seen, ended = kb.select("?x a <http://e.org/B>"), [], threading.Event()

    def read() -> None:
        while not ended.wait(0.001):
            seen.append(kb.select("?x a <http://e.org/B>"))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        answers = [kb.entails(PREFIXES + ":B rdfs:subClassOf :A .") for _ in range(10)]
    finally:
        ended.set()
        reader.join()
    assert not any(answers)
    assert seen
    assert all(answer == expected for answer in seen)


def test_consistency_can_be_asked_by_rules_and_beyond_them():
    kb = knowing(":a a [ owl:unionOf (:B :C) ], :D . :B owl:disjointWith :D . :C owl:disjointWith :D .")

    assert knowing(":a a :A .").is_consistent(patience=5)
    assert knowing(":a a owl:Nothing .").inconsistency().startswith("cls-nothing2")
    assert kb.is_consistent()
    assert "cax-dw" in kb.inconsistency(patience=5)
