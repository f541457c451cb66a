"""Comparing with what was recorded: a loss is found, noise in single rounds is not taken for one."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from benchmarks import regression
from benchmarks.data import DataFolder
from benchmarks.measure import Bench, Job, Run, Runs, run_job
from benchmarks.seconds import Seconds


def runs(**ratios: list[float]) -> Runs:
    numbers = {f"{name}/{n}": ratio for name, found in ratios.items() for n, ratio in enumerate(found, 1)}
    return Runs(Job("tasks", "regression.rounds"), (Run({}, Seconds(), 0, {}, numbers),))


@pytest.fixture
def compare(tmp_path, monkeypatch):
    """Run the benchmark with given measurements in turn; return its figures, and how often it measured."""

    def compare(*measured: Runs, recorded: dict[str, float] | None = None, record: bool = False):
        path = tmp_path / "recorded.json"
        if recorded is not None:
            path.write_text(json.dumps(recorded))
        monkeypatch.setattr(regression, "RECORDED", path)
        left = list(measured)
        monkeypatch.setattr(Bench, "measure", lambda *_: [left.pop(0)])
        figures = regression.run(Bench(DataFolder(tmp_path / "data"), record=record))
        return figures, len(measured) - len(left)

    return compare


@pytest.fixture(autouse=True)
def no_data(monkeypatch):
    monkeypatch.setattr(regression, "_job", lambda _: Job("tasks", "regression.rounds"))


def test_what_takes_as_long_as_recorded_passes(compare):
    [figure], times = compare(runs(load=[2.2, 2.0, 2.1, 9.0]), recorded={"load": 2.0})

    assert figure.met
    assert figure.value == pytest.approx(1.0375)
    assert times == 1


def test_a_loss_of_more_than_a_quarter_fails_if_it_is_seen_twice(compare):
    [figure], times = compare(runs(load=[2.6] * 4), runs(load=[2.7] * 4), recorded={"load": 2.0})

    assert (figure.met, times) == (False, 2)
    assert figure.value == pytest.approx(1.3)


def test_a_loss_that_does_not_come_again_is_none(compare):
    [figure], times = compare(runs(load=[2.6] * 4), runs(load=[2.1] * 4), recorded={"load": 2.0})

    assert (figure.met, times) == (True, 2)


def test_a_task_without_a_record_is_told_and_not_judged(compare):
    [figure], _ = compare(runs(load=[2.0] * 4), recorded={})

    assert "not recorded yet" in figure.text
    assert figure.target is None


def test_recording_writes_ratios_and_nothing_else(compare):
    [figure], _ = compare(runs(load=[2.0] * 4), recorded={"load": 1.0, "gone": 1.0}, record=True)

    assert json.loads(regression.RECORDED.read_text()) == {"load": 2.0}
    assert figure.value == 1.0


def test_every_task_that_is_measured_is_recorded(tmp_path):
    get = DataFolder(tmp_path).get
    classes = get("equality-classes", classes=2, members=4, facts_per_member=1).arguments()
    graph = get("dag", nodes=10, edges=20).arguments()
    lubm = get("lubm", universities=1, departments=1).arguments()
    run = run_job(Job("tasks", "regression.rounds", {**lubm, "classes": classes, "graph": graph, "count": 2}))
    found = regression.ratios([Runs(Job("tasks", ""), (run, replace(run)))])

    assert found.keys() == regression.read_recorded(regression.RECORDED).keys()
    assert all(ratio > 0 for ratio in found.values())
