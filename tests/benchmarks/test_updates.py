"""Changes as they are measured: the same in every process, checked, and counted, on tiny data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.checksum import Checksum
from benchmarks.data import DataFiles, DataFolder
from benchmarks.fact_sample import FactSample
from benchmarks.measure import Bench, BenchmarkError, Job, Run, Runs, run_job
from benchmarks.seconds import Seconds
from benchmarks.update_jobs import (
    MATERIALISE,
    change_job,
    change_number,
    change_seconds,
    once,
    require_same_states,
    used_strategies,
)
from reasoner import Reasoner

SAME_AS = "<http://www.w3.org/2002/07/owl#sameAs>"
FACTS = [(f"<urn:s{n}>", f"<urn:p{n % 3}>", f'"{n}"') for n in range(90)]


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> DataFiles:
    data = DataFolder(tmp_path_factory.mktemp("data"))
    return data.get("equality-classes", classes=3, members=6, facts_per_member=1)


def of(job: Job) -> Runs:
    return Runs(job, (run_job(job),))


def store_of(facts):
    kb = Reasoner(profile="none")
    kb.add(facts)
    kb.materialise()
    return kb.store


def test_a_draw_has_as_many_distinct_explicit_facts_as_asked_for_and_is_always_the_same():
    sample = FactSample(store_of(FACTS))
    drawn = sample.draw(20, 1)

    assert len(sample) == 90
    assert len(set(drawn)) == 20
    assert set(drawn) <= set(FACTS)
    assert FactSample(store_of(FACTS)).draw(20, 1) == drawn
    assert set(sample.draw(20, 2)) != set(drawn)


def test_a_size_below_one_is_a_share_and_more_than_all_is_all():
    sample = FactSample(store_of(FACTS))

    assert [len(sample.draw(share, 1)) for share in (0.1, 0.001)] == [9, 1]
    assert sorted(sample.draw(1000, 1)) == sorted(FACTS)


def test_draws_can_be_of_one_predicate():
    sample = FactSample(store_of(FACTS), "<urn:p1>")

    assert len(sample) == 30
    assert {p for _, p, _ in sample.draw(10, 1)} == {"<urn:p1>"}


def test_a_checksum_depends_on_the_facts_and_neither_on_their_order_nor_on_ids():
    one, other = store_of(FACTS), store_of(FACTS[::-1])
    fewer, changed = store_of(FACTS[1:]), store_of([*FACTS[1:], ("<urn:s1>", "<urn:p0>", '"0"')])
    sums = [Checksum(store.dictionary).closure(store, store.state) for store in (one, other, fewer, changed)]

    assert sums[0] == sums[1]
    assert sums[0]["facts"] == sums[3]["facts"] == 90
    assert len({found["checksum"] for found in sums}) == 3


def test_a_checksum_tells_who_is_subject_and_who_is_object():
    there, back = store_of([("<urn:a>", "<urn:p>", "<urn:b>")]), store_of([("<urn:b>", "<urn:p>", "<urn:a>")])

    assert Checksum(there.dictionary).closure(there, there.state) != Checksum(back.dictionary).closure(back, back.state)


def test_a_checksum_of_what_is_stored_sees_a_class_whose_facts_are_the_same():
    fact = ("<urn:a>", "<urn:p>", "<urn:b>")
    store = store_of([fact, ("<urn:a>", SAME_AS, "<urn:c>")])
    apart = replace(store.state, representatives=type(store.state.representatives)())
    checksum = Checksum(store.dictionary)

    assert checksum.stored(store.state)["facts"] == checksum.stored(apart)["facts"] == 1
    assert checksum.stored(store.state) != checksum.stored(apart)
    assert np.uint64(checksum.stored(apart)["checksum of classes"]) == 0


@pytest.mark.parametrize("strategy", ["bf", "auto", "rematerialise"])
def test_every_strategy_reaches_the_states_of_materialising(files, strategy):
    how = {"draws": 2, "expanded": strategy != "bf"}
    again, changed = (of(change_job(name, files, name, (1, 5), **how)) for name in (MATERIALISE, strategy))

    require_same_states([again, changed], "changes")
    assert {
        f"facts after {kind} {size}/{draw}" for kind in ("delete", "add") for size in (1, 5) for draw in (1, 2)
    } <= set(changed.result)
    assert change_seconds(changed, "delete", 5).cpu > 0
    assert changed.number("explicit") == 3 * 5 + 18


def test_rewriting_and_axioms_reach_the_same_closures(files):
    rewriting, axioms = (
        of(change_job(equality, files, "bf", (4,), options={"equality": equality}, predicate=SAME_AS))
        for equality in ("rewrite", "axiomatise")
    )

    require_same_states([rewriting, axioms], "changes")
    assert change_number(axioms, "delete", 4, 1, "went") > change_number(rewriting, "delete", 4, 1, "went")
    assert change_number(axioms, "delete", 4, 1, "instances") > 0


def test_states_that_differ_are_named(files):
    runs = of(change_job("ours", files, "bf", (1,), draws=1))
    wrong = replace(runs.runs[0], result={**runs.result, "facts after delete 1/1": 0})
    other = Runs(replace(runs.job, label="theirs"), (wrong,))

    with pytest.raises(BenchmarkError, match="ours and theirs disagree on facts after delete 1/1"):
        require_same_states([runs, other], "changes")


def test_a_system_with_fewer_changes_is_compared_by_these(files):
    few, many = (of(change_job(str(draws), files, "bf", (1,), draws=2, checked=draws)) for draws in (1, 2))

    require_same_states([few, many], "changes")
    assert len(many.result) == 2 * len(few.result)
    assert set(few.runs[0].phases) == set(many.runs[0].phases)


def test_the_most_memory_of_a_deletion_is_told_if_asked_for(files):
    runs = of(change_job("ours", files, "bf", (1,), draws=1, memory=True))

    assert 0 < runs.number("peak bytes") < 10_000_000


def test_the_median_is_taken_over_draws_and_runs_of_one_size():
    def run(*taken: float) -> Run:
        phases = {f"delete 10/{draw}": Seconds(cpu, cpu) for draw, cpu in enumerate(taken, 1)}
        return Run({**phases, "delete 100/1": Seconds(99, 99), "add 10/1": Seconds(99, 99)}, Seconds(), 0)

    runs = Runs(Job("ours", "updates.change"), (run(1, 5, 7), run(3, 2, 8)))

    assert change_seconds(runs, "delete", 10) == Seconds(4, 4)
    assert change_seconds(runs, "delete", 10, draw=1) == Seconds(2, 2)


def test_what_auto_did_is_told_size_by_size():
    numbers = {"delete 1/1 by bf": 1.0, "delete 1/2 by rematerialise": 1.0, "delete 10/1 by dred": 1.0}
    runs = Runs(Job("auto", "updates.change"), (Run({}, Seconds(), 0, {}, numbers),))

    assert used_strategies(runs, "delete", 1) == {"bf", "rematerialise"}


def test_a_job_that_runs_once_is_kept_with_the_others(files, tmp_path):
    bench = Bench(DataFolder(tmp_path), repeat=2)
    once(bench).measure(change_job("ours", files, "bf", (1,), draws=1))

    assert [len(runs.runs) for runs in bench.measured] == [1]
