"""The command ``reasoner update``."""

from __future__ import annotations

import io

import pytest

from reasoner.cli.parser import command_parser
from reasoner.cli.update import add_options, run
from reasoner.rules.errors import ReasonerError
from reasoner.sparql.errors import QuerySyntaxError, QueryTimeoutError, QueryTooLargeError


def change(*words: object) -> int:
    parser = command_parser("update")
    add_options(parser, [])
    return run(parser.parse_intermixed_args([*map(str, words)]))


SAME = "<http://e.org/a> <http://www.w3.org/2002/07/owl#sameAs> <http://e.org/b> .\n"


def test_the_command_writes_explicit_triples_and_a_patch(tmp_path, capsys):
    data, text, out, patch = (tmp_path / name for name in ("data.nt", "change.ru", "out.nt", "change.rdfp"))
    data.write_text(SAME + "<http://e.org/a> <http://e.org/p> <http://e.org/x> .\n")
    text.write_text("INSERT { ?s <http://e.org/q> 1 } WHERE { ?s <http://e.org/p> ?o }")

    assert change(data, "--update", text, "-o", out, "--patch", patch) == 0

    integer = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    added = [f"<http://e.org/{name}> <http://e.org/q> {integer} ." for name in "ab"]
    assert sorted(out.read_text().splitlines()) == sorted([*data.read_text().splitlines(), *added])
    assert [line for line in patch.read_text().splitlines() if line[0] in "AD"] == [f"A {line}" for line in added]
    assert "4 triples to" in capsys.readouterr().err


def test_the_command_writes_the_closure_if_asked(tmp_path, capsys):
    data, patch = tmp_path / "data.nt", tmp_path / "change.rdfp"
    data.write_text(SAME)

    text = "INSERT DATA { <http://e.org/a> <http://e.org/p> <http://e.org/x> }"
    change(data, "-U", text, "--closure", "--patch", patch, "--quiet", "--profile", "none", "--strategy", "bf")

    assert "<http://e.org/b> <http://e.org/p> <http://e.org/x> ." in capsys.readouterr().out.splitlines()
    assert "A <http://e.org/b> <http://e.org/p> <http://e.org/x> ." in patch.read_text().splitlines()


def test_the_command_says_what_is_wrong(tmp_path, monkeypatch):
    with pytest.raises(QuerySyntaxError):
        change("-U", "INSERT")
    with pytest.raises(ReasonerError, match="there is no such file or store: missing"):
        change("missing", "INSERT DATA {}")
    with pytest.raises(ReasonerError, match="there is no such file or store: missing"):
        change("missing", "-")
    with pytest.raises(ReasonerError, match="give the update once"):
        change(tmp_path)
    with pytest.raises(ReasonerError, match="give the update once"):
        change("-U", "CLEAR ALL", "CLEAR ALL")
    monkeypatch.setattr("sys.stdin", io.StringIO(" \n"))
    with pytest.raises(ReasonerError, match="standard input is empty: there is no update in it"):
        change("--update", "-")
    with pytest.raises(ReasonerError, match="cannot both go to standard output"):
        change("-U", "CLEAR ALL", "--patch", "-")
    with pytest.raises(ReasonerError, match="standard input can be read only once"):
        change("-", "--update", "-", "-o", tmp_path / "out.nt")


def test_the_command_keeps_graphs(tmp_path, capsys):
    data, out, trig = tmp_path / "data.nq", tmp_path / "out.nq.gz", tmp_path / "out.trig"
    quad, other = (f"<http://e.org/a> <http://e.org/p> <http://e.org/b> <http://e.org/{name}> .\n" for name in "gh")
    data.write_text(quad)
    text = "ADD <http://e.org/g> TO <http://e.org/h> ; INSERT DATA { <http://e.org/c> <http://e.org/p> 1 }"

    change(data, "-U", text, "-o", out, "--patch", tmp_path / "change.rdfp")
    change(out, "-U", "COPY <http://e.org/g> TO DEFAULT", "-o", trig, "--quiet")
    change(trig, "-U", "", "--quads", "--quiet")
    printed = capsys.readouterr()
    change(data, "-U", text, "--quiet")

    default = "<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n"
    assert set(printed.out.splitlines(keepends=True)) == {default, quad, other}
    assert "3 quads to" in printed.err and f"A {other}" in (tmp_path / "change.rdfp").read_text()
    assert "N-Triples have no graphs" in capsys.readouterr().err


def test_the_update_may_come_last_and_use_the_prefixes_of_the_data(tmp_path, capsys):
    data = tmp_path / "data.ttl"
    data.write_text("@prefix e: <http://e.org/> .\ne:a e:p e:b .\n")

    change(data, "INSERT DATA { e:a e:p e:c }", "--quiet", "--timeout", "60", "--most-rows", "100")
    change("--data", data, "CLEAR DEFAULT", "--quiet")

    assert len(capsys.readouterr().out.splitlines()) == 2


def test_an_update_has_limits(tmp_path):
    data = tmp_path / "data.nt"
    data.write_text("".join(f"<http://e.org/a{n}> <http://e.org/p> <http://e.org/b> .\n" for n in range(9)))
    text = "INSERT { ?a ?b ?e } WHERE { ?a ?b ?c . ?d ?e ?f }"

    with pytest.raises(QueryTooLargeError, match="rows, more than the 80 allowed"):
        change(data, text, "--most-rows", "80", "-q")
    with pytest.raises(QueryTimeoutError):
        change(data, text, "--timeout", "1e-9", "-q")
    with pytest.raises(SystemExit):
        change(data, text, "--timeout", "-1")


def test_a_relative_iri_that_would_be_stored_is_refused_with_the_remedy(tmp_path, capsys):
    text = "INSERT DATA { <s> <http://e.org/p> <test> }"

    with pytest.raises(ReasonerError, match=r"<s> is a relative IRI.*--base"):
        change("-U", text)
    with pytest.raises(ReasonerError, match="<t> is a relative IRI"):
        change("-U", 'INSERT DATA { <urn:s> <urn:p> "x"^^<t> }')
    assert change("-U", text, "--base", "http://e.org/", "--quiet") == 0
    assert change("-U", f"BASE <http://e.org/> {text}", "--quiet") == 0
    assert change("-U", "DELETE DATA { <s> <urn:p> <test> }", "--quiet") == 0

    assert capsys.readouterr().out == "<http://e.org/s> <http://e.org/p> <http://e.org/test> .\n" * 2


def test_all_prefixes_of_a_line_are_taken_and_none_of_a_comment_or_a_string(tmp_path, capsys):
    data = tmp_path / "data.ttl"
    data.write_text(
        "@prefix a: <http://a.org/> . @prefix b: <http://b.org/> . # @prefix c: <http://c.org/> .\n"
        'a:s a:p "@prefix d: <http://d.org/> ." . PREFIX e: <http://e.org/>\n'
    )

    assert change(data, "INSERT DATA { a:x b:y e:z }", "--quiet") == 0
    assert "<http://a.org/x> <http://b.org/y> <http://e.org/z> ." in capsys.readouterr().out
    for prefix in "cd":
        with pytest.raises(QuerySyntaxError, match=f"unknown prefix {prefix}:"):
            change(data, f"INSERT DATA {{ {prefix}:x a:y a:z }}", "--quiet")
