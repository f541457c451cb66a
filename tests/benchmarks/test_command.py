"""The command that runs benchmarks."""

from __future__ import annotations

import json

import pytest

from benchmarks import __main__ as command
from benchmarks.figure import Figure
from benchmarks.measure import BenchmarkError, Job, Run, Runs
from benchmarks.registry import BENCHMARKS, DESCRIPTIONS
from benchmarks.seconds import Seconds

NAMES = [
    "reasoning-lubm",
    "reasoning-peers",
    "file-to-closure",
    "loading",
    "subclass-axioms",
    "transitive",
    "equality",
    "memory",
    "growth",
    "start-up",
    "update-lubm",
    "update-growth",
    "update-equality",
    "one-class",
    "many-rules",
    "default-profile",
    "four-way",
    "break-even",
    "dynamic-streams",
    "axiom-lubm",
    "axiom-taxonomy",
    "volz-evaluation",
    "queries-lubm",
    "queries-class",
    "server-readers",
    "regression",
    "scaling",
    "spark-load",
    "spark-materialise",
    "spark-updates",
    "spark-equality",
    "spark-components",
    "spark-driver-rows",
]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command with stand-ins for benchmarks; return the exit code and what was written."""

    def run(benchmarks, *arguments):
        monkeypatch.setattr(command, "CACHE", tmp_path)
        monkeypatch.setattr(command, "BENCHMARKS", benchmarks)
        code = command.main(list(arguments))
        [written] = tmp_path.glob("*.json")
        return code, json.loads(written.read_text())

    return run


def figure(value: float) -> Figure:
    return Figure("loading", "than a peer", value, "times", 3)


def test_every_benchmark_is_there_and_described():
    assert list(BENCHMARKS) == NAMES
    assert all(description.endswith(".") for description in DESCRIPTIONS.values())


def test_a_met_target_gives_zero(run, capsys):
    assert run({"loading": lambda _: [figure(3.5)]})[0] == 0
    assert "pass" in capsys.readouterr().out


def test_a_missed_target_gives_one(run, capsys):
    code, written = run({"loading": lambda _: [figure(2.5)]})

    assert code == 1
    assert "FAIL" in capsys.readouterr().out
    assert [one["met"] for one in written["figures"]] == [False]
    assert written["machine"]["cores"] > 0


def test_small_data_misses_no_target(run):
    code, written = run({"loading": lambda bench: [figure(2.5)]}, "--quick")

    assert (code, written["quick"], written["repeat"]) == (0, True, 1)


def test_a_benchmark_that_fails_lets_the_others_run(run, capsys):
    def disagree(_):
        raise BenchmarkError("ours and a peer disagree")

    code, written = run({"equality": disagree, "loading": lambda _: [figure(3.5)]})

    assert code == 1
    assert written["errors"] == ["equality: ours and a peer disagree"]
    assert "than a peer" in capsys.readouterr().out


def test_a_group_runs_only_if_it_is_asked_for(run, monkeypatch):
    monkeypatch.setattr(command, "GROUP_OF", {"loading": "", "spark-load": "spark"})
    both = {"loading": lambda _: [figure(4)], "spark-load": lambda _: [figure(5)]}
    _, written = run(both, "--group", "spark")

    assert [one["value"] for one in written["figures"]] == [5]


def test_what_is_to_be_recorded_is_told_to_the_benchmark(run):
    _, written = run({"loading": lambda bench: [figure(4 if bench.record else 1)]}, "--record")

    assert [one["value"] for one in written["figures"]] == [4]


def test_runs_are_written_with_their_median_and_how_far_they_are_apart(run):
    def measured(bench):
        taken = (Seconds(cpu, cpu + 1) for cpu in (5.0, 1.0, 2.0))
        runs = tuple(Run({"load": seconds}, seconds, 100 + n) for n, seconds in enumerate(taken))
        bench.measured.append(Runs(Job("ours", "ours.load"), runs))
        return [figure(4)]

    _, written = run({"loading": measured})
    [told] = written["runs"]

    assert told["phases"]["load"]["cpu"] == {"median": 2.0, "least": 1.0, "most": 5.0}
    assert told["process"]["wall"]["median"] == 3.0
    assert told["peak_bytes"] == 101
    assert len(told["runs"]) == 3


def test_only_the_named_benchmarks_run(run):
    _, written = run({"equality": lambda _: [figure(1)], "loading": lambda _: [figure(4)]}, "loading", "--repeat", "2")

    assert [one["value"] for one in written["figures"]] == [4]
    assert written["repeat"] == 2


@pytest.mark.parametrize("arguments", [["nonsense"], ["--repeat", "0"], ["--repeat", "many"]])
def test_bad_usage_gives_two_and_says_what_is_wrong(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)

    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_the_list_names_every_benchmark(capsys):
    assert command.main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == NAMES
