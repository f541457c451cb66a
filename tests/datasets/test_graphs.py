"""Graphs: the right number of edges, of the right shape."""

from __future__ import annotations

from graphlib import TopologicalSorter
from itertools import product

import pytest

from datasets.dataset import Dataset, DatasetError
from datasets.graphs import CONNECTED, IDENTIFIER, KNOWS, PATH, chain, cliques, dag, equality_classes
from datasets.statements import (
    INVERSE_FUNCTIONAL_PROPERTY,
    SAME_AS,
    SYMMETRIC_PROPERTY,
    TRANSITIVE_PROPERTY,
    TYPE,
)

Pairs = set[tuple[str, str]]


def pairs(dataset: Dataset, property: str) -> Pairs:
    return {(s, o) for s, p, o in dataset.fact_triples() if p == property}


def closure(edges: Pairs) -> Pairs:
    while extra := {(a, d) for (a, b), (c, d) in product(edges, edges) if b == c} - edges:
        edges = edges | extra
    return edges


def components(edges: Pairs) -> list[frozenset[str]]:
    members: dict[str, set[str]] = {node: {node} for pair in edges for node in pair}
    for one, other in edges:
        merged = members[one] | members[other]
        members.update(dict.fromkeys(merged, merged))
    return list({frozenset(group) for group in members.values()})


def test_a_chain_of_n_edges_closes_to_n_times_n_plus_one_half():
    made = chain(length=12)

    assert (PATH, TYPE, TRANSITIVE_PROPERTY) in set(made.ontology_triples())
    assert len(pairs(made, PATH)) == 12
    assert len(closure(pairs(made, PATH))) == 12 * 13 // 2


@pytest.mark.parametrize(("nodes", "edges"), [(200, 1000), (20, 190), (20, 150), (1, 0)])
def test_a_dag_has_as_many_distinct_edges_as_asked_for_and_no_cycle(nodes, edges):
    made = pairs(dag(nodes=nodes, edges=edges, seed=4), PATH)
    predecessors: dict[str, set[str]] = {}
    for s, o in made:
        predecessors.setdefault(o, set()).add(s)

    assert len(made) == edges
    assert len({node for pair in made for node in pair}) <= nodes
    assert len(list(TopologicalSorter(predecessors).static_order())) <= nodes


def test_the_names_of_a_dag_do_not_give_its_order_away():
    numbers = [(int(s.rsplit("n", 1)[1][:-1]), int(o.rsplit("n", 1)[1][:-1])) for s, o in pairs(dag(), PATH)]

    assert 0.4 < sum(s < o for s, o in numbers) / len(numbers) < 0.6


def test_more_edges_than_pairs_are_refused():
    with pytest.raises(DatasetError, match="a DAG of 4 nodes has at most 6 edges, not 7"):
        dag(nodes=4, edges=7)


@pytest.mark.parametrize(("shape", "edges"), [("ring", 6), ("star", 5), ("complete", 15)])
def test_cliques_are_connected_and_apart(shape, edges):
    made = cliques(count=3, size=6, shape=shape)
    asserted = pairs(made, CONNECTED)

    assert {(CONNECTED, TYPE, SYMMETRIC_PROPERTY), (CONNECTED, TYPE, TRANSITIVE_PROPERTY)} <= set(
        made.ontology_triples()
    )
    assert len(asserted) == 3 * edges
    assert [len(group) for group in components(asserted)] == [6, 6, 6]
    assert len(closure(asserted | {(o, s) for s, o in asserted})) == 3 * 6 * 6


def test_an_unknown_shape_is_refused_with_those_there_are():
    with pytest.raises(DatasetError, match="shape must be one of ring, star, complete, not 'square'"):
        cliques(shape="square")


@pytest.mark.parametrize(("links", "count"), [("chain", 9), ("star", 9)])
def test_equality_classes_are_linked_by_same_as(links, count):
    made = equality_classes(classes=4, members=10, facts_per_member=2, links=links)
    same = pairs(made, SAME_AS)

    assert len(same) == 4 * count
    assert sorted(map(len, components(same))) == [10] * 4
    assert len({s for s, _ in pairs(made, KNOWS)}) == 40


def test_equality_classes_may_be_linked_by_identifiers_alone():
    made = equality_classes(classes=4, members=10, links="identifier")
    identifiers = pairs(made, IDENTIFIER)

    assert (IDENTIFIER, TYPE, INVERSE_FUNCTIONAL_PROPERTY) in set(made.ontology_triples())
    assert not pairs(made, SAME_AS)
    assert sorted(map(len, components(identifiers))) == [11] * 4


def test_facts_about_members_are_as_many_as_asked_for_and_depend_on_the_seed():
    first, again, other = (
        [fact for fact in equality_classes(seed=seed).fact_triples() if fact[1] == KNOWS] for seed in (1, 1, 2)
    )

    assert len(first) == 10 * 300 * 3
    assert first == again != other
