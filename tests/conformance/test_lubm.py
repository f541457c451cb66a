"""LUBM(1,0) from the official generator: the published counts of its fourteen queries."""

import json
import re

import pytest

from reasoner import Reasoner
from tests.conformance.suite import need

QUERIES = json.loads(need("lubm", "queries.json").read_text())


def patterns(sparql: str) -> str:
    """Return the prefixes and the basic graph pattern of a query."""
    return re.sub(r"SELECT.*?WHERE\s*\{", "", sparql, flags=re.DOTALL).rstrip().removesuffix("}")


@pytest.fixture(scope="module", params=["dlp", "owl2rl", "lower"])
def university(request) -> Reasoner:
    kb = Reasoner(profile=request.param)
    kb.load(need("lubm", "lubm1.nt.gz"), need("lubm", "univ-bench.nt.gz"))
    kb.materialise()
    return kb


@pytest.mark.parametrize("query", QUERIES, ids=[query["id"] for query in QUERIES])
def test_each_query_has_its_published_count(university, query):
    assert len(university.select(patterns(query["query"]))) == query["expected"]


def test_the_university_is_consistent(university):
    assert university.violations() == []
