"""The command: run benchmarks by name, print the figures, and fail if a target is missed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from benchmarks.data import DataFolder
from benchmarks.figure import Figure
from benchmarks.measure import ROOT, Bench, BenchmarkError
from benchmarks.plots import write_plots
from benchmarks.registry import BENCHMARKS, DESCRIPTIONS, GROUP_OF
from benchmarks.report import console, figures_table, sheet_table, write_json
from benchmarks.sheet import Sheet

CACHE = ROOT / ".cache" / "bench"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 0 if all is well, 1 if a target is missed or a benchmark failed, 2 for bad usage."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if unknown := [name for name in asked.names if name not in BENCHMARKS]:
        parser.error(f"no benchmark {unknown[0]!r}: choose from {', '.join(BENCHMARKS)}")
    if asked.list:
        for name, description in DESCRIPTIONS.items():
            print(f"{name:16} {description}")
        return 0
    if asked.plots and find_spec("matplotlib") is None:
        parser.error("--plots needs matplotlib, which is not installed; the extra [bench] of this project has it")
    status = Console(stderr=True)
    repeat = asked.repeat or (1 if asked.quick else 3)
    bench = Bench(DataFolder(CACHE / "data"), repeat=repeat, quick=asked.quick, record=asked.record)
    chosen = asked.names or [name for name in BENCHMARKS if GROUP_OF.get(name, "") == asked.group]
    figures, sheets, errors = run_all(chosen, bench, status)
    for sheet in sheets:
        console().print(sheet_table(sheet))
    if figures:
        console().print(figures_table(figures, quick=bench.quick))
    if asked.plots:
        for path in write_plots(asked.plots, sheets):
            status.print(f"drawn: {path}", markup=False, soft_wrap=True)
    for error in errors:
        status.print(f"failed: {error}", style="bold red", markup=False)
    status.print(
        f"everything measured: {write_json(CACHE, figures, sheets, errors, bench)}", markup=False, soft_wrap=True
    )
    missed = not bench.quick and any(not figure.met for figure in figures)
    return 1 if missed or errors else 0


def run_all(names: Sequence[str], bench: Bench, status: Console) -> tuple[list[Figure], list[Sheet], list[str]]:
    """Run benchmarks; one that fails does not keep the others from running."""
    figures: list[Figure] = []
    sheets: list[Sheet] = []
    errors: list[str] = []
    for name in names:
        bench.progress = partial(_show, status, name)
        try:
            found = BENCHMARKS[name](bench)
        except BenchmarkError as error:
            errors.append(f"{name}: {error}")
            continue
        figures += (one for one in found if isinstance(one, Figure))
        sheets += (one for one in found if isinstance(one, Sheet))
    return figures, sheets, errors


def _show(status: Console, name: str, text: str) -> None:
    status.print(f"{name}: {text}", style="dim", markup=False)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure the figures of this project.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks to run; all if none is given")
    groups = sorted(set(GROUP_OF.values()) - {""})
    parser.add_argument("--group", choices=groups, default="", help="run those of a group, which otherwise do not run")
    parser.add_argument("--quick", action="store_true", help="small data, one run each; targets are not judged")
    parser.add_argument("--record", action="store_true", help="keep what regression finds, to be compared with later")
    parser.add_argument("--repeat", type=_positive, metavar="N", help="runs of each system (default: 3)")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="draw what has curves, as SVG files in a folder")
    parser.add_argument("--list", action="store_true", help="list the benchmarks")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least one run is needed")
    return number


if __name__ == "__main__":
    sys.exit(main())
