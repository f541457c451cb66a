"""The store for rdflib with many graphs: datasets and their contexts, as rdflib's own store has them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph
from rdflib.namespace import DC

from reasoner import Reasoner, ReasonerError
from reasoner.interop.rdflib_store import ReasonerStore
from tests.strategies import RANDOM

E = Namespace("http://e.org/")
DEFAULT = DATASET_DEFAULT_GRAPH_ID


def dataset(**settings: str) -> Dataset:
    return Dataset(store=ReasonerStore(**(settings or {"profile": "none"})), default_union=True)


def quads(data: Dataset) -> set[tuple[object, ...]]:
    return set(data.quads())


def test_a_dataset_has_named_graphs_that_hold_what_was_asserted_in_them():
    data = dataset(profile="rdfs")
    data.graph(E.g).add((E.Cat, RDFS.subClassOf, E.Animal))
    data.add((E.tom, RDF.type, E.Cat, E.h))

    assert {graph.identifier for graph in data.graphs()} == {E.g, E.h, DEFAULT}
    assert list(data.graph(E.g)) == [(E.Cat, RDFS.subClassOf, E.Animal)] and len(data.graph(E.g)) == 1
    assert (E.tom, RDF.type, E.Animal) in data and (E.tom, RDF.type, E.Animal) not in data.graph(E.h)
    assert (E.tom, RDF.type, E.Animal, DEFAULT) in quads(data)
    assert {quad for quad in quads(data) if quad[3] != DEFAULT} == {
        (E.Cat, RDFS.subClassOf, E.Animal, E.g),
        (E.tom, RDF.type, E.Cat, E.h),
    }
    assert [graph.identifier for graph in data.store.contexts((E.tom, RDF.type, E.Cat))] == [E.h]


def test_removing_from_one_graph_keeps_what_another_asserts():
    data = dataset()
    triple = (E.a, E.p, E.b)
    for name in (E.g, E.h, DEFAULT):
        data.add((*triple, name))

    data.graph(E.g).remove(triple)
    assert triple in data and {quad[3] for quad in data.quads()} == {E.h, DEFAULT}
    data.default_graph.remove((None, None, None))
    assert {quad[3] for quad in data.quads()} == {E.h} and triple in data.default_graph
    data.remove((E.a, None, None))
    assert triple not in data and not quads(data)


def test_equality_is_expanded_in_the_closure_and_not_in_a_graph():
    data = dataset(profile="none", equality="rewrite")
    data.add((E.a, OWL.sameAs, E.b))
    data.add((E.a, E.p, E.x, E.g))

    assert set(data.subjects(E.p, E.x)) == {E.a, E.b}
    assert set(data.graph(E.g).subjects(E.p, E.x)) == {E.a}
    assert {(s, g) for s, _, _, g in data.quads((None, E.p, None, None))} == {(E.a, E.g), (E.b, DEFAULT)}


def test_queries_read_the_graph_that_they_are_asked_of():
    data = dataset(profile="rdfs")
    data.add((E.Cat, RDFS.subClassOf, E.Animal, E.g))
    data.add((E.tom, RDF.type, E.Cat, E.h))

    def named(text: str, graph: Graph) -> set[object]:
        return {row[0] for row in graph.query(text)}

    assert named("SELECT ?x { ?x a <http://e.org/Animal> }", data) == {E.tom}
    assert named("SELECT ?g { GRAPH ?g { ?x ?p ?y } }", data) == {E.g, E.h}
    assert named("SELECT ?x { ?x ?p ?y }", data.graph(E.h)) == {E.tom}
    data.update("INSERT DATA { GRAPH <http://e.org/k> { <http://e.org/x> a <http://e.org/Cat> } }")
    data.graph(E.h).update("DELETE WHERE { ?x ?p ?y }")
    assert (E.x, RDF.type, E.Cat) in data.graph(E.k) and len(data.graph(E.h)) == 0
    assert named("SELECT ?x { ?x a <http://e.org/Animal> }", data) == {E.x}


def test_a_graph_without_a_name_is_the_whole_store():
    store = ReasonerStore(profile="none")
    data, whole = Dataset(store=store), Graph(store=store)
    data.add((E.a, E.p, E.b, E.g))

    assert (E.a, E.p, E.b) in whole and len(whole) == 1
    whole.add((E.c, E.p, E.d))
    assert (E.c, E.p, E.d, DEFAULT) in quads(data)
    whole.remove((None, E.p, None))
    assert not quads(data)


def test_quads_are_parsed_and_written_with_their_graphs():
    text = "<http://e.org/a> <http://e.org/p> <http://e.org/b> <http://e.org/g> .\n"
    data = dataset()

    data.parse(data=text, format="nquads")
    data.parse(data="@prefix : <http://e.org/> . :h { :a :p :b } :c :p :d .", format="trig")

    assert quads(data) == {(E.a, E.p, E.b, E.g), (E.a, E.p, E.b, E.h), (E.c, E.p, E.d, DEFAULT)}
    assert text in data.serialize(format="nquads")
    again = Dataset().parse(data=data.serialize(format="trig"), format="trig")
    assert {quad for quad in again.quads() if quad[3] in (E.g, E.h)} == {(E.a, E.p, E.b, E.g), (E.a, E.p, E.b, E.h)}


def test_graphs_that_are_added_empty_are_there_until_they_are_removed():
    data = dataset()

    node = BNode("n")
    data.graph(E.g)
    data.graph(node).add((E.a, E.p, E.b))
    assert {graph.identifier for graph in data.graphs()} == {E.g, node, DEFAULT}
    assert quads(data) == {(E.a, E.p, E.b, node)}
    data.remove_graph(E.g)
    data.remove_graph(node)
    assert {graph.identifier for graph in data.graphs()} == {DEFAULT} and not quads(data)


def test_the_graphs_of_our_own_are_read_and_not_written():
    store = ReasonerStore(profile="rdfs")
    data = Dataset(store=store)
    data.add((E.Cat, RDFS.subClassOf, E.Animal))
    data.add((E.tom, RDF.type, E.Cat, E.g))
    inferred = Graph(store=store, identifier=URIRef("urn:reasoner:inferred"))

    assert (E.tom, RDF.type, E.Animal) in inferred and (E.tom, RDF.type, E.Cat) not in inferred
    with pytest.raises(ReasonerError, match="can be asked and not changed"):
        inferred.add((E.tom, DC.title, Literal("Tom")))


def test_the_flags_say_what_the_store_can_do():
    store = ReasonerStore()

    assert (store.context_aware, store.graph_aware, store.transaction_aware) == (True, True, True)
    assert store.formula_aware is False
    with pytest.warns(DeprecationWarning):
        union = ConjunctiveGraph(store=ReasonerStore(profile="none"))
    union.add((E.a, E.p, E.b))
    union.get_context(E.g).add((E.c, E.p, E.d))
    assert set(union) == {(E.a, E.p, E.b), (E.c, E.p, E.d)}
    assert {graph.identifier for graph in union.contexts()} == {E.g}


def test_graphs_of_a_reasoner_that_is_there_already_are_contexts():
    kb = Reasoner(profile="none")
    kb.add([("<http://e.org/a>", "<http://e.org/p>", '"1"')], graph="<http://e.org/g>")
    data = Dataset(store=ReasonerStore(kb=kb))

    data.graph(E.g).add((E.a, E.p, Literal("2")))
    data.commit()

    assert kb.graphs() == {"<http://e.org/g>": 2}
    data.graph(E.h).add((E.a, E.p, Literal("2")))
    data.graph(E.g).remove((None, None, None))
    assert quads(data) == {(E.a, E.p, Literal("2"), E.h)}
    data.rollback()
    assert kb.graphs() == {"<http://e.org/g>": 2}


names = st.sampled_from([E.a, E.b, E.c])
open_names = st.one_of(st.none(), names)
graphs = st.sampled_from([DEFAULT, E.g, E.h])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), names, names, names, graphs),
        st.tuples(st.just("remove"), open_names, open_names, open_names, st.one_of(st.none(), graphs)),
        st.tuples(st.just("read"), open_names, open_names, open_names, st.one_of(st.none(), st.just(E.g))),
    ),
    max_size=12,
)


@settings(RANDOM, max_examples=150)
@given(steps)
def test_without_rules_a_dataset_does_what_rdflibs_own_does(drawn):
    ours, theirs = Dataset(store=ReasonerStore(profile="none", equality="none"), default_union=True), Dataset(
        default_union=True
    )  # fmt: skip
    for kind, s, p, o, graph in drawn:
        for data in (ours, theirs):
            if kind == "add":
                data.add((s, p, o, graph))
            elif kind == "remove":
                data.remove((s, p, o, graph) if graph is not None else (s, p, o))
        if kind == "read":
            assert set(ours.triples((s, p, o, graph))) == set(theirs.triples((s, p, o, graph)))
    assert quads(ours) == quads(theirs)
    assert len(ours) == len(theirs)
    for name in (E.g, E.h):
        assert set(ours.graph(name)) == set(theirs.graph(name)) and len(ours.graph(name)) == len(theirs.graph(name))
    for triple in set(theirs.triples((None, None, None))):
        found, expected = ({graph.identifier for graph in data.store.contexts(triple)} for data in (ours, theirs))
        assert found == expected
