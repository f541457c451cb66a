"""Loading N-Triples with Spark into a dictionary and a table of ids.

Data set: LUBM(10) as an N-Triples file, on this machine with two tasks at a time.

Peers: the plain way to do it, with ``mapInPandas`` around the parsers of rdflib and of pyoxigraph; distinct terms are
numbered densely and their ids joined back. All write the same tables as Parquet; statements, terms and a checksum of
the statements as texts are compared. Every system loads LUBM(1) first, since Java compiles what it runs often.
Processor time is that of all processes: Python, Java, and the workers.

Target: 3 times as many triples a second as with rdflib, 1.5 times as many as with pyoxigraph.
"""

from __future__ import annotations

from benchmarks.figure import Figure, faster
from benchmarks.lubm_jobs import lubm
from benchmarks.measure import Bench, Job, require_equal

NAME = "spark-load"
GROUP = "spark"


def run(bench: Bench) -> list[Figure]:
    facts, small = lubm(bench).facts, bench.data.get("lubm", universities=1).facts
    arguments = {"facts": str(facts), "warm_up": str(small)}
    systems = {"ours": "ours", "rdflib": "rdflib in mapInPandas", "oxigraph": "pyoxigraph in mapInPandas"}
    found = bench.measure(*(Job(label, f"spark_load.{name}", arguments) for name, label in systems.items()))
    require_equal({runs.job.label: runs.result for runs in found}, NAME)
    mine, rdflib, oxigraph = (runs.seconds("load") for runs in found)
    return [
        faster(NAME, "than rdflib in mapInPandas", mine, rdflib, 3),
        faster(NAME, "than pyoxigraph in mapInPandas", mine, oxigraph, 1.5),
    ]
