"""Short runs of the campaigns, as anybody runs them, and what they are recorded by."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from reasoner import StoreError
from reasoner.store.manifest import Manifest
from tests.campaigns.history import History, Read, Write, check
from tests.campaigns.history import run as serve_history
from tests.campaigns.mutation import _mutate, _sites_of
from tests.campaigns.record import ROOT, Record
from tests.campaigns.steps import run_steps


def run(*arguments: str) -> str:
    """Run a campaign in a process of its own, as ``make`` does; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_campaign_adds_up_over_runs(tmp_path):
    first = Record("some", tmp_path)
    first.add(0, {"a": 2, "b": 1})
    first.add(1, {"a": 3}, failures=1)

    second = Record("some", tmp_path)
    assert second.next_seed == 2
    second.add(second.next_seed, {"b": 4})

    assert second.run == {"b": 4} and second.total == {"a": 5, "b": 5}
    assert second.summary("trials") == (
        "some: 4 trials in this run (4 b), seeds 2 to 2, 0 s, 0 failed; 10 in all (5 a, 5 b), 1 failed"
    )
    assert [json.loads(line)["seed"] for line in (tmp_path / "some.jsonl").read_text().splitlines()] == [0, 1, 2]


WATCHED = """
import json, os, sys, time
from tests.campaigns.watched import watched

def trials(stack):
    def trial(number):
        if number == 3:
            return "found"
        if number == 5:
            os.abort()
        if number == 7:
            while True:
                pass
        if number == 9:
            held = bytearray(600 << 20)
            time.sleep(60)
    return trial

chunk = watched(trials, 0, 12, seconds=1, megabytes=300)
print(json.dumps([chunk.done, chunk.findings]))
"""


def test_what_hangs_aborts_or_takes_too_much_memory_is_attributed():
    # A process of its own: whoever has threads had better not fork.
    done = subprocess.run([sys.executable, "-c", WATCHED], cwd=ROOT, capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == [
        12,
        [[3, "found"], [5, "the process ended (-6)"], [7, "no end after 1 s"], [9, "more than 300 MB"]],
    ]


def test_mutated_inputs_end_in_clean_errors():
    assert "0 findings" in run("tests.campaigns.fuzz", "--seed", "0", "--chunk", "5")


def test_queries_agree_with_another_library_and_with_other_ways_to_ask():
    assert "40 queries, 0 differences" in run("tests.campaigns.differential", "--seed", "0", "--batch", "40")


def test_what_clients_of_one_server_see_is_one_history():
    history = serve_history(6, 3.0)

    assert [*history.problems, *check(history)] == []
    assert history.writes and history.reads


def test_histories_that_are_none_are_noticed():
    writes = [Write(0, 1, 1.0, 2.0), Write(1, 1, 1.0, 2.0), Write(1, 2, 8.0, 9.0)]

    def problems(*reads: Read) -> list[str]:
        return list(check(History(2, writes, list(reads))))

    assert problems(Read((0, 0), 0.5, 0.9), Read((0, 1), 1.2, 1.8), Read((1, 1), 3.0, 4.0)) == []
    assert problems(Read((1, 0), 3.0, 4.0)) == ["writer 1: a read sees 0 after 1 was acknowledged"]
    assert problems(Read((1, 2), 3.0, 4.0)) == ["writer 1: a read sees 2 before it was sent"]
    assert len(problems(Read((0, 1), 1.2, 1.8), Read((1, 0), 1.2, 1.8))) == 1


def test_update_steps_are_counted():
    assert run_steps(0, 2)["steps"] > 0


def test_a_mutant_differs_in_one_place():
    tree = ast.parse("def f(x):\n    if x < 3:\n        g(x)\n    return x + 1\n")
    mutants = set()
    for number in range(len(list(_sites_of(tree)))):
        mutant = ast.parse(ast.unparse(tree))
        _mutate(mutant, number)
        mutants.add(ast.unparse(ast.fix_missing_locations(mutant)))

    assert len(mutants) == 6 and ast.unparse(tree) not in mutants
    assert "def f(x):\n    if x <= 3:\n        g(x)\n    return x + 1" in mutants
    assert "def f(x):\n    if x < 3:\n        pass\n    return x + 1" in mutants


def test_a_manifest_nested_too_deeply_is_refused():
    with pytest.raises(StoreError, match="is torn or no manifest"):
        Manifest.from_json(b'{"format":' * 3000 + b"2" + b"}" * 3000, Path("manifests/00000001.json"))


def test_a_store_survives_kills_lost_writes_damages_and_full_disks():
    said = run("tests.campaigns.crash", "--seed", "0", "--share", "0.2")

    assert said.rstrip().endswith(", 0 failed") and "'lost': 4" in said and "'full': 6" in said
