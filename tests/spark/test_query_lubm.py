"""LUBM(1,0) from the official generator, asked over frames: the published counts of its 14 queries."""

from __future__ import annotations

import json

import pytest

from reasoner import Reasoner
from reasoner.spark.query.answer import query as query_frames
from tests.conformance.suite import need
from tests.spark.query_source import source_of

pytestmark = pytest.mark.slow

QUERIES = json.loads(need("lubm", "queries.json").read_text())


@pytest.fixture(scope="module")
def university(spark, tmp_path_factory):
    kb = Reasoner(profile="dlp")
    kb.load(need("lubm", "lubm1.nt.gz"), need("lubm", "univ-bench.nt.gz"))
    source = source_of(spark, kb, str(tmp_path_factory.mktemp("lubm")))
    yield source
    source.close()


@pytest.mark.parametrize("case", QUERIES, ids=[case["id"] for case in QUERIES])
def test_each_query_has_its_published_count(university, case):
    assert len(query_frames(university, case["query"], terms="text")) == case["expected"]
