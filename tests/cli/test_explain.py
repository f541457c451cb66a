"""``reasoner explain``: why a triple holds."""

from __future__ import annotations

import json

import pytest

PARENT = "<http://e.org/eva> a <http://e.org/Parent>"


def test_a_proof_goes_down_to_explicit_facts(run, family):
    outcome = run("explain", family, "--triple", PARENT)

    assert outcome.status == 0
    assert "cax-sco" in outcome.out
    assert outcome.out.count("   asserted") == 3


def test_prefixes_may_be_used(run, family):
    assert run("explain", family, "-t", "PREFIX e: <http://e.org/> e:eve owl:sameAs e:eva .").status == 0


def test_what_does_not_hold_gives_1_and_says_so(run, family):
    outcome = run("explain", family, "-t", "<http://e.org/seth> a <http://e.org/Parent>")

    assert (outcome.status, outcome.out) == (1, "")
    assert "does not hold" in outcome.err


def test_the_name_of_the_output_says_how_it_is_written(run, family, tmp_path):
    assert run("explain", family, "-t", PARENT, "-o", tmp_path / "why.json").status == 0
    assert run("explain", family, "-t", PARENT, "-o", tmp_path / "why.html").status == 0

    assert json.loads((tmp_path / "why.json").read_text())["goal"]
    assert "<svg" in (tmp_path / "why.html").read_text()


@pytest.mark.parametrize(
    ("form", "beginning"),
    [("svg", "<svg"), ("turtle", "@prefix"), ("json", "{"), ("text", ":eva a :Parent   by eq-rep-s")],
)
def test_a_form_may_be_chosen(run, family, form, beginning):
    assert run("explain", family, "-t", PARENT, "--as", form).out.startswith(beginning)


def test_a_rule_is_no_triple(run, family):
    outcome = run("explain", family, "-t", "?x a <http://e.org/A> :- ?x a <http://e.org/B>")

    assert outcome.status == 2
    assert "takes one triple" in outcome.err


def test_a_folder_that_is_missing_is_named(run, family, tmp_path):
    outcome = run("explain", family, "-t", PARENT, "-o", tmp_path / "missing" / "why.svg")

    assert outcome.status == 2
    assert "cannot write" in outcome.err
