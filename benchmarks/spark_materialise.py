"""Materialising with Spark, against reading, distinct and writing alone.

Data sets: LUBM(10) and LUBM(50) under their DLP rules, on this machine with two tasks at a time; LUBM(5), which
is in files like them, warms up.

Peer: the floor, in which Spark reads the explicit facts, makes the closure distinct and writes both.

Target: within 3 times the floor; a triple of LUBM(50) takes at most 1.1 times as long as one of LUBM(10); a round that
derives known facts only, a thousandth of all, takes at most 0.5 s by the clock.
"""

from __future__ import annotations

from benchmarks.figure import Figure, within
from benchmarks.measure import Bench, Job

NAME = "spark-materialise"
GROUP = "spark"

_SIZES = (10, 50)


def run(bench: Bench) -> list[Figure]:
    sizes = [size // 10 for size in _SIZES] if bench.quick else list(_SIZES)
    small = str(bench.data.get("lubm", universities=1 if bench.quick else 5).facts)
    jobs = []
    for size in sizes:
        files = bench.data.get("lubm", universities=size)
        arguments = {**files.arguments(), "options": {"profile": "dlp"}, "warm_up": small}
        jobs.append(Job(f"LUBM({size})", "spark_reasoning.materialise", arguments))
    few, many = bench.measure(*jobs)
    growth = many.runs[0].numbers["triples"] / few.runs[0].numbers["triples"]
    idle = few.seconds("round")
    return [
        within(NAME, f"LUBM({sizes[0]}): the floor", few.seconds("reason"), few.seconds("floor"), 3),
        within(NAME, f"LUBM({sizes[1]}): the floor", many.seconds("reason"), many.seconds("floor"), 3),
        within(NAME, "a triple, five times the data", many.seconds("reason"), few.seconds("reason"), 1.1, scale=growth),
        Figure(NAME, "a round with nothing to do", idle.wall, "seconds", 0.5, at_least=False, wall=idle.wall),
    ]
