"""How much can be deleted before starting over is faster.

The experiment of Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited, 2019, section 10.4,
on LUBM(5), on cliques under a symmetric and transitive property, and on people with several names: growing shares of
the explicit facts are deleted, and put back, by every strategy of transactions, small shares more often than large
ones, because a few milliseconds are measured less well than a few hundred; the median counts.

Peers: the strategies with one another. The break-even point of a strategy is where its curve crosses that of
``rematerialise``, between two measured shares by interpolation. A strategy that says that it cannot be used on a data
set is named with the reason.

Target: ``auto`` takes at most 1.3 times as long as the best strategy, at every share deleted. Counting is among them,
though only a store that was made for it can count.
"""

from __future__ import annotations

from math import exp, log

from benchmarks.data import DataFiles
from benchmarks.figure import Figure
from benchmarks.measure import Bench, BenchmarkError, Runs
from benchmarks.sheet import Curve, Sheet, milliseconds_text
from benchmarks.update_jobs import change_job, change_seconds, once, require_same_states, used_strategies

NAME = "break-even"

SHARES = (0.0001, 0.001, 0.01, 0.03, 0.1, 0.3, 0.6)
STARTING_OVER = "rematerialise"
STRATEGIES = ("bf", "fbf", "dred", "counting")

# Counting needs counts, which a store keeps only if it is told to when it is made.
_OPTIONS = {"counting": {"maintenance": "counting"}}
_REFUSED = "cannot be used here: "
_CLIQUES = "cliques of 20"

Points = tuple[tuple[float, float], ...]


def run(bench: Bench) -> list[Figure | Sheet]:
    found: list[Figure | Sheet] = []
    for title, files in _data_sets(bench):
        measured, refused = _measured(bench, title, files)
        found += [
            _sheet(title, measured, refused),
            _auto(title, measured, "delete", 1.3),
            _auto(title, measured, "add", None),
        ]
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
    for _ in range(bench.repeat):
        for name, job in jobs.items():
            if name not in refused:
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
    auto = dict(_points(measured["auto"], kind))
    best = {
        share: min(dict(_points(runs, kind))[share] for name, runs in measured.items() if name != "auto")
        for share in SHARES
    }
    worst = max(SHARES, key=lambda share: auto[share] / best[share])
    return Figure(
        NAME,
        f"{title}: {kind} {worst:.2%} by auto against the best",
        auto[worst] / best[worst],
        "times",
        target,
        at_least=False,
        ours=f"{auto[worst]:.3f} s",
        peer=f"{best[worst]:.3f} s",
    )
