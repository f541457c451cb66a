"""One equality out of a very large class.

Data set: a chain of owl:sameAs facts over 1,000 and over 4,000 names of one and the same thing, with a fact about each
name. Taking one link out breaks the class in two; the closure has 16 million equalities, of which nobody writes any.

Peer: the same with 1,000 names. What it comes to is compared with materialising.

Target: with 4,000 names at most 6 times as long, and at most one byte of memory for each of the 16 million pairs, since
a step that is quadratic in the class would take 16 times as long, and eight bytes a pair.
"""

from __future__ import annotations

from benchmarks.figure import Figure, within
from benchmarks.measure import Bench, Runs
from benchmarks.update_jobs import MATERIALISE, change_job, change_seconds, once, require_same_states

NAME = "one-class"

_SAME_AS = "<http://www.w3.org/2002/07/owl#sameAs>"


def run(bench: Bench) -> list[Figure]:
    small, large = (250, 1000) if bench.quick else (1000, 4000)
    few, many = _measured(bench, small), _measured(bench, large)
    return [
        *(
            within(
                NAME,
                f"{kind} one equality, {large:,} names against {small:,}",
                change_seconds(many, kind, 1),
                change_seconds(few, kind, 1),
                6 if kind == "delete" else None,
            )
            for kind in ("delete", "add")
        ),
        *(
            Figure(
                NAME,
                f"memory to delete one equality, a pair of {names:,}",
                _a_pair(runs, names),
                "bytes",
                target,
                False,
            )
            for runs, names, target in ((many, large, 1), (few, small, None))
        ),
    ]


def _measured(bench: Bench, names: int) -> Runs:
    files = bench.data.get("equality-classes", classes=1, members=names, facts_per_member=1)
    # Stored facts are compared: expanding them is just what must not be done.
    how = {"predicate": _SAME_AS, "expanded": False}
    [maintained] = bench.measure(change_job(f"{names:,} names", files, "bf", (1,), draws=9, memory=True, **how))
    [again] = once(bench).measure(change_job(f"{names:,} names: checked", files, MATERIALISE, (1,), draws=9, **how))
    require_same_states([again, maintained], f"{NAME}, {names:,} names")
    return maintained


def _a_pair(runs: Runs, names: int) -> float:
    return runs.number("peak bytes") / names**2
