"""Pictures of proofs: well formed, every step once, and no two in one place."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given, reject, settings

from reasoner import Reasoner
from reasoner.explanation.picture import ShortNames, lay_out
from reasoner.explanation.proof import Proof
from tests import oracle
from tests.notation import fact, facts, rules
from tests.strategies import RANDOM, programs

SVG = "{http://www.w3.org/2000/svg}"
LONG = "<http://example.org/a/very/long/name#" + "x" * 80 + ">"


@pytest.fixture
def proof() -> Proof:
    kb = Reasoner(profile="none")
    kb.add_rules(rules("?x q ?y :- ?x p ?y, not ?x type C\n?x r ?y :- ?x q ?y, ?y q ?x, ?x p ?y"))
    kb.add([*facts("a p b, b p a"), (LONG, fact("a same b")[1], "<a>")])
    found = kb.explain((LONG, "<r>", "<b>"))
    assert found is not None
    return found


def test_a_picture_is_well_formed_and_shows_each_step_once(proof):
    groups = ElementTree.fromstring(proof.to_svg()).findall(f"{SVG}g")

    assert len(groups) == len(proof.steps)


def test_a_long_name_is_shortened_and_told_in_full_under_the_pointer(proof):
    picture = ElementTree.fromstring(proof.to_svg())
    texts = ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]

    assert not any("x" * 40 in text for text in texts)
    assert any(LONG in "".join(title.itertext()) for title in picture.iter(f"{SVG}title"))


def test_a_page_holds_the_picture_and_a_row_for_each_step(proof):
    page = proof.to_html()

    assert page.count("<tr>") == len(proof.steps) + 1
    assert "<svg" in page and "<svg" in proof._repr_html_()
    assert "does not hold" in page


def test_markup_in_a_term_does_no_harm():
    picture = Proof(("<a>", "<p>", '"<script>&amp;\'"')).to_svg()

    assert "<script>" not in picture
    assert len(ElementTree.fromstring(picture).findall(f"{SVG}g")) == 1


@settings(RANDOM, max_examples=40)
@given(programs(negation=False, constraints=False))
def test_no_two_steps_overlap_and_premises_stand_to_the_right(program):
    kb = Reasoner(profile="none")
    kb.add_rules(program.rules)
    kb.add(program.facts)
    try:
        closure = sorted(oracle.closure(program.rules, program.facts, limit=20_000) - set(program.facts))
    except oracle.TooLarge:
        reject()
    for triple in closure[:: 1 + len(closure) // 5]:
        proof = kb.explain(triple)
        heights = {step: 1.0 + number % 3 for number, step in enumerate(proof.steps)}
        layout = lay_out(proof, heights)
        for one, other in combinations(proof.steps, 2):
            apart = abs(layout.row[one] - layout.row[other]) >= (heights[one] + heights[other]) / 2 - 1e-9
            assert layout.column[one] != layout.column[other] or apart
        for step in proof.steps:
            assert all(layout.column[premise] > layout.column[step] for premise in step.premises)
            assert heights[step] / 2 - 1e-9 <= layout.row[step] <= layout.depth - heights[step] / 2 + 1e-9


def test_terms_that_would_share_a_short_name_keep_their_namespaces():
    names = ShortNames(["<http://e.org/p#x>", "<http://e.org/q#x>", "<http://e.org/q#y>"])

    assert len({names.of("<http://e.org/p#x>"), names.of("<http://e.org/q#x>")}) == 2
    assert names.of("<http://e.org/q#y>") == "y"
