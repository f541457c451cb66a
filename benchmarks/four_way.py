"""Maintenance and materialisation, each with rewriting and with the axioms of equality.

The experiment of Motik, Nenov, Piro, Horrocks: Combining Rewriting and Incremental Maintenance for Datalog Programs
with Equality, 2015, table 1, on generated data that has what decided it there: large classes of equal terms, cliques
under a symmetric and transitive property, rules that are idle but have heads that match, and people with several names.

Peers: B/F and materialisation (Remat) with rewriting, and both with axioms, over growing deletions E-. The table tells
how many facts went, the time (T) and the rule instances considered (D), as in the paper; figures tell how B/F with
rewriting compares on the smallest deletion. The two with axioms are run once.

Target: none; all four must come to the same closure.
"""

from __future__ import annotations

from benchmarks.data import DataFiles
from benchmarks.figure import Figure, faster
from benchmarks.measure import Bench, Job, Runs
from benchmarks.sheet import Curve, Sheet, milliseconds_text, number_text
from benchmarks.update_jobs import (
    MATERIALISE,
    change_job,
    change_number,
    change_seconds,
    once,
    require_same_states,
)

NAME = "four-way"

_LABELS = ("B/F, rewriting", "Remat, rewriting", "B/F, axioms", "Remat, axioms")
_COLUMNS = (
    "|E-|",
    *("|ΔI| rewriting", "B/F: T", "D", "Remat: T", "D"),
    *("|ΔI| axioms", "B/F: T", "D", "Remat: T", "D"),
)


def run(bench: Bench) -> list[Figure | Sheet]:
    found: list[Figure | Sheet] = []
    for title, files, sizes in _data_sets(bench):
        measured = _measured(bench, title, files, sizes)
        found += [_sheet(title, measured, sizes), *_figures(title, measured, sizes[0])]
    return found


def _data_sets(bench: Bench) -> list[tuple[str, DataFiles, tuple[int, ...]]]:
    get, quick = bench.data.get, bench.quick
    members, cliques, instances, departments = (10, 20, 500, 1) if quick else (40, 200, 50_000, 0)
    return [
        (
            f"4 classes of {members} equal terms",
            get("equality-classes", classes=4, members=members, facts_per_member=1),
            (1, 4, 16) if quick else (1, 4, 16, 64),
        ),
        (f"{cliques} cliques of 30", get("cliques", count=cliques, size=30), (1, 10) if quick else (1, 10, 100, 1000)),
        (
            "300 idle rules with matching heads",
            get("idle-axioms", axioms=100, idle=300, kind="domain", instances=instances, aliased_percent=20),
            (1, 10) if quick else (1, 10, 100, 1000),
        ),
        (
            "people with several names",
            get("university-identities", universities=1, departments=departments),
            (1, 10) if quick else (1, 10, 100, 1000),
        ),
    ]


def _measured(bench: Bench, title: str, files: DataFiles, sizes: tuple[int, ...]) -> list[Runs]:
    def job(label: str, strategy: str, equality: str) -> Job:
        return change_job(f"{title}: {label}", files, strategy, sizes, options={"equality": equality}, draws=1)

    bf, remat, bf_axioms, remat_axioms = _LABELS
    rewriting = bench.measure(job(bf, "bf", "rewrite"), job(remat, MATERIALISE, "rewrite"))
    axioms = once(bench).measure(job(bf_axioms, "bf", "axiomatise"), job(remat_axioms, MATERIALISE, "axiomatise"))
    maintained, again = rewriting
    require_same_states([again, maintained, *axioms], f"{NAME}, {title}")
    return [*rewriting, *axioms]


def _sheet(title: str, measured: list[Runs], sizes: tuple[int, ...]) -> Sheet:
    def cells(runs: Runs, size: int) -> tuple[str, str]:
        taken = change_seconds(runs, "delete", size).cpu
        return milliseconds_text(taken), number_text(change_number(runs, "delete", size, 1, "instances"))

    def gone(runs: Runs, size: int) -> str:
        return number_text(change_number(runs, "delete", size, 1, "went"))

    bf, remat, bf_axioms, remat_axioms = measured
    rows = tuple(
        (
            number_text(size),
            *(gone(remat, size), *cells(bf, size), *cells(remat, size)),
            *(gone(remat_axioms, size), *cells(bf_axioms, size), *cells(remat_axioms, size)),
        )
        for size in sizes
    )
    curves = tuple(
        Curve(label, tuple((size, change_seconds(runs, "delete", size).cpu) for size in sizes))
        for label, runs in zip(_LABELS, measured, strict=True)
    )
    return Sheet(NAME, title, _COLUMNS, rows, curves, "facts deleted", "processor seconds")


def _figures(title: str, measured: list[Runs], size: int) -> list[Figure]:
    ours, *peers = (change_seconds(runs, "delete", size) for runs in measured)
    return [
        faster(NAME, f"{title}: delete {size}, than {label}", ours, peer, None)
        for label, peer in zip(_LABELS[1:], peers, strict=True)
    ]
