"""Graphs whose closure is large: chains, random DAGs, cliques, and classes of equal members.

The first three are what modular materialisation (Hu, Motik, Horrocks 2019) is made for; ``dag`` is its benchmark DAG-R,
which has 10,000 nodes and 100,000 edges there. A node is n followed by a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import isqrt

from .dataset import Dataset, DatasetError, at_least
from .draw import Draw
from .statements import (
    INVERSE_FUNCTIONAL_PROPERTY,
    OBJECT_PROPERTY,
    SAME_AS,
    SUB_PROPERTY_OF,
    SYMMETRIC_PROPERTY,
    TRANSITIVE_PROPERTY,
    TYPE,
    statement,
)

GRAPH = "http://example.org/graph#"
PATH = f"<{GRAPH}path>"
CONNECTED = f"<{GRAPH}connectedTo>"
KNOWS = f"<{GRAPH}knows>"
RELATED = f"<{GRAPH}relatedTo>"
IDENTIFIER = f"<{GRAPH}identifier>"
BLOCK = 10_000

CLIQUE_SHAPES = ("ring", "star", "complete")
EQUALITY_LINKS = ("chain", "star", "identifier")


def chain(*, length: int = 1000) -> Dataset:
    """Return ``length`` edges of a transitive property, one after the other; the closure has n(n+1)/2."""
    at_least(0, length=length)
    return Dataset(_transitive(), lambda: _edges(PATH, ((number, number + 1) for number in range(length))))


def dag(*, nodes: int = 2000, edges: int = 20_000, seed: int = 0) -> Dataset:
    """Return a directed acyclic graph of a transitive property, drawn from all with that many nodes and edges.

    The names of the nodes tell nothing of their topological order.
    """
    at_least(0, nodes=nodes, edges=edges)
    pairs = nodes * (nodes - 1) // 2
    if edges > pairs:
        raise DatasetError(f"a DAG of {nodes} nodes has at most {pairs} edges, not {edges}")

    def facts() -> Iterator[str]:
        draw = Draw("dag", seed)
        names = draw.shuffled(range(nodes))
        return _edges(PATH, ((names[i], names[j]) for i, j in map(_pair, draw.distinct(pairs, edges))))

    return Dataset(_transitive(), facts)


def cliques(*, count: int = 50, size: int = 120, shape: str = "ring") -> Dataset:
    """Return ``count`` groups of ``size`` nodes that a symmetric and transitive property makes into cliques.

    Asserted are the edges of a ring or a star in each group, which connect it, or all of them (``complete``, one
    direction of each). The closure has count * size**2 facts in any case, each node being connected to itself.
    """
    at_least(1, count=count)
    at_least(2, size=size)
    shapes: dict[str, Callable[[], Iterable[tuple[int, int]]]] = {
        "ring": lambda: ((i, (i + 1) % size) for i in range(size)),
        "star": lambda: ((0, i) for i in range(1, size)),
        "complete": lambda: ((i, j) for j in range(size) for i in range(j)),
    }
    if shape not in shapes:
        raise DatasetError(f"shape must be one of {', '.join(CLIQUE_SHAPES)}, not {shape!r}")
    ontology = _declare(CONNECTED, SYMMETRIC_PROPERTY, TRANSITIVE_PROPERTY)
    return Dataset(
        ontology,
        lambda: _edges(
            CONNECTED,
            ((group * size + i, group * size + j) for group in range(count) for i, j in shapes[shape]()),
        ),
    )


def equality_classes(
    *, classes: int = 10, members: int = 300, facts_per_member: int = 3, links: str = "chain", seed: int = 0
) -> Dataset:
    """Return ``classes`` sets of ``members`` equal nodes, and facts that point from each to random others.

    The members of a class are linked by a chain or a star of ``owl:sameAs``, or by no such fact at all but by an
    inverse-functional property whose value they share (``identifier``). A subproperty axiom over the facts makes each
    of them derive another, so that equality has something to rewrite. Node n belongs to class n // members.
    """
    at_least(1, classes=classes, members=members)
    at_least(0, facts_per_member=facts_per_member)
    linking: dict[str, Callable[[int], str]] = {
        "chain": lambda node: statement(_node(node - 1), SAME_AS, _node(node)) if node % members else "",
        "star": lambda node: (
            statement(_node(node // members * members), SAME_AS, _node(node)) if node % members else ""
        ),
        "identifier": lambda node: statement(_node(node), IDENTIFIER, f"<{GRAPH}identifier{node // members}>"),
    }
    if links not in linking:
        raise DatasetError(f"links must be one of {', '.join(EQUALITY_LINKS)}, not {links!r}")
    ontology = (
        _declare(KNOWS)
        + _declare(RELATED)
        + statement(KNOWS, SUB_PROPERTY_OF, RELATED)
        + _declare(IDENTIFIER, INVERSE_FUNCTIONAL_PROPERTY)
    )

    def facts() -> Iterator[str]:
        draw = Draw("equality classes", seed)
        nodes = range(classes * members)
        yield from _blocks(filter(None, map(linking[links], nodes)))
        yield from _blocks(
            statement(_node(node), KNOWS, _node(draw.below(len(nodes))))
            for node in nodes
            for _ in range(facts_per_member)
        )

    return Dataset(ontology, facts)


def _node(number: int) -> str:
    return f"<{GRAPH}n{number}>"


def _declare(property: str, *kinds: str) -> str:
    return "".join(statement(property, TYPE, kind) for kind in (OBJECT_PROPERTY, *kinds))


def _transitive() -> str:
    return _declare(PATH, TRANSITIVE_PROPERTY)


def _pair(index: int) -> tuple[int, int]:
    """Return the pair i < j with the given place in (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    j = (1 + isqrt(1 + 8 * index)) // 2
    return index - j * (j - 1) // 2, j


def _edges(property: str, pairs: Iterable[tuple[int, int]]) -> Iterator[str]:
    return _blocks(f"<{GRAPH}n{i}> {property} <{GRAPH}n{j}> .\n" for i, j in pairs)


def _blocks(lines: Iterable[str]) -> Iterator[str]:
    iterator = iter(lines)
    while block := "".join(islice(iterator, BLOCK)):
        yield block
