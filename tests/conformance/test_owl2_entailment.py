"""The W3C OWL 2 test cases by ``kb.entails``: what is decided right, and what is not, with the reason.

A case of the Direct Semantics alone is asked under it; all others under the RDF-Based Semantics.
"""

import gzip
import json

import pytest

from loaders.load import parse_text
from reasoner import Reasoner
from tests.conformance.suite import need

CASES = [json.loads(line) for line in gzip.decompress(need("owl2", "owl2_tests.jsonl.gz").read_bytes()).splitlines()]

_TABLEAU = "needs a complete tableau: existence and alternatives more than a few steps deep"
_COUNTING = "needs counting over data ranges"
_UNREAD = "the conclusion says that a literal is equal to an individual or holds lists outside any axiom"

# Positive entailments that are not found; none of them is in the RL profile.
NOT_FOUND = {
    "Qualified-cardinality-boolean": _COUNTING,
    "Qualified-cardinality-restricted-int": _COUNTING,
    "WebOnt-I5.2-004": _TABLEAU,
    "WebOnt-I5.8-017": "needs literals of a datatype that is equal to a standard one",
    **{f"WebOnt-description-logic-{number}": _TABLEAU for number in (201, 202, 205, 206, 208)},
    "WebOnt-description-logic-903": "needs cardinalities of hundreds to be added",
    **{f"WebOnt-extra-credit-00{number}": _UNREAD for number in (2, 3, 4)},
}
# Seconds for a search beyond the rules: enough for what is found, even on a busy machine.
PATIENCE = 60.0


def of_type(kind: str) -> list:
    return [pytest.param(case, id=case["id"]) for case in CASES if kind in case["types"]]


def asked(case: dict, conclusion: str, patience: float = PATIENCE) -> bool:
    kb = Reasoner()
    kb.add(parse_text(case["premise"], "ntriples"))
    semantics = "rdf" if "RDF-BASED" in case["semantics"] else "direct"
    return bool(kb.entails(parse_text(case[conclusion], "ntriples"), semantics=semantics, patience=patience))


@pytest.mark.parametrize("case", of_type("PositiveEntailment"))
def test_what_follows_is_found(case):
    if reason := NOT_FOUND.get(case["id"]):
        assert "RL" not in case["profile"]
        pytest.skip(reason)
    assert asked(case, "conclusion")


@pytest.mark.parametrize("case", of_type("NegativeEntailment"))
def test_what_does_not_follow_is_not_claimed(case):
    assert not asked(case, "nonconclusion", patience=5.0)


def test_all_entailments_of_the_profile_are_found_by_its_rules_and_assumptions_alone():
    of_profile = [case for case in CASES if "RL" in case["profile"] and "PositiveEntailment" in case["types"]]

    assert [case["id"] for case in of_profile if not asked(case, "conclusion", patience=0)] == []
    assert len(of_profile) >= 19


def test_looking_beyond_the_rules_calls_no_consistent_ontology_inconsistent():
    consistent = [case for case in CASES if "Consistency" in case["types"] and len(case["premise"]) < 2000]
    called_inconsistent = []
    for case in consistent:
        kb = Reasoner()
        kb.add(parse_text(case["premise"], "ntriples"))
        if kb.inconsistency(patience=1.0):
            called_inconsistent.append(case["id"])

    assert called_inconsistent == []
    assert len(consistent) > 80


@pytest.mark.parametrize("case", [p for p in of_type("Inconsistency") if "RL" in p.values[0]["profile"]])
def test_an_inconsistent_ontology_entails_anything(case):
    kb = Reasoner()
    kb.add(parse_text(case["premise"], "ntriples"))

    assert kb.entails([("<http://e.org/a>", "<http://e.org/p>", "<http://e.org/b>")]).inconsistency
