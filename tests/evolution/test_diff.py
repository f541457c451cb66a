"""A difference turns the old version into the new one exactly, says nothing of blank nodes that only got new labels."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph
from rdflib.compare import isomorphic as rdflib_isomorphic

from ontologies.axioms import Triple
from ontologies.evolution.blank_parts import isomorphic_graphs
from ontologies.evolution.compile_step import evolved
from ontologies.evolution.diff import diff_triples, step_name
from ontologies.evolution.parse_script import parse_script
from ontologies.evolution.script import AddAxioms, AddTriples, RemoveTriples, Rename, print_script
from ontologies.read_rdf import ontology_of_triples
from tests.evolution.ontology_strategies import functional, iri, ontologies, turtle
from tests.strategies import RANDOM


def graph(triples: tuple[Triple, ...] | list[Triple]) -> Graph:
    return Graph().parse(data="".join(f"{' '.join(triple)} .\n" for triple in triples), format="nt")


def statements(old: list[Triple] | tuple[Triple, ...], new: list[Triple] | tuple[Triple, ...], **options: bool) -> list:
    script = diff_triples(old, new, **options)
    return [statement for step in script.steps for statement in step.statements]


@settings(RANDOM, max_examples=60)
@given(ontologies(), ontologies(), st.booleans())
def test_a_difference_read_back_from_its_text_turns_old_into_new(old, new, renames):
    script = parse_script(print_script(diff_triples(old, new, detect_renames=renames)))

    assert rdflib_isomorphic(graph(evolved(old, script)), graph(new))


@settings(RANDOM, max_examples=60)
@given(ontologies(), st.data())
def test_a_version_with_a_few_changes_is_reached_too(old, data):
    kept = [triple for triple in old if data.draw(st.integers(0, 9)) > 0]
    new = [*kept, *(triple for triple in data.draw(ontologies(most=2)))]

    script = diff_triples(old, new)

    assert rdflib_isomorphic(graph(evolved(old, script)), graph(new))


@settings(RANDOM, max_examples=50)
@given(ontologies(), st.randoms())
def test_new_labels_and_another_order_are_no_difference(triples, random):
    labels = {term: None for triple in triples for term in triple if term.startswith("_:")}
    given_labels = list(range(len(labels)))
    random.shuffle(given_labels)
    renamed = dict(zip(labels, (f"_:other{number}" for number in given_labels), strict=True))
    other = [(renamed.get(s, s), p, renamed.get(o, o)) for s, p, o in triples]
    random.shuffle(other)

    assert diff_triples(triples, other).steps == ()


@settings(RANDOM, max_examples=60)
@given(ontologies(), ontologies(most=3), st.data())
def test_isomorphism_is_that_of_another_implementation(first, extra, data):
    second = [*first, *extra] if data.draw(st.booleans()) else list(first)
    second.remove(data.draw(st.sampled_from(second)))
    third = data.draw(st.sampled_from([first, second, extra]))

    assert isomorphic_graphs(second, third) == rdflib_isomorphic(graph(second), graph(third))


def test_graphs_that_colours_cannot_tell_apart_are_told_apart():
    six = turtle(" ".join(f"_:n{i} :p _:n{(i + 1) % 6} ." for i in range(6)))
    twice_three = turtle(" ".join(f"_:{name}{i} :p _:{name}{(i + 1) % 3} ." for name in "xy" for i in range(3)))
    hub_six, hub_three = (
        [*cycle, *((node, iri("hub"), "_:hub") for node in dict.fromkeys(s for s, _, _ in cycle))]
        for cycle in (six, twice_three)
    )

    assert not isomorphic_graphs(hub_six, hub_three)
    assert isomorphic_graphs(hub_six, [hub_six[-1], *hub_six[:-1]])


def test_many_nodes_that_look_alike_take_no_time():
    star = turtle(" ".join(f"_:hub :p _:n{i} ." for i in range(60)))
    other = turtle(" ".join(f"_:middle :p _:m{i} ." for i in reversed(range(60))))

    assert isomorphic_graphs(star, other)


def test_an_axiom_with_an_expression_is_one_axiom_in_the_script():
    old = functional(["SubClassOf(:A :B)"])
    new = functional(["SubClassOf(:A :B)", "SubClassOf(:A ObjectSomeValuesFrom(:p ObjectUnionOf(:B :C)))"])

    (added,) = statements(old, new)

    assert isinstance(added, AddAxioms)
    assert len(added.axioms) == 1


@pytest.mark.parametrize("kept", [0, 1])
def test_a_symmetric_axiom_said_both_ways_may_go_one_way_or_both(kept):
    both = functional(["InverseObjectProperties(:p :q)", "InverseObjectProperties(:q :p)", "SubClassOf(:A :B)"])
    new = functional(["InverseObjectProperties(:p :q)"][:kept])

    assert isomorphic_graphs(evolved(both, diff_triples(both, new)), new)


def test_a_second_copy_of_a_structure_is_told_in_triples():
    once = turtle(":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] .", "x")
    twice = [*once, *turtle(":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] .")]

    (more,), (fewer,) = statements(once, twice), statements(twice, once)

    assert isinstance(more, AddTriples)
    assert isinstance(fewer, RemoveTriples)


def test_a_rename_is_suggested_and_made_if_asked_for():
    old = functional(["SubClassOf(:Cat :Animal)", "SubClassOf(:Dog :Animal)", "DisjointClasses(:Cat :Dog)"])
    new = functional(["SubClassOf(:Feline :Animal)", "SubClassOf(:Dog :Animal)", "DisjointClasses(:Feline :Dog)"])

    assert "# perhaps: rename org:Cat to org:Feline" in print_script(diff_triples(old, new))
    assert statements(old, new, detect_renames=True) == [Rename(iri("Cat"), iri("Feline"))]


def test_a_name_that_changed_with_some_of_its_axioms_is_suggested_too():
    old = functional(["SubClassOf(:Cat :Animal)", "DisjointClasses(:Cat :Dog)", "SubClassOf(:Lion :Cat)"])
    new = functional(["SubClassOf(:Feline :Pet)", "DisjointClasses(:Feline :Dog)", "SubClassOf(:Lion :Feline)"])
    new += functional(["ClassAssertion(:Feline :tom)", "SubClassOf(:Feline :Animal)"])

    assert Rename(iri("Cat"), iri("Feline")) in statements(old, new, detect_renames=True)


def test_two_names_that_nothing_tells_apart_are_not_paired():
    old = functional(["SubClassOf(:Cat :Animal)", "SubClassOf(:Dog :Animal)"])
    new = functional(["SubClassOf(:Feline :Animal)", "SubClassOf(:Canine :Animal)"])

    assert not any(isinstance(statement, Rename) for statement in statements(old, new, detect_renames=True))


@pytest.mark.parametrize("same", [True, False])
def test_a_remark_about_an_axiom_that_goes_stays_if_the_new_version_has_it(same):
    axiom, about = 'SubClassOf(Annotation(rdfs:comment "why") :A :B)', "SubClassOf(:A :C)"
    old = functional([axiom, about])
    new = [
        triple for triple in old if triple != (iri("A"), "<http://www.w3.org/2000/01/rdf-schema#subClassOf>", iri("B"))
    ]
    new = new if same else functional([about])

    assert isomorphic_graphs(evolved(old, diff_triples(old, new)), new)


def test_remarks_and_versions_are_no_renames():
    """Somebody who is thanked in the place of another one is no other name, and neither is a version IRI."""
    old = turtle(":o a owl:Ontology ; owl:versionIRI :v1 ; rdfs:seeAlso :ann . :A rdfs:subClassOf :B .")
    new = turtle(":o a owl:Ontology ; owl:versionIRI :v2 ; rdfs:seeAlso :bob . :A rdfs:subClassOf :B .")

    assert not any(isinstance(statement, Rename) for statement in statements(old, new, detect_renames=True))


def test_names_that_share_only_what_many_share_are_not_paired():
    old = functional([f"SubClassOf(:Old{n} :Animal)" for n in range(30)])
    new = functional([f"SubClassOf(:New{n} :Animal)" for n in range(30)])

    assert not any(isinstance(statement, Rename) for statement in statements(old, new, detect_renames=True))


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ('owl:versionInfo "1.0" ; owl:versionIRI :one', 'owl:versionInfo "2.0" ; owl:versionIRI :two', "1.0 to 2.0"),
        ("owl:versionIRI <urn:o/1>", "owl:versionIRI <urn:o/2>", "urn:o/1 to urn:o/2"),
        ('owl:versionInfo "1.0"', 'owl:versionInfo "1.0"', None),
        ('owl:versionInfo "1.0"', "owl:versionIRI <urn:o/2>", None),
    ],
)
def test_a_step_is_named_after_the_versions(old, new, name):
    first, second = (ontology_of_triples(turtle(f":o a owl:Ontology ; {about} .")) for about in (old, new))

    assert step_name(first, second) == name
