"""The driver reads few row groups of a stored table by itself, and finds what a search of all facts finds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoner import Reasoner, StoreError
from reasoner.columnar import persisted, row_groups
from reasoner.columnar.factset import FactSet
from reasoner.columnar.row_groups import RowGroups, only_about
from reasoner.spark.platform.scratch import Scratch
from reasoner.spark.store import SparkStore
from reasoner.store.segment import BASE, FileLayout, write_segment
from reasoner.terms.term import TYPE
from tests.spark.test_reasoner import deltas_of_change, fact, quick, seen  # noqa: F401
from tests.strategies import RANDOM

OWN = (TYPE, 5)
ids = st.integers(2, 12)
triples = st.frozensets(st.tuples(ids, st.sampled_from((TYPE, 5, 6, 7)), ids), max_size=60)
some = st.none() | st.frozensets(st.integers(0, 14), max_size=4)


def set_of(facts):
    return FactSet.of_columns(*np.array(sorted(facts), dtype=np.int64).reshape(-1, 3).T)


def files_of(folder, facts):
    """Write facts in row groups of a few rows, two predicates apart and the others together."""
    set_of_facts = set_of(facts)
    segments = []
    for predicate in OWN:
        s, o = set_of_facts.table(predicate).pairs()
        rows = pa.table({"s": s, "o": o})
        segments.append(write_segment(folder, "facts", 1, BASE, rows, predicate=predicate))
    rest = persisted.triples(set_of_facts.only([p for p in set_of_facts if p not in OWN]))
    segments.append(write_segment(folder, "facts", 1, BASE, rest))
    return [(folder / segment.path, segment.predicate) for segment in segments]


def written(folder, facts):
    return RowGroups(files_of(folder, facts), len(facts))


@pytest.fixture(scope="module")
def small_groups():
    """Let row groups have three rows."""
    whole = FileLayout.parquet.fget
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FileLayout, "parquet", property(lambda layout: {**whole(layout), "row_group_size": 3}))
        yield


@RANDOM
@given(facts=triples, s=some, p=some, o=some, types=st.booleans())
def test_what_is_read_is_what_all_facts_have(small_groups, tmp_path_factory, facts, s, p, o, types):
    groups = written(tmp_path_factory.mktemp("store"), facts)
    asked = {
        name: np.array(sorted(wanted), dtype=np.int64)
        for name, wanted in zip("spo", (s, p, o), strict=True)
        if wanted is not None
    }

    found = groups.facts(**asked, types=types)

    expected = {
        fact
        for fact in facts
        if all(wanted is None or value in wanted for value, wanted in zip(fact, (s, p, o), strict=True))
        and (types or fact[1] != TYPE)
    }
    at_hand = only_about(set_of(facts), **asked, types=types)
    assert found is not None
    assert found.columns()[0].size == len(expected)
    for each in (found, at_hand):
        assert set(zip(*(column.tolist() for column in each.columns()), strict=True)) == expected


@RANDOM
@given(facts=triples)
def test_what_files_mention_is_known(small_groups, tmp_path_factory, facts):
    found = written(tmp_path_factory.mktemp("store"), facts).mentioned()

    classes = frozenset(o for _, p, o in facts if p == TYPE)
    assert found == (len(facts), frozenset(p for _, p, _ in facts), classes)


@pytest.mark.parametrize("sees_all", [True, False])
def test_what_spark_wrote_is_known_wherever_it_was_written(spark, monkeypatch, sees_all):
    monkeypatch.setattr(Scratch, "_sees_all", sees_all)
    scratch = Scratch(spark)

    rows = f"(3L, {TYPE}L, 5L), (4L, {TYPE}L, 6L), (3L, 9L, 4L), (5L, 8L, 8L)"
    run = scratch.written(f"SELECT * FROM VALUES {rows} AS facts(s, p, o)")
    nothing = scratch.written("SELECT s, p, o FROM VALUES (1L, 2L, 3L) AS facts(s, p, o) WHERE s > 1")

    assert (run.rows, run.predicates, run.classes) == (4, {TYPE, 8, 9}, {5, 6})
    assert run.groups.facts(p=np.array([9])).columns()[2].tolist() == [4]
    assert (nothing.rows, nothing.predicates, nothing.classes) == (0, frozenset(), frozenset())
    scratch.close()


def test_groups_without_the_ids_are_not_read(small_groups, tmp_path, monkeypatch):
    groups = written(tmp_path, [(at, 5, 1) for at in range(2, 30)])
    monkeypatch.setattr(row_groups, "MOST_ROWS", 3)

    assert groups.facts(s=np.array([4])).columns()[0].tolist() == [4]
    assert groups.facts(s=np.array([4, 20])) is None


def test_files_that_are_not_all_in_sight_are_not_read(tmp_path):
    files = files_of(tmp_path, [(at, 5, 1) for at in range(2, 30)])

    assert RowGroups(files, 28).facts(s=np.array([4])) is not None
    assert RowGroups(files, 29).facts(s=np.array([4])) is None


def test_a_file_that_was_damaged_is_named(tmp_path):
    groups = written(tmp_path, [(at, 5, 1) for at in range(2, 30)])
    (path,) = tmp_path.glob("data/facts/*-p5.parquet")
    assert groups.facts(s=np.array([4])) is not None
    whole = bytearray(path.read_bytes())
    whole[10:40] = bytes(30)
    path.write_bytes(whole)

    with pytest.raises(StoreError, match=f"{path.name} cannot be read: .*; restore the file from a copy"):
        groups.facts(s=np.array([4]))
    path.unlink()
    with pytest.raises(StoreError, match=f"{path.name} is missing; restore the file from a copy"):
        groups.facts(s=np.array([4]))


@pytest.mark.parametrize("by_driver", [True, False])
@pytest.mark.parametrize("writer", ["columnar", "spark"])
def test_a_stored_update_needs_a_job_only_for_much(quick, tmp_path, monkeypatch, by_driver, writer):  # noqa: F811
    rules = """PREFIX e: <http://e.org/>
    ?x a e:Member :- ?x e:in ?y .
    ?x e:in ?z :- ?x e:in ?y, ?y e:part ?z .
    ?x owl:sameAs ?y :- ?x e:key ?k, ?y e:key ?k ."""
    data = [fact(f"x{at} in g{at % 7}") for at in range(60)] + [fact(f"g{at} part g{at // 2}") for at in range(2, 7)]
    data += [fact(f"x{at} key k{at // 2}") for at in range(40)]
    monkeypatch.setattr(persisted, "_FEWEST", 20)
    monkeypatch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 100)
    place = {"engine": "spark", "session": quick} if writer == "spark" else {}
    expected = Reasoner("none")
    with Reasoner.open(tmp_path / "kb", create=True, profile="none", **place) as stored:
        for kb in (expected, stored):
            kb.add_rules(rules)
            kb.add(data)
            kb.materialise()
    if not by_driver:
        monkeypatch.setattr(row_groups, "MOST_ROWS", -1)
    tracker = quick.sparkContext.statusTracker()
    with Reasoner.open(tmp_path / "kb", engine="spark", session=quick) as kb:
        before = set(tracker.getJobIdsForGroup(None))
        for change in (
            {"remove": [data[10]]},
            {"add": [fact("x61 in g3"), fact("x61 key k3")]},
            {"remove": [data[70]]},
        ):
            wanted, delta = deltas_of_change(change, "bf", expected, kb)
            assert delta.counts == wanted.counts
        jobs = set(tracker.getJobIdsForGroup(None)) - before
        assert bool(jobs) is not by_driver
        assert seen(kb) == seen(expected)
