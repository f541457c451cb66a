"""How time grows with data.

Data sets: LUBM(1) and LUBM(50), from files to the DLP closure.

Peer: this reasoner on LUBM(1), warmed up, so that what it takes to start does not flatter the comparison.

Target: time a triple on LUBM(50) at most 1.2 times that on LUBM(1).
"""

from __future__ import annotations

from benchmarks.figure import Figure, within
from benchmarks.measure import Bench, Job
from benchmarks.systems.ours import PHASES

NAME = "growth"


def run(bench: Bench) -> list[Figure]:
    large = 5 if bench.quick else 50
    one, many = bench.measure(_job(bench, 1), _job(bench, large))
    scale = many.number("explicit") / one.number("explicit")
    text = f"time a triple, LUBM({large}) against LUBM(1)"
    return [within(NAME, text, many.seconds(*PHASES), one.seconds(*PHASES), 1.2, scale=scale)]


def _job(bench: Bench, universities: int) -> Job:
    files = bench.data.get("lubm", universities=universities)
    small = bench.data.get("lubm", universities=1, departments=1)
    arguments = {**files.arguments(), "options": {"profile": "dlp"}, "warm_up": small.arguments()}
    return Job(f"LUBM({universities})", "ours.reason", arguments)
