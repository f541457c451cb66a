"""The fourteen queries of LUBM over its closure.

Data set: LUBM(10), 1.35 million statements, materialised under its DLP rules: 1.8 million. For rdflib one department of
LUBM(1), 9,203 statements, since its joins take minutes on the whole of LUBM(1).

Peers: pyoxigraph, its store in memory, and rdflib, its default store, with prepared queries. Each is given the closure
that this reasoner wrote; that all give the same answers is checked by count and checksum before any time counts. Every
query is asked many times in a process, and the median counts: once with a text that was asked before, which this
reasoner has read already, and once with a new one.

Target: all queries together 3 times faster than pyoxigraph and 50 times faster than rdflib, and no query more than 1.5
times slower than with pyoxigraph when it is asked again; the first time some are, by the tenth of a millisecond that
it takes to find an order of joins.
"""

from __future__ import annotations

from benchmarks.data import DataFiles
from benchmarks.figure import Figure, faster, within
from benchmarks.lubm_queries import LUBM_QUERIES
from benchmarks.measure import Bench, Job, Runs, require_equal, run_job
from benchmarks.seconds import Seconds
from benchmarks.sheet import Sheet, milliseconds_text, number_text
from benchmarks.update_jobs import once

NAME = "queries-lubm"

_OPTIONS = {"profile": "dlp"}
_KINDS = {"again": "asked again", "new": "new texts"}


def run(bench: Bench) -> list[Figure | Sheet]:
    universities = 1 if bench.quick else 10
    files = bench.data.get("lubm", universities=universities)
    ours, oxigraph = bench.measure(_ours(files), Job("pyoxigraph", "queries.oxigraph", _closure(files)))
    require_equal({"ours": ours.result, "pyoxigraph": oxigraph.result}, NAME)
    small = bench.data.get("lubm", universities=1, departments=1)
    few, rdflib = once(bench).measure(_ours(small), Job("rdflib", "queries.rdflib_graph", _closure(small)))
    require_equal({"ours": few.result, "rdflib": rdflib.result}, NAME)
    title = f"LUBM({universities}) in CPU time"
    return [
        _sheet(title, ours, oxigraph),
        *(
            faster(NAME, f"all queries, {text}, than pyoxigraph", total(ours, kind), total(oxigraph, kind), 3)
            for kind, text in _KINDS.items()
        ),
        _slowest("again", ours, oxigraph, 1.5),
        _slowest("new", ours, oxigraph, None),
        faster(NAME, "all queries, asked again, than rdflib", total(few, "again"), total(rdflib, "again"), 50),
        faster(NAME, "all queries, new texts, than rdflib", total(few, "new"), total(rdflib, "new"), None),
    ]


def total(runs: Runs, kind: str) -> Seconds:
    """Return the time of all queries together."""
    return runs.seconds(*(f"{kind} {name}" for name in LUBM_QUERIES))


def _ours(files: DataFiles) -> Job:
    return Job("ours", "queries.ours", {**files.arguments(), "options": _OPTIONS, "queries": LUBM_QUERIES})


def _closure(files: DataFiles) -> dict[str, object]:
    """Write the closure, and return the arguments of a system that is given it."""
    target = files.facts.with_suffix(".closure.nt")
    run_job(Job("closure", "queries.closure", {**files.arguments(), "options": _OPTIONS, "target": str(target)}))
    return {"facts": str(target), "queries": LUBM_QUERIES}


def _slowest(kind: str, ours: Runs, peer: Runs, target: float | None) -> Figure:
    """Return the figure of the query that is slowest when compared with the peer."""
    figures = [
        within(
            NAME,
            f"slowest query ({name}), {_KINDS[kind]}, against pyoxigraph",
            ours.seconds(f"{kind} {name}"),
            peer.seconds(f"{kind} {name}"),
            target,
        )
        for name in LUBM_QUERIES
    ]
    return max(figures, key=lambda figure: figure.value)


def _sheet(title: str, ours: Runs, peer: Runs) -> Sheet:
    rows = []
    for name in LUBM_QUERIES:
        times = [runs.seconds(f"{kind} {name}").cpu for kind in _KINDS for runs in (ours, peer)]
        ratios = [f"{theirs / max(mine, 1e-6):.2f}x" for mine, theirs in zip(times[::2], times[1::2], strict=True)]
        answers = number_text(ours.result[f"answers of {name}"])
        again, again_peer, new, new_peer = map(milliseconds_text, times)
        rows.append((name, answers, again, again_peer, ratios[0], new, new_peer, ratios[1]))
    columns = ("query", "answers", "again", "pyoxigraph", "faster", "new text", "pyoxigraph", "faster")
    return Sheet(NAME, title, columns, tuple(rows))
