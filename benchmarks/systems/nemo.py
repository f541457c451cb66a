"""Nemo (``nemo-python``) as a measured system."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.measure import Result
from benchmarks.seconds import Stopwatch
from benchmarks.systems.ours import Outcome

PARTS = ("load", "split", "rules")

# Nemo reads of a file only what is needed; to ask for the triples themselves makes it read them all into its table.
_ALL = "@export triple :- csv{} .\n"


def reason(watch: Stopwatch, *, program: str, until: str = "rules") -> Outcome:
    """Run an exported program, or only as much of it as ends with loading or with splitting, in the phase reason.

    Nemo does everything in one call; what a part costs is the difference of two runs.
    """
    parts = json.loads(Path(program).read_text(encoding="utf-8"))
    wanted = PARTS[: PARTS.index(until) + 1]
    text = "".join(parts[part] for part in wanted) + ("" if "split" in wanted else _ALL)
    counted = parts["predicates"] if "rules" in wanted else {}
    return _run(watch, text, counted), {}


def text(watch: Stopwatch, *, program: str, predicates: dict[str, str]) -> Outcome:
    """Run a program as it is, in the phase reason, and count its predicates under the names that are given."""
    return _run(watch, program, predicates), {}


def _run(watch: Stopwatch, program: str, predicates: dict[str, str]) -> Result:
    from nmo_python import NemoEngine, load_string

    with watch.phase("reason"):
        engine = NemoEngine(load_string(program))
        engine.reason()
    return {text: sum(1 for _ in engine.result(predicate)) for text, predicate in predicates.items()}
