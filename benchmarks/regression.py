"""Whether anything became slower than it was when figures were last recorded.

Data sets: LUBM(1), two classes of 100 equal terms, a small DAG; the tasks are loading, reasoning, changing and asking.

Peer: a yardstick, work on columns and on Python's own objects that none of our code can change. A task takes turns with
it, and what counts is how many times as long as the yardstick it took, so that a slow machine slows both. The lower
quartile over all rounds and processes is compared with the one in ``recorded.json``, which ``--record`` writes.

Target: no task takes more than 1.25 times as long as recorded. What seems to is measured once more before it counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import quantiles

from benchmarks.figure import Figure
from benchmarks.measure import Bench, Job, Runs

NAME = "regression"
GROUP = "regression"

RECORDED = Path(__file__).with_name("recorded.json")
_ROUNDS = 10
_MOST = 1.25


def run(bench: Bench) -> list[Figure]:
    job = _job(bench)
    measured = bench.measure(job)
    if bench.record:
        record(RECORDED, ratios(measured))
    recorded = read_recorded(RECORDED)
    if not all(figure.met for figure in compared(ratios(measured), recorded)):
        measured += bench.measure(job)
    return compared(ratios(measured), recorded)


def ratios(measured: Sequence[Runs]) -> dict[str, float]:
    """Return of each task the lower quartile of how many times as long as the yardstick it took."""
    taken: dict[str, list[float]] = {}
    for runs in measured:
        for run in runs.runs:
            for name, ratio in run.numbers.items():
                taken.setdefault(name.rpartition("/")[0], []).append(ratio)
    return {name: quantiles(found, n=4, method="inclusive")[0] for name, found in taken.items()}


def compared(found: Mapping[str, float], recorded: Mapping[str, float]) -> list[Figure]:
    """Return how many times as long as recorded each task took; a task that is new has nothing to be compared with."""
    return [
        Figure(
            NAME,
            name if name in recorded else f"{name}: not recorded yet",
            ratio / recorded.get(name, ratio),
            "times",
            _MOST if name in recorded else None,
            at_least=False,
            ours=f"{ratio:.3f} yardsticks",
            peer=f"{recorded[name]:.3f} yardsticks" if name in recorded else "",
        )
        for name, ratio in found.items()
    ]


def record(path: Path, found: Mapping[str, float]) -> None:
    """Write ratios, in a form in which a change of one of them is a change of one line."""
    path.write_text(json.dumps({name: round(ratio, 4) for name, ratio in found.items()}, indent=2) + "\n")


def read_recorded(path: Path) -> dict[str, float]:
    """Return the ratios that were recorded, none if there is no file of them."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _job(bench: Bench) -> Job:
    get = bench.data.get
    classes, graph = (
        get("equality-classes", classes=2, members=100, facts_per_member=1),
        get("dag", nodes=300, edges=1500),
    )
    arguments = {"classes": classes.arguments(), "graph": graph.arguments(), "count": _ROUNDS}
    return Job("tasks", "regression.rounds", {**get("lubm", universities=1).arguments(), **arguments})
