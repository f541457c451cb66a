"""Transitive, and symmetric and transitive, properties.

Data sets: a random DAG of 2,000 nodes and 20,000 edges under transitivity (1.1 million facts in the closure); 50 rings
of 120 nodes, which symmetry and transitivity make into cliques (720,000 facts).

Peers: Nemo with linear rules, once linear to the left and once to the right, of which the faster counts, less the time
to load; and this reasoner with its modules for such properties switched off, which leaves the rules to joins.

Target: 20 times faster than Nemo, 5 times faster than generic evaluation.
"""

from __future__ import annotations

from benchmarks.data import DataFiles
from benchmarks.figure import Figure, faster
from benchmarks.measure import Bench, Job, Runs, require_equal

NAME = "transitive"

_GRAPH = "http://example.org/graph#"
_LOAD = '@import triple :- ntriples{{resource="{facts}"}} .\nedge(?x, ?y) :- triple(?x, {property}, ?y) .\n'
_BOTH_WAYS = "edge(?y, ?x) :- triple(?x, {property}, ?y) .\n"
_CLOSURE = "closure(?x, ?y) :- edge(?x, ?y) .\n"
_LEFT = "closure(?x, ?z) :- closure(?x, ?y), edge(?y, ?z) .\n"
_RIGHT = "closure(?x, ?z) :- edge(?x, ?y), closure(?y, ?z) .\n"


def run(bench: Bench) -> list[Figure]:
    get = bench.data.get
    if bench.quick:
        dag, cliques = get("dag", nodes=300, edges=1500), get("cliques", count=10, size=60)
    else:
        dag, cliques = get("dag", nodes=2000, edges=20_000), get("cliques", count=50, size=120)
    return [
        *_compare(bench, "DAG", dag, get("dag", nodes=300, edges=1500), f"<{_GRAPH}path>", _LOAD),
        *_compare(
            bench, "cliques", cliques, get("cliques", count=10, size=60), f"<{_GRAPH}connectedTo>", _LOAD + _BOTH_WAYS
        ),
    ]


def _compare(bench: Bench, what: str, files: DataFiles, small: DataFiles, property: str, edges: str) -> list[Figure]:
    load = edges.format(facts=files.facts, property=property)

    def ours(label: str, **options: bool) -> Job:
        arguments = {**files.arguments(), "options": {"profile": "dlp", **options}, "warm_up": small.arguments()}
        return Job(f"{what}: {label}", "ours.reason", arguments)

    def nemo(label: str, rules: str) -> Job:
        predicates = {property: "closure"} if rules else {}
        return Job(f"{what}: Nemo {label}", "nemo.text", {"program": load + rules, "predicates": predicates})

    modules, generic, loading, left, right = bench.measure(
        ours("ours"),
        ours("ours by joins", modules=False),
        nemo("loading", ""),
        nemo("linear to the left", _CLOSURE + _LEFT),
        nemo("linear to the right", _CLOSURE + _RIGHT),
    )
    results = {runs.job.label: _facts(runs, property) for runs in (modules, generic, left, right)}
    require_equal(results, f"{NAME}, {what}")
    best = min(left.beyond(loading, "reason"), right.beyond(loading, "reason"), key=lambda seconds: seconds.cpu)
    mine = modules.seconds("prepare", "reason")
    return [
        faster(NAME, f"{what}: than Nemo", mine, best, 20),
        faster(NAME, f"{what}: than our own joins", mine, generic.seconds("prepare", "reason"), 5),
    ]


def _facts(runs: Runs, property: str) -> dict[str, int]:
    return {property: runs.result[property]}
