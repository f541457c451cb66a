"""Tables against Python sets: random pairs, runs and removals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner.columnar import factset
from reasoner.columnar import table as tables
from reasoner.columnar.kernels import pack, sort_distinct
from reasoner.columnar.table import Table, table_of

PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40)


def columns(pairs):
    array = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def grown(batches, by_object) -> tuple[Table, set]:
    """Build a table batch by batch, so that it has several runs."""
    table, expected = Table((), by_object=by_object), set()
    for batch in batches:
        s, o = columns(set(batch) - expected)
        table = table.added(sort_distinct(table.main_keys(s, o)))
        expected |= set(batch)
    return table, expected


def as_set(table: Table) -> set:
    s, o = table.pairs()
    return set(zip(s.tolist(), o.tolist(), strict=True))


@settings(max_examples=150, deadline=None)
@given(st.lists(PAIRS, max_size=6), st.booleans())
def test_a_table_holds_what_was_added_whatever_its_runs(batches, by_object):
    table, expected = grown(batches, by_object)

    assert as_set(table) == expected
    assert table.size == len(expected)
    for subject in range(13):
        assert sorted(table.objects_of(subject).tolist()) == sorted(o for s, o in expected if s == subject)
        assert sorted(table.subjects_of(subject).tolist()) == sorted(s for s, o in expected if o == subject)
        assert table.count(subject=subject) == sum(1 for s, _ in expected if s == subject)
    assert table.objects().tolist() == sorted({o for _, o in expected})


@settings(max_examples=150, deadline=None)
@given(st.lists(PAIRS, max_size=6), PAIRS, st.booleans())
def test_membership_and_removal_agree_with_sets(batches, asked, by_object):
    table, expected = grown(batches, by_object)
    s, o = columns(asked)

    assert table.contains(s, o).tolist() == [pair in expected for pair in sorted(asked)]
    keys = sort_distinct(table.main_keys(s, o))
    assert as_set(table.without(keys)) == expected - set(asked)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.booleans(), PAIRS), max_size=12), st.booleans(), st.sampled_from([1, 8, 1000]))
def test_facts_come_and_go_in_any_order(steps, by_object, ratio):
    before, tables._DEAD_RATIO = tables._DEAD_RATIO, ratio
    try:
        table, expected = Table((), by_object=by_object), set()
        for comes, batch in steps:
            s, o = columns(set(batch) - expected if comes else set(batch))
            keys = sort_distinct(table.main_keys(s, o))
            table = table.added(keys) if comes else table.without(keys)
            expected = expected | set(batch) if comes else expected - set(batch)
            assert as_set(table) == expected
            assert table.size == len(expected)
        everything = [(a, b) for a in range(13) for b in range(13)]
        s, o = columns(everything)
        assert table.contains(s, o).tolist() == [pair in expected for pair in everything]
        lacking = sort_distinct(table.main_keys(s, o))
        assert table.lacking(lacking).size == len(everything) - len(expected)
        for term in range(13):
            assert sorted(table.objects_of(term).tolist()) == sorted(b for a, b in expected if a == term)
            assert sorted(table.subjects_of(term).tolist()) == sorted(a for a, b in expected if b == term)
        assert table.objects().tolist() == sorted({b for _, b in expected})
    finally:
        tables._DEAD_RATIO = before


def test_taking_a_few_facts_out_of_a_large_table_copies_nothing():
    keys = np.arange(10_000, dtype=np.int64)
    table = Table.of_keys(keys, by_object=False)

    smaller = table.without(keys[5:8])

    assert smaller.runs[0] is table.runs[0]
    assert smaller.size == 9_997


def test_runs_stay_few_however_many_batches_come():
    table = Table((), by_object=False)
    for number in range(1000):
        table = table.added(pack(np.array([number]), np.array([number])))

    assert table.size == 1000
    assert len(table.runs) <= 6


def test_repetitions_count_once():
    table = table_of(np.array([3, 1, 3]), np.array([4, 2, 4]), by_object=False)

    assert as_set(table) == {(1, 2), (3, 4)}


@pytest.mark.parametrize("seed", range(12))
def test_rows_are_grouped_alike_by_scans_and_by_sorting(seed, monkeypatch):
    draw = np.random.default_rng(seed)
    values = draw.integers(0, draw.integers(1, 80), draw.integers(1, 400)) + draw.integers(0, 3) * 20
    sorted_out = list(factset.group_rows(values))
    monkeypatch.setattr(factset, "_SCANNED_FROM", int(draw.integers(1, 100)))
    scanned = list(factset.group_rows(values))

    assert [value for value, _ in scanned] == [value for value, _ in sorted_out] == np.unique(values).tolist()
    assert all(np.array_equal(one, other) for (_, one), (_, other) in zip(scanned, sorted_out, strict=True))
