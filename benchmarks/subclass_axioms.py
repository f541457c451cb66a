"""Many axioms of one shape.

Data set: 200,000 instances with five derived types each, under 100 and under 10,000 subclass axioms; the number of
derived facts is the same. Rules: the DLP translation.

Peer: this reasoner with 100 axioms. What counts is the way from rules to the closure: to stratify and compile them, and
to reason. Reasoning alone is printed as well, and so is the whole way from the files, on which a hundred times as many
axioms are read and translated.

Target: 10,000 axioms take at most 2 times as long as 100.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.figure import Figure, within
from benchmarks.measure import Bench, Job, Runs, require_equal
from benchmarks.systems.ours import PHASES

NAME = "subclass-axioms"


def run(bench: Bench) -> list[Figure]:
    few, many = bench.measure(_job(bench, 100), _job(bench, 10_000))
    require_equal({"100 axioms": _inferred(few), "10,000 axioms": _inferred(many)}, NAME)
    return [
        _figure("from rules to closure", few, many, ("prepare", "reason"), 2),
        _figure("from compiled rules to closure", few, many, ("reason",), None),
        _figure("from files to closure", few, many, PHASES, None),
    ]


def _figure(text: str, few: Runs, many: Runs, phases: Sequence[str], target: float | None) -> Figure:
    return within(NAME, text, many.seconds(*phases), few.seconds(*phases), target)


def _job(bench: Bench, axioms: int) -> Job:
    instances = 20_000 if bench.quick else 200_000
    files = bench.data.get("subclass-axioms", axioms=axioms, instances=instances)
    small = bench.data.get("subclass-axioms", axioms=100, instances=1000)
    arguments = {**files.arguments(), "options": {"profile": "dlp"}, "warm_up": small.arguments()}
    return Job(f"{axioms:,} axioms", "ours.reason", arguments)


def _inferred(runs: Runs) -> dict[str, int]:
    return {"inferred facts": int(runs.number("facts") - runs.number("explicit"))}
