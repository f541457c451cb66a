"""LUBM(1,0) from the official generator: the published counts, and the same answers as from another store."""

from __future__ import annotations

import json

import pytest

from reasoner import Reasoner
from reasoner.requests import query
from tests.conformance.suite import need

QUERIES = json.loads(need("lubm", "queries.json").read_text())


@pytest.fixture(scope="module")
def university() -> Reasoner:
    kb = Reasoner(profile="dlp")
    kb.load(need("lubm", "lubm1.nt.gz"), need("lubm", "univ-bench.nt.gz"))
    kb.materialise()
    return kb


@pytest.mark.parametrize("case", QUERIES, ids=[case["id"] for case in QUERIES])
def test_each_query_has_its_published_count(university, case):
    result = query(university, case["query"], terms="text")

    assert len(result) == len(result.rows()) == case["expected"]
    # The second time the order of joins is known.
    assert len(query(university, case["query"])) == case["expected"]
