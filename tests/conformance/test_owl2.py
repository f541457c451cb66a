"""The W3C OWL 2 test cases: every verdict that the OWL 2 RL/RDF rules reach, and no false inconsistency."""

import gzip
import json

import pytest

from loaders.load import parse_text
from reasoner import Reasoner
from tests.conformance.suite import harness, need

HARNESS = harness("owl2", "run_owl2.py")
REACHABLE = json.loads(need("owl2", "reachable.json").read_text())
CASES = [json.loads(line) for line in gzip.decompress(need("owl2", "owl2_tests.jsonl.gz").read_bytes()).splitlines()]


def verdicts(case: dict) -> dict[str, bool]:
    """Judge a case as the harness does, within this process."""
    kb = Reasoner()
    kb.add(parse_text(case["premise"], "ntriples"))
    inconsistent = bool(kb.violations())
    lines = "\n".join(" ".join(triple) + " ." for triple in kb.triples())
    closure = HARNESS.Index(HARNESS.parse(lines) | HARNESS.parse(case["premise"]))
    reached = {}
    for kind in case["types"]:
        if kind == "Consistency":
            reached[kind] = not inconsistent
        elif kind == "Inconsistency":
            reached[kind] = inconsistent
        elif kind == "PositiveEntailment":
            entailed = HARNESS.entails(closure, HARNESS.relax(HARNESS.parse(case["conclusion"])))
            reached[kind] = entailed or (inconsistent and "Consistency" not in case["types"])
        else:
            reached[kind] = not inconsistent and not HARNESS.entails(closure, HARNESS.parse(case["nonconclusion"]))
    return reached


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_every_reachable_verdict_is_reached_and_no_consistent_ontology_is_called_inconsistent(case):
    reached = verdicts(case)

    assert {kind for kind in REACHABLE.get(case["id"], ()) if not reached[kind]} == set()
    assert reached.get("Consistency", True)
