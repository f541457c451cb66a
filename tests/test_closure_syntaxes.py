"""The closure in every syntax: what was written is read back, by us and by others, with the prefixes of the input."""

from __future__ import annotations

import io
from pathlib import Path

import pyoxigraph
import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.compare import isomorphic

import loaders.write
from reasoner import Reasoner
from reasoner.documents.dump import dump
from reasoner.rules.errors import ReasonerError

DATA = """@prefix : <http://e.org/> . @prefix x: <http://x.org/#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
:p a owl:SymmetricProperty . :a :p :b , _:node ; x:note "a \\"b\\"\\n<c>"@en , 1.50 , "x" . x:a-b x:p :a .
_:node :p :a . :a owl:sameAs :alias .
"""
NAMES = {"ttl": "turtle", "rdf": "xml", "jsonld": "json-ld", "nt": "nt"}


def loaded() -> Reasoner:
    kb = Reasoner()
    kb.load(io.BytesIO(DATA.encode()), format="turtle")
    return kb


def graph_of(triples: str | bytes, format: str) -> rdflib.Graph:
    graph = rdflib.Graph()
    graph.parse(data=triples, format=format)
    return graph


@pytest.mark.parametrize("format", NAMES)
def test_the_closure_comes_back_from_every_syntax(tmp_path, format):
    kb = loaded()
    expected = io.BytesIO()
    kb.write(expected)
    path = tmp_path / f"closure.{format}"

    count = kb.write(path)

    assert count == len(list(kb.triples()))
    written = graph_of(path.read_bytes(), NAMES[format])
    assert len(written) == count
    assert isomorphic(written, graph_of(expected.getvalue(), "nt"))
    again = Reasoner(profile="none", equality="none")
    again.load(path)
    assert len(list(again.triples())) == count


@pytest.mark.parametrize("format", ["nq", "trig"])
def test_a_closure_in_a_file_for_quads_has_asserted_triples_in_their_graphs(tmp_path, format):
    kb = loaded()
    kb.add([("<http://e.org/c>", "<http://e.org/p>", "<http://e.org/d>")], graph="<http://e.org/g>")
    path, expected = tmp_path / f"closure.{format}", io.BytesIO()

    assert kb.write(path) == dump(kb, expected, format=format, part="closure")

    assert path.read_bytes() == expected.getvalue()
    assert format == "nq" or b"@prefix x: <http://x.org/#>" in path.read_bytes()


@pytest.mark.parametrize("format", ["ttl", "rdf", "trig"])
def test_prefixes_of_the_input_are_those_of_the_output(format):
    text = io.BytesIO()
    dump(loaded(), text, format=format)
    shown = text.getvalue().decode()

    assert ("x:note" in shown) and ("xmlns:x=" if format == "rdf" else "@prefix x: <http://x.org/#>") in shown
    if format == "ttl":
        # What is said of a subject stands together.
        assert sum(line.startswith(":a ") for line in shown.splitlines()) == 1


@pytest.mark.parametrize("format", ["nq", "trig"])
def test_graphs_hold_what_they_assert_and_the_default_graph_what_follows(format):
    kb = loaded()
    kb.add([("<http://e.org/c>", "<http://e.org/p>", "<http://e.org/d>")], graph="<http://e.org/g>")
    written = io.BytesIO()
    native = pyoxigraph.RdfFormat.N_QUADS if format == "nq" else pyoxigraph.RdfFormat.TRIG

    count = dump(kb, written, format=format, part="closure")

    quads = list(pyoxigraph.parse(written.getvalue(), format=native))
    assert len(quads) == count == len(list(kb.triples()))
    inside = [quad for quad in quads if str(quad.graph_name) == "<http://e.org/g>"]
    assert [str(quad.subject) for quad in inside] == ["<http://e.org/c>"]
    inferred = io.BytesIO()
    assert dump(kb, inferred, format=format, part="inferred") == len(list(kb.triples(inferred_only=True)))


def test_many_triples_are_written_as_they_come(tmp_path, monkeypatch):
    """As are those of a graph that is too large to be sorted."""
    kb = Reasoner(profile="none")
    kb.add([(f"<http://e.org/{n % 7}>", f"<http://e.org/p{n % 5}>", f"<http://e.org/{n}>") for n in range(500)])
    sorted_one, streamed = tmp_path / "a.ttl", tmp_path / "b.ttl.gz"
    kb.write(sorted_one)
    monkeypatch.setattr(loaders.write, "_MOST_SORTED", 120)

    assert kb.write(streamed) == 500

    one, other = Reasoner(profile="none"), Reasoner(profile="none")
    one.load(sorted_one)
    other.load(streamed)
    assert set(one.triples()) == set(other.triples()) == set(kb.triples())


@pytest.mark.parametrize(
    ("predicate", "value", "reason"),
    [("http://e.org/1", '"x"', "name of XML"), ("http://e.org/", '"x"', "name of XML"),
     ("http://e.org/p", r'"a\u0001b"', "not in XML"), ("http://e.org/p", r'"\b"', "not in XML")],
)  # fmt: skip
def test_a_triple_that_a_syntax_cannot_say_is_an_error_and_leaves_no_file(tmp_path, predicate, value, reason):
    """The library would write a document that no parser of XML takes."""
    kb = Reasoner(profile="none")
    kb.add([("<http://e.org/a>", f"<{predicate}>", value)])

    with pytest.raises(ReasonerError, match=rf"cannot be said in rdf: .*{reason}; use nt"):
        kb.write(tmp_path / "closure.rdf")
    assert list(tmp_path.iterdir()) == []


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("pq"), TEXTS), min_size=1, max_size=6))
def test_any_text_comes_back_from_turtle_and_trig(facts):
    kb = Reasoner(profile="none", equality="none")
    kb.prefixes[""] = "http://e.org/"
    escaped = [(s, p, pyoxigraph.Literal(text)) for s, p, text in facts]
    kb.add([(f"<http://e.org/{s}>", f"<http://e.org/{p}>", str(text)) for s, p, text in escaped])
    for format in ("ttl", "trig"):
        written = io.BytesIO()
        dump(kb, written, format=format)
        again = Reasoner(profile="none", equality="none")
        again.load(io.BytesIO(written.getvalue()), format=format)
        assert set(again.triples()) == set(kb.triples())


def test_the_command_writes_what_the_name_says(tmp_path, capsys):
    from reasoner.cli import main

    data, target = tmp_path / "data.ttl", tmp_path / "closure.rdf"
    data.write_text(DATA, encoding="utf-8")

    assert main(["materialise", str(data), "-o", str(target), "-q"]) == 0
    assert len(graph_of(Path(target).read_bytes(), "xml")) == len(list(loaded().triples()))
    assert main(["load", str(tmp_path / "store"), str(data), "-q"]) == 0
    capsys.readouterr()
    assert main(["dump", str(tmp_path / "store"), "-f", "ttl", "-q"]) == 0
    assert "@prefix : <http://e.org/>" in capsys.readouterr().out
