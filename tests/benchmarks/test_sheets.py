"""Sheets: tables and drawings of many measurements, and the benchmarks that make them, on tiny data."""

from __future__ import annotations

import io
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from rich.console import Console

from benchmarks import break_even, four_way
from benchmarks.break_even import crossing
from benchmarks.data import DataFolder
from benchmarks.figure import Figure
from benchmarks.measure import Bench, BenchmarkError, Job, Run, Runs
from benchmarks.plots import write_plots
from benchmarks.report import sheet_table
from benchmarks.seconds import Seconds
from benchmarks.sheet import Curve, Sheet
from datasets.proofs import is_reached

SHEET = Sheet(
    "four-way",
    "two ways",
    ("|E-|", "B/F: T"),
    (("1", "0.42 ms"), ("10", "3.0 ms")),
    (Curve("B/F", ((1, 0.00042), (10, 0.003))), Curve("Remat", ((1, 0.1), (10, 0.09)))),
    "facts deleted",
    "processor seconds",
)


@pytest.fixture
def bench(tmp_path) -> Bench:
    return Bench(DataFolder(tmp_path), repeat=1, quick=True)


def test_a_sheet_is_a_table_with_a_title():
    out = io.StringIO()
    Console(file=out, width=80).print(sheet_table(SHEET))
    lines = [line.split() for line in out.getvalue().splitlines()]

    assert ["four-way:", "two", "ways"] in lines
    assert ["10", "3.0", "ms"] in lines


def test_a_drawing_names_its_curves_and_axes_and_is_the_same_every_time(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    [path] = write_plots(tmp_path / "plots", [SHEET, Sheet("memory", "no curves", (), ())])
    drawn = path.read_text(encoding="utf-8")
    [again] = write_plots(tmp_path / "more", [SHEET])

    assert path.name == "four-way-two-ways.svg"
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert all(f"<!-- {text} -->" in drawn for text in ("B/F", "Remat", "facts deleted", "processor seconds"))
    assert again.read_text(encoding="utf-8") == drawn


def test_a_curve_that_stays_below_does_not_cross_and_one_that_starts_above_crosses_at_once():
    flat = ((0.1, 1.0), (0.2, 1.0))

    assert crossing(((0.1, 0.5), (0.2, 0.9)), flat) is None
    assert crossing(((0.1, 2.0), (0.2, 0.5)), flat) == 0.1
    assert crossing(((0.1, 0.5), (0.2, 2.0)), flat) == pytest.approx(2**0.5 / 10, rel=1e-5)


def test_the_four_ways_agree_and_are_told_side_by_side(bench, monkeypatch):
    small = bench.data.get("equality-classes", classes=2, members=4, facts_per_member=1)
    monkeypatch.setattr(four_way, "_data_sets", lambda _: [("two small classes", small, (1, 3))])
    sheet, *figures = four_way.run(bench)

    assert isinstance(sheet, Sheet)
    assert [row[0] for row in sheet.rows] == ["1", "3"]
    assert all(len(row) == len(sheet.columns) for row in sheet.rows)
    assert [curve.label for curve in sheet.curves] == [
        "B/F, rewriting",
        "Remat, rewriting",
        "B/F, axioms",
        "Remat, axioms",
    ]
    assert [figure.met for figure in figures if isinstance(figure, Figure)] == [True] * 3


def runs(name: str, *taken: float) -> Runs:
    phases = {
        f"{kind} {share:g}/1": Seconds(cpu, cpu)
        for kind in ("delete", "add")
        for share, cpu in zip(break_even.SHARES, taken, strict=True)
    }
    numbers = {f"delete {share:g}/1 by {name}": 1.0 for share in break_even.SHARES}
    return Runs(Job(name, "updates.change"), (Run(phases, Seconds(), 0, {"facts": 1}, numbers),))


MEASURED = {
    "rematerialise": runs("rematerialise", 1, 1, 1, 1, 1, 1, 1),
    "auto": runs("auto", 0.1, 0.12, 0.3, 0.6, 1.2, 1.1, 1.0),
    "bf": runs("bf", 0.1, 0.2, 0.4, 0.5, 2, 3, 4),
    "dred": runs("dred", 2, 2, 2, 2, 2, 2, 2),
    "fbf": runs("fbf", 0.1, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8),
}


@pytest.fixture
def measured(bench, monkeypatch):
    """Give break-even times that are known, of one data set on which counting is refused."""

    def measure(job: Job) -> list[Runs]:
        name = job.label.rpartition(" ")[2]
        if name == "counting":
            raise BenchmarkError("worker ended with 1: ReasonerError: counting cannot be used here: too new")
        return [replace(MEASURED[name], job=job)]

    monkeypatch.setattr(break_even, "_data_sets", lambda bench: [("data", bench.data.get("bach"))])
    monkeypatch.setattr(break_even, "_streams", lambda bench: [])
    monkeypatch.setattr(Bench, "measure", lambda _, job: measure(job))
    return break_even.run(bench)


def test_break_even_points_are_where_starting_over_becomes_faster(measured):
    told = {row[0]: row[-1] for row in measured[0].rows}

    assert told["bf"] == "5.48%"
    assert told["dred"] == "under 0.01%"
    assert told["fbf"] == "over 60%"
    assert told["rematerialise"] == told["auto"] == ""


def test_a_strategy_that_cannot_be_used_is_told_with_its_reason(measured):
    assert measured[0].rows[-1][0] == "counting"
    assert measured[0].rows[-1][-1] == "not applicable: too new"


def test_what_auto_chose_is_told_share_by_share(measured):
    [chosen] = [row for row in measured[0].rows if row[0] == "auto chose"]

    assert set(chosen[1:-1]) == {"auto"}
    assert len(chosen) == len(measured[0].columns)


def test_auto_is_judged_where_it_is_worst(measured):
    _, deleted, added = measured

    assert deleted.value == pytest.approx(1.198 / 0.6)
    assert "10.00%" in deleted.text
    assert (deleted.target, deleted.at_least, deleted.met) == (1.5, False, False)
    assert added.target is None


def test_two_milliseconds_more_than_the_best_do_not_count():
    assert break_even._judged("", ours=0.0035, best=0.001, target=1.5).met
    assert not break_even._judged("", ours=0.0036, best=0.001, target=1.5).met


def test_a_stream_of_changes_is_judged_label_by_label(bench):
    files = bench.data.get("proof-chain", length=9, asserted=8)
    fact = [is_reached(8)]
    steps = (("warm up", 2), ("first", fact), ("again", fact), ("again", fact))
    sheet, first, again = break_even._stream_findings(bench, break_even._Stream("chain", files, "dlp", steps))

    assert sheet.columns == ("strategy", "first", "again")
    assert [row[0] for row in sheet.rows] == ["auto", "rematerialise", "bf", "fbf", "dred", "auto chose"]
    assert first.target is None
    assert again.target == 1.5
    assert again.text == "chain: again, auto against the best"


def test_streams_jump_and_are_for_plain_rules_and_for_owl(bench):
    streams = break_even._streams(bench)

    assert {stream.profile for stream in streams} == {"dlp", "owl2rl"}
    assert len({stream.title for stream in streams}) == len(streams) == 8
    assert all(stream.labels for stream in streams)


def test_any_other_failure_of_a_strategy_is_a_failure(bench, monkeypatch):
    def broken(_, job: Job) -> list[Runs]:
        raise BenchmarkError("ended with 1: ZeroDivisionError")

    monkeypatch.setattr(Bench, "measure", broken)
    with pytest.raises(BenchmarkError, match="ZeroDivisionError"):
        break_even.run(bench)
