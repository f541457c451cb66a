"""Reason with Spark: N-Triples in, reasoned Parquet out, on this machine or on a cluster.

Files are read and numbered in the executors, rules run as joins of tables of ids, and the store that is saved is a
folder of Parquet files, which the embedded engine opens as well. It needs ``pip install '.[spark]'``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from reasoner import Reasoner

DATA = Path(__file__).parent / "data"
SOLD = """
PREFIX : <http://shop.example/>
SELECT ?name (SUM(?n) AS ?pieces) { ?order :of ?product ; :pieces ?n . ?product :name ?name }
GROUP BY ?name ORDER BY DESC(?pieces)
"""


def main(session: object = None, master: str | None = None) -> None:
    """Load and reason on Spark, save, and go on without it."""
    with TemporaryDirectory() as folder:
        store = Path(folder) / "orders"
        with Reasoner(engine="spark", session=session, master=master) as kb:
            kb.load_ontology(DATA / "shop.ttl")
            report = kb.load(DATA / "orders.nt", DATA / "catalogue.ttl")
            summary = kb.materialise()
            kb.save(store)
        print(f"read {report.statements} triples, inferred {summary.inferred} more, {summary.classes} products merged")
        tables = {path.parent.name for path in store.rglob("*.parquet")}
        print(f"tables of Parquet: {', '.join(sorted(tables))}")

        with Reasoner.open(store, read_only=True) as kb:  # without Spark
            for row in kb.query(SOLD, expand=False):
                print(f"  {row.name}: {row.pieces} sold")


if __name__ == "__main__":
    main(master=sys.argv[1] if len(sys.argv) > 1 else "local[2]")
