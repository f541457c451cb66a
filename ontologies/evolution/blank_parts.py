"""A graph as its ground triples and its parts that hang together by blank nodes, and when two such parts are the same.

A part is a minimal self-contained graph: triples, each with a blank node, connected by blank nodes that they share. Two
graphs are isomorphic if and only if their ground triples are equal and their parts can be paired off as isomorphic.

Whether two parts are isomorphic is found by colouring nodes by what surrounds them until that tells no more apart.
Where colours leave a choice, one node of one part is tried with every node of its colour in the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from ontologies.axioms import Triple

Colours = dict[str, str]


@dataclass(frozen=True)
class BlankPart:
    """Triples that hang together by their blank nodes; the order of the triples does not matter."""

    triples: tuple[Triple, ...]

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(term for triple in self.triples for term in triple if term.startswith("_:")))

    @cached_property
    def colours(self) -> Colours:
        return refined(self.triples, dict.fromkeys(self.nodes, ""))

    @cached_property
    def invariant(self) -> str:
        """What isomorphic parts have in common: a digest of all triples with colours for blank nodes."""
        return _signature(self.triples, self.colours)


def parts_of(triples: Iterable[Triple]) -> tuple[list[Triple], list[BlankPart]]:
    """Return the ground triples of a graph, and its parts with blank nodes, in the order in which they come."""
    ground: list[Triple] = []
    other: list[Triple] = []
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        while parent.setdefault(node, node) != node:
            parent[node] = node = parent[parent[node]]
        return node

    for triple in dict.fromkeys(triples):
        blank = [term for term in triple if term.startswith("_:")]
        (other if blank else ground).append(triple)
        if blank:
            parent[root(blank[-1])] = root(blank[0])
    grouped: dict[str, list[Triple]] = {}
    for triple in other:
        grouped.setdefault(root(next(term for term in triple if term.startswith("_:"))), []).append(triple)
    return ground, [BlankPart(tuple(group)) for group in grouped.values()]


def isomorphic(first: BlankPart, second: BlankPart) -> bool:
    """Tell whether two parts are the same but for the labels of their blank nodes."""
    if len(first.triples) != len(second.triples) or first.invariant != second.invariant:
        return False
    return _matches(first.triples, first.colours, second.triples, second.colours)


def isomorphic_graphs(first: Iterable[Triple], second: Iterable[Triple]) -> bool:
    """Tell whether two graphs are the same but for the labels of their blank nodes.

    >>> isomorphic_graphs([("_:a", "<p>", "_:b")], [("_:b", "<p>", "_:a")])
    True
    >>> isomorphic_graphs([("_:a", "<p>", "_:b")], [("_:a", "<p>", "_:a")])
    False
    """
    (ground, parts), (others, other_parts) = parts_of(first), parts_of(second)
    if set(ground) != set(others) or len(parts) != len(other_parts):
        return False
    return not any(group.surplus for group in paired(parts, other_parts))


@dataclass(slots=True)
class Alike:
    """Parts that are isomorphic to one another, of an old and of a new graph."""

    old: list[BlankPart]
    new: list[BlankPart]

    @property
    def surplus(self) -> int:
        """How many more there are in the new graph; negative if there are fewer."""
        return len(self.new) - len(self.old)


def paired(old: Iterable[BlankPart], new: Iterable[BlankPart]) -> list[Alike]:
    """Group the parts of two graphs by isomorphism."""
    buckets: dict[str, list[Alike]] = {}
    groups: list[Alike] = []
    for part, is_new in (*((part, False) for part in old), *((part, True) for part in new)):
        bucket = buckets.setdefault(part.invariant, [])
        for group in bucket:
            if isomorphic((group.old or group.new)[0], part):
                break
        else:
            group = Alike([], [])
            bucket.append(group)
            groups.append(group)
        (group.new if is_new else group.old).append(part)
    return groups


def refined(triples: Iterable[Triple], colours: Mapping[str, str]) -> Colours:
    """Colour nodes by what surrounds them, beginning with given colours, until that tells no more of them apart.

    Only terms that have a colour at the start are nodes; all others stand for themselves.
    """
    around: dict[str, list[tuple[int, Triple]]] = {node: [] for node in colours}
    for triple in triples:
        for place, term in enumerate(triple):
            if term in around:
                around[term].append((place, triple))
    current = dict(colours)
    kinds = len(set(current.values()))
    while True:
        fresh = {
            node: _digest(
                current[node],
                *sorted(
                    "\x1f".join(
                        [str(place), *("*" if at == place else _name(term, current) for at, term in enumerate(triple))]
                    )
                    for place, triple in edges
                ),
            )
            for node, edges in around.items()
        }
        count = len(set(fresh.values()))
        if count == kinds:
            # The last round told nothing apart; its colours are still finer in what they say than those before.
            return fresh
        current, kinds = fresh, count


def _matches(first: tuple[Triple, ...], own: Colours, second: tuple[Triple, ...], others: Colours) -> bool:
    """Tell whether the triples are the same under some pairing of nodes of one colour."""
    sizes = Counter(own.values())
    if sizes != Counter(others.values()):
        return False
    choice = min(
        (colour for colour, size in sizes.items() if size > 1), key=lambda colour: (sizes[colour], colour), default=None
    )
    if choice is None:
        return {_coloured(triple, own) for triple in first} == {_coloured(triple, others) for triple in second}
    node = next(node for node, colour in own.items() if colour == choice)
    marked = refined(first, {**own, node: "chosen"})
    signature = _signature(first, marked)
    for candidate in [node for node, colour in others.items() if colour == choice]:
        tried = refined(second, {**others, candidate: "chosen"})
        if _signature(second, tried) == signature and _matches(first, marked, second, tried):
            return True
    return False


def _signature(triples: tuple[Triple, ...], colours: Colours) -> str:
    return _digest(*sorted("\x1f".join(_coloured(triple, colours)) for triple in triples))


def _coloured(triple: Triple, colours: Colours) -> Triple:
    s, p, o = (_name(term, colours) for term in triple)
    return s, p, o


def _name(term: str, colours: Mapping[str, str]) -> str:
    return f"_:{colours[term]}" if term in colours else term


def _digest(*words: str) -> str:
    return blake2b("\x1e".join(words).encode(), digest_size=16).hexdigest()
