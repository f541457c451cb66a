"""Changes of people who have several names.

Data set: ten universities whose people have two to five names if not one, and twelve visitors with 180 names each. One
change takes 100 random facts of any kind out, another 100 of the 33,000 owl:sameAs facts, which takes classes of equal
names apart; then they are put back.

Peers: this reasoner materialising the changed facts with rewriting; and this reasoner maintaining them with the axioms
of equality as rules, which takes a minute and a half, and is therefore run once, with one change of equalities. That
comparison is of changes that meet large classes, where axioms cost the cube of the class: random facts of any kind
hardly ever meet one, and are then maintained with axioms in about twice the time, as equalities that miss them are.

Target: to delete 50 times faster than materialising, and equalities 500 times faster than maintenance with axioms.
"""

from __future__ import annotations

from benchmarks.figure import Figure, faster
from benchmarks.measure import Bench, Job, Runs
from benchmarks.update_jobs import MATERIALISE, change_job, change_seconds, once, require_same_states

NAME = "update-equality"

FACTS = 100
_SAME_AS = "<http://www.w3.org/2002/07/owl#sameAs>"


def run(bench: Bench) -> list[Figure]:
    sizes = (
        {"universities": 1, "big_class_members": 60} if bench.quick else {"universities": 10, "big_class_members": 180}
    )
    files = bench.data.get("university-identities", big_classes=12, **sizes)

    def job(what: str, label: str, strategy: str, equality: str = "rewrite") -> Job:
        options, predicate = {"equality": equality}, _SAME_AS if what == "equalities" else None
        return change_job(f"{what}: {label}", files, strategy, (FACTS,), options=options, draws=1, predicate=predicate)

    figures = []
    for what in ("facts", "equalities"):
        maintained, again = bench.measure(job(what, "maintained", "bf"), job(what, "materialised", MATERIALISE))
        require_same_states([again, maintained], NAME)
        figures += _figures(what, maintained, again, "materialising", 50)
    [axioms] = once(bench).measure(job("equalities", "maintained with axioms", "bf", "axiomatise"))
    require_same_states([axioms, maintained], NAME)
    return [*figures, *_figures("equalities", maintained, axioms, "maintenance with axioms", 500)]


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
