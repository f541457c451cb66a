"""What came out, as a table for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.figure import Figure
from benchmarks.machine import machine_facts
from benchmarks.measure import Bench, Runs
from benchmarks.seconds import Seconds
from benchmarks.sheet import Sheet

# Wide enough for every column: a table that is piped has no window to fit into.
_WIDTH = 150


def console() -> Console:
    """Return a console for standard output: colours in a terminal, plain text in a pipe."""
    shown = Console()
    return shown if shown.is_terminal else Console(width=_WIDTH)


def verdict(figure: Figure, *, quick: bool) -> str:
    """Say whether a figure meets its target; small data proves nothing about targets for large."""
    if figure.target is None:
        return ""
    if quick:
        return "not judged"
    return "pass" if figure.met else "FAIL"


def figures_table(figures: Sequence[Figure], *, quick: bool) -> Table:
    """Return the figures as a table, one row each."""
    table = Table(box=box.SIMPLE, title="Small data: targets are not judged" if quick else None)
    for name, side in _COLUMNS:
        table.add_column(name, justify=side)  # type: ignore[arg-type]
    for figure in figures:
        judged = verdict(figure, quick=quick)
        table.add_row(
            figure.benchmark,
            figure.text,
            figure.ours,
            figure.peer,
            figure.value_text,
            figure.wall_text,
            figure.target_text,
            judged,
            style={"FAIL": "bold red", "pass": "green"}.get(judged),
        )
    return table


_COLUMNS = (
    ("benchmark", "left"),
    ("figure", "left"),
    ("ours, CPU", "right"),
    ("peer, CPU", "right"),
    ("value", "right"),
    ("by the clock", "right"),
    ("target", "right"),
    ("", "left"),
)


def sheet_table(sheet: Sheet) -> Table:
    """Return a sheet as a table, numbers to the right."""
    table = Table(box=box.SIMPLE, title=f"{sheet.benchmark}: {sheet.title}")
    for name in sheet.columns:
        table.add_column(name, justify="right")
    for row in sheet.rows:
        table.add_row(*row)
    return table


def write_json(
    folder: Path, figures: Sequence[Figure], sheets: Sequence[Sheet], errors: Sequence[str], bench: Bench
) -> Path:
    """Write everything that was measured to a file of its own, and return its path."""
    now = datetime.now(UTC)
    content = {
        "time": now.isoformat(timespec="seconds"),
        "machine": machine_facts(),
        "quick": bench.quick,
        "repeat": bench.repeat,
        "figures": [{**asdict(figure), "met": figure.met} for figure in figures],
        "sheets": [asdict(sheet) for sheet in sheets],
        "errors": list(errors),
        "runs": [_runs(runs) for runs in bench.measured],
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{now:%Y-%m-%dT%H-%M-%S}.json"
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def _runs(runs: Runs) -> dict[str, Any]:
    """Return all runs of a job, after what they have in common: medians, and how far the runs are apart."""
    phases = {name: [run.phases[name] for run in runs.runs] for name in runs.runs[0].phases}
    return {
        "label": runs.job.label,
        "system": runs.job.system,
        "phases": {name: _spread(taken) for name, taken in phases.items()},
        "process": _spread([run.process for run in runs.runs]),
        "peak_bytes": runs.peak_bytes,
        "runs": [
            {
                "phases": {name: asdict(seconds) for name, seconds in run.phases.items()},
                "process": asdict(run.process),
                "peak_bytes": run.peak_bytes,
                "numbers": run.numbers,
            }
            for run in runs.runs
        ],
    }


def _spread(taken: Sequence[Seconds]) -> dict[str, dict[str, float]]:
    return {
        clock: {"median": median(times), "least": min(times), "most": max(times)}
        for clock, times in (("cpu", [one.cpu for one in taken]), ("wall", [one.wall for one in taken]))
    }
