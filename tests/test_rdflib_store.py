"""The store for rdflib: what rdflib's own Memory store does, and besides that what follows from the triples."""

from __future__ import annotations

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, Namespace, URIRef, Variable, plugin
from rdflib.compare import isomorphic
from rdflib.store import VALID_STORE, Store

from reasoner import Reasoner, ReasonerError
from reasoner.interop.rdflib_store import ReasonerStore

E = Namespace("http://e.org/")

UNIVERSITY = """
@prefix : <http://e.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

:Professor rdfs:subClassOf :Person .
:teaches rdfs:domain :Professor ; rdfs:range :Course .
:ssn a owl:InverseFunctionalProperty .
:ann :teaches :logic ; :ssn "123" ; :name "Ann"@en .
:smith :ssn "123" ; :likes [ :name "tea" ] .
"""


def university() -> Graph:
    return Graph(store=ReasonerStore()).parse(data=UNIVERSITY, format="turtle")


def plain(equality: str = "none") -> Graph:
    return Graph(store=ReasonerStore(profile="none", equality=equality))


def test_rdflib_finds_the_store_by_its_name():
    plugin.register("Reasoner", Store, "reasoner.interop.rdflib_store", "ReasonerStore")
    graph = Graph(store="Reasoner")

    graph.add((E.Cat, RDFS.subClassOf, E.Animal)).add((E.tom, RDF.type, E.Cat))

    assert isinstance(graph.store, ReasonerStore)
    assert (E.tom, RDF.type, E.Animal) in graph


def test_reading_gives_what_the_triples_entail():
    graph = university()

    assert (E.ann, RDF.type, E.Person) in graph
    assert graph.value(E.logic, RDF.type) == E.Course
    assert set(graph.subjects(RDF.type, E.Professor)) == {E.ann, E.smith}
    assert E.Person in set(graph.objects(E.ann, RDF.type))
    assert (E.ann, E.teaches) in set(graph.subject_predicates(E.logic))
    assert len(graph) == len(list(graph)) == len(set(graph))
    assert list(graph.triples((E.nobody, None, None))) == []


def test_equal_terms_are_answers_each_for_itself():
    graph = university()

    assert set(graph.objects(E.smith, OWL.sameAs)) == {E.ann}
    assert set(graph.subjects(E.teaches, E.logic)) == {E.ann, E.smith}
    assert graph.value(E.smith, E.name) == Literal("Ann", lang="en")
    assert (E.ann, OWL.sameAs, E.ann) not in graph


def test_paths_and_choices_are_followed_over_the_closure():
    graph = university()

    assert set(graph.objects(E.smith, E.teaches / RDF.type)) >= {E.Course}
    assert {s for s, _, _ in graph.triples_choices((None, RDF.type, [E.Course, E.Person]))} == {E.ann, E.smith, E.logic}


def test_a_graph_that_is_written_and_read_again_is_the_closure():
    graph = university()

    for format in ("turtle", "nt", "xml", "json-ld"):
        assert isomorphic(Graph().parse(data=graph.serialize(format=format), format=format), graph), format


def test_sets_of_triples_are_made_from_the_closure():
    graph, other = university(), Graph().add((E.ann, RDF.type, E.Person)).add((E.x, E.p, E.y))

    assert set(graph * other) == {(E.ann, RDF.type, E.Person)}
    assert set(graph + other) == {*graph, *other}
    assert set(other - graph) == {(E.x, E.p, E.y)}
    graph += other
    assert (E.x, E.p, E.y) in graph


def test_only_explicit_triples_can_be_removed_and_what_they_entail_goes_with_them():
    graph = university()

    graph.remove((E.ann, RDF.type, E.Person))
    assert (E.ann, RDF.type, E.Person) in graph
    graph.remove((None, E.teaches, None))
    assert set(graph.triples((E.ann, RDF.type, E.Person))) == set()
    graph.remove((E.ann, E.ssn, None))
    assert (E.ann, OWL.sameAs, E.smith) not in graph


def test_removing_everything_leaves_what_holds_without_any_triple():
    graph, empty = university(), Graph(store=ReasonerStore())
    assert set(graph) > set(empty)

    graph.remove((None, None, None))

    assert set(graph) == set(empty)
    assert (RDFS.label, RDF.type, OWL.AnnotationProperty) in empty


def test_changes_wait_for_the_next_read_and_are_one_transaction():
    graph = university()
    before = len(graph)
    state = graph.store.kb.store.state

    for number in range(100):
        graph.add((E[f"course{number}"], RDF.type, E.Course))
        graph.set((E.ann, E.age, Literal(number)))
    graph.remove((E.course7, None, None))
    assert graph.store.kb.store.state is state

    assert list(graph.objects(E.ann, E.age)) == [Literal(99)]
    assert len(set(graph.subjects(RDF.type, E.Course))) == 100
    assert graph.store.kb.store.state is not state
    assert len(graph) > before


def test_the_last_word_on_a_triple_counts():
    graph, triple = plain(), (E.a, E.p, E.b)

    graph.add(triple).remove(triple)
    assert triple not in graph
    graph.add(triple)
    assert triple in graph
    graph.remove(triple).add(triple)
    assert triple in graph


def test_triples_may_be_removed_while_they_are_read():
    graph = university()

    for triple in graph:
        graph.remove(triple)

    assert set(graph) == set(Graph(store=ReasonerStore()))


def test_rollback_goes_back_to_the_last_commit_across_reads():
    graph = university()
    graph.commit()
    closure = set(graph)

    graph.remove((E.ann, E.ssn, None))
    assert (E.ann, OWL.sameAs, E.smith) not in graph
    graph.add((E.bob, E.teaches, E.logic))
    assert (E.bob, RDF.type, E.Person) in graph
    graph.add((E.eve, E.teaches, E.logic))
    graph.rollback()

    assert set(graph) == closure


def test_a_change_that_fails_can_be_rolled_back():
    graph = plain(equality="rewrite")
    kb = graph.store.kb
    kb.add_rules("PREFIX e: <http://e.org/> ?x a e:B :- ?x e:p ?y, not ?x e:q ?y . ?x e:r ?y :- ?x a e:B, ?x e:p ?y .")
    graph.add((E.a, E.p, E.b))
    graph.commit()
    closure = set(graph)
    graph.add((E.q, OWL.sameAs, E.r))

    for _ in range(2):
        with pytest.raises(ReasonerError, match="stratified"):
            len(graph)
    graph.rollback()

    assert set(graph) == closure


def test_closing_keeps_and_destroying_forgets():
    graph = university()

    graph.close(commit_pending_transaction=True)
    graph.rollback()
    assert (E.ann, RDF.type, E.Person) in graph
    graph.destroy("")

    assert set(graph) == set(Graph(store=ReasonerStore()))
    assert graph.store.kb.profile == "owl2rl"


def test_a_configuration_sets_the_reasoner_up():
    store = ReasonerStore("profile=dlp; equality=none")
    graph = Graph(store=ReasonerStore())

    assert (store.kb.profile, store.kb.equality) == ("dlp", "none")
    assert graph.open("profile=rdfs;maintenance=counting") == VALID_STORE
    assert (graph.store.kb.profile, graph.store.kb.maintenance) == ("rdfs", "counting")
    assert graph.open("") == VALID_STORE
    assert graph.store.kb.profile == "rdfs"


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ("profile=dlp;rdfs", "unknown setting 'rdfs'"),
        ("color=red", "write name=value, with a name of profile, equality, maintenance"),
        ("profile=owl3", "unknown profile 'owl3': choose one of"),
        (("a", "b"), "is no text"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(configuration, message):
    with pytest.raises(ReasonerError, match=message):
        ReasonerStore().open(configuration)


def test_a_store_in_use_is_not_set_up_again():
    with pytest.raises(ReasonerError, match="open it before anything is added"):
        university().open("profile=dlp")
    with pytest.raises(ReasonerError, match="give it alone"):
        ReasonerStore("profile=dlp", kb=Reasoner())


def test_a_reasoner_that_is_there_already_becomes_a_store():
    kb = Reasoner(profile="none")
    kb.add(
        [
            ("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>"),
            ("<http://e.org/a>", "<http://e.org/n>", '"x"@EN'),
        ]
    )
    graph = Graph(store=ReasonerStore(kb=kb))
    assert set(graph) == {(E.a, E.p, E.b), (E.a, E.n, Literal("x", lang="en"))}

    kb.add_rules("?y <http://e.org/q> ?x :- ?x <http://e.org/p> ?y .")
    graph.remove((E.a, E.n, Literal("x", lang="EN")))

    assert graph.store.kb is kb
    assert set(graph) == {(E.a, E.p, E.b), (E.b, E.q, E.a)}


@pytest.mark.parametrize(
    ("triple", "message"),
    [
        ((URIRef("http://e.org/a b"), E.p, E.o), "<http://e.org/a b> is not a term"),
        ((Literal("a"), E.p, E.o), "cannot be a subject"),
        ((E.s, BNode("b"), E.o), "_:b is not an IRI"),
        ((E.s, E.p, Literal("\ud800")), "no Unicode"),
    ],
)
def test_what_is_no_rdf_is_refused_when_it_is_added(triple, message):
    graph = plain()

    with pytest.raises(ReasonerError, match=message):
        graph.add(triple)

    assert len(graph) == 0
    graph.remove(triple)
    assert triple not in graph


def test_variables_and_formulas_are_in_no_triple():
    graph = university()

    assert (Variable("x"), None, None) not in graph
    assert (None, None, Variable("x")) not in graph
    with pytest.raises(TypeError, match="not an RDF term"):
        graph.add((E.a, E.p, Variable("x")))
    with pytest.raises(ReasonerError, match="no quoted triples"):
        graph.store.add((E.a, E.p, E.b), graph, quoted=True)


def test_a_blank_node_that_equals_a_predicate_is_no_predicate():
    graph = (
        plain(equality="rewrite").add((E.a, E.p, E.b)).add((BNode("x"), OWL.sameAs, E.p)).add((E.q, OWL.sameAs, E.p))
    )

    assert set(graph.predicates(E.a, E.b)) == {E.p, E.q}
    assert list(graph.triples((None, E.q, None))) == [(E.a, E.q, E.b)]
    assert list(graph.triples((None, BNode("x"), None))) == []


def test_a_term_that_came_after_the_last_change_is_in_no_triple():
    graph = plain().add((E.a, E.p, E.b))
    assert len(graph) == 1

    graph.store.kb.store.id_of(f"<{E.new}>")

    assert list(graph.triples((E.new, None, None))) == []
    assert list(graph.triples((None, E.new, None))) == []
    assert list(graph.triples((None, None, E.new))) == []


def test_namespaces_are_kept_as_in_rdflibs_own_store():
    graph = university()

    graph.bind("e", E)
    assert graph.store.namespace("e") == URIRef(E)
    assert graph.store.prefix(URIRef(E)) == "e"
    assert graph.qname(E.ann) == "e:ann"
    assert "e:teaches e:logic" in graph.serialize(format="turtle")
