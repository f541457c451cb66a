"""Rows that the public operations bring to the driver of Spark, of a store that does not fit there.

Data set: LUBM(1) under the default profile, of which the driver holds sets of up to 500 facts, with a limit of 8 MB for
the results of jobs (``spark.driver.maxResultSize``).

Target: at most 10,000 rows for any operation, each of which shows ten or fewer.
"""

from __future__ import annotations

from benchmarks.figure import Figure
from benchmarks.measure import Bench, Job

NAME = "spark-driver-rows"
GROUP = "spark"

MOST = 10_000


def run(bench: Bench) -> list[Figure]:
    files = bench.data.get("lubm", universities=1, **({"departments": 1} if bench.quick else {}))
    arguments = {**files.arguments(), "options": {"profile": "owl2rl"}}
    (found,) = bench.measure(Job("LUBM(1)", "spark_operations.every_operation", arguments))
    names = found.runs[0].numbers
    return [Figure(NAME, name, found.number(name), "rows", MOST, at_least=False) for name in names]
