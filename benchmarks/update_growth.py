"""How the time of a change grows with the store that it changes.

Data sets: LUBM(1) and LUBM(50) under their DLP rules, and changes of 100 random facts of each.

Peer: the same number of changes of LUBM(1). What they come to is checked against materialising, on both.

Target: on LUBM(50) at most 1.5 times as long as on LUBM(1), both to delete and to add.
"""

from __future__ import annotations

from benchmarks.figure import Figure, within
from benchmarks.measure import Bench
from benchmarks.update_jobs import MATERIALISE, change_job, change_seconds, once, require_same_states

NAME = "update-growth"

FACTS = 100


def run(bench: Bench) -> list[Figure]:
    large = 5 if bench.quick else 50
    few, many = (bench.data.get("lubm", universities=universities) for universities in (1, large))
    one, grown = bench.measure(
        change_job("LUBM(1)", few, "bf", (FACTS,), draws=9, checked=1),
        change_job(f"LUBM({large})", many, "bf", (FACTS,), draws=9, checked=1),
    )
    for files, changed in ((few, one), (many, grown)):
        [again] = once(bench).measure(
            change_job(f"{changed.job.label}: checked", files, MATERIALISE, (FACTS,), draws=1)
        )
        require_same_states([again, changed], f"{NAME}, {changed.job.label}")
    return [
        within(
            NAME,
            f"{kind} {FACTS}, LUBM({large}) against LUBM(1)",
            change_seconds(grown, kind, FACTS),
            change_seconds(one, kind, FACTS),
            1.5,
        )
        for kind in ("delete", "add")
    ]
