"""Queries whose joins go through a large class of equal names.

Data set: one thing under 1,000 names, linked by a chain of owl:sameAs; 40 readers each cite one of the names, and 40
topics and 40 places are each told of one of them. In the closure every reader cites every name, and every name has
every topic and every place: a million equalities and 120,000 other facts, from 1,119 explicit ones.

The star asks for the topics and places of a thing, the path for readers and the topics of what they cite, both once
as distinct answers and once as the count of all, which must be exact though nobody writes all of them out.

Peer: this reasoner over the expanded closure, loaded as plain facts, without rules and without equality.

Target: star and path 20 times faster, each, with the same answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Figure, faster
from benchmarks.measure import Bench, Job, require_equal, run_job

NAME = "queries-class"

_PREFIX = "http://example.org/library#"
_SAME_AS = "<http://www.w3.org/2002/07/owl#sameAs>"
_OTHERS = 40
_STEP = 7

_STAR = "{ ?thing l:topic ?topic . ?thing l:place ?place }"
_PATH = "{ ?reader l:cites ?thing . ?thing l:topic ?topic }"
QUERIES = {
    name: f"PREFIX l: <{_PREFIX}> {query}"
    for name, query in {
        "star, distinct": f"SELECT DISTINCT ?topic ?place {_STAR}",
        "path, distinct": f"SELECT DISTINCT ?reader ?topic {_PATH}",
        "star, counted": f"SELECT (COUNT(*) AS ?n) {_STAR}",
        "path, counted": f"SELECT (COUNT(*) AS ?n) {_PATH}",
    }.items()
}


def run(bench: Bench) -> list[Figure]:
    facts, closure = _files(bench, 100 if bench.quick else 1000)
    folded, expanded = bench.measure(
        Job("a class", "queries.ours", {"facts": str(facts), "options": {"profile": "none"}, "queries": QUERIES}),
        Job(
            "expanded closure",
            "queries.ours",
            {"facts": str(closure), "options": {"profile": "none", "equality": "none"}, "queries": QUERIES},
        ),
    )
    require_equal({"a class": folded.result, "expanded closure": expanded.result}, NAME)
    return [
        faster(
            NAME,
            f"{name}: than over the expanded closure",
            folded.seconds(f"again {name}"),
            expanded.seconds(f"again {name}"),
            20,
        )
        for name in QUERIES
    ]


def _files(bench: Bench, names: int) -> tuple[Path, Path]:
    """Write the facts and their closure, unless they are there."""
    folder = bench.data.folder
    facts, closure = folder / f"library-names-{names}.nt", folder / f"library-names-{names}.closure.nt"
    if not facts.exists():
        folder.mkdir(parents=True, exist_ok=True)
        facts.write_text("".join(_statements(names)), encoding="utf-8")
    arguments = {"facts": str(facts), "options": {"profile": "none"}, "target": str(closure)}
    run_job(Job("closure", "queries.closure", arguments))
    return facts, closure


def _statements(names: int) -> Iterator[str]:
    def term(kind: str, number: int) -> str:
        return f"<{_PREFIX}{kind}{number}>"

    def name(number: int) -> str:
        return term("name", number * _STEP % names)

    for number in range(1, names):
        yield f"{term('name', number - 1)} {_SAME_AS} {term('name', number)} .\n"
    for number in range(_OTHERS):
        yield f"{term('reader', number)} <{_PREFIX}cites> {name(number)} .\n"
        yield f"{name(number + 1)} <{_PREFIX}topic> {term('topic', number)} .\n"
        yield f"{name(number + 2)} <{_PREFIX}place> {term('place', number)} .\n"
