"""Data that says of many terms that they are equal, on Spark.

Data set: two classes of 200 equal members each, linked by chains of owl:sameAs, with a fact about each member and a
subproperty axiom over the facts.

Peer: the same reasoner on Spark with the axioms of equality as rules instead of rewriting.

Target: 30 times faster. The sizes of the closures are compared.
"""

from __future__ import annotations

from benchmarks.figure import Figure, faster
from benchmarks.measure import Bench, Job, require_equal

NAME = "spark-equality"
GROUP = "spark"


def run(bench: Bench) -> list[Figure]:
    members = 40 if bench.quick else 200
    files = bench.data.get("equality-classes", classes=2, members=members, facts_per_member=1)

    def job(label: str, equality: str) -> Job:
        options = {"profile": "dlp", "equality": equality}
        return Job(label, "spark_reasoning.materialise", {**files.arguments(), "options": options})

    rewriting, axioms = bench.measure(job("rewriting", "rewrite"), job("axioms of equality", "axiomatise"))
    explicit = {runs.job.label: {"explicit": runs.result["explicit"]} for runs in (rewriting, axioms)}
    require_equal(explicit, NAME)
    return [faster(NAME, "than axiomatised equality", rewriting.seconds("reason"), axioms.seconds("reason"), 30)]
