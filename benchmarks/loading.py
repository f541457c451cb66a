"""Loading N-Triples, with validation.

Data set: LUBM(10) as an N-Triples file.

Peer: the parser of pyoxigraph, which validates as well, feeding a Python dict. On both sides the result is a column of
ids for each position of a triple, and a dictionary of the terms; the numbers of statements and of terms are compared.
This reasoner is warmed up on one department, since it loads libraries when it first needs them.

Target: 3 times as many triples a second.
"""

from __future__ import annotations

from benchmarks.figure import Figure, faster
from benchmarks.lubm_jobs import lubm
from benchmarks.measure import Bench, Job, require_equal

NAME = "loading"


def run(bench: Bench) -> list[Figure]:
    facts = str(lubm(bench).facts)
    small = str(bench.data.get("lubm", universities=1, departments=1).facts)
    ours, peer = bench.measure(
        Job("ours", "ours.load", {"facts": facts, "warm_up": small}),
        Job("pyoxigraph and a dict", "oxigraph.load", {"facts": facts}),
    )
    require_equal({"ours": ours.result, "pyoxigraph": peer.result}, NAME)
    return [faster(NAME, "than pyoxigraph and a dict", ours.seconds("load"), peer.seconds("load"), 3)]
