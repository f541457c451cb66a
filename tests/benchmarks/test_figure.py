"""Figures, targets and the table of both."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from benchmarks.figure import Figure, faster, within
from benchmarks.report import figures_table, verdict
from benchmarks.seconds import Seconds


def test_a_ratio_against_a_slower_peer_is_above_one():
    figure = faster("loading", "than a peer", Seconds(0.5, 1.0), Seconds(2.0, 5.0), 3)

    assert (figure.value, figure.wall) == (4.0, 5.0)
    assert figure.met


def test_a_baseline_that_did_less_work_is_scaled():
    figure = within("growth", "time a triple", Seconds(6.0, 6.0), Seconds(1.0, 1.0), 1.2, scale=5)

    assert figure.value == pytest.approx(1.2)
    assert not within("growth", "time a triple", Seconds(6.1, 6.1), Seconds(1.0, 1.0), 1.2, scale=5).met


def test_a_peer_whose_difference_of_runs_is_below_nothing_is_not_beaten():
    assert faster("loading", "than a peer", Seconds(0.5, 0.5), Seconds(-0.1, -0.1), 3).value == 0


@pytest.mark.parametrize(
    ("value", "at_least", "expected"), [(3.0, True, "pass"), (2.9, True, "FAIL"), (3.1, False, "FAIL")]
)
def test_a_target_that_is_just_met_is_met(value, at_least, expected):
    assert verdict(Figure("loading", "", value, "times", 3, at_least), quick=False) == expected


def test_small_data_is_not_judged_and_a_figure_without_a_target_never():
    assert verdict(Figure("loading", "", 1.0, "times", 3), quick=True) == "not judged"
    assert verdict(Figure("memory", "", 1.0, "bytes"), quick=False) == ""


def test_the_table_is_plain_when_it_is_piped_and_shows_value_target_and_verdict():
    out = io.StringIO()
    figures = [
        Figure("memory", "a fact", 13.25, "bytes", 40, at_least=False),
        Figure("start-up", "help", 0.5, "seconds", 0.3, False),
    ]

    Console(file=out, width=150).print(figures_table(figures, quick=False))

    rows = [line.split() for line in out.getvalue().splitlines() if "memory" in line or "start-up" in line]
    assert rows == [
        ["memory", "a", "fact", "13.2", "bytes", "<=", "40", "bytes", "pass"],
        ["start-up", "help", "0.50", "s", "<=", "0.3", "s", "FAIL"],
    ]
    assert "\x1b" not in out.getvalue()
