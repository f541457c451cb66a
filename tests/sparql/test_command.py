"""The command ``reasoner query``."""

from __future__ import annotations

import json

import pytest

from reasoner.cli.parser import command_parser
from reasoner.cli.query import add_options, run
from reasoner.errors import ReasonerError
from reasoner.sparql.errors import QuerySyntaxError


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.nt"
    path.write_text(
        "<http://e.org/a> <http://www.w3.org/2002/07/owl#sameAs> <http://e.org/b> .\n"
        '<http://e.org/a> <http://e.org/p> "1" .\n'
    )
    return path


def ask(*words: object) -> int:
    parser = command_parser("query")
    add_options(parser, [])
    return run(parser.parse_intermixed_args(["--quiet", *map(str, words)]))


SELECT = "SELECT ?x { ?x <http://e.org/p> ?y } ORDER BY ?x"


def test_answers_are_printed_as_a_table(data, capsys):
    assert ask(data, "-Q", SELECT) == 0

    assert capsys.readouterr().out == "?x\n<http://e.org/a>\n<http://e.org/b>\n"


def test_a_query_of_a_file_is_answered_in_a_format(data, tmp_path, capsys):
    query = tmp_path / "question.rq"
    query.write_text(SELECT)

    assert ask("--data", data, "--query", query, "--out", "json", "--representatives") == 0

    bindings = json.loads(capsys.readouterr().out)["results"]["bindings"]
    assert bindings == [{"x": {"type": "uri", "value": "http://e.org/a"}}]


def test_constructed_triples_are_printed(data, capsys):
    ask(data, "-Q", "CONSTRUCT { ?x <http://e.org/q> ?y } WHERE { ?x <http://e.org/p> ?y }")

    assert capsys.readouterr().out.splitlines() == [
        '<http://e.org/a> <http://e.org/q> "1" .',
        '<http://e.org/b> <http://e.org/q> "1" .',
    ]


def test_named_graphs_and_questions_of_yes_or_no(data, capsys):
    ask(data, "--graph", f"http://e.org/g={data}", "-Q", 'ASK { GRAPH <http://e.org/g> { ?x <http://e.org/p> "1" } }')

    assert capsys.readouterr().out == "yes\n"


def test_a_plan_is_shown_instead_of_answers(data, capsys):
    ask(data, "--explain", "-Q", SELECT)

    assert "OrderBy" in capsys.readouterr().out


def test_what_is_wrong_is_said(data):
    with pytest.raises(QuerySyntaxError):
        ask("--parse-only", "-Q", "SELECT")
    with pytest.raises(ReasonerError, match="give the query once"):
        ask(data)
    with pytest.raises(ReasonerError, match="needs IRI=FILE"):
        ask(data, "-Q", SELECT, "--graph", "x")


def test_quads_are_asked_with_their_graphs(tmp_path, capsys):
    quads = tmp_path / "data.nq"
    quads.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> <http://e.org/g> .\n")
    asked = "SELECT ?g { GRAPH ?g { <http://e.org/a> ?p ?o } }"

    ask(quads, "-Q", asked, "--out", "csv")
    ask(quads, "-Q", "ASK { GRAPH <http://e.org/h> { ?s ?p ?o } }")
    assert capsys.readouterr().out.split() == ["g", "http://e.org/g", "no"]
    quads.write_text("")
    ask(quads, "-Q", asked, "--out", "csv")
    assert "there are no named graphs" in capsys.readouterr().err
