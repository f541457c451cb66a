"""Closures within closures: the pairs that their definition gives, in a time that does not multiply with the depth."""

from __future__ import annotations

import random

import pytest

from reasoner import Reasoner
from reasoner.requests import query
from reasoner.sparql.budget import Budget

NODES = [f"<urn:n{n}>" for n in range(6)]
LINKS = ("<urn:p>", "<urn:q>")
EDGES = dict[str, set[tuple[str, str]]]


def random_path(chance, depth):
    """Return a path of nested closures, inverses, sequences and alternatives, as a tree."""
    if depth == 0 or chance.random() < 0.15:
        return chance.choice(LINKS)
    kind = chance.choice("*+?^*+/|")
    parts = 2 if kind in "/|" else 1
    return kind, *(random_path(chance, depth - 1) for _ in range(parts))


def written(path):
    if isinstance(path, str):
        return path
    kind, *parts = path
    inner = [written(part) for part in parts]
    if kind == "^":
        return f"^({inner[0]})"
    return f"({inner[0]}){kind}" if len(parts) == 1 else f"({inner[0]}){kind}({inner[1]})"


def pairs_of(path, edges, nodes):
    """Return the distinct pairs of ends of a path, by the definition."""
    if isinstance(path, str):
        return edges[path]
    kind, *parts = path
    first, *rest = (pairs_of(part, edges, nodes) for part in parts)
    if kind == "^":
        return {(y, x) for x, y in first}
    if kind == "|":
        return first | rest[0]
    if kind == "/":
        return {(x, z) for x, y in first for w, z in rest[0] if y == w}
    found = set(first)
    while kind in "*+" and not found >= (more := {(x, z) for x, y in found for w, z in first if y == w}):
        found |= more
    return found if kind == "+" else found | {(node, node) for node in nodes}


@pytest.mark.parametrize("seed", range(150))
def test_nested_closures_agree_with_their_definition(seed):
    chance = random.Random(seed)
    edges: EDGES = {link: {(chance.choice(NODES), chance.choice(NODES)) for _ in range(6)} for link in LINKS}
    kb = Reasoner(profile="none")
    kb.add([(s, link, o) for link, pairs in edges.items() for s, o in pairs])
    nodes = {node for pairs in edges.values() for pair in pairs for node in pair}
    path = random_path(chance, 5)
    expected = pairs_of(path, edges, nodes)
    some = chance.choice(sorted(nodes))

    assert set(query(kb, f"SELECT ?x ?y {{ ?x {written(path)} ?y }}", terms="text").rows()) == expected
    forward = query(kb, f"SELECT ?y {{ {some} {written(path)} ?y }}", terms="text").rows()
    assert {y for (y,) in forward} == {y for x, y in expected if x == some}
    backward = query(kb, f"SELECT ?x {{ ?x {written(path)} {some} }}", terms="text").rows()
    assert {x for (x,) in backward} == {x for x, y in expected if y == some}
    both = f"SELECT ?x ?y {{ VALUES ?x {{ {' '.join(NODES)} }} ?x {written(path)} ?y }}"
    assert set(query(kb, both, terms="text").rows()) == expected


@pytest.mark.parametrize(
    "path",
    [
        "^(" * 12 + "<urn:next>" + ")*" * 12,
        "(<urn:next>/" * 9 + "<urn:next>" + ")+" * 9,
        "(<urn:none>|" * 9 + "<urn:next>" + ")*" * 9,
    ],
    ids=["inverse", "sequence", "alternative"],
)
def test_the_depth_of_nested_closures_does_not_multiply_their_time(path):
    kb = Reasoner(profile="none")
    kb.add([(f"<urn:n{n}>", "<urn:next>", f"<urn:n{n + 1}>") for n in range(60)])

    # As many steps as are checked, and not seconds: a machine may be slow.
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1
        assert steps < 100_000, "the time multiplies with the depth"

    result = query(kb, f"SELECT ?x {{ <urn:n0> {path} ?x }}", terms="text", budget=Budget(at_check=count))

    assert len(result) > 0
