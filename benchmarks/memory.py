"""Memory of a materialised store.

Data set: LUBM(10) and its DLP closure.

Peer: none. Counted are the tables of explicit and derived facts, the mapping to representatives, and the dictionary
beyond the texts of its terms; the peak of the whole process is printed as well.

Target: at most 40 bytes a fact beyond the texts of the terms.
"""

from __future__ import annotations

from benchmarks.figure import Figure
from benchmarks.lubm_jobs import lubm
from benchmarks.measure import Bench, Job

NAME = "memory"


def run(bench: Bench) -> list[Figure]:
    [ours] = bench.measure(Job("ours", "ours.reason", {**lubm(bench).arguments(), "options": {"profile": "dlp"}}))
    facts = ours.number("facts")
    return [
        Figure(NAME, "a fact, beyond term texts", ours.number("bytes per fact"), "bytes", 40, at_least=False),
        Figure(NAME, "a fact, peak of the process", ours.peak_bytes / facts, "bytes"),
    ]
