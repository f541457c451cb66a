"""What closures lose and gain, against a naive closure of random graphs with loops, cycles and isolated nodes."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner.columnar import closure, component_updates, transitive_updates
from reasoner.columnar.kernels import pack, unpack
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.table import table_of

NODES = st.integers(0, 9)
EDGES = st.lists(st.tuples(NODES, NODES), min_size=1, max_size=20, unique=True)
CHANGES = st.tuples(EDGES, st.integers(1, 6))


def naive(edges, symmetric: bool) -> set:
    """Return the closure by a search from every node."""
    onward = {}
    for a, b in edges:
        onward.setdefault(a, set()).add(b)
        if symmetric:
            onward.setdefault(b, set()).add(a)
    closed = set()
    for start in onward:
        waiting = list(onward[start])
        while waiting:
            node = waiting.pop()
            if (start, node) not in closed:
                closed.add((start, node))
                waiting += onward.get(node, ())
    return closed


def table(edges, *, dead=()):
    """Return a table of several runs, and of facts that have left it."""
    first = [edge for edge in sorted(edges) if sum(edge) % 2]
    later = [edge for edge in sorted({*edges, *dead}) if not sum(edge) % 2]
    left = set(dead) - set(edges)
    made = table_of(*columns({*first, *left}), by_object=False).minus(table_of(*columns(set(later)), by_object=False))
    made = made.added(keys(set(later) - left))
    return made.without(keys(left))


def columns(edges):
    array = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def keys(edges):
    return pack(*columns(edges))


def pairs(found) -> set:
    left, right = unpack(found)
    return set(zip(left.tolist(), right.tolist(), strict=True))


@pytest.fixture(params=[1, 1 << 23], ids=["small pieces", "one piece"])
def memory(request, monkeypatch):
    monkeypatch.setattr(closure, "_MOST_WORDS", request.param)
    monkeypatch.setattr(closure, "_LOOKED_UP", 0 if request.param == 1 else 16)


SYMMETRIC = pytest.mark.parametrize("symmetric", [False, True], ids=["transitive", "symmetric"])
NEARBY = pytest.mark.parametrize("nearby", [False, True], ids=["all", "nearby"])


def kernels(symmetric: bool):
    return component_updates if symmetric else transitive_updates


@SYMMETRIC
@NEARBY
@pytest.mark.usefixtures("memory")
def test_exactly_what_external_edges_do_not_derive_any_more_is_unsupported(symmetric, nearby):
    @settings(max_examples=150, deadline=None)
    @given(CHANGES)
    def check(change):
        edges, count = change
        lost, left = set(edges[:count]), set(edges[count:])
        closed = naive(edges, symmetric)
        whole = table(closed, dead={(8, 2), (3, 3)})
        external = left
        if nearby:
            near = pairs(kernels(symmetric).neighbourhood(whole, keys(lost), 10**6))
            assert near <= closed
            external = left & near
        if symmetric:
            found = component_updates.unsupported(whole, keys(lost), keys(external))
        else:
            found = transitive_updates.unsupported(whole, keys(lost), keys(external), nearby=nearby)

        assert pairs(found) == closed - naive(left, symmetric)

    check()


@SYMMETRIC
@pytest.mark.usefixtures("memory")
def test_what_edges_derive_is_what_could_be_lost_with_them(symmetric):
    @settings(max_examples=100, deadline=None)
    @given(CHANGES)
    def check(change):
        edges, count = change
        lost, left = set(edges[:count]), set(edges[count:])
        closed = naive(edges, symmetric)
        found = pairs(kernels(symmetric).derived_by_edges(table(closed, dead={(8, 2)}), keys(lost)))

        assert lost | (closed - naive(left, symmetric)) <= found <= closed

    check()


@pytest.mark.parametrize(
    ("symmetric", "given_external"),
    [(True, False), (False, False), (False, True)],
    ids=["symmetric", "all", "external"],
)
@pytest.mark.usefixtures("memory")
def test_what_goes_and_is_reachable_by_what_is_left_is_rederived(symmetric, given_external):
    @settings(max_examples=100, deadline=None)
    @given(CHANGES)
    def check(change):
        edges, count = change
        lost, left = set(edges[:count]), set(edges[count:])
        closed = naive(edges, symmetric)
        gone = pairs(kernels(symmetric).derived_by_edges(table(closed), keys(lost))) - left
        rest = table(closed - gone, dead=gone)
        if symmetric:
            found = component_updates.rederived(rest, keys(gone))
        else:
            found = transitive_updates.rederived(rest, keys(gone), table(left) if given_external else None)

        assert pairs(found) == naive(left, symmetric) & gone

    check()


@SYMMETRIC
@pytest.mark.usefixtures("memory")
def test_new_edges_derive_exactly_what_a_closure_lacks(symmetric):
    @settings(max_examples=150, deadline=None)
    @given(CHANGES)
    def check(change):
        edges, count = change
        before = naive(edges[count:], symmetric)
        fresh = set(edges[:count]) - before
        found = kernels(symmetric).derived_by_new_edges(table(before, dead={(8, 2), (3, 3)} - before), keys(fresh))

        assert pairs(found) == naive(before | fresh, symmetric) - before

    check()


@SYMMETRIC
def test_a_neighbourhood_that_is_too_large_is_not_listed(symmetric):
    chain = naive([(node, node + 1) for node in range(9)], symmetric)

    assert kernels(symmetric).neighbourhood(table(chain), keys({(4, 5)}), 10) is None
    assert kernels(symmetric).neighbourhood(table(chain), keys({(4, 5)}), 100) is not None


@SYMMETRIC
@pytest.mark.usefixtures("memory")
def test_graphs_of_more_nodes_than_a_word_has_bits(symmetric):
    draw = random.Random(7)
    edges = sorted({(draw.randrange(150), draw.randrange(150)) for _ in range(130)})
    lost, left = set(edges[::13]), set(edges) - set(edges[::13])
    closed, after = naive(edges, symmetric), naive(left, symmetric)
    gone = pairs(kernels(symmetric).derived_by_edges(table(closed), keys(lost)))
    if symmetric:
        unsupported = component_updates.unsupported(table(closed), keys(lost), keys(left))
    else:
        unsupported = transitive_updates.unsupported(table(closed), keys(lost), keys(left), nearby=False)
    rest = table((closed - gone) | left)
    if symmetric:
        rederived = component_updates.rederived(rest, keys(gone - left))
    else:
        rederived = transitive_updates.rederived(rest, keys(gone - left), table(left))
    gained = kernels(symmetric).derived_by_new_edges(table(after), keys(lost - after))

    assert pairs(unsupported) == closed - after
    assert pairs(rederived) == (gone - left) & after
    assert pairs(gained) == closed - after


@pytest.mark.usefixtures("memory")
def test_chains_to_a_goal_have_all_their_steps_between_its_ends():
    @settings(max_examples=100, deadline=None)
    @given(CHANGES)
    def check(change):
        edges, count = change
        closed = naive(edges, False)
        goals = set(sorted(closed)[:count])
        found = pairs(transitive_updates.steps_between(table(closed, dead={(8, 2)} - closed), keys(goals)))

        assert found <= closed
        for start, end in goals:
            onward = {start} | {b for a, b in closed if a == start}
            back = {end} | {a for a, b in closed if b == end}
            assert {(a, b) for a, b in closed if a in onward and b in back} <= found

    check()


@pytest.mark.usefixtures("memory")
def test_goals_are_reached_by_the_members_of_their_classes():
    @settings(max_examples=150, deadline=None)
    @given(EDGES, EDGES, st.lists(st.tuples(NODES, NODES), max_size=4))
    def check(steps, goals, equal):
        ends = np.array(equal, dtype=np.int64).reshape(-1, 2)
        mapping = Representatives().merged(ends[:, 0], ends[:, 1])[0]
        wanted = {(mapping.of_one(a), mapping.of_one(b)) for a, b in goals}
        found = transitive_updates.reached(table(set(steps), dead={(8, 2)} - set(steps)), keys(wanted), mapping)

        derived = naive(steps, False) - set(steps)
        assert pairs(found) == {(a, b) for a, b in derived if (mapping.of_one(a), mapping.of_one(b)) in wanted}

    check()
