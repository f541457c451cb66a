"""What is nested thousands of levels deep is refused with a clear error, wherever it comes in."""

from __future__ import annotations

import sys

import pytest

from loaders.errors import NestingError
from ontologies.read_functional import read_axiom
from reasoner import Reasoner, ReasonerError

DEEP = 5_000
OWL = "http://www.w3.org/2002/07/owl#"
SOME = "ObjectSomeValuesFrom(<http://e.org/p> "
AXIOM = f"SubClassOf(<http://e.org/A> {SOME * DEEP}<http://e.org/B>{')' * DEEP})"
DOCUMENTS = {
    "ofn": f"Ontology(<http://e.org/o> {AXIOM})",
    "owx": f'<Ontology xmlns="{OWL}" ontologyIRI="http://e.org/o"><SubClassOf><Class IRI="http://e.org/A"/>'
    + '<ObjectSomeValuesFrom><ObjectProperty IRI="http://e.org/p"/>' * DEEP
    + '<Class IRI="http://e.org/B"/>'
    + "</ObjectSomeValuesFrom>" * DEEP
    + "</SubClassOf></Ontology>",
    "ttl": f"@prefix owl: <{OWL}> .\n<http://e.org/A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> "
    + "[ a owl:Restriction ; owl:onProperty <http://e.org/p> ; owl:someValuesFrom " * DEEP
    + "<http://e.org/B>"
    + " ]" * DEEP
    + " .",
}
QUERIES = {
    "groups": "SELECT * " + "{" * 2000 + "?s ?p ?o" + "}" * 2000,
    "parentheses": "SELECT * { ?s ?p ?o FILTER(" + "(" * 2000 + "1" + ")" * 2000 + ") }",
    "braces in triples": "SELECT * { ?s ?p " + "[ ?p " * 1500 + "?o" + " ]" * 1500 + " }",
    "paths": "SELECT * { ?s " + "(" * 1500 + "<http://e.org/p>" + ")" * 1500 + " ?o }",
}


@pytest.mark.parametrize("extension", DOCUMENTS)
def test_an_ontology_is_refused_and_nothing_of_it_stays(tmp_path, extension):
    path = tmp_path / f"deep.{extension}"
    path.write_text(DOCUMENTS[extension])
    kb = Reasoner()

    with pytest.raises(NestingError, match="nested too deeply to be followed; write it flatter"):
        kb.load_ontology(path)

    assert kb.summary().explicit == 0


def test_data_that_say_such_a_thing_are_refused_when_they_are_reasoned_over(tmp_path):
    path = tmp_path / "deep.ttl"
    path.write_text(DOCUMENTS["ttl"])
    kb = Reasoner("dlp")
    kb.load(path)

    with pytest.raises(NestingError, match="an expression of the ontology is nested too deeply"):
        kb.materialise()


@pytest.mark.parametrize("kind", QUERIES)
def test_a_query_is_refused(kind):
    with pytest.raises(ReasonerError, match="the query is nested too deeply"):
        Reasoner("none").query(QUERIES[kind])


def test_thousands_of_alternatives_are_not_deep():
    kb = Reasoner("none")
    kb.add([("<http://e.org/s>", "<http://e.org/p>", '"{(["')])

    answers = kb.query("SELECT * { " + " UNION ".join(["{ ?s ?p '{((((' } UNION { ?s ?p ?o }"] * 1500) + " }")

    assert len(answers) == 1500


@pytest.mark.parametrize("limit", [1_000, 100_000])
def test_the_bound_does_not_depend_on_how_deep_python_may_recurse(limit):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        with pytest.raises(NestingError, match="at most 128 levels"):
            read_axiom(AXIOM)
    finally:
        sys.setrecursionlimit(before)
    read_axiom(f"SubClassOf(<http://e.org/A> {SOME * 100}<http://e.org/B>{')' * 100})")


def test_an_update_is_refused():
    with pytest.raises(ReasonerError, match="the update is nested too deeply"):
        Reasoner("none").update("DELETE { ?s ?p ?o } WHERE " + "{" * 2000 + "?s ?p ?o" + "}" * 2000)


def test_a_script_is_refused():
    with pytest.raises(NestingError, match="an expression of <script>"):
        Reasoner().evolve(f"add {AXIOM}")
