"""Proofs as text, JSON and RDF."""

from __future__ import annotations

import json

import pytest

from loaders.load import parse_text
from reasoner import Reasoner
from reasoner.explanation.proof import Proof
from reasoner.terms.term import RDF, RDF_TYPE
from tests.notation import fact, facts, rules

PROOF, PROV = "urn:reasoner:proof#", "http://www.w3.org/ns/prov#"


@pytest.fixture
def proof() -> Proof:
    kb = Reasoner(profile="none")
    kb.add_rules(rules("?x q ?y :- ?x p ?y, not ?x type C\n?x r ?y :- ?x q ?y, ?x n ?v, ?v > 1, ?y q ?y, ?x q ?y"))
    kb.add(facts("a p b, b p b, a n 2, c same a"))
    found = kb.explain(fact("c r b"))
    assert found is not None
    return found


def test_text_shows_each_step_once(proof):
    lines = str(proof).splitlines()

    assert lines[0] == "<c> <r> <b>    [by eq-rep-s (equal terms replace one another)]"
    assert "      <a> <p> <b>    [explicit]" in lines
    assert sum(line.strip().startswith("<a> <q> <b>") for line in lines) == 1


def test_json_names_premises_that_come_before(proof):
    read = json.loads(proof.to_json())
    known: set[str] = set()
    for step in read["steps"]:
        assert set(step.get("premises", [])) <= known
        known.add(step["id"])

    assert read["steps"][-1]["id"] == read["goal"]
    assert {step["kind"] for step in read["steps"]} == {"explicit", "rule", "equality"}
    assert next(step["absent"] for step in read["steps"] if "absent" in step) == [list(fact("a type C"))]
    assert [step["conditions"] for step in read["steps"] if "conditions" in step] == [["2 > 1"]]


def test_turtle_is_read_back_with_all_steps(proof):
    triples = set(parse_text(proof.to_turtle(), "turtle", base="http://e.org/"))
    steps = {s for s, p, o in triples if p == RDF_TYPE and o == f"<{PROV}Entity>"}
    subjects = {s: o for s, p, o in triples if p == f"<{RDF}subject>"}
    derived = {(s, o) for s, p, o in triples if p == f"<{PROV}wasDerivedFrom>"}
    goal = next(s for s, p, o in triples if p == RDF_TYPE and o == f"<{PROOF}Goal>")

    assert len(steps) == len(proof.steps)
    assert subjects[goal] == "<http://e.org/c>"
    assert len(derived) == sum(len(set(step.premises)) for step in proof.steps)
    assert {o for _, p, o in triples if p == f"<{PROOF}condition>"} == {'"2 > 1"'}


def test_steps_in_turtle_are_not_taken_for_blank_nodes_of_the_data():
    turtle = Proof(("_:step1", "<p>", "_:b")).to_turtle()

    assert "_:stepx1 a rdf:Statement" in turtle
    assert "rdf:subject _:step1" in turtle
