"""Changes of people who have several names.

Data sets: 50 universities whose people have two to five names if not one (9 million triples), of which 100 random facts
are taken out and put back, three times over; and a small one with two visitors of 230 names each, of which 100 of the
600 owl:sameAs facts are taken out, which takes large classes of equal names apart.

Peers: this reasoner materialising the changed facts with rewriting; and this reasoner maintaining them with the axioms
of equality as rules, which takes a minute, and is therefore run once. That comparison is of changes that meet large
classes, where axioms cost the cube of the class: random facts of any kind hardly ever meet one, and are then maintained
with axioms in a few times the time.

Target: to delete facts 50 times faster than materialising, equalities 500 times faster than maintenance with axioms.
"""

from __future__ import annotations

from benchmarks.data import DataFiles
from benchmarks.figure import Figure, faster
from benchmarks.measure import Bench, Job, Runs
from benchmarks.update_jobs import MATERIALISE, change_job, change_seconds, once, require_same_states

NAME = "update-equality"

FACTS = 100
_SAME_AS = "<http://www.w3.org/2002/07/owl#sameAs>"


def run(bench: Bench) -> list[Figure]:
    large = bench.data.get("university-identities", universities=1 if bench.quick else 50)
    members = 60 if bench.quick else 230
    small = bench.data.get(
        "university-identities", universities=1, departments=5, big_classes=2, big_class_members=members
    )
    # A process takes a minute to load and materialise the large data set; the draws stand in for repeats.
    few = once(bench)
    maintained, again = few.measure(_job("facts", large, "bf", 3), _job("facts", large, MATERIALISE, 3))
    require_same_states([again, maintained], NAME)
    figures = _figures("facts", maintained, again, "materialising", 50)
    [equalities] = bench.measure(_job("equalities", small, "bf", 1))
    [axioms] = few.measure(_job("equalities", small, "bf", 1, "axiomatise"))
    require_same_states([axioms, equalities], NAME)
    return [*figures, *_figures("equalities", equalities, axioms, "maintenance with axioms", 500)]


def _job(what: str, files: DataFiles, strategy: str, draws: int, equality: str = "rewrite") -> Job:
    options, predicate = {"equality": equality}, _SAME_AS if what == "equalities" else None
    label = f"{what}: {strategy}, {equality}"
    return change_job(label, files, strategy, (FACTS,), options=options, draws=draws, predicate=predicate)


def _figures(what: str, ours: Runs, peer: Runs, text: str, target: float) -> list[Figure]:
    return [
        faster(
            NAME,
            f"{kind} {FACTS} {what}: than {text}",
            change_seconds(ours, kind, FACTS),
            change_seconds(peer, kind, FACTS),
            target if kind == "delete" else None,
        )
        for kind in ("delete", "add")
    ]
