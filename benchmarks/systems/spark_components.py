"""Connected components of equalities in files, found by the driver and by joins."""

from __future__ import annotations

import numpy as np

from benchmarks.seconds import Stopwatch
from benchmarks.systems.ours import Outcome
from benchmarks.systems.spark_load import TreeClock
from benchmarks.systems.spark_reasoning import new_session


def merge(watch: Stopwatch, *, edges: int, kind: str) -> Outcome:
    """Merge random equalities into an empty mapping, first to warm up and then to be measured."""
    from loaders.dictionary import Dictionary
    from reasoner.columnar.factset import FactSet
    from reasoner.columnar.kernels import pack
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.table import Table
    from reasoner.spark.engine import SparkEngine
    from reasoner.terms.term import SAME

    session = new_session()
    keys = np.unique(pack(*_ends(edges, kind)))
    engine = SparkEngine(session, Dictionary(), driver_rows=0)
    equalities = engine.of_facts(FactSet({SAME: Table.of_keys(keys, by_object=False)}))
    result: dict[str, int] = {}
    for name, bound in (("driver", edges + 1), ("joins", 0)) * 2:
        engine.components_from = bound
        with TreeClock() as clock:
            mapping, _ = engine.merge(Representatives(), equalities)
        watch.phases[name] = clock.seconds
        result[name] = int(np.sum(mapping.members * 31 + mapping.targets))
    session.stop()
    return result, {}


def _ends(edges: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the two ends of edges, of chains of ten terms in random order or between any two terms."""
    random = np.random.default_rng(0)
    if kind == "pairs":
        return random.integers(2, edges + 2, edges), random.integers(2, edges + 2, edges)
    chains = random.permutation(np.arange(2, 2 + (edges // 9 + 1) * 10)).reshape(-1, 10)
    return chains[:, :-1].ravel()[:edges], chains[:, 1:].ravel()[:edges]
