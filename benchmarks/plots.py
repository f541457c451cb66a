"""Sheets as drawings: one SVG file each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colours that people see apart however they see them (Okabe and Ito), and markers for print without any.
_STYLES = (
    ("#0072B2", "o"),
    ("#D55E00", "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#E69F00", "v"),
    ("#000000", "x"),
)


def write_plots(folder: Path, sheets: Iterable[Sheet]) -> list[Path]:
    """Draw every sheet that has curves, and return the files; the same sheet always gives the same bytes."""
    from matplotlib import rc_context

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for sheet in sheets:
        if sheet.curves:
            path = folder / f"{sheet.file_name}.svg"
            with rc_context({"svg.hashsalt": sheet.file_name}):
                draw(sheet).savefig(path, metadata={"Date": None})
            written.append(path)
    return written


def draw(sheet: Sheet) -> Figure:
    """Draw the curves of a sheet over logarithmic axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for number, curve in enumerate(sheet.curves):
        colour, marker = _STYLES[number % len(_STYLES)]
        x, y = zip(*curve.points, strict=True)
        axes.plot(x, y, label=curve.label, color=colour, marker=marker, markersize=5)
    axes.set(xscale="log", yscale="log", xlabel=sheet.x, ylabel=sheet.y, title=f"{sheet.benchmark}: {sheet.title}")
    axes.grid(which="major", color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure
