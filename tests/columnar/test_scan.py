"""Joins of bindings with tables, against nested loops over the same facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest

from reasoner.columnar import scan
from reasoner.columnar.bindings import NO_LIMITS, Bindings
from reasoner.columnar.kernels import sort_distinct
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.scan import Scanning, among, extend, fan_out
from reasoner.columnar.table import Table, table_of
from reasoner.rules.errors import QueryTooLargeError

Row = tuple[tuple[object, int], ...]
TERMS = 12


def random_table(rng: np.random.Generator, by_object: bool) -> Table:
    """Return a table of several runs, some of whose facts are dead."""
    table = Table((), by_object=by_object)
    for size in (60, 20, 6):
        new = table_of(rng.integers(0, TERMS, size), rng.integers(0, TERMS, size), by_object=by_object)
        table = table.added(table.lacking(new.keys()))
    keys = table.keys()
    return table.without(keys[rng.random(keys.size) < 0.1])


def random_bindings(rng: np.random.Generator, variables: Iterable[object], size: int) -> Bindings:
    return Bindings({variable: rng.integers(0, TERMS, size) for variable in variables}, size)


def rows_of(bindings: Bindings) -> Counter[Row]:
    columns = {variable: column.tolist() for variable, column in bindings.columns.items()}
    rows = (tuple((variable, column[row]) for variable, column in columns.items()) for row in range(bindings.size))
    return Counter(tuple(sorted(row, key=str)) for row in rows)


def by_nested_loops(bindings: Bindings, subject: object, table: Table, obj: object) -> Counter[Row]:
    found: Counter[Row] = Counter()
    facts = list(zip(*(column.tolist() for column in table.pairs()), strict=True))
    for row, times in rows_of(bindings).items():
        for fact in facts:
            values = dict(row)
            agrees = all(
                values.setdefault(term, value) == value if scan.is_open(term) else term == value
                for term, value in zip((subject, obj), fact, strict=True)
            )
            if agrees:
                found[tuple(sorted(values.items(), key=str))] += times
    return found


def total(parts: Iterable[Bindings]) -> Counter[Row]:
    return sum((rows_of(part) for part in parts), Counter())


@pytest.mark.parametrize("seed", range(60))
def test_a_join_gives_what_nested_loops_give(seed, monkeypatch):
    """Pieces and marks have thresholds that are too large for small tables, so that they are lowered."""
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(scan, "MOST_ROWS", int(rng.choice([7, 1 << 24])))
    monkeypatch.setattr(scan, "_MARK_FROM", int(rng.choice([1, 4096])))
    monkeypatch.setattr("reasoner.columnar.kernels._SORT_PROBES_FROM", int(rng.choice([1, 2048])))
    x, y = (-1, -2) if rng.random() < 0.5 else ("x", "y")
    table = random_table(rng, by_object=bool(rng.random() < 0.5))
    bound = [variable for variable in (x, y) if rng.random() < 0.5]
    given = random_bindings(rng, [*bound, -3 if x == -1 else "other"], int(rng.choice([0, 1, 9])))
    limits = NO_LIMITS if rng.random() < 0.5 else None
    ends = [x, y, int(rng.integers(0, TERMS + 2))]
    for subject in ends:
        for obj in ends:
            parts = list(Scanning(limits).joined(given, subject, table, obj))

            assert total(parts) == by_nested_loops(given, subject, table, obj)
            assert limits is None or len(parts) < 2
            if fan_out(given, subject, table, obj) == 0.0:
                assert total(parts) == Counter()


@pytest.mark.parametrize("seed", range(20))
def test_a_variable_predicate_ranges_over_all_but_some(seed):
    rng = np.random.default_rng(seed)
    tables = {p: random_table(rng, by_object=p == 1) for p in (1, 5, 6, 7)}
    facts = scan.FactSet(tables)
    given = random_bindings(rng, [-4] if seed % 2 else [-1, -2], 8)
    for subject, obj in ((-1, -3), (-2, -2), (-2, -1), (3, -3)):
        expected: Counter[Row] = Counter()
        for p in (1, 5, 7):
            start = given if -2 not in given.columns else given.taken(given.columns[-2] == p)
            start = start.with_columns({-2: np.full(start.size, p)})
            expected += by_nested_loops(start, subject, tables[p], obj)

        assert total(extend(given, (subject, -2, obj), facts, frozenset({6}))) == expected


def test_a_term_that_is_not_folded_is_looked_up_by_its_representative():
    classes = Representatives(np.array([1, 2]), np.array([1, 1]))
    table = table_of(np.array([1, 4]), np.array([7, 8]), by_object=False)
    written = Bindings({"x": np.array([2, 4, 5])}, 3)
    scanning = Scanning(NO_LIMITS, classes, folds=True)

    (found,) = scanning.joined(written, "x", table, "y")
    (again,) = scanning.joined(Bindings({"x": np.array([2])}, 1, frozenset({"x"})), "x", table, "y")

    assert rows_of(found) == Counter({(("x", 2), ("y", 7)): 1, (("x", 4), ("y", 8)): 1})
    assert found.folded == {"y"}
    assert again.size == 0


def test_limits_are_asked_before_a_join_is_made():
    class Few:
        def check(self, rows: float = 0, columns: int = 1) -> None:
            if rows > 5:
                raise QueryTooLargeError(rows, 5)

    table = table_of(np.arange(6), np.zeros(6, dtype=np.int64), by_object=False)
    with pytest.raises(QueryTooLargeError, match="gives 6 rows"):
        list(Scanning(Few()).joined(Bindings({"o": np.array([0])}, 1), "s", table, "o"))
    with pytest.raises(QueryTooLargeError, match="gives 12 rows"):
        list(Scanning(Few()).joined(Bindings({"x": np.array([0, 1])}, 2), "s", table, "o"))


def test_a_sampled_join_takes_the_first_matches_and_notes_the_rows_that_have_more():
    table = table_of(np.array([1, 1, 1, 2]), np.array([5, 6, 7, 5]), by_object=False)
    sampling = scan.Sampling(2)
    given = Bindings({-1: np.array([2, 1])}, 2)

    parts = list(Scanning().joined(given, -1, table, -2, sampling))

    assert total(parts) == Counter({((-1, 1), (-2, 5)): 1, ((-1, 1), (-2, 6)): 1, ((-1, 2), (-2, 5)): 1})
    assert [cut.columns[-1].tolist() for cut in sampling.cut] == [[1]]


@pytest.mark.parametrize("seed", range(10))
def test_members_are_found_whether_they_are_marked_or_searched(seed):
    rng = np.random.default_rng(seed)
    members = sort_distinct(rng.integers(0, 10_000, 40))
    values = np.concatenate((rng.integers(0, 1 << 31, 100), members[:10]))

    assert among(values, members).tolist() == np.isin(values, members).tolist()
    assert among(np.tile(values, 10), members).tolist() == np.isin(np.tile(values, 10), members).tolist()
