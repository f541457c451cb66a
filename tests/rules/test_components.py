"""Components and paths agree with plain reachability."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from reasoner.rules.stratify import shortest_path, strong_components

GRAPHS = st.integers(1, 8).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, size - 1), max_size=4), min_size=size, max_size=size)
)


def distances(successors: list[list[int]], source: int) -> dict[int, int]:
    """Relax every edge until nothing changes."""
    found = {source: 0}
    while True:
        relaxed = dict(found)
        for node, distance in found.items():
            for successor in successors[node]:
                relaxed[successor] = min(relaxed.get(successor, distance + 1), distance + 1)
        if relaxed == found:
            return found
        found = relaxed


@given(GRAPHS)
def test_nodes_share_a_component_iff_each_reaches_the_other(successors):
    component = strong_components(successors)
    reached = [distances(successors, node) for node in range(len(successors))]

    for first in range(len(successors)):
        for second in range(len(successors)):
            assert (component[first] == component[second]) == (second in reached[first] and first in reached[second])


@given(GRAPHS)
def test_edges_between_components_go_from_the_higher_number_to_the_lower(successors):
    component = strong_components(successors)

    assert sorted(set(component)) == list(range(max(component) + 1))
    for node, targets in enumerate(successors):
        assert all(component[node] >= component[target] for target in targets)


@given(GRAPHS)
def test_a_shortest_path_follows_edges_and_none_is_shorter(successors):
    for target, distance in distances(successors, 0).items():
        path = shortest_path(successors, 0, target)

        assert (path[0], path[-1], len(path)) == (0, target, distance + 1)
        assert all(after in successors[before] for before, after in pairwise(path))


def test_a_long_chain_needs_no_recursion():
    size = 50_000

    assert strong_components([[node + 1] for node in range(size - 1)] + [[0]]) == [0] * size
