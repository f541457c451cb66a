"""Output for people has the prefixes of the input, and so may questions have; programs get whole IRIs."""

import json

import pytest

from reasoner import Reasoner
from reasoner.sparql.errors import QuerySyntaxError

EXPLANATION = [
    ":eva a :Parent   by eq-rep-s: equal terms replace one another",
    "├── :eve a :Parent   by cax-sco",
    "│   ├── :Mother rdfs:subClassOf :Parent   asserted",
    "│   └── :eve a :Mother   asserted",
    "└── :eve owl:sameAs :eva   asserted",
]


def test_a_question_and_its_proof_have_the_prefixes_of_the_data(run, family):
    outcome = run("explain", family, "-t", ":eva a :Parent")

    assert (outcome.status, outcome.lines) == (0, EXPLANATION)


def test_a_store_remembers_the_prefixes_of_what_was_loaded(run, family, tmp_path):
    store = tmp_path / "store"
    run("load", store, family, "-q")

    assert run("explain", store, "-t", ":eva a :Parent", "-q").lines == EXPLANATION
    assert ":eve" in run("query", store, "SELECT ?x { ?x a :Mother }").lines
    assert run("query", store, "ASK { :eve a :Parent }", "-q").lines[0] == "yes"
    run("load", store, "-q", tmp_path / "family.ttl", "--rules", _rules(tmp_path))
    with Reasoner.open(store, read_only=True) as kb:
        assert kb.prefixes[""] == "http://e.org/" and kb.prefixes["owl"].endswith("owl#")
        kb.save(tmp_path / "copy")
    with Reasoner.open(tmp_path / "copy") as kb:
        assert kb.prefixes[""] == "http://e.org/"
        kb.remove_store()
    assert not (tmp_path / "copy").exists()


def _rules(folder):
    path = folder / "rules.txt"
    path.write_text("?x <http://e.org/q> ?y :- ?x <http://e.org/ancestor> ?y .")
    return path


def test_full_iris_are_to_be_had(run, family, contradiction):
    assert "<http://e.org/eve>" in run("explain", family, "-t", ":eva a :Parent", "--full-iris").out
    full = run("check", contradiction, "--full-iris").lines
    assert "    <http://e.org/tom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/Cat>" in full
    assert run("classes", family).lines == [":eve\t:eva"]
    assert run("classes", family, "--full-iris").lines == ["<http://e.org/eve>\t<http://e.org/eva>"]
    assert "PREFIX" not in run("rules", family, "--full-iris", "-p", "dlp").out


def test_a_table_of_answers_has_prefixes_and_plain_numbers(run, tmp_path):
    path = tmp_path / "data.ttl"
    path.write_text(
        "@prefix e: <http://e.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . "
        'e:a e:p 1, 1.5, 2.0e0, true, "1", "x"@en, "2020-01-01"^^xsd:date, e:b .'
    )
    question = "SELECT ?s ?o { ?s e:p ?o } ORDER BY ?o"

    lines = run("query", path, question, "-q").lines

    cells = ["e:b", "1", "1.5", "2.0e0", "true", '"1"', '"x"@en', '"2020-01-01"^^xsd:date']
    assert sorted(line.split(maxsplit=1)[1] for line in lines if line.startswith("e:a ")) == sorted(cells)
    plain = tmp_path / "data.nt"
    plain.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .")
    assert "my:a" in run("query", plain, "PREFIX my: <http://e.org/> SELECT ?s { ?s ?p ?o }").lines
    full = run("query", path, question, "-q", "--full-iris").out
    assert '<http://e.org/a>  "1"^^<http://www.w3.org/2001/XMLSchema#integer>' in full
    assert "http://e.org/b" in run("query", path, question, "-q", "--format", "csv").out


def test_formats_for_programs_stay_as_they_are(run, family):
    assert json.loads(run("classes", family, "--json").out) == [["<http://e.org/eve>", "<http://e.org/eva>"]]
    assert "<http://e.org/eva>" in run("explain", family, "-t", ":eva a :Parent", "--as", "json").out
    assert all(line.startswith("<http") for line in run("materialise", family, "-q").lines)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("o.owl", '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">'
         '<rdf:Description rdf:about="http://e.org/a"><e:p rdf:resource="http://e.org/b"/></rdf:Description></rdf:RDF>'),
        ("o.ofn", "Prefix(e:=<http://e.org/>) Ontology(ObjectPropertyAssertion(e:p e:a e:b))"),
        ("o.owx", '<Ontology xmlns="http://www.w3.org/2002/07/owl#"><Prefix name="e" IRI="http://e.org/"/>'
         '<ObjectPropertyAssertion><ObjectProperty abbreviatedIRI="e:p"/><NamedIndividual abbreviatedIRI="e:a"/>'
         '<NamedIndividual abbreviatedIRI="e:b"/></ObjectPropertyAssertion></Ontology>'),
        ("o.jsonld", '{"@context": {"e": "http://e.org/"}, "@id": "e:a", "e:p": {"@id": "e:b"}}'),
        ("o.trig", "PREFIX e: <http://e.org/>\n{ e:a e:p e:b }"),
    ],
)  # fmt: skip
def test_prefixes_of_every_syntax_are_known(run, tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)

    assert run("explain", path, "-t", "e:a e:p e:b", "-q").lines == ["e:a e:p e:b   asserted"]


def test_an_unknown_prefix_is_named_with_the_remedy(run, family):
    outcome = run("explain", family, "-t", "no:eva a :Parent")

    assert outcome.status == 2
    assert "no:" in outcome.err and "PREFIX no: <...>" in outcome.err


def test_what_is_quoted_is_not_shortened(run, tmp_path):
    path = tmp_path / "data.ttl"
    path.write_text('@prefix : <http://e.org/> . :a :p "see <http://e.org/b>" , 1 .')

    outcome = run("explain", path, "-t", ':a :p "see <http://e.org/b>"')

    assert outcome.lines == [':a :p "see <http://e.org/b>"   asserted']
    assert run("explain", path, "-t", ":a :p 1").lines == [':a :p "1"^^xsd:integer   asserted']


def test_queries_and_updates_of_a_reasoner_know_the_prefixes_of_what_it_loaded(tmp_path):
    data = tmp_path / "data.ttl"
    data.write_text("@prefix : <http://e.org/> . @prefix x: <http://x.org/> .\n:a x:p :b .\n")
    kb = Reasoner(profile="none")
    kb.load(data)

    assert kb.query("SELECT ?o { :a x:p ?o }", terms="text").rows() == [("<http://e.org/b>",)]
    kb.update("INSERT DATA { :b x:p :c }")
    assert ("<http://e.org/b>", "<http://x.org/p>", "<http://e.org/c>") in set(kb.triples())
    # What a text declares itself comes first, and what is given takes the place of what is known.
    assert not kb.query("PREFIX x: <http://other.org/> ASK { :a x:p ?o }")
    with pytest.raises(QuerySyntaxError, match="unknown prefix x:"):
        kb.query("ASK { ?s x:p ?o }", prefixes={})
