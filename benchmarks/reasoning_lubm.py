"""Reasoning on LUBM, without loading.

Data set: LUBM(10), 1.35 million statements; rules: the DLP translation of its ontology.

Peers: Nemo, with one predicate a class and one a property. It loads, splits the triples by predicate and reasons in one
call, so loading is measured by a program that does nothing else, and subtracted. On both sides what counts is splitting
the loaded triples, compiling the rules and reasoning; the same without splitting is printed as well. ``reasonable``:
its reasoning call, less the time it takes to hand the closure over.

Target: 10 times faster than Nemo, 20 times faster than reasonable.
"""

from __future__ import annotations

from benchmarks.figure import Figure, faster
from benchmarks.lubm_jobs import LubmJobs
from benchmarks.measure import Bench, require_equal

NAME = "reasoning-lubm"


def run(bench: Bench) -> list[Figure]:
    jobs = LubmJobs(bench)
    ours, load, split, nemo, reasonable = bench.measure(
        jobs.ours(warm=True), jobs.nemo("load"), jobs.nemo("split"), jobs.nemo(), jobs.reasonable()
    )
    require_equal({"ours": ours.result, "Nemo": nemo.result, "reasonable": reasonable.result}, NAME)
    mine = ours.seconds("split", "prepare", "reason")
    return [
        faster(NAME, "than Nemo beyond loading", mine, nemo.beyond(load, "reason"), 10),
        faster(NAME, "than reasonable beyond loading", mine, reasonable.seconds("reason", less="hand over"), 20),
        faster(
            NAME, "than Nemo beyond splitting", ours.seconds("prepare", "reason"), nemo.beyond(split, "reason"), None
        ),
    ]
