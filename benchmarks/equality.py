"""Data that says of many terms that they are equal.

Data set: two classes of 200 equal members each, linked by chains of owl:sameAs, with a fact about each member and a
subproperty axiom over the facts: 400,000 facts in the closure, from 800 explicit ones.

Peer: this reasoner with the axioms of equality as rules instead of rewriting.

Target: 100 times faster. The closures are compared, expanded, but for the facts that a term equals itself.
"""

from __future__ import annotations

from benchmarks.figure import Figure, faster
from benchmarks.measure import Bench, Job, require_equal

NAME = "equality"


def run(bench: Bench) -> list[Figure]:
    members = 40 if bench.quick else 200
    files = bench.data.get("equality-classes", classes=2, members=members, facts_per_member=1)
    # As many equalities in the warm-up as in the data, because few of them are merged without loading a library.
    alike = bench.data.get("equality-classes", classes=2, members=members, facts_per_member=0)

    def job(label: str, equality: str, **warm_up: dict[str, str]) -> Job:
        options = {"profile": "dlp", "equality": equality}
        return Job(label, "ours.reason", {**files.arguments(), "options": options, **warm_up})

    jobs = job("rewriting", "rewrite", warm_up=alike.arguments()), job("axioms of equality", "axiomatise")
    rewriting, axioms = bench.measure(*jobs)
    require_equal({"rewriting": rewriting.result, "axioms": axioms.result}, NAME)
    return [
        faster(
            NAME,
            "than axiomatised equality",
            rewriting.seconds("prepare", "reason"),
            axioms.seconds("prepare", "reason"),
            100,
        )
    ]
