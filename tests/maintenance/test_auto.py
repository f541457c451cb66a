"""What auto decides by measured costs, with costs that are known."""

from __future__ import annotations

import pytest

from reasoner import Reasoner, commit
from reasoner.maintenance.cost import Cost, CostModel

RULES = """
    ?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y .
    ?x a <http://e.org/C> :- ?x <http://e.org/q> ?y ."""


def fact(number: int) -> tuple[str, str, str]:
    return f"<http://e.org/s{number}>", "<http://e.org/p>", f"<http://e.org/o{number % 7}>"


@pytest.fixture
def kb() -> Reasoner:
    made = Reasoner(profile="none")
    made.add_rules(RULES)
    made.add(map(fact, range(6000)))
    made.materialise()
    return made


def removed(kb: Reasoner, count: int):
    with kb.transaction() as change:
        change.remove([fact(number) for number in range(count)])
    assert len(list(kb.triples())) == 3 * (6000 - count)
    return change.delta


def test_what_costs_less_than_starting_over_is_maintained(kb):
    kb._costs.scratch, kb._costs.removal["bf"] = 1.0, Cost(each=1e-3)

    delta = removed(kb, 100)

    assert delta.strategy == "bf"
    assert "of starting over" in delta.reason


def test_what_costs_more_is_done_by_starting_over(kb):
    kb._costs.scratch, kb._costs.removal["bf"] = 1e-6, Cost(each=1.0)

    delta = removed(kb, 100)

    assert delta.strategy == "rematerialise"
    assert delta.reason.startswith("maintaining 100 changes would take about 1e+02 s")


def test_a_run_that_takes_too_long_is_given_up(kb, monkeypatch):
    monkeypatch.setattr(commit, "_SHORTEST_TRY", 0.0)
    kb._costs.scratch, kb._costs.removal["bf"] = 1e-9, Cost(base=0.0, each=0.0, runs=9)

    delta = removed(kb, 5000)

    assert delta.strategy == "rematerialise"
    assert "had not ended" in delta.reason
    assert kb._costs.removal["bf"].each > 0


def test_a_large_removal_of_unknown_cost_begins_with_a_sample(kb):
    """Starting over is said to take half of what is expected of removing 5,000 facts, and a sample says otherwise."""
    kb._costs.scratch = 0.075 / 1000
    assert kb._costs.removing("bf", 5000) > kb._costs.from_scratch(1000)

    delta = removed(kb, 5000)

    assert delta.strategy in ("bf", "rematerialise")
    assert kb._costs.measured("bf") >= 1000
    assert delta.work.instances["delete"] > 0


def test_costs_are_a_base_and_a_share_for_each_fact():
    model = CostModel()
    for _ in range(5):
        model.learn("bf", 0.01, removed=10, added=0)
    model.learn("bf", 0.11, removed=1000, added=0)

    assert model.removing("bf", 2000) == pytest.approx(0.21)
    assert model.removing("bf", 0) == 0.0
    assert model.measured("bf") == 1000
    assert model.measured("dred") == 0


def test_an_update_that_removes_and_adds_teaches_nothing():
    model = CostModel()
    model.learn("bf", 1.0, removed=10, added=10)

    assert model.removal == {}
