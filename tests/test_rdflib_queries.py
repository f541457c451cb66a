"""Queries, updates and shapes of rdflib's world over the store: they see what follows from the triples."""

from __future__ import annotations

from io import BytesIO

import pytest
from rdflib import RDF, RDFS, Graph, Literal, URIRef
from rdflib.plugins.sparql import prepareQuery
from rdflib.query import Result

from tests.test_rdflib_store import UNIVERSITY, E, university

PREFIX = "PREFIX : <http://e.org/> "


def test_a_select_gives_rows_of_rdflib():
    graph = university()
    graph.bind("e", E)

    result = graph.query("SELECT ?x ?n { ?x a e:Professor OPTIONAL { ?x e:nick ?n } } ORDER BY ?x")

    assert isinstance(result, Result)
    assert [str(name) for name in result.vars] == ["x", "n"]
    assert [(row.x, row["x"], row.n) for row in result] == [(E.ann, E.ann, None), (E.smith, E.smith, None)]
    assert len(result) == 2
    assert {row.x for row in Result.parse(BytesIO(result.serialize(format="xml")), format="xml")} == {E.ann, E.smith}


def test_other_forms_of_queries_are_answered_too():
    graph = university()

    assert graph.query(PREFIX + "ASK { :smith :teaches :logic }").askAnswer is True
    assert not graph.query(PREFIX + "ASK { :logic :teaches :smith }")
    made = graph.query(PREFIX + "CONSTRUCT { ?c :by ?p } WHERE { ?p :teaches ?c }")
    assert set(made) == set(made.graph) == {(E.logic, E.by, E.ann), (E.logic, E.by, E.smith)}
    assert (E.ann, E.name, Literal("Ann", lang="en")) in graph.query(PREFIX + "DESCRIBE :ann").graph
    prepared = prepareQuery("SELECT ?c { e:smith e:teaches ?c }", initNs={"e": E})
    assert [row.c for row in graph.query(prepared)] == [E.logic]
    assert [row.c for row in graph.query("SELECT ?c { <smith> <teaches> ?c }", base=str(E))] == [E.logic]


def test_a_query_with_bindings_is_answered_over_the_closure():
    graph = university()

    found = graph.query(PREFIX + "SELECT ?c { ?x :teaches ?c }", initBindings={"x": E.smith})

    assert [row.c for row in found] == [E.logic]


@pytest.mark.parametrize(
    "pattern",
    [
        "?x a ?c",
        "?x ?p ?y FILTER(isLiteral(?y))",
        "?x :teaches ?y . ?z :ssn ?n OPTIONAL { ?z :likes ?t }",
        "?x rdfs:subClassOf* ?y . ?z a ?x",
    ],
)
def test_rdflibs_own_evaluation_gives_the_same_answers(pattern):
    graph = university()
    text = PREFIX + "SELECT * { " + pattern + " }"

    ours, theirs = graph.query(text), graph.query(text, use_store_provided=False)

    assert len(ours) > 0
    assert _bag(ours) == _bag(theirs)


def test_updates_of_rdflib_change_explicit_triples():
    graph = university()

    graph.update(PREFIX + "DELETE { ?x :teaches ?c } INSERT { ?x :taught ?c } WHERE { ?x :teaches ?c }")
    assert (E.smith, E.taught, E.logic) in graph
    assert (E.ann, RDF.type, E.Person) not in graph
    graph.update(PREFIX + "INSERT DATA { :bob :teaches :sets }")
    assert (E.bob, RDF.type, E.Person) in graph


SHAPES = """
@prefix : <http://e.org/> .
@prefix sh: <http://www.w3.org/ns/shacl#> .

:TeacherShape a sh:NodeShape ; sh:targetSubjectsOf :teaches ; sh:class :Professor ;
    sh:property [ sh:path :teaches ; sh:class :Course ; sh:minCount 1 ] .
"""


def test_a_shape_holds_only_because_of_what_is_inferred():
    from pyshacl import validate

    shapes = Graph().parse(data=SHAPES, format="turtle")
    reasoned, asserted = university(), Graph().parse(data=UNIVERSITY, format="turtle")

    assert validate(reasoned, shacl_graph=shapes)[0] is True
    assert validate(asserted, shacl_graph=shapes)[0] is False
    assert validate(Graph() + reasoned, shacl_graph=shapes)[0] is True
    reasoned.remove((E.teaches, RDFS.range, None))
    conforms, report, _ = validate(reasoned, shacl_graph=shapes)
    assert conforms is False
    assert set(report.objects(None, URIRef("http://www.w3.org/ns/shacl#value"))) == {E.logic}


def _bag(result):
    return sorted(sorted((str(name), term.n3()) for name, term in row.asdict().items()) for row in result)
