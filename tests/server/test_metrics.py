"""Counters, health, and what is counted where."""

from __future__ import annotations

import re

from reasoner.server.backend.metrics import Histogram
from tests.server.conftest import TOKEN

INSERT = "INSERT DATA { <http://e.org/ada> a <http://e.org/Mother> }"
LINE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]+="[^"]*",?)+)\})? (-?[\d.e+]+)')


def numbers(client) -> dict[str, float]:
    """Read the text as Prometheus does, and check its form on the way."""
    response = client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    found: dict[str, float] = {}
    typed = set()
    for line in response.text.splitlines():
        if line.startswith("# TYPE "):
            typed.add(line.split()[2])
        elif not line.startswith("# HELP "):
            match = LINE.fullmatch(line)
            assert match, line
            assert match[1] in typed or re.sub("_(bucket|sum|count)$", "", match[1]) in typed
            found[line.rpartition(" ")[0]] = float(match[3])
    return found


def test_requests_commits_and_sizes_are_counted(serve):
    client = serve(updates=True, token=TOKEN)
    before = numbers(client)
    client.get("/sparql", params={"query": "ASK {}"})
    client.get("/sparql", params={"query": "nonsense"})
    client.post("/update", data={"update": INSERT})
    insert = "INSERT DATA { GRAPH <http://e.org/g> { <http://e.org/a> <http://e.org/b> 1 } }"
    client.post("/update", data={"update": f"{insert} ; CREATE GRAPH <http://e.org/g>"})
    client.get("/made-up/path")

    after = numbers(client)

    assert after['reasoner_requests_total{endpoint="sparql",method="GET",status="200"}'] == 1
    assert after['reasoner_requests_total{endpoint="sparql",method="GET",status="400"}'] == 1
    assert after['reasoner_requests_total{endpoint="other",method="GET",status="404"}'] == 1
    assert after['reasoner_request_seconds_count{endpoint="update"}'] == 2
    assert after['reasoner_request_seconds_bucket{endpoint="update",le="+Inf"}'] == 2
    assert after['reasoner_commits_total{outcome="done"}'] == 1
    assert after['reasoner_commits_total{outcome="failed"}'] == 1
    assert after["reasoner_version"] == before["reasoner_version"] + 1 == 1
    assert after["reasoner_explicit_facts"] == before["reasoner_explicit_facts"] + 1
    assert after["reasoner_facts"] >= before["reasoner_facts"] + 2
    assert after["reasoner_requests_under_way"] == 1


def test_health_tells_version_and_sizes(serve):
    client = serve(updates=True, token=TOKEN)
    client.post("/update", data={"update": INSERT})

    assert client.get("/health").json()["version"] == 1
    assert client.get("/health").json()["explicit"] == 6


def test_a_bucket_holds_those_before_it():
    histogram = Histogram()
    for seconds in (0.0005, 0.001, 0.02, 100.0):
        histogram.observe(seconds)

    lines = list(histogram.lines("t", {}))

    assert 't_bucket{le="0.001"} 2' in lines and 't_bucket{le="0.025"} 3' in lines
    assert lines[-3:] == ['t_bucket{le="+Inf"} 4', "t_sum 100.0215", "t_count 4"]
