"""``reasoner profile``: what lies outside, and why."""

from __future__ import annotations

import pytest


def test_an_ontology_inside_the_profile_gives_0(run, family):
    outcome = run("profile", family)

    assert outcome.status == 0
    assert outcome.out.startswith("all inside owl2rl: ")


@pytest.mark.parametrize("profile", ["owl2rl", "dlp"])
def test_each_axiom_outside_is_listed_with_the_reason(run, tmp_path, profile):
    ontology = tmp_path / "ontology.ofn"
    ontology.write_text(
        "Ontology(SubClassOf(<http://e.org/A> ObjectUnionOf(<http://e.org/B> <http://e.org/C>))"
        "SubClassOf(<http://e.org/A> <http://e.org/D>))"
    )

    outcome = run("profile", ontology, "--profile", profile)

    assert outcome.status == 1
    assert outcome.lines[0] == "SubClassOf(<http://e.org/A> ObjectUnionOf(<http://e.org/B> <http://e.org/C>))"
    assert outcome.lines[1].startswith("    ")
    assert outcome.lines[-1] == f"outside {profile}: 1 finding in 2 axioms"


def test_rdfs_leaves_out_what_only_owl_can_say(run, contradiction):
    outcome = run("profile", contradiction, "-p", "rdfs")

    assert outcome.status == 1
    assert "RDF Schema has no" in outcome.out


def test_imports_are_named_because_they_are_not_followed(run, tmp_path):
    ontology = tmp_path / "ontology.ofn"
    ontology.write_text("Ontology(<http://e.org/o> Import(<http://e.org/other>))")

    assert "http://e.org/other" in run("profile", ontology).err


def test_an_ontology_comes_from_standard_input(run, stdin):
    stdin("Ontology(SubClassOf(<http://e.org/A> <http://e.org/B>))")

    assert run("profile", "-").out == "all inside owl2rl: 1 axiom\n"
