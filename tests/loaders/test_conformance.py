"""The W3C suites for N-Triples and Turtle, where they lie beside the project."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import pytest
import rdflib
from rdflib.compare import isomorphic

from loaders.errors import ParseError
from loaders.load import parse_text
from loaders.terms import to_rdflib

SUITE = Path(__file__).parents[3] / "shared" / "conformance" / "rdf" / "rdf_syntax_tests.jsonl.gz"


def cases() -> list[dict[str, str]]:
    if not SUITE.exists():
        return []
    with gzip.open(SUITE, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def graph(triples: list[tuple[str, str, str]]) -> rdflib.Graph:
    result = rdflib.Graph()
    for triple in triples:
        result.add(tuple(map(to_rdflib, triple)))
    return result


@pytest.mark.skipif(not SUITE.exists(), reason="the conformance material is not beside the project")
def test_the_suite_is_there_in_full():
    assert len(cases()) == 193


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_the_verdict_is_that_of_the_suite(case):
    data = base64.b64decode(case["input_b64"])
    if case["type"].startswith("Negative"):
        with pytest.raises(ParseError):
            parse_text(data, case["format"], case["base"])
        return
    triples = parse_text(data, case["format"], case["base"])
    if case["type"] == "Eval":
        expected = parse_text(case["expected"], "ntriples")
        assert isomorphic(graph(triples), graph(expected))
