"""One axiom more or less in a large taxonomy, against starting over.

Data set: a random tree of 4,000 classes, each below one that came before it, with 500,000 instances of random
classes, under DLP rules. Changes and peer are those of ``axiom_lubm``.

Target: to remove and to add 50 times faster.
"""

from __future__ import annotations

from benchmarks.axiom_change import axiom_figures
from benchmarks.figure import Figure
from benchmarks.measure import Bench

NAME = "axiom-taxonomy"


def run(bench: Bench) -> list[Figure]:
    classes, instances = (400, 2000) if bench.quick else (4000, 500_000)
    return axiom_figures(bench, NAME, "axioms.tree_axioms", {"classes": classes, "instances": instances}, 50)
