"""Every OWL 2 RL rule fires in the engine where it should, and not where it must not."""

import pytest

from reasoner import Reasoner
from tests.engines import Make
from tests.ontologies.owl2rl_case import VIOLATION
from tests.ontologies.owl2rl_cases import CASES

IDS = [f"{case.rule}-{number}" for number, case in enumerate(CASES)]


def reasoned(make: Make, facts) -> Reasoner:
    # What the W3C rules derive by dt-eq is answered where somebody asks for it.
    kb = make(profile="owl2rl", literals="by-value")
    kb.add(facts)
    return kb


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_rule_fires(make_reasoner, case):
    kb = reasoned(make_reasoner, case.facts)
    if case.expected is VIOLATION:
        assert case.rule in {violation.rule for violation in kb.violations()}
    else:
        closure = set(kb.triples(reflexive=True))
        shown = {triple for triple in case.expected_facts if not triple[0].startswith('"')}
        assert shown <= closure
        assert not any(subject.startswith('"') for subject, _, _ in closure)


@pytest.mark.parametrize("case", [case for case in CASES if case.near_miss is not None], ids=None)
def test_the_rule_does_not_fire_when_a_premise_is_missing(make_reasoner, case):
    kb = reasoned(make_reasoner, case.near_miss_facts)
    if case.expected is VIOLATION:
        assert case.rule not in {violation.rule for violation in kb.violations()}
    else:
        assert not set(case.expected_facts) <= set(kb.triples(reflexive=True))
