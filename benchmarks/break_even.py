"""How much can be deleted before starting over is faster, and whether ``auto`` finds out.

The experiment of Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited, 2019, section 10.4,
on LUBM(5), on cliques under a symmetric and transitive property, and on people with several names: growing shares of
the explicit facts are deleted, and put back, by every strategy of transactions, small shares more often than large
ones, because a few milliseconds are measured less well than a few hundred; the median counts.

Peers: the strategies with one another. The break-even point of a strategy is where its curve crosses that of
``rematerialise``, between two measured shares by interpolation. A strategy that says that it cannot be used on a data
set is named with the reason.

Then streams of changes that make a choice by past costs hard, under plain rules (the profile dlp) and under all of OWL
2 RL:

- facts of which the proofs are long or many (proposition 29 there, see ``datasets.proofs``), so that one strategy takes
  a thousand times as long as another;
- jumps on LUBM from single facts to many and back, and single facts after a deletion that takes as long as starting
  over.

Target: at every point ``auto`` takes at most 2 ms and 1.5 times as long as the best of all strategies. Changes of one
size differ: among people with several names some cost four times as much as others, so that a median of times may be
that of the cheap half for one strategy and of the dear half for another. Each change is therefore compared with the
best strategy for that very change, and the change of which the ratio is in the middle stands for its point. Counting is
among them where shares are deleted, though only a store that was made for it can count. Told but not judged are the
first change that a store ever sees, for which rules are compiled, and the first that is a hundred times as expensive as
all before it: nothing is known then. ``auto`` runs as often as asked for, the others once: each is a process that makes
every change several times.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log
from statistics import median
from typing import Any

from benchmarks.data import DataFiles
from benchmarks.figure import Figure
from benchmarks.measure import Bench, BenchmarkError, Job, Runs
from benchmarks.sheet import Curve, Sheet, milliseconds_text
from benchmarks.update_jobs import change_job, change_seconds, once, require_same_states, used_strategies
from datasets.proofs import is_reached
from datasets.statements import TYPE

NAME = "break-even"

SHARES = (0.0001, 0.001, 0.01, 0.03, 0.1, 0.3, 0.6)
STARTING_OVER = "rematerialise"
STRATEGIES = ("bf", "fbf", "dred", "counting")

# Counting needs counts, which a store keeps only if it is told to when it is made.
_OPTIONS = {"counting": {"maintenance": "counting"}}
_REFUSED = "cannot be used here: "
_CLIQUES = "cliques of 20"

# What auto may take longer than the best strategy: so many seconds, and so many times as long.
_SLACK = 0.002
_TIMES = 1.5

# Changes of which nothing is known when they come.
_UNFORESEEN = ("first", "expensive one")

# A strategy other than auto need not make changes of a kind again that have taken it so many seconds.
_PATIENCE = 0.4

Points = tuple[tuple[float, float], ...]


def run(bench: Bench) -> list[Figure | Sheet]:
    found: list[Figure | Sheet] = []
    for title, files in _data_sets(bench):
        measured, refused = _measured(bench, title, files)
        found += [
            _sheet(title, measured, refused),
            _auto(title, measured, "delete", _TIMES),
            _auto(title, measured, "add", None),
        ]
    for stream in _streams(bench):
        found += _stream_findings(bench, stream)
    return found


def _data_sets(bench: Bench) -> list[tuple[str, DataFiles]]:
    get, quick = bench.data.get, bench.quick
    return [
        ("LUBM", get("lubm", universities=1 if quick else 5, departments=1 if quick else 0)),
        (_CLIQUES, get("cliques", count=20 if quick else 200, size=20)),
        ("people with several names", get("university-identities", universities=1, departments=2 if quick else 0)),
    ]


def _measured(bench: Bench, title: str, files: DataFiles) -> tuple[dict[str, Runs], dict[str, str]]:
    """Return the runs of each strategy that can be used, and why each of the others cannot."""
    jobs = {
        name: change_job(
            f"{title}: {name}",
            files,
            name,
            SHARES,
            options=_OPTIONS.get(name, {}),
            draws=_draws(title, name),
            checked=3,
        )
        for name in (STARTING_OVER, "auto", *STRATEGIES)
    }
    taken: list[Runs] = []
    refused: dict[str, str] = {}
    for name, job in jobs.items():
        for _ in range(bench.repeat if name == "auto" else 1):
            try:
                taken += once(bench).measure(job)
            except BenchmarkError as error:
                if _REFUSED not in str(error):
                    raise
                refused[name] = str(error).partition(_REFUSED)[2]
    require_same_states(taken, f"{NAME}, {title}")
    measured = {
        name: Runs(job, tuple(run for runs in taken if runs.job.label == job.label for run in runs.runs))
        for name, job in jobs.items()
        if name not in refused
    }
    return measured, refused


def _draws(title: str, name: str) -> list[int]:
    """Return how often to change each share: more often where a change takes a millisecond or two."""
    if title == _CLIQUES:
        return [3] * len(SHARES) if name in ("dred", "counting") else [15] * len(SHARES)
    return [15 if share <= 0.001 else 7 if share <= 0.03 else 3 for share in SHARES]


def _points(runs: Runs, kind: str = "delete") -> Points:
    return tuple((share, change_seconds(runs, kind, share).cpu) for share in SHARES)


def _sheet(title: str, measured: dict[str, Runs], refused: dict[str, str]) -> Sheet:
    columns = ("strategy", *(f"{share:.2%}" for share in SHARES), "break-even at")
    rows = [(name, *_times(runs), _crossing_text(name, measured)) for name, runs in measured.items()]
    rows.append(("auto chose", *_choices(measured["auto"]), ""))
    rows += [(name, *("" for _ in SHARES), f"not applicable: {reason}") for name, reason in refused.items()]
    curves = tuple(Curve(name, _points(runs)) for name, runs in measured.items())
    return Sheet(NAME, title, columns, tuple(rows), curves, "share of the explicit facts deleted", "processor seconds")


def _times(runs: Runs) -> tuple[str, ...]:
    return tuple(milliseconds_text(taken) for _, taken in _points(runs))


def _choices(auto: Runs) -> tuple[str, ...]:
    return tuple("/".join(sorted(used_strategies(auto, "delete", share))) for share in SHARES)


def _crossing_text(name: str, measured: dict[str, Runs]) -> str:
    if name in (STARTING_OVER, "auto"):
        return ""
    share = crossing(_points(measured[name]), _points(measured[STARTING_OVER]))
    if share is None:
        return f"over {SHARES[-1]:.0%}"
    return f"{share:.2%}" if share > SHARES[0] else f"under {SHARES[0]:.2%}"


def crossing(rising: Points, other: Points) -> float | None:
    """Return where one curve gets above another, by interpolation between points over logarithmic axes.

    None if it stays below; the first share if it starts above.

    >>> crossing(((0.01, 1.0), (1.0, 100.0)), ((0.01, 10.0), (1.0, 10.0)))
    0.1
    """
    before: tuple[float, float] | None = None
    for (share, mine), (_, theirs) in zip(rising, other, strict=True):
        ahead = log(mine / theirs)
        if ahead > 0:
            if before is None:
                return share
            last_share, last_ahead = before
            part = -last_ahead / (ahead - last_ahead)
            return round(exp(log(last_share) + part * (log(share) - log(last_share))), 6)
        before = share, ahead
    return None


def _auto(title: str, measured: dict[str, Runs], kind: str, target: float | None) -> Figure:
    """Return how many times longer than the best strategy auto takes, at the share where that is most."""
    others = [runs for name, runs in measured.items() if name != "auto"]
    middle = {share: _middle_change(measured["auto"], others, f"{kind} {share:g}/") for share in SHARES}
    worst = max(SHARES, key=lambda share: _times_as_long(*middle[share]))
    return _judged(f"{title}: {kind} {worst:.2%} by auto against the best", *middle[worst], target)


def _middle_change(auto: Runs, others: Iterable[Runs], prefix: str) -> tuple[float, float]:
    """Return the seconds of auto and of the best other strategy for one change: that of which the ratio is in the
    middle, or the worse of two. A change that no other was asked to make has the best median of theirs beside it."""
    mine, *theirs = (_phase_seconds(runs, prefix) for runs in (auto, *others))
    usual = min(median(seconds for taken in one.values() for seconds in taken) for one in theirs if one)
    pairs = [
        (seconds, min((found for one in theirs for found in one.get(phase, ())), default=usual))
        for phase, taken in mine.items()
        for seconds in taken
    ]
    return sorted(pairs, key=lambda pair: _times_as_long(*pair))[len(pairs) // 2]


def _phase_seconds(runs: Runs, prefix: str) -> dict[str, list[float]]:
    """Return the processor seconds of the phases of a prefix, in all runs."""
    found: dict[str, list[float]] = {}
    for run in runs.runs:
        for phase, seconds in run.phases.items():
            if phase.startswith(prefix):
                found.setdefault(phase, []).append(seconds.cpu)
    return found


def _times_as_long(ours: float, best: float) -> float:
    """Return how many times as long something took, but for what is too short to count."""
    return max(ours - _SLACK, 0.0) / best


def _judged(text: str, ours: float, best: float, target: float | None) -> Figure:
    return Figure(
        NAME,
        text,
        _times_as_long(ours, best),
        "times",
        target,
        at_least=False,
        ours=milliseconds_text(ours),
        peer=milliseconds_text(best),
    )


@dataclass(frozen=True, slots=True)
class _Stream:
    """Changes one after the other: labels, each with facts or how many to draw; ``warm up`` is no point to judge."""

    title: str
    files: DataFiles
    profile: str
    steps: tuple[tuple[str, object], ...]
    rules: str = ""
    given: tuple[tuple[str, str, str], ...] = ()

    @property
    def labels(self) -> list[str]:
        return [label for label in dict.fromkeys(label for label, _ in self.steps) if label != "warm up"]

    def job(self, strategy: str) -> Job:
        arguments: dict[str, Any] = {
            **self.files.arguments(),
            "options": {"profile": self.profile},
            "strategy": strategy,
            "steps": list(self.steps),
            "rules": self.rules,
            "given": list(self.given),
            "patience": None if strategy == "auto" else _PATIENCE,
        }
        return Job(f"{self.title}: {strategy}", "updates.stream", arguments)


def _streams(bench: Bench) -> list[_Stream]:
    found: list[_Stream] = []
    fan_out = 10 if bench.quick else 70
    for profile, name, nodes in ("dlp", "rules", 2000), ("owl2rl", "OWL 2 RL", 600):
        length = 100 if bench.quick else nodes
        at_end = bench.data.get("proof-chain", length=length, asserted=length - 1)
        in_front = bench.data.get("proof-chain", length=length, asserted=2)
        tree = bench.data.get("proof-tree", fan_out=fan_out, depth=3)
        found += [
            _Stream(f"chain, long proof, {name}", at_end, profile, _proof_steps(length - 1)),
            _Stream(f"chain, much rests on it, {name}", in_front, profile, _proof_steps(2)),
            _Stream(f"tree, many proofs, {name}", tree, profile, _proof_steps(1)),
        ]
    for universities, profile, name in (10, "dlp", "rules"), (5, "owl2rl", "OWL 2 RL"):
        files = bench.data.get(
            "lubm", universities=1 if bench.quick else universities, departments=1 if bench.quick else 0
        )
        edges = ((f"<urn:{number}>", _STEP, f"<urn:{number + 1}>") for number in range(_CHAIN))
        given = (_BEGINNING, *edges)
        found.append(_Stream(f"LUBM, jumps, {name}", files, profile, _jump_steps(bench.quick), _CHAIN_RULE, given))
    return found


def _proof_steps(asserted: int) -> tuple[tuple[str, object], ...]:
    """Return the change that a strategy is bad at, again and again."""
    return (
        ("first", [is_reached(asserted)]),
        *[("again", [is_reached(asserted)])] * 15,
    )


# Beside LUBM there is a chain of which all goes if its beginning does, node by node.
_CHAIN = 600
_STEP = "<http://example.org/step>"
_ON_CHAIN = "<http://example.org/OnChain>"
_CHAIN_RULE = f"?y a {_ON_CHAIN} :- ?x {_STEP} ?y, ?x a {_ON_CHAIN} ."
_BEGINNING = ("<urn:0>", TYPE, _ON_CHAIN)


def _jump_steps(quick: bool) -> tuple[tuple[str, object], ...]:
    """Return jumps from single facts to many and back, and to a single fact on which a whole chain rests."""
    many = (10, 100) if quick else (1000, 10_000)
    steps: list[tuple[str, object]] = [("warm up", 1)] * 2
    steps += [("single", 1)] * 5 + [(f"first {many[0]:,}", many[0])] + [("single after it", 1)] * 5
    steps += [("expensive one", [_BEGINNING])] + [("single after that", 1)] * 7
    for _ in range(5):
        for size in many:
            steps += [(f"{size:,}", size), ("single after many", 1), ("single after many", 1), ("100", 100)]
    return tuple(steps)


def _stream_findings(bench: Bench, stream: _Stream) -> list[Figure | Sheet]:
    names = ("auto", STARTING_OVER, *(name for name in STRATEGIES if name != "counting"))
    measured: dict[str, Runs] = {}
    for name in names:
        (measured[name],) = (bench if name == "auto" else once(bench)).measure(stream.job(name))
    require_same_states(measured.values(), f"{NAME}, {stream.title}")
    taken = {name: _label_seconds(runs, stream.labels) for name, runs in measured.items()}
    rows = [(name, *(milliseconds_text(seconds) for seconds in taken[name].values())) for name in names]
    rows.append(("auto chose", *("/".join(sorted(_used(measured["auto"], label))) for label in stream.labels)))
    found: list[Figure | Sheet] = [Sheet(NAME, stream.title, ("strategy", *stream.labels), tuple(rows))]
    for label in stream.labels:
        others = [measured[name] for name in names if name != "auto"]
        middle = _middle_change(measured["auto"], others, f"delete {label}/")
        target = None if label in _UNFORESEEN else _TIMES
        found.append(_judged(f"{stream.title}: {label}, auto against the best", *middle, target))
    return found


def _label_seconds(runs: Runs, labels: Iterable[str]) -> dict[str, float]:
    taken = {label: _phase_seconds(runs, f"delete {label}/") for label in labels}
    return {label: median(seconds for each in found.values() for seconds in each) for label, found in taken.items()}


def _used(auto: Runs, label: str) -> set[str]:
    """Return the strategies that made the deletions of a label."""
    keys = (key for run in auto.runs for key in run.numbers if key.startswith(f"delete {label}/") and " by " in key)
    return {key.partition(" by ")[2] for key in keys}
