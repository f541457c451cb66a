"""The parser of ``pyoxigraph``, feeding a Python dict, as a measured system."""

from __future__ import annotations

import gc
from array import array

from benchmarks.seconds import Stopwatch
from benchmarks.systems.ours import Outcome


def load(watch: Stopwatch, *, facts: str) -> Outcome:
    """Read an N-Triples file into ids, in the phase load.

    The terms themselves are the keys, since making strings of them takes longer than hashing them; garbage collection,
    which has nothing to find here, is off.
    """
    from pyoxigraph import RdfFormat, parse

    gc.disable()
    ids: dict[object, int] = {}
    columns = array("q")
    with watch.phase("load"):
        number, append = ids.setdefault, columns.append
        for quad in parse(path=facts, format=RdfFormat.N_TRIPLES):
            append(number(quad.subject, len(ids)))
            append(number(quad.predicate, len(ids)))
            append(number(quad.object, len(ids)))
    return {"statements": len(columns) // 3, "terms": len(ids)}, {}
