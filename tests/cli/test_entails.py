"""``reasoner entails``: the verdict, the parts that are missing, and the exit status."""

from __future__ import annotations

import json

import pytest

PREFIXES = "@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "


@pytest.fixture
def conclusion(tmp_path):
    def write(text: str):
        path = tmp_path / "conclusion.ttl"
        path.write_text(PREFIXES + text)
        return path

    return write


def test_what_is_entailed_gives_0(run, family, conclusion):
    outcome = run("entails", "--data", family, conclusion(":eva :ancestor :enos . :Mother rdfs:subClassOf :Parent ."))

    assert (outcome.status, outcome.out) == (0, "entailed\n")


def test_what_is_not_entailed_gives_1_and_is_named(run, family, conclusion):
    outcome = run("entails", family, conclusion(":eve a :Parent . :Parent rdfs:subClassOf :Mother ."))

    assert outcome.status == 1
    assert outcome.lines[:2] == [
        "not entailed",
        "not entailed: SubClassOf(:Parent :Mother)",
    ]
    assert "ClassAssertion" not in outcome.out


def test_all_parts_can_be_listed(run, family, conclusion):
    outcome = run("entails", family, conclusion(":eve a :Parent ."), "--all")

    assert outcome.status == 0
    assert "entailed: ClassAssertion(:Parent :eve)" in outcome.lines


def test_the_answer_can_be_json(run, family, conclusion):
    outcome = run("entails", "--data", family, "--json", conclusion(":seth a :Parent ."))

    assert outcome.status == 1
    assert json.loads(outcome.out)["parts"][0]["entailed"] is False


def test_an_ontology_comes_beside_the_data(run, family, conclusion, tmp_path):
    data = tmp_path / "data.ttl"
    data.write_text(PREFIXES + ":sarah a :Mother .")

    assert run("entails", "--data", data, "--ontology", family, conclusion(":sarah a :Parent .")).status == 0


def test_inconsistent_premises_entail_everything(run, contradiction, conclusion):
    outcome = run("entails", contradiction, conclusion(":a a :B ."))

    assert outcome.status == 0
    assert "the premises are inconsistent" in outcome.out


@pytest.mark.parametrize(("words", "message"), [((), "a conclusion is needed"), (("no.ttl",), "no such file")])
def test_a_missing_conclusion_is_an_error(run, words, message):
    outcome = run("entails", *words)

    assert outcome.status == 2
    assert message in outcome.err
