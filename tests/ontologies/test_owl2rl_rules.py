"""Every OWL 2 RL/RDF rule fires where it should and not where it must not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ontologies.owl2rl import ENTRIES, TABLES, Realisation, translate_owl2rl
from tests.ontologies.naive import Closure
from tests.ontologies.owl2rl_case import VIOLATION, Case
from tests.ontologies.owl2rl_cases import CASES

W3C_IDS = {
    4: "eq-ref eq-sym eq-trans eq-rep-s eq-rep-p eq-rep-o eq-diff1 eq-diff2 eq-diff3",
    5: "prp-ap prp-dom prp-rng prp-fp prp-ifp prp-irp prp-symp prp-asyp prp-trp prp-spo1 prp-spo2 prp-eqp1 prp-eqp2 "
    "prp-pdw prp-adp prp-inv1 prp-inv2 prp-key prp-npa1 prp-npa2",
    6: "cls-thing cls-nothing1 cls-nothing2 cls-int1 cls-int2 cls-uni cls-com cls-svf1 cls-svf2 cls-avf cls-hv1 "
    "cls-hv2 cls-maxc1 cls-maxc2 cls-maxqc1 cls-maxqc2 cls-maxqc3 cls-maxqc4 cls-oo",
    7: "cax-sco cax-eqc1 cax-eqc2 cax-dw cax-adc",
    8: "dt-type1 dt-type2 dt-eq dt-diff dt-not-type",
    9: "scm-cls scm-sco scm-eqc1 scm-eqc2 scm-op scm-dp scm-spo scm-eqp1 scm-eqp2 scm-dom1 scm-dom2 scm-rng1 scm-rng2 "
    "scm-hv scm-svf1 scm-svf2 scm-avf1 scm-avf2 scm-int scm-uni",
}
NATIVE = frozenset(entry.id for entry in ENTRIES if entry.realisation is Realisation.NATIVE)
NAMES = [f"{case.rule}-{number}" for number, case in enumerate(CASES)]


def follows(case: Case, closure: Closure) -> bool:
    if case.expected == VIOLATION:
        return case.rule in closure.violations
    return all(fact in closure for fact in case.expected_facts)


@pytest.mark.parametrize("table", sorted(W3C_IDS))
def test_each_w3c_table_is_there_rule_by_rule(table: int) -> None:
    assert [entry.id for entry in TABLES[table]] == W3C_IDS[table].split()


def test_every_rule_has_a_case() -> None:
    assert {entry.id for entry in ENTRIES} == {case.rule for case in CASES}


def test_every_rule_with_premises_has_a_near_miss() -> None:
    without_premises = {"prp-ap", "cls-thing", "cls-nothing1", "dt-type1"}
    assert {case.rule for case in CASES if case.near_miss is None} == without_premises


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_rule_fires(case: Case) -> None:
    translation = translate_owl2rl(case.facts)

    closure = Closure(translation, case.facts)

    assert follows(case, closure)
    assert case.expected == VIOLATION or not closure.violations


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_rule_alone_makes_the_difference(case: Case) -> None:
    """The other rules must not hide that one is missing: several W3C rules follow from others."""
    translation = translate_owl2rl(case.facts)
    helpers = tuple(rule for rule in translation.rules if rule.name in case.helpers)
    alone = tuple(rule for rule in translation.rules if rule.name == case.rule)

    assert follows(case, Closure(replace(translation, rules=helpers + alone), case.facts))
    if case.rule not in NATIVE:
        assert not follows(case, Closure(replace(translation, rules=helpers), case.facts))


@pytest.mark.parametrize("case", [case for case in CASES if case.near_miss], ids=lambda case: case.rule)
def test_the_rule_does_not_fire_on_a_near_miss(case: Case) -> None:
    facts = case.near_miss_facts

    closure = Closure(translate_owl2rl(facts), facts)

    assert not closure.violations
    assert not any(fact in closure for fact in case.expected_facts)
