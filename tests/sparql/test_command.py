"""The command ``reasoner query``."""

from __future__ import annotations

import io
import json

import pytest

from reasoner.cli.parser import command_parser
from reasoner.cli.query import add_options, run
from reasoner.rules.errors import ReasonerError
from reasoner.sparql.errors import QuerySyntaxError, QueryTooLargeError


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
    for option in ("--explain", "--explain-plan"):
        ask(data, option, "-Q", SELECT)

        assert "OrderBy" in capsys.readouterr().out


def test_what_is_wrong_is_said(data):
    with pytest.raises(QuerySyntaxError):
        ask("--parse-only", "-Q", "SELECT")
    with pytest.raises(ReasonerError, match="give the query once"):
        ask(data)
    with pytest.raises(ReasonerError, match="there is no such file or store: fmaily"):
        ask("fmaily", SELECT)
    with pytest.raises(ReasonerError, match="there is no such file or store: fmaily"):
        ask("fmaily")
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


@pytest.mark.parametrize("words", [("{data}", SELECT), ("--data", "{data}", SELECT), (SELECT, "--data", "{data}")])
def test_the_query_may_come_last_of_all(data, capsys, words):
    assert ask(*(word if word == SELECT else word.format(data=data) for word in words)) == 0

    assert capsys.readouterr().out == "?x\n<http://e.org/a>\n<http://e.org/b>\n"


def test_data_may_come_from_standard_input_and_the_query_last(data, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data.read_bytes())))

    assert ask("-", "DESCRIBE <http://e.org/a>") == 0
    assert '<http://e.org/a> <http://e.org/p> "1" .' in capsys.readouterr().out


def test_a_format_is_that_of_the_answers_or_else_of_the_data(data, capsys):
    ask(data, SELECT, "--format", "csv")
    ask(data, SELECT, "--format", "turtle", "--out", "csv")
    ask(data, SELECT, "--input-format", "nt", "--format", "csv")
    assert capsys.readouterr().out.split() == ["x", "http://e.org/a", "http://e.org/b"] * 3

    construct = "CONSTRUCT { ?x <http://e.org/q> ?y } WHERE { ?x <http://e.org/p> ?y }"
    ask(data, construct, "--format", "turtle")
    assert "@prefix" in capsys.readouterr().out
    ask(data, construct, "--format", "json")
    assert {node["@id"] for node in json.loads(capsys.readouterr().out)} == {"http://e.org/a", "http://e.org/b"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("CONSTRUCT {} {}", "--out", "csv"), "CONSTRUCT has no answers in the format csv; .* nt, turtle, xml, json"),
        (("DESCRIBE <x>", "--format", "tsv"), "DESCRIBE has no answers in the format tsv"),
        (("ASK {}", "--out", "turtle"), "ASK has no answers in the format turtle; .* json, xml, csv, tsv"),
        (("ASK {}", "--format", "json", "--out", "xml"), "either json or xml"),
        (("ASK {}", "--format", "trig", "--input-format", "nt"), "either trig or nt"),
    ],
)
def test_formats_that_make_no_sense_are_refused(data, words, message):
    with pytest.raises(ReasonerError, match=message):
        ask(data, *words)


def test_every_syntax_that_is_taken_for_one_of_data_is_one():
    from loaders.formats import Format, format_named
    from reasoner.cli import query

    assert {format_named(name) for name in query._SYNTAXES} == set(Format)


def test_a_query_has_limits(data):
    for words in (("--timeout", "0"), ("--timeout", "-1"), ("--timeout", "nan"), ("--most-rows", "x")):
        with pytest.raises(SystemExit):
            ask(data, "ASK {}", *words)
    with pytest.raises(QueryTooLargeError, match="raise most_rows"):
        ask(data, "SELECT * { ?a ?b ?c . ?d ?e ?f }", "--most-rows", 3)


def test_prefixes_of_the_data_need_no_declaration_unless_files_disagree(tmp_path, capsys):
    first, second = tmp_path / "first.ttl", tmp_path / "second.trig"
    first.write_text("@prefix e: <http://e.org/> . PREFIX r: <r#>\ne:a e:p e:b .")
    second.write_text("PREFIX f: <http://e.org/>\nPREFIX e: <http://f.org/>\nf:c f:p f:b .")

    ask(first, "ASK { e:a e:p e:b }")
    ask(first, second, "ASK { f:c f:p f:b }")
    assert capsys.readouterr().out == "yes\nyes\n"
    with pytest.raises(QuerySyntaxError, match="unknown prefix e:"):
        ask(first, second, "ASK { e:a e:p e:b }")


def test_graphs_of_our_own_are_always_there(data, capsys):
    ask(data, "ASK { GRAPH <urn:reasoner:inferred> { ?s ?p ?o } }")

    assert capsys.readouterr() == ("yes\n", "")
