"""Many axioms of one shape.

Data set: 200,000 instances with five derived types each, under 100 and under 10,000 subclass axioms; the number of
derived types is the same.

Peer: this reasoner with 100 axioms. Under OWL 2 RL the axioms are rows that a fixed set of rules reads, and the whole
way from the files counts; the closure holds the schema's own consequences as well, so with more axioms it is somewhat
larger. Under DLP every axiom is a rule: what counts is reasoning with compiled rules. Beside it are printed the ways
from the rules, which are stratified and compiled first, and from the files, whose axioms are read and translated.

Target: 10,000 axioms take at most 2 times as long as 100.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.figure import Figure, within
from benchmarks.measure import Bench, BenchmarkError, Job, Runs, require_equal
from benchmarks.systems.ours import PHASES

NAME = "subclass-axioms"


def run(bench: Bench) -> list[Figure]:
    few_rows, many_rows = bench.measure(_job(bench, 100, "owl2rl"), _job(bench, 10_000, "owl2rl"))
    if many_rows.number("facts") < few_rows.number("facts"):
        raise BenchmarkError(f"{NAME}: more axioms gave fewer facts")
    few, many = bench.measure(_job(bench, 100, "dlp"), _job(bench, 10_000, "dlp"))
    require_equal({"100 axioms": _inferred(few), "10,000 axioms": _inferred(many)}, NAME)
    return [
        _figure("OWL 2 RL, from files to closure", few_rows, many_rows, PHASES, 2),
        _figure("DLP, from compiled rules to closure", few, many, ("reason",), 2),
        _figure("DLP, from rules to closure", few, many, ("prepare", "reason"), None),
        _figure("DLP, from files to closure", few, many, PHASES, None),
    ]


def _figure(text: str, few: Runs, many: Runs, phases: Sequence[str], target: float | None) -> Figure:
    return within(NAME, text, many.seconds(*phases), few.seconds(*phases), target)


def _job(bench: Bench, axioms: int, profile: str) -> Job:
    instances = 20_000 if bench.quick else 200_000
    files = bench.data.get("subclass-axioms", axioms=axioms, instances=instances)
    small = bench.data.get("subclass-axioms", axioms=100, instances=1000)
    arguments = {**files.arguments(), "options": {"profile": profile}, "warm_up": small.arguments()}
    return Job(f"{axioms:,} axioms, {profile}", "ours.reason", arguments)


def _inferred(runs: Runs) -> dict[str, int]:
    return {"inferred facts": int(runs.number("facts") - runs.number("explicit"))}
