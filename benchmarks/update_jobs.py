"""What the benchmarks of changes share: jobs that make changes, and the times of these, draw by draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from benchmarks.data import DataFiles
from benchmarks.measure import Bench, Job, Runs, require_equal
from benchmarks.seconds import Seconds
from benchmarks.systems.updates import MATERIALISE

__all__ = [
    "MATERIALISE",
    "change_job",
    "change_number",
    "change_seconds",
    "once",
    "require_same_states",
    "used_strategies",
]


def once(bench: Bench) -> Bench:
    """Return the bench for a job that takes too long to be repeated, or whose times do not count."""
    return replace(bench, repeat=1)


def change_job(label: str, files: DataFiles, strategy: str, sizes: Sequence[float], **arguments: Any) -> Job:
    """Return a job that takes random facts out and puts them back in; further arguments are those of its system."""
    options = {"profile": "dlp", **arguments.pop("options", {})}
    given = {**files.arguments(), "options": options, "strategy": strategy, "sizes": list(sizes), **arguments}
    return Job(label, "updates.change", given)


def change_seconds(runs: Runs, kind: str, size: float, draw: int | None = None) -> Seconds:
    """Return the median time to delete or to add that many facts, over all runs and over all draws or one of them."""
    prefix = f"{kind} {size:g}/{draw or ''}"
    taken = [seconds for run in runs.runs for name, seconds in run.phases.items() if name.startswith(prefix)]
    return Seconds(median(one.cpu for one in taken), median(one.wall for one in taken))


def change_number(runs: Runs, kind: str, size: float, draw: int, name: str) -> float:
    """Return what was told of one change: its ``instances`` of rules, or how many facts ``went`` or ``came``."""
    return runs.number(f"{kind} {size:g}/{draw} {name}")


def used_strategies(runs: Runs, kind: str, size: float) -> set[str]:
    """Return how the changes of that size were really made, which ``auto`` decides."""
    prefix = f"{kind} {size:g}/"
    keys = (key for run in runs.runs for key in run.numbers if key.startswith(prefix) and " by " in key)
    return {key.partition(" by ")[2] for key in keys}


def require_same_states(jobs: Iterable[Runs], what: str) -> None:
    """Require that jobs reached the same states, after all the changes that each has in common with the first.

    The first must be one of those with the fewest changes: a slow system may have been given less to do.
    """
    first, *others = jobs
    for other in others:
        common = {key: value for key, value in other.result.items() if key in first.result}
        require_equal({first.job.label: first.result, other.job.label: common}, what)
