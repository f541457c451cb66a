"""From a file to its closure.

Data set: LUBM(10) as an N-Triples file, its ontology as another; rules: the DLP translation of the ontology.

Peers: Nemo, which is given the rules ready made, and reads and splits the file itself; ``reasonable``, less the time it
takes to hand the closure over. All phases of this reasoner count, validation of the file and translation of the
ontology among them, and so does what it loads of itself on the way: nothing is warmed up.

Target: 3 times faster than Nemo, 10 times faster than reasonable.
"""

from __future__ import annotations

from benchmarks.figure import Figure, faster
from benchmarks.lubm_jobs import LubmJobs
from benchmarks.measure import Bench, require_equal
from benchmarks.systems.ours import PHASES

NAME = "file-to-closure"


def run(bench: Bench) -> list[Figure]:
    jobs = LubmJobs(bench)
    ours, nemo, reasonable = bench.measure(jobs.ours(warm=False), jobs.nemo(), jobs.reasonable())
    require_equal({"ours": ours.result, "Nemo": nemo.result, "reasonable": reasonable.result}, NAME)
    mine = ours.seconds(*PHASES)
    return [
        faster(NAME, "than Nemo", mine, nemo.seconds("reason"), 3),
        faster(NAME, "than reasonable", mine, reasonable.seconds("load", "reason", less="hand over"), 10),
    ]
