"""Long and many proofs: the asserted member follows from the others, in both profiles that the benchmarks use."""

from __future__ import annotations

import pytest

from datasets.dataset import DatasetError
from datasets.proofs import LEADS_TO, REACHED, is_reached, node, proof_chain, proof_tree
from datasets.statements import TYPE
from reasoner import Reasoner


def reached(kb: Reasoner) -> set[str]:
    return {s for s, p, o in kb.triples() if p == TYPE and o == REACHED}


def store(made, profile: str) -> Reasoner:
    kb = Reasoner(profile=profile)
    kb.add([*made.ontology_triples(), *made.fact_triples()])
    kb.materialise()
    return kb


@pytest.mark.parametrize("profile", ["dlp", "owl2rl"])
def test_every_node_of_a_chain_is_reached_whatever_else_is_asserted(profile):
    kb = store(proof_chain(length=12, asserted=11), profile)
    every = {node(number) for number in range(1, 13)}
    assert reached(kb) == every

    kb.remove(is_reached(11))
    assert reached(kb) == every
    kb.remove(is_reached(1))
    assert reached(kb) == set()


@pytest.mark.parametrize("profile", ["dlp", "owl2rl"])
def test_the_root_of_a_tree_is_reached_from_all_leaves(profile):
    made = proof_tree(fan_out=3, depth=2)
    facts = set(made.fact_triples())
    assert len([p for _, p, _ in facts if p == LEADS_TO]) == 3 + 9
    assert {s for s, p, _ in facts if p == TYPE} == {node(1), *(node(number) for number in range(5, 14))}

    kb = store(made, profile)
    kb.remove(is_reached(1))
    assert reached(kb) == {node(number) for number in range(1, 14)}
    kb.remove([is_reached(number) for number in range(5, 13)])
    assert reached(kb) == {node(1), node(4), node(13)}


def test_a_chain_without_the_node_is_refused():
    with pytest.raises(DatasetError, match="a chain of 5 nodes has no node 9"):
        proof_chain(length=5, asserted=9)
