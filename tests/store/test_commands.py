"""Stores on disk on the command line."""

from __future__ import annotations

import gzip
import json

import pytest
from rdflib import Graph

from reasoner import Reasoner
from tests.cli.conftest import contradiction, family, run, stdin  # noqa: F401
from tests.store.contents import files_of

EVE = "<http://e.org/eve>"
ANCESTORS = "SELECT ?x { <http://e.org/eva> <http://e.org/ancestor> ?x } ORDER BY ?x"


@pytest.fixture
def store(run, family, tmp_path):  # noqa: F811
    outcome = run("load", tmp_path / "kb", family)
    assert outcome.status == 0, outcome.err
    assert "version 1 of" in outcome.err and "6 explicit facts more" in outcome.err
    return tmp_path / "kb"


def test_data_are_loaded_once_and_asked_often(run, store):  # noqa: F811
    outcome = run("query", store, ANCESTORS)
    assert outcome.status == 0
    assert outcome.lines == ["?x", ":enos", ":seth"]
    assert run("query", store, "-Q", ANCESTORS, "--out", "csv").lines == ["x", "http://e.org/enos", "http://e.org/seth"]


def test_a_query_comes_from_standard_input_too(run, store, stdin):  # noqa: F811
    stdin(ANCESTORS)
    assert len(run("query", store, "-").lines) == 3


def test_more_data_are_added_to_a_store(run, store, stdin):  # noqa: F811
    stdin("<http://e.org/enos> <http://e.org/ancestor> <http://e.org/kenan> .")
    outcome = run("load", store, "-", "--format", "nt")
    assert outcome.status == 0 and "1 explicit fact more, in version 2" in outcome.err
    assert len(run("query", store, ANCESTORS).lines) == 4


def test_all_of_a_load_or_nothing(run, store, tmp_path):  # noqa: F811
    bad = tmp_path / "bad.nt"
    bad.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n<http://e.org/a> oops .\n")
    before = files_of(store)
    assert run("load", store, bad).status == 2
    assert files_of(store) == before
    assert run("load", tmp_path / "other", bad).status == 2
    assert not (tmp_path / "other").exists()
    outcome = run("load", tmp_path / "other", bad, "--skip-errors")
    assert outcome.status == 0 and "skipped" in outcome.err
    assert "1 explicit fact more" in outcome.err


def test_rules_and_profile_are_kept(run, tmp_path, family):  # noqa: F811
    rules = tmp_path / "rules.txt"
    rules.write_text("PREFIX e: <http://e.org/> ?x e:elder ?y :- ?x e:ancestor ?y .")
    assert run("load", tmp_path / "kb", family, "--rules", rules, "--profile", "none").status == 0
    assert run("query", tmp_path / "kb", "ASK { ?x <http://e.org/elder> <http://e.org/enos> }").lines == ["yes"]
    assert "elder" in run("rules", tmp_path / "kb").out
    outcome = run("query", tmp_path / "kb", "--profile", "dlp", "-Q", "ASK {}")
    assert outcome.status == 2 and "was made with profile 'none', not 'dlp'" in outcome.err


def test_data_join_a_named_graph(run, tmp_path, family):  # noqa: F811
    assert run("load", tmp_path / "kb", family, "--graph", "http://e.org/g").status == 0
    lines = run("dump", tmp_path / "kb", "--format", "nq").lines
    assert len(lines) == 6 and all(line.endswith("<http://e.org/g> .") for line in lines)


def test_a_store_is_changed_for_good(run, store):  # noqa: F811
    outcome = run("update", store, "DELETE DATA { <http://e.org/eve> <http://e.org/ancestor> <http://e.org/seth> }")
    assert outcome.status == 0 and outcome.out == "" and "version 2 of" in outcome.err
    assert run("query", store, ANCESTORS).lines == ["?x"]
    outcome = run("update", store, "-U", "INSERT DATA { <a:a> <a:b> <a:c> }", "--patch", "-", "-q")
    assert "A <a:a> <a:b> <a:c> ." in outcome.out and outcome.err == ""
    assert run("update", store, "INSERT DATA {").status == 2
    outcome = run("update", store, "more.nt", "-U", "INSERT DATA { <a:a> <a:b> <a:c> }")
    assert outcome.status == 2 and "add more.nt with 'reasoner load' first" in outcome.err


def test_every_other_command_takes_a_store_and_only_reads_it(run, store, tmp_path):  # noqa: F811
    before = files_of(store)
    assert run("check", store).lines == ["consistent"]
    assert run("classes", store).lines == [":eve\t:eva"]
    assert "prp-trp" in run("explain", store, "-t", f"{EVE} <http://e.org/ancestor> <http://e.org/enos>").out
    assert f"{EVE} <http://e.org/ancestor> <http://e.org/enos> ." in run("materialise", store, "-q").lines
    assert "prp-trp" in run("rules", store).out
    more = tmp_path / "more.nt"
    more.write_text("<http://e.org/enos> <http://e.org/ancestor> <http://e.org/kenan> .\n")
    assert len(run("query", store, more, "-Q", ANCESTORS).lines) == 4
    assert files_of(store) == before


def test_an_inconsistent_load_says_so(run, tmp_path, contradiction):  # noqa: F811
    outcome = run("load", tmp_path / "kb", contradiction, "-q")
    assert outcome.status == 0 and outcome.out.startswith("INCONSISTENT: 1 violation; 'reasoner check")
    assert run("check", tmp_path / "kb").status == 1


def test_a_load_that_breaks_a_constraint_is_rejected_and_the_policy_stays_with_the_store(
    run,  # noqa: F811
    store,
    tmp_path,
    contradiction,  # noqa: F811
):
    refused = run("load", tmp_path / "new", contradiction, "-q", "--constraints", "reject")
    assert refused.status == 2 and "rejected, and taken back" in refused.err and not (tmp_path / "new").exists()
    before = files_of(store)
    assert run("load", store, contradiction, "-q", "--constraints", "reject").status == 2
    assert files_of(store) == before
    more = tmp_path / "more.nt"
    more.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n")
    assert run("load", store, more, "--constraints", "reject").status == 0
    assert run("load", store, contradiction, "-q").status == 2
    clash = "INSERT DATA { <x:C> <http://www.w3.org/2002/07/owl#disjointWith> <x:D> . <x:a> a <x:C>, <x:D> }"
    refused = run("update", store, clash)
    assert refused.status == 2 and "the change is rejected" in refused.err
    assert run("update", store, clash, "--constraints", "warn", "-q").status == 0
    assert run("load", store, contradiction, "-q").status == 2


@pytest.mark.parametrize("format", ["nt", "ttl", "rdf", "jsonld", "nq", "trig"])
def test_what_is_dumped_is_what_was_loaded(run, store, family, tmp_path, format):  # noqa: F811
    path = tmp_path / f"out.{format}.gz"
    assert run("dump", store, "-o", path, "--asserted").status == 0
    text = gzip.decompress(path.read_bytes()).decode()
    syntax = {"ttl": "turtle", "rdf": "xml", "jsonld": "json-ld", "nq": "nquads"}.get(format, format)
    from rdflib import Dataset

    found = Graph().parse(data=text, format=syntax) if format not in ("nq", "trig") else None
    triples = set(found) if found is not None else {q[:3] for q in Dataset().parse(data=text, format=syntax).quads()}
    assert triples == set(Graph().parse(family))


def test_parts_and_old_versions_can_be_dumped(run, store):  # noqa: F811
    whole, inferred, asserted = (
        set(run("dump", store, *part).lines) for part in ([], ["--inferred"], ["--asserted", "-q"])
    )
    assert inferred | asserted == whole and len(asserted) == 6
    run("update", store, "DELETE WHERE { ?s ?p ?o }")
    assert run("dump", store, "--asserted").out == ""
    assert set(run("dump", store, "--version", 1).lines) == whole
    quads = set(run("dump", store, "--version", 1, "--format", "nq", "--inferred").lines)
    assert quads == inferred
    assert set(run("dump", store, "--version", 1, "--format", "nq", "--closure").lines) == whole


def test_versions_and_files_are_shown_and_vacuumed(run, store):  # noqa: F811
    for number in range(3):
        run("update", store, f"INSERT DATA {{ <a:a> <a:b> {number} }}")
    outcome = run("info", store, "--files")
    assert outcome.status == 0
    assert "owl2rl" in outcome.out and "current version" in outcome.out and "base" in outcome.out
    assert json.loads(run("info", store, "--json").out)["version"] == 4
    assert run("vacuum", store, "--keep", 2).lines[0].startswith("removed 2 versions and ")
    with Reasoner.open(store) as kb:
        assert [version.number for version in kb.versions()] == [3, 4]
        outcome = run("vacuum", store)
        assert outcome.status == 2 and "is being written by process" in outcome.err


def test_what_is_no_store_is_named(run, tmp_path):  # noqa: F811
    for command in ("dump", "info", "vacuum"):
        outcome = run(command, tmp_path / "nowhere")
        assert outcome.status == 2 and "nowhere does not exist" in outcome.err
    outcome = run("load", tmp_path)
    assert outcome.status == 2 and "nothing to load" in outcome.err
