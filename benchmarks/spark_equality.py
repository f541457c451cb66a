"""Data that says of many terms that they are equal, on Spark.

Data set: 12,000 classes of five equal members each, linked by chains of owl:sameAs, with five facts about each member
and a subproperty axiom over the facts. Either way there are more facts than the driver keeps, so Spark joins files.

Peer: the same reasoner on Spark with the axioms of equality as rules instead of rewriting.

Target: 30 times faster. The sizes of the closures are compared; the peer takes ten minutes.
"""

from __future__ import annotations

from benchmarks.figure import Figure, faster
from benchmarks.measure import Bench, Job, require_equal

NAME = "spark-equality"
GROUP = "spark"


def run(bench: Bench) -> list[Figure]:
    classes = 200 if bench.quick else 12_000
    files = bench.data.get("equality-classes", classes=classes, members=5, facts_per_member=5)

    def job(label: str, equality: str) -> Job:
        options = {"profile": "dlp", "equality": equality}
        return Job(label, "spark_reasoning.materialise", {**files.arguments(), "options": options})

    rewriting, axioms = bench.measure(job("rewriting", "rewrite"), job("axioms of equality", "axiomatise"))
    # The axioms also say of every term that it is equal to itself.
    whole = {**rewriting.result, "expanded": rewriting.result["expanded"] + rewriting.result["terms"]}
    require_equal({"rewriting": whole, "axioms of equality": axioms.result}, NAME)
    return [faster(NAME, "than axiomatised equality", rewriting.seconds("reason"), axioms.seconds("reason"), 30)]
