"""Idle axioms: many, about names that no fact mentions, beside the axioms that derive something."""

from __future__ import annotations

import pytest

from datasets.dataset import DatasetError
from datasets.hierarchies import subclass_axioms
from datasets.idle_axioms import IDLE, IDLE_KINDS, idle_axioms
from datasets.statements import DOMAIN, SAME_AS, SUB_CLASS_OF, SUB_PROPERTY_OF, TYPE


@pytest.mark.parametrize(
    ("kind", "predicate"), [("subclass", SUB_CLASS_OF), ("subproperty", SUB_PROPERTY_OF), ("domain", DOMAIN)]
)
def test_idle_axioms_come_on_top_and_no_fact_mentions_what_they_need(kind, predicate):
    working, made = subclass_axioms(axioms=10, instances=50), idle_axioms(axioms=10, idle=7, kind=kind, instances=50)
    axioms = set(made.ontology_triples())
    idle = axioms - set(working.ontology_triples())

    assert set(working.ontology_triples()) < axioms
    assert sum(p == predicate for _, p, _ in idle) == 7
    assert all(s.startswith(f"<{IDLE}") for s, p, _ in idle if p == predicate)
    assert list(made.fact_triples()) == list(working.fact_triples())


def test_the_conclusions_of_idle_domains_are_classes_that_facts_have():
    made = idle_axioms(axioms=10, idle=30, kind="domain", instances=50)
    concluded = {o for _, p, o in made.ontology_triples() if p == SUB_CLASS_OF}

    assert {o for _, p, o in made.ontology_triples() if p == DOMAIN} == concluded


def test_a_second_name_is_said_to_be_the_same_and_has_the_type():
    made = idle_axioms(axioms=10, idle=0, instances=1000, aliased_percent=20)
    facts = list(made.fact_triples())
    other = {s: o for s, p, o in facts if p == SAME_AS}
    typed = [s for s, p, _ in facts if p == TYPE]

    assert 150 < len(other) < 250
    assert len(typed) == len(set(typed)) == 1000
    assert not other.keys() & set(typed)
    assert set(other.values()) < set(typed)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kind": "range"}, f"kind must be one of {', '.join(IDLE_KINDS)}, not 'range'"),
        ({"aliased_percent": 101}, "aliased_percent must be at most 100, not 101"),
        ({"idle": -1}, "idle must be at least 0, not -1"),
    ],
)
def test_what_cannot_be_is_refused(parameters, message):
    with pytest.raises(DatasetError, match=message):
        idle_axioms(**parameters)
