"""``reasoner materialise``: what it writes, and where."""

from __future__ import annotations

import bz2
import gzip
import os
from pathlib import Path

import pytest
import zstandard

from reasoner import Reasoner

ANCESTOR = "<http://e.org/eve> <http://e.org/ancestor> <http://e.org/enos> ."
PARENT = "<http://e.org/eve> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/Parent> ."
OTHER_NAME = "<http://e.org/eva> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/Parent> ."
GIVEN = "<http://e.org/eve> <http://e.org/ancestor> <http://e.org/seth> ."
REFLEXIVE = "<http://e.org/seth> <http://www.w3.org/2002/07/owl#sameAs> <http://e.org/seth> ."


def test_the_closure_goes_to_standard_output_and_the_summary_to_standard_error(run, family):
    outcome = run("materialise", family)

    assert outcome.status == 0
    assert {ANCESTOR, PARENT, OTHER_NAME, GIVEN} <= set(outcome.lines)
    assert REFLEXIVE not in outcome.lines
    assert all(line.endswith(" .") for line in outcome.lines)
    assert "facts in the closure" in outcome.err
    assert f"{len(outcome.lines):,} triples to standard output" in outcome.err


def test_the_closure_is_that_of_the_class(run, family):
    kb = Reasoner()
    kb.load(family)

    assert set(run("materialise", family, "-q").lines) == {f"{s} {p} {o} ." for s, p, o in kb.triples()}


def test_a_quiet_run_says_nothing(run, family, tmp_path):
    outcome = run("materialise", family, "--quiet", "-o", tmp_path / "out.nt")

    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")


@pytest.mark.parametrize(
    ("name", "opened"),
    [
        ("out.nt", lambda path: path.read_bytes()),
        ("out.nt.gz", lambda path: gzip.decompress(path.read_bytes())),
        ("out.nt.bz2", lambda path: bz2.decompress(path.read_bytes())),
        ("out.nt.zst", lambda path: zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).read()),
    ],
)
def test_a_file_is_compressed_as_its_name_says(run, family, tmp_path, name, opened):
    expected = sorted(run("materialise", family, "-q").lines)

    outcome = run("materialise", family, "-o", tmp_path / name)

    assert outcome.out == ""
    assert sorted(opened(tmp_path / name).decode().splitlines()) == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["family.ttl", name]


def test_only_the_inferred_can_be_asked_for(run, family):
    lines = run("materialise", family, "--inferred-only").lines

    assert ANCESTOR in lines
    assert GIVEN not in lines


def test_reflexive_equalities_can_be_asked_for(run, family):
    assert REFLEXIVE in run("materialise", family, "--reflexive").lines


def test_without_a_profile_nothing_follows(run, family):
    lines = run("materialise", family, "--profile", "none").lines

    assert GIVEN in lines
    assert ANCESTOR not in lines


@pytest.mark.parametrize(
    ("profile", "expected"), [("rdfs", {PARENT}), ("dlp", {PARENT, ANCESTOR, OTHER_NAME}), ("none", set())]
)
def test_the_profile_decides_what_follows(run, family, profile, expected):
    lines = set(run("materialise", family, "-p", profile).lines)

    assert lines & {PARENT, ANCESTOR, OTHER_NAME} == expected


def test_axiomatised_equality_gives_the_same_closure(run, family):
    rewritten = run("materialise", family, "-p", "dlp", "--reflexive").lines
    axiomatised = run("materialise", family, "-p", "dlp", "--reflexive", "--equality", "axiomatise").lines

    assert sorted(axiomatised) == sorted(rewritten)


def test_equality_can_be_switched_off(run, family):
    lines = run("materialise", family, "--equality", "none").lines

    assert PARENT in lines
    assert OTHER_NAME not in lines


def test_ontologies_and_rules_come_from_files_of_their_own(run, tmp_path):
    data = tmp_path / "data.nt"
    data.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n")
    ontology = tmp_path / "ontology.ofn"
    ontology.write_text("Ontology(ObjectPropertyDomain(<http://e.org/p> <http://e.org/C>))")
    rules = tmp_path / "rules.txt"
    rules.write_text("?x a <http://e.org/D> :- ?x a <http://e.org/C> .")

    outcome = run("materialise", data, "--ontology", ontology, "--rules", rules, "--inferred-only", "-p", "dlp")

    type_ = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    assert {f"<http://e.org/a> {type_} <http://e.org/{name}> ." for name in "CD"} <= set(outcome.lines)


def test_data_may_be_in_a_syntax_of_owl(run, tmp_path):
    data = tmp_path / "data.ofn"
    data.write_text(
        "Ontology(SubClassOf(<http://e.org/C> <http://e.org/D>) ClassAssertion(<http://e.org/C> <http://e.org/a>))"
    )

    lines = run("materialise", data, "--inferred-only", "-p", "dlp").lines

    assert lines == ["<http://e.org/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/D> ."]


def test_data_come_from_standard_input(run, stdin):
    stdin("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n")

    assert run("materialise", "-", "--profile", "none").lines == [
        "<http://e.org/a> <http://e.org/p> <http://e.org/b> ."
    ]


def test_the_format_can_be_named(run, stdin):
    stdin("@prefix : <http://e.org/> . :a :p :b, :c .")

    assert len(run("materialise", "-", "--profile", "none", "--format", "turtle").lines) == 2


def test_relative_iris_are_resolved_against_the_base(run, stdin):
    stdin("<a> <p> <b> .")

    lines = run("materialise", "-", "--profile", "none", "--format", "turtle", "--base", "http://e.org/x/").lines

    assert lines == ["<http://e.org/x/a> <http://e.org/x/p> <http://e.org/x/b> ."]


def test_malformed_statements_are_skipped_and_reported(run, tmp_path):
    data = tmp_path / "data.nt"
    data.write_text(
        "".join(f"nonsense {n}\n" for n in range(12)) + "<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n"
    )

    outcome = run("materialise", data, "--skip-errors", "-p", "none")

    assert outcome.status == 0
    assert len(outcome.lines) == 1
    assert outcome.err.count(f"skipped: {data}:") == 10
    assert "skipped: 2 more" in outcome.err


def test_an_inconsistency_is_told_on_standard_output_and_the_closure_written_all_the_same(run, contradiction, tmp_path):
    target = tmp_path / "out.nt"

    outcome = run("materialise", contradiction, "-o", target, "-q")

    assert outcome.status == 0
    assert outcome.lines[0].startswith("INCONSISTENT")
    assert outcome.lines[1].startswith("  cax-dw: ")
    assert ":tom rdf:type :Cat" in outcome.lines[1]
    assert "<http://e.org/Cat>" in target.read_text()


def test_an_inconsistency_stays_out_of_a_closure_on_standard_output(run, contradiction):
    outcome = run("materialise", contradiction, "-q")

    assert outcome.status == 0
    assert "INCONSISTENT" not in outcome.out
    assert outcome.err.startswith("INCONSISTENT: 1 violation")


def test_what_a_profile_leaves_out_is_not_passed_over(run, tmp_path):
    data = tmp_path / "data.ofn"
    data.write_text("Ontology(SubClassOf(<http://e.org/A> ObjectUnionOf(<http://e.org/B> <http://e.org/C>)))")

    assert "left out by dlp: 1 axiom" in run("materialise", data, "-p", "dlp").err


def test_an_import_that_is_not_followed_is_named(run, tmp_path):
    data = tmp_path / "data.ttl"
    data.write_text("<http://e.org/o> <http://www.w3.org/2002/07/owl#imports> <http://e.org/other> .")

    assert "not followed: the import of <http://e.org/other>" in run("materialise", data).err


def test_a_device_is_written_to_and_not_replaced(run, family):
    before = Path(os.devnull).stat()

    assert run("materialise", family, "-q", "-o", os.devnull).status == 0
    assert Path(os.devnull).stat().st_mode == before.st_mode


def test_a_link_goes_on_pointing_to_the_file(run, family, tmp_path):
    (tmp_path / "real.nt").write_text("")
    (tmp_path / "link.nt").symlink_to("real.nt")

    run("materialise", family, "-q", "-o", tmp_path / "link.nt")

    assert (tmp_path / "link.nt").is_symlink()
    assert ANCESTOR in (tmp_path / "real.nt").read_text()


@pytest.mark.parametrize(
    ("name", "reason"),
    [("no/such/folder/out.nt", "there is no folder"), (".", "it is a folder"), ("out.ofn", "the closure is RDF")],
)
def test_a_target_that_cannot_be_written_is_refused_before_anything_is_read(run, tmp_path, name, reason):
    outcome = run("materialise", tmp_path / "missing.nt", "-o", tmp_path / name)

    assert outcome.status == 2
    assert reason in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_takes_one_line(run, family):
    outcome = run("materialise", family, "-q", "-o", "/dev/full")

    assert outcome.status == 2
    assert outcome.err == "reasoner: error: cannot write /dev/full: No space left on device\n"


def test_a_join_that_exceeds_the_memory_is_refused_in_one_line(run, tmp_path):
    data, rules, target = tmp_path / "data.nt", tmp_path / "product.rules", tmp_path / "out.nt"
    data.write_text("".join(f"<http://e.org/{n}> <http://e.org/p> <http://e.org/hub> .\n" for n in range(1000)))
    rules.write_text("?x <http://e.org/r> ?y :- ?x <http://e.org/p> ?z, ?y <http://e.org/p> ?z .")
    words = ("materialise", data, "--rules", rules, "--profile", "none", "-q", "-o", target)

    outcome = run(*words, "--memory", "1M")

    assert outcome.status == 2
    assert outcome.err.startswith("reasoner: error: rule ")
    assert "joining 1,000 matches with 1,000 facts of <http://e.org/p> gives 1,000,000 rows" in outcome.err
    assert outcome.err.count("\n") == 1
    assert not target.exists()
    assert run(*words, "--memory", "64G").status == 0


def test_a_memory_that_is_no_size_is_refused(run, family):
    outcome = run("materialise", family, "--memory", "lots")

    assert outcome.status == 2
    assert "memory is 'lots'; give a number of bytes, or one with a unit such as 500M or 4G" in outcome.err
