"""Small changes of a large store, against starting over.

Data sets: LUBM(10) and LUBM(50) under their DLP rules. A change takes 100 random facts out, the next puts the same
facts back in; so do changes of one fact. Each is a transaction, timed from its start to its delta, whose facts nobody
has asked for yet; what counts is the median over 25 draws in each process, after a change that warms up. Draws differ:
most take 8 to 20 ms, and one that takes an organisation out of another can take ten times as long.

Peer: this reasoner materialising the changed facts with its compiled rules; neither loading nor preparing counts.

Target: to delete 100 facts 15 times faster on LUBM(10) and 60 times on LUBM(50), to add them 30 and 120 times.
"""

from __future__ import annotations

from benchmarks.figure import Figure, faster
from benchmarks.measure import Bench
from benchmarks.update_jobs import MATERIALISE, change_job, change_seconds, require_same_states

NAME = "update-lubm"

FACTS = 100
_TARGETS = {10: {"delete": 15, "add": 30}, 50: {"delete": 60, "add": 120}}


def run(bench: Bench) -> list[Figure]:
    return [figure for universities in _TARGETS for figure in _figures(bench, universities)]


def _figures(bench: Bench, universities: int) -> list[Figure]:
    size_of_data = universities // 10 if bench.quick else universities
    name = f"LUBM({size_of_data})"
    files = bench.data.get("lubm", universities=size_of_data)
    maintained, again = bench.measure(
        change_job(f"{name}: maintained", files, "bf", (FACTS, 1), draws=25, checked=1),
        change_job(f"{name}: materialised", files, MATERIALISE, (FACTS,), draws=1),
    )
    require_same_states([again, maintained], f"{NAME}, {name}")
    return [
        faster(
            NAME,
            f"{name}: {kind} {size}",
            change_seconds(maintained, kind, size),
            change_seconds(again, kind, FACTS),
            _TARGETS[universities][kind] if size == FACTS else None,
        )
        for size in (FACTS, 1)
        for kind in ("delete", "add")
    ]
