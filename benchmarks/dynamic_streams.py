"""Streams of small updates in a dynamic session.

Data set: a university of LUBM with the OWL 2 RL profile and rewriting, and with the DLP profile. A stream takes 100
random facts out, one an update; most of them come back four updates later. It is *sparse* if each update comes when
the one before it is done, *dense* if the next one comes before every round, and *background* if all are submitted as
fast as may be to a session that works in a thread of its own.

Peers: the same updates as transactions, one after the other; and what they come down to as one transaction, which knows
the end from the beginning. All end with the same closure, which is compared.

Target: never worse than one after the other by rule instances, and by processor time by a quarter at most, which is
what a commit of a session costs beside a small transaction.
"""

from __future__ import annotations

from benchmarks.data import DataFiles
from benchmarks.figure import Figure, within
from benchmarks.measure import Bench, Job, Runs, require_equal

NAME = "dynamic-streams"

UPDATES = 100
_SLACK = 1.25
_STREAMS = ("sparse", "dense", "background")


def run(bench: Bench) -> list[Figure]:
    files = bench.data.get("lubm", universities=1)
    figures: list[Figure] = []
    for profile in ("owl2rl", "dlp"):
        consecutive, batch, *streams = bench.measure(
            *(_job(files, profile, way, bench) for way in ("consecutive", "batch", *_STREAMS))
        )
        require_equal({one.job.label: one.result for one in (consecutive, batch, *streams)}, NAME)
        for name, ours in zip(_STREAMS, streams, strict=True):
            figures += _figures(f"{profile}, {name}", ours, consecutive, batch)
    return figures


def _job(files: DataFiles, profile: str, way: str, bench: Bench) -> Job:
    given = {**files.arguments(), "options": {"profile": profile}, "updates": 20 if bench.quick else UPDATES}
    return Job(f"{profile}: {way}", "streams.stream", {**given, "way": way})


def _figures(text: str, ours: Runs, consecutive: Runs, batch: Runs) -> list[Figure]:
    return [
        _instances(f"{text}: instances beside one after the other", ours, consecutive, 1.0),
        within(
            NAME, f"{text}: than one after the other", ours.seconds("stream"), consecutive.seconds("stream"), _SLACK
        ),
        _instances(f"{text}: instances beside one batch", ours, batch, None),
        within(NAME, f"{text}: than one batch", ours.seconds("stream"), batch.seconds("stream"), None),
    ]


def _instances(text: str, ours: Runs, peer: Runs, target: float | None) -> Figure:
    mine, theirs = ours.number("instances"), peer.number("instances")
    return Figure(
        NAME,
        text,
        mine / max(theirs, 1.0),
        "times",
        target,
        at_least=False,
        ours=f"{mine:,.0f}",
        peer=f"{theirs:,.0f}",
    )
