"""Changing rules and facts of three kinds of ontologies, against setting the materialisation up.

The evaluation of Volz, Staab, Motik: Incrementally Maintaining Materializations of Ontologies Stored in Logic
Databases, 2005, section 8: a taxonomy, a database-like and a DL-like ontology of depth 3, 4 and 5, five subclasses of
each class, five instances and five properties; one random rule, or 10 and 15 in a hundred of the facts, come and go.
Its measures, each an average of five:

    a  answering a query without materialisation     e  maintenance when facts are added
    b  setting up the materialisation                f  maintenance when facts are removed
    c  maintenance when a rule is added              g  answering the query with materialisation
    d  maintenance when a rule is removed

Here a query without materialisation materialises first, since that is all we have for it, and b is stratifying,
compiling, materialising and preparing for maintenance; translating the ontology is left out of it. Maintenance is by
``auto``, after a few changes by which it comes to know what facts and rules cost there. All of it is run, also the
DL-like ontology of depth 5, at which the paper's engine ran out of memory.

Peer: b, in the same run. What came out after all changes is compared with materialising.

Target: every measure of maintenance (c to f) cheaper than b; at depth 5 the paper's maintenance took 30 times as long.
"""

from __future__ import annotations

from statistics import mean

from benchmarks.data import DataFiles
from benchmarks.figure import Figure, faster
from benchmarks.measure import Bench, Job, Runs
from benchmarks.seconds import Seconds
from benchmarks.sheet import Sheet, milliseconds_text, number_text
from benchmarks.update_jobs import once

NAME = "volz-evaluation"

_CLASS = "<http://example.org/hierarchy#c1>"
_QUERIES = {
    "taxonomy": f"?x a {_CLASS}",
    "database-like": f"?x a {_CLASS}, ?x <http://example.org/hierarchy#p0> ?y, ?y a <http://example.org/hierarchy#c12>",
    "dl-like": f"?x a {_CLASS}",
}
_DRAWS = 5
_SHARES = (10, 15)
_CHANGES = ("c", "d", *(f"{kind} {share}" for share in _SHARES for kind in ("e", "f")))
_COLUMNS = ("ontology", "depth", "rules", "facts", "a", "b", *(change.replace(" ", ", ") for change in _CHANGES), "g")
_TEXTS = {"c": "a rule more", "d": "a rule less", "e": "% facts more", "f": "% facts less"}


def run(bench: Bench) -> list[Figure | Sheet]:
    rows: list[tuple[str, ...]] = []
    figures: list[Figure] = []
    for kind in _QUERIES:
        for depth in (3,) if bench.quick else (3, 4, 5):
            runs = _measured(bench, kind, depth)
            rows.append(_row(kind, depth, runs))
            figures += [_figure(kind, depth, change, runs) for change in _CHANGES]
    return [Sheet(NAME, "The measures of the paper", _COLUMNS, tuple(rows)), *figures]


def _measured(bench: Bench, kind: str, depth: int) -> Runs:
    files: DataFiles = bench.data.get(kind, depth=depth)
    arguments = {**files.arguments(), "query": _QUERIES[kind], "shares": list(_SHARES), "draws": _DRAWS}
    job = Job(f"{NAME}: {kind}, depth {depth}", "volz.evaluate", {**arguments, "strategy": "auto"})
    return once(bench).measure(job)[0]


def _average(runs: Runs, measure: str) -> Seconds:
    taken = [seconds for name, seconds in runs.runs[0].phases.items() if name.startswith(f"{measure}/")]
    return Seconds(mean(one.cpu for one in taken), mean(one.wall for one in taken))


def _row(kind: str, depth: int, runs: Runs) -> tuple[str, ...]:
    times = (milliseconds_text(_average(runs, measure).cpu) for measure in ("a", "b", *_CHANGES, "g"))
    return kind, str(depth), number_text(runs.number("rules")), number_text(runs.number("facts")), *times


def _figure(kind: str, depth: int, change: str, runs: Runs) -> Figure:
    name, _, share = change.partition(" ")
    text = f"{kind}, depth {depth}: {share}{_TEXTS[name]}"
    return faster(NAME, text, _average(runs, change), _average(runs, "b"), 1)
