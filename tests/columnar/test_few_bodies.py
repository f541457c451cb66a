"""A few rule instances of a head are found without going through all that it has."""

from __future__ import annotations

import pytest

from reasoner import Reasoner
from reasoner.columnar import bindings, chaining
from reasoner.columnar.kernels import expand
from tests.notation import constant, fact, rules

SUPPORTS = 5_000


@pytest.fixture
def supported():
    kb = Reasoner(profile="none")
    kb.add_rules(rules("?y type University :- ?x degree ?y, ?x type Person"))
    kb.add([fact(f"s{at} degree u") for at in range(SUPPORTS)])
    kb.add([fact(f"s{at} type Person") for at in range(SUPPORTS)])
    kb.add([fact("t degree v"), fact("t type Person")])
    kb.materialise()
    return kb


def few(kb: Reasoner, most: int):
    engine, facts = kb.store.engine, kb.store.state.facts
    (rule,) = kb.session.program().strata[0].rules
    heads = engine.evaluate(engine.compile([rule]), facts)
    assert len(heads) == 2
    return engine.few_bodies_of(engine.compile_backward([rule]), facts, heads, most)


def test_a_head_of_many_instances_costs_what_is_taken_of_them(supported, monkeypatch):
    rows = []

    def counted(low, high):
        owner, position = expand(low, high)
        rows.append(owner.size)
        return owner, position

    monkeypatch.setattr(bindings, "expand", counted)

    bodies, more = few(supported, 8)

    assert sum(rows) <= 2 * chaining._SAMPLED
    [u, v] = [supported.store.dictionary.id_of(constant(name)) for name in "uv"]
    kind, degree = (supported.store.dictionary.id_of(constant(name)) for name in ("University", "degree"))
    _, objects = bodies.table(degree).pairs()
    assert (objects == u).sum() == 8
    assert (objects == v).sum() == 1
    assert u in more.table(1).subjects_of(kind).tolist()


def test_a_fact_whose_first_supports_are_no_proofs_is_proved_by_another():
    """The supports that are looked at first lack what the rule asks of them besides."""
    kb = Reasoner(profile="none")
    kb.add_rules(rules("?y type University :- ?x degree ?y, ?x p ?z, ?z type Person\n?x same ?y :- ?x equals ?y"))
    kb.add([fact(f"s{at} degree u") for at in range(300)])
    kb.add([fact(f"s{at} p {'z' if at in (0, 299) else 'w'}") for at in range(300)])
    kb.add([fact("z type Person"), fact("u equals u2")])
    kb.materialise()

    with kb.transaction(strategy="bf") as change:
        change.remove([fact("s0 degree u")])

    assert change.delta.strategy == "bf"
    assert fact("u type University") in set(kb.triples())
