"""A store on disk behind a graph of rdflib."""

from __future__ import annotations

import pytest
from rdflib import RDF, RDFS, Graph, Namespace

from reasoner import Reasoner, ReasonerError, StoreError
from reasoner.rdflib_store import ReasonerStore

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


def test_a_folder_that_is_no_store_is_refused(tmp_path):
    with pytest.raises(StoreError, match="has no file CURRENT"):
        Graph(store="Reasoner").open(f"folder={tmp_path}")
    with pytest.raises(ReasonerError, match="unknown setting"):
        Graph(store="Reasoner").open(str(tmp_path))


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
