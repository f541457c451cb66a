"""One axiom more or less in LUBM, against starting over.

Data set: LUBM(10) under its DLP rules. A change takes one random subclass axiom between names out, the next puts it
back; each is a transaction, timed from its start to its delta. The median over nine axioms counts, after changes of
nine others that warm up.

Peer: this reasoner translating, stratifying and compiling the changed ontology and materialising all facts; loading
them does not count.

Target: to remove and to add 10 times faster.
"""

from __future__ import annotations

from benchmarks.axiom_change import axiom_figures
from benchmarks.figure import Figure
from benchmarks.measure import Bench

NAME = "axiom-lubm"


def run(bench: Bench) -> list[Figure]:
    files = bench.data.get("lubm", universities=1 if bench.quick else 10)
    return axiom_figures(bench, NAME, "axioms.file_axioms", dict(files.arguments()), 10)
