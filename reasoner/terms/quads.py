"""Quads as users write and change them: triples in the default graph, or in graphs that have names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from loaders.errors import ReasonerError
from reasoner.terms.term import TextTriple
from reasoner.terms.triple_text import TermError, canonical_term, text_of

# The text of a graph's name; None is the default graph.
GraphName = str | None

# Subject, predicate, object and graph.
TextQuad = tuple[str, str, str, GraphName]

# In place of a graph: all of them. It is the text of no term.
EVERYWHERE = "*"

# Names of graphs that can be asked and not changed: everything that holds, what is asserted in some graph, the rest of
# what holds, and what the default graph itself asserts.
CLOSURE = "<urn:reasoner:closure>"
ASSERTED = "<urn:reasoner:asserted>"
INFERRED = "<urn:reasoner:inferred>"
OWN = "<urn:reasoner:default>"
PSEUDO_GRAPHS = (CLOSURE, ASSERTED, INFERRED, OWN)
_RESERVED = "<urn:reasoner:"

# What is wanted of one triple: where it is to be, in the order in which that was said. Leaving every graph comes first.
_Wish = tuple[tuple[GraphName, bool], ...]


@dataclass(frozen=True, slots=True)
class QuadRequest:
    """Triples that leave all graphs, then those that leave some, then those that come, each by graph."""

    everywhere: list[TextTriple] = field(default_factory=list)
    removed: dict[GraphName, list[TextTriple]] = field(default_factory=dict)
    added: dict[GraphName, list[TextTriple]] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Whether nothing in it depends on graphs, as long as the store has none."""
        return not self.removed.keys() - {None} and not self.added.keys() - {None}

    def coming(self) -> list[TextTriple]:
        """Return the triples that are to be in some graph."""
        return list(dict.fromkeys(triple for triples in self.added.values() for triple in triples))

    def going(self) -> list[TextTriple]:
        """Return the triples that are to leave some graph and to join none."""
        leaving = (*self.everywhere, *(triple for triples in self.removed.values() for triple in triples))
        coming = set(self.coming())
        return [triple for triple in dict.fromkeys(leaving) if triple not in coming]


class PendingQuads:
    """Collects what is wanted of quads; what is said later about a quad counts.

    >>> wanted = PendingQuads()
    >>> wanted.add([("<s>", "<p>", "<o>")], "<g>")
    >>> wanted.remove([("<s>", "<p>", "<o>")])
    >>> wanted.add([("<s>", "<p>", "<o>")])
    >>> wanted.request()
    QuadRequest(everywhere=[('<s>', '<p>', '<o>')], removed={}, added={None: [('<s>', '<p>', '<o>')]})
    """

    def __init__(self) -> None:
        self._wishes: dict[TextTriple, _Wish] = {}

    def __bool__(self) -> bool:
        return bool(self._wishes)

    def __len__(self) -> int:
        """Count the triples that something was said about."""
        return len(self._wishes)

    def __iter__(self) -> Iterator[TextTriple]:
        return iter(self._wishes)

    def wish(self, triple: TextTriple) -> dict[GraphName, bool]:
        """Return what was said about a triple, by graph; ``EVERYWHERE`` is among them if it is to leave all others."""
        return dict(self._wishes.get(triple, ()))

    def add(self, triples: Iterable[TextTriple], graph: GraphName = None) -> None:
        """Let triples be in a graph."""
        wishes = self._wishes
        for triple in triples:
            wishes[triple] = _said(wishes.get(triple, ()), graph, True)

    def remove(self, triples: Iterable[TextTriple], graph: GraphName = EVERYWHERE) -> None:
        """Let triples leave a graph, or all of them."""
        wishes = self._wishes
        for triple in triples:
            wishes[triple] = _said(wishes.get(triple, ()), graph, False)

    def update(self, later: PendingQuads) -> None:
        """Let what was collected elsewhere follow."""
        for triple, wish in later._wishes.items():
            for graph, comes in wish:
                self._wishes[triple] = _said(self._wishes.get(triple, ()), graph, comes)

    def comes(self, triple: TextTriple, later: PendingQuads | None = None) -> bool:
        """Tell whether a triple that something was said about is to be in some graph, with what is said later."""
        return any(comes for _, comes in self._followed_by(triple, later))

    def pass_on(self, triple: TextTriple, later: PendingQuads) -> None:
        """Forget what was said about a triple, and let it precede what was said about it elsewhere."""
        later._wishes[triple] = self._followed_by(triple, later)
        del self._wishes[triple]

    def _followed_by(self, triple: TextTriple, later: PendingQuads | None) -> _Wish:
        wish = self._wishes[triple]
        for graph, comes in later._wishes.get(triple, ()) if later is not None else ():
            wish = _said(wish, graph, comes)
        return wish

    def clear(self) -> None:
        """Forget everything."""
        self._wishes.clear()

    def request(self) -> QuadRequest:
        """Return what it comes down to."""
        request = QuadRequest()
        for triple, wish in self._wishes.items():
            for graph, comes in wish:
                if graph == EVERYWHERE:
                    request.everywhere.append(triple)
                else:
                    (request.added if comes else request.removed).setdefault(graph, []).append(triple)
        return request


@lru_cache(maxsize=1 << 12)
def _said(wish: _Wish, graph: GraphName, comes: bool) -> _Wish:
    """Add to a wish; there are few different ones, so that each is made and kept once."""
    if graph == EVERYWHERE:
        return ((EVERYWHERE, False),)
    return (*(entry for entry in wish if entry[0] != graph), (graph, comes))


def checked_graph(graph: GraphName, *, pseudo: bool = False) -> GraphName:
    """Return the canonical name of a graph that can be changed, or with ``pseudo`` also of one that can be asked.

    An IRI may be written without its angle brackets.

    >>> checked_graph("http://e.org/g")
    '<http://e.org/g>'
    """
    if graph is None:
        return None
    text = text_of(graph) if isinstance(graph, str) else '"'
    if text.startswith('"'):
        raise TermError(graph, "is no name for a graph, which is an IRI or a blank node")
    name = canonical_term(text if text.startswith(("<", "_:")) else f"<{text}>")
    if name.startswith(_RESERVED):
        if name not in PSEUDO_GRAPHS:
            raise ReasonerError(f"there is no graph {name}; those of this kind are {', '.join(PSEUDO_GRAPHS)}")
        if not pseudo:
            raise ReasonerError(f"the graph {name} can be asked and not changed; use a name of your own")
    return name
