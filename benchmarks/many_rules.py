"""A change under many rules that have nothing to do with it.

Data set: 20,000 instances under 100 subclass axioms, and the same with 9,900 axioms that never derive anything: once
subclass axioms as well, which are rules of one shape, and once subproperty axioms, each a rule over predicates of its
own. A change takes 100 random types out or puts them back; what it derives is the same in all cases.

Peer: this reasoner with the 100 axioms alone. What the changes come to is compared with materialising.

Target: with 10,000 rules at most 2 times as long, to delete and to add.
"""

from __future__ import annotations

from benchmarks.figure import Figure, within
from benchmarks.measure import Bench, Runs, require_equal
from benchmarks.update_jobs import MATERIALISE, change_job, change_seconds, once, require_same_states

NAME = "many-rules"

FACTS = 100
_IDLE = 9900
_VARIANTS = {"subclass": "of one shape", "subproperty": "of many predicates"}


def run(bench: Bench) -> list[Figure]:
    few = _measured(bench, 0, "subclass")
    figures = []
    for kind_of_idle, text in _VARIANTS.items():
        many = _measured(bench, _IDLE, kind_of_idle)
        require_equal({few.job.label: _facts_changed(few), many.job.label: _facts_changed(many)}, NAME)
        figures += [
            within(
                NAME,
                f"{kind} {FACTS}, {_IDLE:,} idle rules {text}",
                change_seconds(many, kind, FACTS),
                change_seconds(few, kind, FACTS),
                2,
            )
            for kind in ("delete", "add")
        ]
    return figures


def _measured(bench: Bench, idle: int, kind: str) -> Runs:
    instances = 2000 if bench.quick else 20_000
    files = bench.data.get("idle-axioms", axioms=100, idle=idle, kind=kind, instances=instances)
    label = f"{idle:,} idle {kind} axioms"
    [maintained] = bench.measure(change_job(label, files, "bf", (FACTS,), draws=9, checked=2))
    [again] = once(bench).measure(change_job(f"{label}: checked", files, MATERIALISE, (FACTS,), draws=2))
    require_same_states([again, maintained], f"{NAME}, {label}")
    return maintained


def _facts_changed(runs: Runs) -> dict[str, int]:
    numbers = runs.runs[0].numbers
    return {name: int(value) for name, value in numbers.items() if name.endswith((" went", " came"))}
