"""A store on disk behind a graph of rdflib."""

from __future__ import annotations

import pytest
from rdflib import OWL, RDF, RDFS, Graph, Namespace, URIRef
from rdflib.store import NO_STORE, VALID_STORE

from reasoner import InconsistentError, Reasoner, ReasonerError
from reasoner.interop.rdflib_store import ReasonerStore

E = Namespace("http://e.org/")


def test_a_graph_opened_on_a_folder_is_kept(tmp_path):
    graph = Graph(store="Reasoner")
    graph.open(str(tmp_path / "kb"), create=True)
    graph.add((E.Cat, RDFS.subClassOf, E.Animal)).add((E.tom, RDF.type, E.Cat))
    graph.close()

    again = Graph(store="Reasoner")
    again.open(str(tmp_path / "kb"))
    assert (E.tom, RDF.type, E.Animal) in again
    again.remove((E.tom, RDF.type, E.Cat))
    again.commit()
    with Reasoner.open(tmp_path / "kb", read_only=True) as reader:
        assert reader.select("<http://e.org/tom> a ?class") == []
    again.close()


def test_settings_come_with_a_folder_that_is_made(tmp_path):
    graph = Graph(store="Reasoner")
    graph.open(f"folder={tmp_path / 'kb'};profile=rdfs", create=True)
    assert graph.store.kb.profile == "rdfs"
    graph.close()
    assert ReasonerStore(str(tmp_path / "kb")).kb.profile == "rdfs"


@pytest.mark.parametrize("configuration", ["{}", "folder={}"])
def test_a_folder_without_a_store_is_answered_as_rdflib_has_it(tmp_path, configuration):
    graph, place = Graph(store="Reasoner"), configuration.format(tmp_path / "kb")

    assert graph.open(place) == NO_STORE
    assert Graph(store="Reasoner").open(configuration.format(tmp_path)) == NO_STORE
    with pytest.raises(ReasonerError, match="kb has no store; open it with create=True"):
        graph.add((E.tom, RDF.type, E.Cat))
    with pytest.raises(ReasonerError, match="has no store"):
        len(graph)

    assert graph.open(place, create=True) == VALID_STORE
    graph.add((E.tom, RDF.type, E.Cat))
    graph.close()
    assert Graph(store="Reasoner").open(place) == VALID_STORE


def test_prefixes_are_kept_with_a_folder(tmp_path):
    graph = Graph(store="Reasoner")
    graph.bind("early", E)
    graph.open(str(tmp_path / "kb"), create=True)
    graph.bind("late", "http://e.org/late#")
    graph.bind("foaf", "http://e.org/foaf#", replace=True)
    graph.close()

    again = Graph(store=ReasonerStore(str(tmp_path / "kb")))
    known = {prefix: str(namespace) for prefix, namespace in again.namespaces()}

    assert known["early"] == str(E) and known["late"] == "http://e.org/late#"
    assert known["foaf"] == "http://e.org/foaf#"
    assert again.store.prefix(URIRef("http://e.org/late#")) == "late"
    again.bind("late", E.new, replace=True)
    again.commit()
    again.close()
    third = Graph(store="Reasoner", bind_namespaces="none")
    third.open(str(tmp_path / "kb"))
    assert third.store.namespace("late") == E.new
    third.close()


def test_a_damaged_record_of_prefixes_is_named(tmp_path):
    Reasoner.open(tmp_path / "kb", create=True).close()
    (tmp_path / "kb" / "namespaces.json").write_text("[1]")

    with pytest.raises(ReasonerError, match=r"namespaces.json is no record of prefixes; restore it"):
        Graph(store="Reasoner").open(str(tmp_path / "kb"))


def test_a_policy_about_constraints_comes_with_the_configuration(tmp_path):
    graph = Graph(store="Reasoner")
    graph.open(f"folder={tmp_path / 'kb'};constraints=reject", create=True)
    graph.add((E.Cat, OWL.disjointWith, E.Dog)).add((E.tom, RDF.type, E.Cat))
    graph.commit()
    graph.add((E.tom, RDF.type, E.Dog))

    with pytest.raises(InconsistentError):
        graph.commit()
    graph.rollback()
    assert (E.tom, RDF.type, E.Dog) not in graph
    graph.close()


def test_rolling_back_brings_the_folder_back_too(tmp_path):
    graph = Graph(store="Reasoner")
    graph.open(str(tmp_path), create=True)
    graph.add((E.tom, RDF.type, E.Cat))
    graph.commit()
    graph.add((E.tim, RDF.type, E.Cat))
    assert (E.tim, RDF.type, E.Cat) in graph
    graph.rollback()
    graph.close()
    with Reasoner.open(tmp_path) as kb:
        assert {answer["x"] for answer in kb.select("?x a <http://e.org/Cat>")} == {"<http://e.org/tom>"}


def test_destroying_a_graph_removes_its_store_and_nothing_else(tmp_path):
    graph = Graph(store="Reasoner")
    graph.open(str(tmp_path / "kb"), create=True)
    graph.add((E.tom, RDF.type, E.Cat))
    graph.commit()
    (tmp_path / "kb/notes.txt").write_text("mine")
    graph.destroy("")
    assert [path.name for path in (tmp_path / "kb").iterdir()] == ["notes.txt"]
    assert (E.tom, RDF.type, E.Cat) not in graph
