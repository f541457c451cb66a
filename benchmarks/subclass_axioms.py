"""Many axioms of one shape.

Data set: 200,000 instances with five derived types each, under 100 and under 10,000 subclass axioms; the number of
derived facts is the same. Rules: the DLP translation.

Peer: this reasoner with 100 axioms. What counts is reasoning, from the rules to the closure; the way from the files to
the closure, which also reads and translates a hundred times as many axioms, is printed as well.

Target: 10,000 axioms take at most 2 times as long as 100.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.figure import Figure, within
from benchmarks.measure import Bench, Job, Runs, require_equal

NAME = "subclass-axioms"


def run(bench: Bench) -> list[Figure]:
    few, many = bench.measure(_job(bench, 100), _job(bench, 10_000))
    require_equal({"100 axioms": _inferred(few), "10,000 axioms": _inferred(many)}, NAME)
    phases = ("load", "split", "translate", "reason")
    return [
        within(NAME, "reasoning: 10,000 axioms against 100", many.seconds("reason"), few.seconds("reason"), 2),
        replace(within(NAME, "file to closure: the same", many.seconds(*phases), few.seconds(*phases), 2), target=None),
    ]


def _job(bench: Bench, axioms: int) -> Job:
    instances = 20_000 if bench.quick else 200_000
    files = bench.data.get("subclass-axioms", axioms=axioms, instances=instances)
    small = bench.data.get("subclass-axioms", axioms=100, instances=1000)
    arguments = {**files.arguments(), "options": {"profile": "dlp"}, "warm_up": small.arguments()}
    return Job(f"{axioms:,} axioms", "ours.reason", arguments)


def _inferred(runs: Runs) -> dict[str, int]:
    return {"inferred facts": int(runs.number("facts") - runs.number("explicit"))}
