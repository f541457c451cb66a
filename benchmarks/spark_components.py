"""The classes of many equal terms, found by the driver and by joins of Spark.

Data set: a million random equalities, in chains of ten terms and between any two of a million; in files either way.

Peer: the driver. Joins cost more processor time, which many cores share; the driver has one. The figure is how many
times more: with more cores than that, joins take less time, once they have enough to do. There is no target: the engine
chooses by these figures.
"""

from __future__ import annotations

from benchmarks.figure import Figure, within
from benchmarks.measure import Bench, Job, require_equal

NAME = "spark-components"
GROUP = "spark"


def run(bench: Bench) -> list[Figure]:
    edges = 20_000 if bench.quick else 1_000_000
    figures = []
    for kind in ("chains", "pairs"):
        (found,) = bench.measure(Job(kind, "spark_components.merge", {"edges": edges, "kind": kind}))
        require_equal({by: {"classes": found.result[by]} for by in ("driver", "joins")}, NAME)
        text = f"joins, {edges:,} equalities in {kind}"
        figures.append(within(NAME, text, found.seconds("joins"), found.seconds("driver"), None))
    return figures
