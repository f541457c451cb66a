"""Memberships in graphs: against a dictionary of sets, and back from their columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoner.columnar import graphs as graphs_module
from reasoner.columnar.factset import FactSet
from reasoner.columnar.graphs import DEFAULT, GraphMemberships, QuadChange, lost_by_graphs
from tests.strategies import RANDOM

Facts = set[tuple[int, int, int]]
GRAPHS = (DEFAULT, 20, 21, 22)

facts = st.sets(st.tuples(st.integers(2, 4), st.sampled_from([1, 5, 6]), st.integers(2, 4)), max_size=5)
by_graph = st.dictionaries(st.sampled_from(GRAPHS), facts, max_size=3)
changes = st.tuples(st.one_of(st.just(set()), facts), by_graph, by_graph)


def fact_set(rows: Facts) -> FactSet:
    columns = np.array(sorted(rows), dtype=np.int64).reshape(-1, 3)
    return FactSet.of_columns(*columns.T)


def rows_of(facts: FactSet) -> Facts:
    return set(zip(*(column.tolist() for column in facts.columns()), strict=True))


def encoded(change: tuple[Facts, dict[int, Facts], dict[int, Facts]]) -> QuadChange:
    everywhere, removed, added = change
    return QuadChange(
        fact_set(everywhere),
        {g: fact_set(rows) for g, rows in removed.items()},
        {g: fact_set(rows) for g, rows in added.items()},
    )


def applied(model: dict[int, Facts], change: tuple[Facts, dict[int, Facts], dict[int, Facts]]) -> dict[int, Facts]:
    everywhere, removed, added = change
    return {g: (rows - everywhere - removed.get(g, set())) | added.get(g, set()) for g, rows in model.items()}


@RANDOM
@given(st.lists(changes, max_size=6))
def test_memberships_follow_changes_as_a_dictionary_of_sets_does(drawn):
    follow(drawn)


@RANDOM
@given(st.lists(changes, max_size=6))
def test_memberships_that_are_sorted_anew_after_every_change_are_the_same(drawn):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(graphs_module, "_MOST_CHANGED", 0)
        patched.setattr(graphs_module, "_MERGE_RATIO", 1000)
        follow(drawn)


@RANDOM
@given(st.lists(changes, max_size=2), st.lists(st.tuples(st.sampled_from(GRAPHS), st.integers(2, 9)), max_size=9))
def test_many_quads_at_once_join_the_others(drawn, quads):
    model, explicit, graphs = follow(drawn)
    rows = np.array([(g, o, 5, o) for g, o in quads], dtype=np.int64).reshape(-1, 4)

    few = graphs.with_quads(explicit, *rows.T)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(graphs_module, "_FEW_GRAPHS", -1)
        many = graphs.with_quads(explicit, *rows.T)

    added = {g: {(o, 5, o) for graph, o in quads if graph == g} for g in GRAPHS}
    for coming, after in (few, many):
        assert rows_of(coming) == set().union(*added.values()) - rows_of(explicit)
        held = {g: rows_of(found) for g, found in after.by_graph(explicit.union(coming))}
        assert held == {g: model[g] | added[g] for g in GRAPHS if model[g] | added[g] or g == DEFAULT}
        named = [model[g] | added[g] for g in GRAPHS[1:]]
        assert rows_of(after.counts.facts) == set().union(*named)
        assert rows_of(after.shared) == (model[DEFAULT] | added[DEFAULT]) & set().union(*named)


def test_graphs_that_did_not_change_are_the_same_objects():
    rows = np.array([(g, 2, 5, g) for g in range(20, 40)], dtype=np.int64)
    before = GraphMemberships.from_columns(*rows.T)
    explicit = fact_set({(s, p, o) for _, s, p, o in rows.tolist()})

    _, _, after = before.changed(explicit, encoded((set(), {}, {25: {(2, 5, 3)}})))

    assert after.named.differing(before.named) == [25]
    assert all(after.graph(g) is before.graph(g) for g in range(20, 40) if g != 25)
    assert after.named.asserting(fact_set({(2, 5, 30)})) == [30, 25]


def follow(drawn) -> tuple[dict[int, Facts], FactSet, GraphMemberships]:
    """Apply changes to memberships and to a dictionary of sets, compare them on the way, and return the last ones."""
    model: dict[int, Facts] = {g: set() for g in GRAPHS}
    explicit, graphs = FactSet(), GraphMemberships()
    for change in drawn:
        leaving, coming, after = graphs.changed(explicit, encoded(change))
        model_after = applied(model, change)

        before, now = (set().union(*each.values()) for each in (model, model_after))
        assert (rows_of(leaving), rows_of(coming)) == (before - now, now - before)
        explicit_after = explicit.difference(leaving).union(coming)
        for one, other, state in (
            (model_after, model, ((explicit_after, after), (explicit, graphs))),
            (model, model_after, ((explicit, graphs), (explicit_after, after))),
        ):
            expected = {g: one[g] - other[g] for g in GRAPHS if one[g] - other[g]}
            assert {g: rows_of(lost) for g, lost in lost_by_graphs(*state)} == expected
        explicit, graphs, model = explicit_after, after, model_after
        assert {g: rows_of(found) for g, found in graphs.by_graph(explicit)} == {
            g: rows for g, rows in model.items() if rows or g == DEFAULT
        }
        assert len(graphs) == sum(len(rows) for g, rows in model.items() if g != DEFAULT)
        again = GraphMemberships.from_columns(*graphs.columns())
        assert (
            rows_of(again.shared)
            == rows_of(graphs.shared)
            == model[DEFAULT] & set().union(*(rows for g, rows in model.items() if g != DEFAULT))
        )
        assert {g: rows_of(found) for g, found in again.by_graph(explicit)} == {
            g: rows_of(found) for g, found in graphs.by_graph(explicit)
        }
    return model, explicit, graphs


def test_a_store_without_named_graphs_has_no_memberships():
    nothing = GraphMemberships()
    leaving, coming, after = nothing.changed(fact_set({(2, 5, 3)}), encoded((set(), {}, {DEFAULT: {(2, 5, 4)}})))

    assert after is nothing and not after and after.nbytes == 0
    assert (rows_of(leaving), rows_of(coming)) == (set(), {(2, 5, 4)})


def test_what_changes_nothing_leaves_the_memberships_as_they_are():
    explicit = fact_set({(2, 5, 3)})
    _, _, graphs = GraphMemberships().changed(explicit, encoded((set(), {}, {20: {(2, 5, 3)}})))

    leaving, coming, after = graphs.changed(explicit, encoded(({(9, 9, 9)}, {21: {(2, 5, 3)}}, {20: {(2, 5, 3)}})))

    assert after is graphs and not len(leaving) and not len(coming)
    assert [column.tolist() for column in graphs.columns()] == [[-1, 20], [2, 2], [5, 5], [3, 3]]
