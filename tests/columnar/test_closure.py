"""Component methods against a naive closure on random graphs, from scratch and step by step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner.columnar import closure
from reasoner.columnar.closure import close_symmetrically, close_transitively
from reasoner.columnar.kernels import pack, sort_distinct, unpack
from reasoner.columnar.table import table_of
from tests.strategies import RANDOM

EDGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=25)


def naive(edges: set, symmetric: bool) -> set:
    closed = set(edges)
    while True:
        new = {(a, d) for a, b in closed for c, d in closed if b == c}
        if symmetric:
            new |= {(b, a) for a, b in closed}
        if new <= closed:
            return closed
        closed |= new


def table(edges):
    array = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    return table_of(array[:, 0], array[:, 1], by_object=False)


def pairs(keys) -> set:
    left, right = unpack(keys)
    return set(zip(left.tolist(), right.tolist(), strict=True))


@pytest.mark.parametrize("growth", [0, 8, 10**9], ids=["components", "mixed", "joins"])
@settings(max_examples=120, deadline=None)
@given(EDGES)
def test_transitive_closure_from_scratch(growth, edges):
    before, closure._JOIN_GROWTH = closure._JOIN_GROWTH, growth
    try:
        added = pairs(close_transitively(table(edges), None))
    finally:
        closure._JOIN_GROWTH = before

    assert added | set(edges) == naive(set(edges), symmetric=False)


@pytest.mark.parametrize("symmetric", [False, True])
@settings(max_examples=150, deadline=None)
@given(EDGES, EDGES)
def test_new_edges_extend_a_closed_table(symmetric, edges, later):
    closed = naive(set(edges), symmetric)
    fresh = set(later) - closed
    method = close_symmetrically if symmetric else close_transitively
    whole = table(closed | fresh)

    added = pairs(method(whole, table(fresh)))

    assert added | closed | fresh == naive(closed | fresh, symmetric)


@settings(max_examples=150, deadline=None)
@given(EDGES)
def test_symmetric_closure_from_scratch(edges):
    assert pairs(close_symmetrically(table(edges), None)) | set(edges) == naive(set(edges), symmetric=True)


def test_bit_sets_in_several_blocks_agree_with_one(monkeypatch):
    generator = np.random.default_rng(7)
    left = generator.integers(0, 300, 900)
    right = left + generator.integers(1, 40, 900)
    edges = table_of(left, right, by_object=False)
    monkeypatch.setattr(closure, "_JOIN_GROWTH", 0)
    whole = close_transitively(edges, None)

    monkeypatch.setattr(closure, "_BLOCK_BYTES", 8 * 340)

    assert np.array_equal(sort_distinct(close_transitively(edges, None)), sort_distinct(whole))


@settings(RANDOM, max_examples=200)
@given(st.integers(1, 12), st.data())
def test_levels_and_rows_are_the_same_edge_by_edge_and_level_by_level(count, data):
    node = st.integers(0, count - 1)
    edges = data.draw(st.lists(st.tuples(node, node), max_size=24))
    left, right = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    seeds = closure.bits_of(count, count, left, right)
    found = []
    for few in (1 << 13, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(closure, "_FEW_EDGES", few)
            patch.setattr(closure, "_EDGES_A_LEVEL", few)
            levels = closure.levels_to_sinks(count, *unpack(sort_distinct(pack(left, right))))
            found.append((levels, closure.ComponentLevels(count, left, right).spread(seeds.copy())))

    (one_levels, one_rows), (other_levels, other_rows) = found
    assert (one_levels is None) == (other_levels is None)
    assert one_levels is None or np.array_equal(one_levels, other_levels)
    assert np.array_equal(one_rows, other_rows)
