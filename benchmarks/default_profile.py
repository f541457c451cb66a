"""What was once slow in the default profile, OWL 2 RL with rewriting.

Data sets: a chain of 300 of a transitive property, cut in the middle, alone and with an inverse; 25 facts about each of
two terms that are equal, among 20,000 predicates; data that declares owl:sameAs to be a property; one of 100,000 facts
from which the same type follows; 5,000 terms of one key; the first change of LUBM(1) and LUBM(10), after materialising
and after opening; reasoning on LUBM(50).

Peer: the same under DLP, or with few predicates, without the declaration, with the class said by owl:sameAs. What
changes come to is compared with starting over.

Target: beside each figure. Cutting a chain costs what it does under DLP, 0.02 s, with an inverse no more than two rule
instances for each of 20,000 facts; merging among 20,000 predicates what it does among 30; an update beside a
declaration of owl:sameAs what it does without; one support of 100,000 tens of instances and few milliseconds; a key
what explicit equalities cost; the first change 50 ms; OWL 2 RL at most twice the time of DLP.
"""

from __future__ import annotations

from benchmarks.figure import Figure, within
from benchmarks.measure import Bench, Job, Runs
from benchmarks.seconds import Seconds

NAME = "default-profile"


def run(bench: Bench) -> list[Figure]:
    return [
        *_closures(bench),
        *_compared(bench),
        *_supports(bench),
        *_first_changes(bench),
        _reasoning(bench),
    ]


def _closures(bench: Bench) -> list[Figure]:
    size = 100 if bench.quick else 300
    alone, dlp, inverse = bench.measure(
        _job("chain", size), _job("chain", size, profile="dlp"), _job("chain with inverse", size * 7 // 15)
    )
    facts = inverse.result["before"]
    return [
        _seconds(f"chain of {size} cut in the middle", _each(alone, "remove"), 0.02),
        within(NAME, f"chain of {size} cut, against DLP", _each(alone, "remove"), _each(dlp, "remove"), None),
        _seconds("the same put back", _each(alone, "add"), 0.02),
        Figure(
            NAME,
            f"chain with an inverse cut, {facts:,} facts",
            inverse.number("instances"),
            "instances",
            2 * facts,
            at_least=False,
        ),
        _seconds(f"chain with an inverse cut, {facts:,} facts", _each(inverse, "remove"), None),
    ]


def _compared(bench: Bench) -> list[Figure]:
    predicates, terms = (2_000, 500) if bench.quick else (20_000, 5_000)
    many, few, declared, plain, key, equal = bench.measure(
        _job("merge", predicates),
        _job("merge", 30),
        _job("declared", 20_000),
        _job("undeclared", 20_000),
        _job("key", terms),
        _job("equal", terms),
    )
    pairs = [
        (f"merge two terms among {predicates:,} predicates, against 30", "add", many, few, 2),
        (f"split two terms among {predicates:,} predicates, against 30", "remove", many, few, 2),
        ("remove a fact where owl:sameAs is declared, against where it is not", "remove", declared, plain, 2),
        (f"remove one of {terms:,} terms of a key, against explicit equality", "remove", key, equal, 2),
    ]
    return [within(NAME, text, _each(ours, kind), _each(peer, kind), most) for text, kind, ours, peer, most in pairs]


def _supports(bench: Bench) -> list[Figure]:
    size = 10_000 if bench.quick else 100_000
    [runs] = bench.measure(_job("supports", size))
    text = f"remove one of {size:,} supports"
    return [
        Figure(NAME, text, runs.number("instances"), "instances", 100, at_least=False),
        _seconds(text, _each(runs, "remove"), 0.01),
    ]


def _first_changes(bench: Bench) -> list[Figure]:
    figures = []
    for universities in (1,) if bench.quick else (1, 10):
        files = bench.data.get("lubm", universities=universities)
        for kind in ("added fact", "removed fact", "added axiom"):
            text = f"{kind}, LUBM({universities})"
            job = Job(f"first change, {text}", "default_profile.first_change", {**files.arguments(), "kind": kind})
            [runs] = bench.measure(job)
            figures += [
                _seconds(f"first change after materialising: {text}", runs.seconds("materialised"), 0.05),
                _seconds(f"first change after opening: {text}", runs.seconds("opened"), 0.05),
            ]
    return figures


def _reasoning(bench: Bench) -> Figure:
    universities = 1 if bench.quick else 50
    files = bench.data.get("lubm", universities=universities)
    jobs = [
        Job(f"LUBM({universities}), {profile}", "ours.reason", {**files.arguments(), "options": {"profile": profile}})
        for profile in ("owl2rl", "dlp")
    ]
    ours, dlp = (runs.seconds("split", "prepare", "reason") for runs in bench.measure(*jobs))
    return within(NAME, f"reasoning on LUBM({universities}), against DLP", ours, dlp, 2)


def _job(case: str, size: int, profile: str = "owl2rl") -> Job:
    arguments = {"case": case, "size": size, "profile": profile}
    return Job(f"{case}, {size:,}, {profile}", "default_profile.change", arguments)


def _each(runs: Runs, kind: str) -> Seconds:
    """Return what one change of many took."""
    taken, draws = runs.seconds(kind), runs.number("draws")
    return Seconds(taken.cpu / draws, taken.wall / draws)


def _seconds(text: str, taken: Seconds, target: float | None) -> Figure:
    return Figure(NAME, text, taken.cpu, "seconds", target, at_least=False, wall=taken.wall)
