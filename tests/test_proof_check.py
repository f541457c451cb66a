"""The checker of proofs refuses what does not follow."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reasoner import Reasoner
from reasoner.explanation.check import check_proof
from reasoner.explanation.proof import Proof
from reasoner.terms.term import XSD
from tests.notation import Fact, fact, facts, rules

RULES = rules(
    """?x q ?z :- ?x p ?y, ?y p ?z
    ?x type D :- ?x q ?y, not ?x type C, ?x != ?y
    ?x same ?y :- ?x key ?k, ?y key ?k"""
)
FACTS = facts("a p b, b p c, a key k, d key k, e same d")
HOLDS = {*FACTS, fact("a same e")}


@pytest.fixture
def proof() -> Proof:
    """A proof with instances of all rules and with steps of equality."""
    kb = Reasoner(profile="none")
    kb.add_rules(RULES)
    kb.add(FACTS)
    found = kb.explain(fact("e type D"))
    assert found is not None
    return found


def faults(proof: Proof) -> list[str]:
    return check_proof(proof, RULES, set(FACTS).__contains__, HOLDS.__contains__)


def changed(proof: Proof, number: int, **changes: object) -> Proof:
    """Return a proof with one of its steps changed."""
    made: dict[Proof, Proof] = {}
    for place, step in enumerate(proof.steps):
        premises = tuple(made[premise] for premise in step.premises)
        made[step] = replace(step, **{"premises": premises, **(changes if place == number else {})})
    return made[proof]


def place_of(proof: Proof, rule: str | None) -> int:
    return next(place for place, step in enumerate(proof.steps) if step.rule == rule)


def test_a_right_proof_has_no_faults(proof):
    assert {"rule-1", "rule-2", "rule-3", "eq-rep-s"} <= {step.rule for step in proof.steps}
    assert faults(proof) == []


@pytest.mark.parametrize("rule", [None, "rule-1", "rule-2", "rule-3", "eq-rep-s", "eq-sym, eq-trans"])
def test_a_step_that_concludes_another_triple_is_refused(proof, rule):
    assert faults(changed(proof, place_of(proof, rule), triple=fact("x y z"))) != []


@pytest.mark.parametrize("rule", ["rule-1", "rule-2", "rule-3", "eq-rep-s", "eq-sym, eq-trans"])
def test_a_step_without_its_premises_is_refused(proof, rule):
    assert faults(changed(proof, place_of(proof, rule), premises=())) != []


@pytest.mark.parametrize("rule", ["rule-1", "eq-rep-s"])
def test_a_step_by_another_rule_is_refused(proof, rule):
    assert faults(changed(proof, place_of(proof, rule), rule="eq-rep-o")) != []


def test_a_rule_that_is_not_of_the_program_is_refused(proof):
    assert (
        "its rule is none of the program" in check_proof(proof, RULES[1:], set(FACTS).__contains__, lambda _: False)[0]
    )


def test_a_leaf_that_is_not_explicit_is_refused(proof):
    assert check_proof(proof, RULES, set(FACTS[1:]).__contains__, HOLDS.__contains__) == [
        "<a> <p> <b>, by assertion: it is not explicit"
    ]


def test_a_negated_atom_that_holds_is_refused(proof):
    assert any("holds" in fault for fault in check_proof(proof, RULES, set(FACTS).__contains__, lambda _: True))


def test_absence_is_not_taken_on_trust(proof):
    assert any("without holds" in fault for fault in check_proof(proof, RULES, set(FACTS).__contains__))


def test_a_step_that_rests_on_itself_is_refused():
    turning = rules("?y p ?x :- ?x p ?y")[0]

    def turned(triple: Fact, premise: Proof) -> Proof:
        return Proof(triple, "rule-1", (), (premise,), turning, (("x", triple[2]), ("y", triple[0])))

    circle = turned(fact("a p b"), turned(fact("b p a"), Proof(fact("a p b"))))

    assert check_proof(circle, [turning], lambda _: True) == ["<a> <p> <b> rests on itself"]


def test_literals_of_different_values_do_not_replace_one_another():
    one, two = (f'"{number}"^^<{XSD}integer>' for number in (1, 2))
    same = Proof((one, fact("a same b")[1], two))
    step = Proof(("<a>", "<n>", two), "eq-rep-o", (), (Proof(("<a>", "<n>", one)), same))

    assert check_proof(step, [], lambda _: True) != []
    assert check_proof(Proof(same.triple, "dt-eq"), [], lambda _: True) != []
