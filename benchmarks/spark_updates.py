"""Small changes of a store on Spark, against starting over on Spark.

Data set: LUBM(50) under its DLP rules, in a store on disk that Spark opens, with two tasks at a time. A change takes
100 random facts out, the next puts them back in; so do changes of one fact. The first draw of each warms up.

Peer: the same reasoner materialising the facts anew, on Spark.

Target: to delete 100 facts 10 times faster, to add them 15 times; fewer than 15 jobs of Spark for one fact.
"""

from __future__ import annotations

from benchmarks.figure import Figure, faster
from benchmarks.measure import Bench, Job, require_equal

NAME = "spark-updates"
GROUP = "spark"

FACTS = 100
_TARGETS = {"delete": 10, "add": 15}
_MOST_JOBS = 14


def run(bench: Bench) -> list[Figure]:
    size = 5 if bench.quick else 50
    arguments = {**bench.data.get("lubm", universities=size).arguments(), "sizes": [FACTS, 1]}
    (found,) = bench.measure(Job(f"LUBM({size})", "spark_reasoning.change", arguments))
    # Nothing may be left of a change that was taken back.
    require_equal({"left by the changes": found.result, "nothing": dict.fromkeys(found.result, 0)}, NAME)
    figures = [
        faster(
            NAME, f"LUBM({size}): {kind} {FACTS}", found.seconds(f"{kind} {FACTS}"), found.seconds("materialise"), least
        )
        for kind, least in _TARGETS.items()
    ]
    for kind in _TARGETS:
        jobs = max(run.numbers[f"jobs to {kind} 1"] for run in found.runs)
        figures.append(Figure(NAME, f"jobs to {kind} one fact", jobs, "jobs", _MOST_JOBS, at_least=False))
    return figures
