"""What the benchmarks of changing axioms share: the jobs, and how many times faster maintaining them is."""

from __future__ import annotations

from statistics import median
from typing import Any

from benchmarks.figure import Figure, faster
from benchmarks.measure import Bench, Job, Runs
from benchmarks.seconds import Seconds
from benchmarks.update_jobs import MATERIALISE, require_same_states

# How many axioms are taken out and put back; of the first, the closures are compared.
DRAWS, CHECKED = 9, 2


def axiom_figures(bench: Bench, benchmark: str, system: str, arguments: dict[str, Any], target: float) -> list[Figure]:
    """Measure removing and adding single axioms, by B/F and by starting over, and compare the medians."""
    given = {**arguments, "options": {"profile": "dlp"}, "checked": CHECKED}
    maintained, again = bench.measure(
        Job(f"{benchmark}: maintained", system, {**given, "strategy": "bf", "draws": DRAWS}),
        Job(f"{benchmark}: materialised", system, {**given, "strategy": MATERIALISE, "draws": DRAWS}),
    )
    require_same_states([again, maintained], benchmark)
    return [
        faster(benchmark, f"{kind} a subclass axiom", median_of(maintained, kind), median_of(again, kind), target)
        for kind in ("remove", "add")
    ]


def median_of(runs: Runs, kind: str) -> Seconds:
    """Return the median time of one kind of change, over all draws and runs."""
    taken = [seconds for run in runs.runs for name, seconds in run.phases.items() if name.startswith(f"{kind} ")]
    return Seconds(median(one.cpu for one in taken), median(one.wall for one in taken))
