"""How times grow: with data, with rules, and with the size of classes of equal terms, as curves.

Data sets: LUBM(1) to LUBM(20) from files to the DLP closure; 100 to 10,000 subclass axioms over the same instances;
two classes of 10 to 1,000 equal terms with a fact about each.

Peer: for classes, this reasoner with the axioms of equality as rules, as far as that ends in reasonable time; the
closures of both are compared. Curves are there to be looked at, so there is no target.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.data import DataFiles
from benchmarks.measure import Bench, Job, Runs, require_equal
from benchmarks.sheet import Curve, Sheet, milliseconds_text, number_text
from benchmarks.update_jobs import once

NAME = "scaling"
GROUP = "plots"

_UNIVERSITIES = (1, 2, 5, 10, 20)
_AXIOMS = (100, 300, 1000, 3000, 10_000)
_MEMBERS = (10, 30, 100, 300, 1000)
# The axioms of equality take time and space that are cubic in a class.
_MOST_FOR_AXIOMS = 100

_Steps = dict[str, tuple[str, ...]]
_STEPS: _Steps = {"loading": ("load", "split"), "compiling": ("translate", "prepare"), "reasoning": ("reason",)}


def run(bench: Bench) -> list[Sheet]:
    end = 3 if bench.quick else None
    return [_data(bench, _UNIVERSITIES[:end]), _rules(bench, _AXIOMS[:end]), _classes(bench, _MEMBERS[:end])]


def _data(bench: Bench, sizes: Sequence[int]) -> Sheet:
    warm_up = bench.data.get("lubm", universities=1, departments=1)
    jobs = [_job(f"LUBM({size})", bench.data.get("lubm", universities=size), warm_up) for size in sizes]
    measured = bench.measure(*jobs)
    explicit = [int(runs.number("explicit")) for runs in measured]
    return _sheet("growing data", "explicit facts", explicit, measured, _STEPS)


def _rules(bench: Bench, sizes: Sequence[int]) -> Sheet:
    def files(axioms: int, instances: int) -> DataFiles:
        return bench.data.get("subclass-axioms", axioms=axioms, instances=instances)

    instances = 5000 if bench.quick else 100_000
    measured = bench.measure(*(_job(f"{size:,} axioms", files(size, instances), files(100, 1000)) for size in sizes))
    return _sheet("growing rules", "subclass axioms", sizes, measured, _STEPS)


def _classes(bench: Bench, sizes: Sequence[int]) -> Sheet:
    def jobs(equality: str, chosen: Sequence[int]) -> list[Job]:
        def files(size: int) -> DataFiles:
            return bench.data.get("equality-classes", classes=2, members=size, facts_per_member=1)

        return [_job(f"{equality}, {size} members", files(size), files(sizes[0]), equality=equality) for size in chosen]

    few = [size for size in sizes if size <= _MOST_FOR_AXIOMS]
    rewriting, axioms = bench.measure(*jobs("rewrite", sizes)), once(bench).measure(*jobs("axiomatise", few))
    for ours, peer in zip(rewriting, axioms, strict=False):
        require_equal({ours.job.label: ours.result, peer.job.label: peer.result}, NAME)
    steps: _Steps = {"rewriting": ("prepare", "reason")}
    sheet = _sheet("growing classes", "members of each class", sizes, rewriting, steps)
    peers = [milliseconds_text(runs.seconds("prepare", "reason").cpu) for runs in axioms]
    points = ((size, runs.seconds("prepare", "reason").cpu) for size, runs in zip(few, axioms, strict=True))
    return Sheet(
        NAME,
        sheet.title,
        (*sheet.columns, "axioms of equality"),
        tuple((*row, peers[place] if place < len(peers) else "") for place, row in enumerate(sheet.rows)),
        (*sheet.curves, Curve("axioms of equality", tuple(points))),
        sheet.x,
        sheet.y,
    )


def _job(label: str, files: DataFiles, warm_up: DataFiles, **options: str) -> Job:
    given = {"profile": "dlp", **options}
    return Job(label, "ours.reason", {**files.arguments(), "options": given, "warm_up": warm_up.arguments()})


def _sheet(title: str, x: str, sizes: Sequence[int], measured: Sequence[Runs], steps: _Steps) -> Sheet:
    taken = {name: [runs.seconds(*phases).cpu for runs in measured] for name, phases in steps.items()}
    rows = tuple(
        (number_text(size), *(milliseconds_text(times[place]) for times in taken.values()))
        for place, size in enumerate(sizes)
    )
    curves = tuple(Curve(name, tuple(zip(sizes, times, strict=True))) for name, times in taken.items())
    return Sheet(NAME, title, (x, *taken), rows, curves, x, "processor seconds")
