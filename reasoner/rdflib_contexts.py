"""What rdflib calls contexts: which graph of a reasoner each of them stands for, and what that graph holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph, Graph
from rdflib.term import BNode

from loaders.terms import from_rdflib, to_rdflib
from reasoner.columnar.pattern_lookup import PatternLookup
from reasoner.columnar.representatives import Representatives
from reasoner.quads import CLOSURE, EVERYWHERE, GraphName, checked_graph

if TYPE_CHECKING:
    from rdflib.store import Store

    from reasoner.columnar.store import ColumnarStore, Snapshot


class Contexts:
    """The graphs of one store of rdflib.

    - No context, a conjunctive graph or a dataset, and a graph without a name of its own (``Graph(store=...)``, whose
      identifier is a new blank node) are the whole store: they read the closure, write to the default graph, and
      remove from all graphs.
    - The default graph of a dataset reads the closure too, and removes only what it asserts itself.
    - Any other graph is the named graph of its identifier, and reads what is asserted in it.

    A graph that asserts nothing is remembered if it was added as a graph, for as long as this object lives.
    """

    def __init__(self, owner: Store) -> None:
        self._owner = owner
        self._added: dict[str, None] = {}
        self._state: Snapshot | None = None
        self._lookups: dict[GraphName, PatternLookup] = {}

    def name(self, context: Any, store: ColumnarStore) -> GraphName:
        """Return the name of the graph that a context stands for; None is the default graph, ``*`` the whole store."""
        if context is None or isinstance(context, ConjunctiveGraph):
            return EVERYWHERE
        identifier = context.identifier if isinstance(context, Graph) else context
        if identifier == DATASET_DEFAULT_GRAPH_ID:
            return None
        text = from_rdflib(identifier)
        if isinstance(identifier, BNode) and text not in self._added and not _is_graph(text, store):
            return EVERYWHERE
        return checked_graph(text, pseudo=True)

    def remember(self, graph: Graph) -> None:
        """Let a graph be there, empty as it may be; from now on a blank node may be its name."""
        if graph.identifier != DATASET_DEFAULT_GRAPH_ID and not isinstance(graph, ConjunctiveGraph):
            self._added[str(checked_graph(from_rdflib(graph.identifier)))] = None

    def forget(self, name: GraphName) -> None:
        """Let a graph be there only if it asserts something."""
        self._added.pop(str(name), None)

    def all(self, store: ColumnarStore) -> Iterator[Graph]:
        """Yield the named graphs."""
        texts = map(store.dictionary.text, store.state.graphs)
        yield from map(self._named, dict.fromkeys([*texts, *self._added]))

    def holding(self, store: ColumnarStore, s: int, p: int, o: int) -> Iterator[Graph]:
        """Yield the graphs of a triple that holds: those that assert it, and the default graph if no other does."""
        state, found = store.state, False
        if state.graphs and self._is_among(state.graphs.counts.facts, s, p, o):
            found = True
            for id in state.graphs:
                if self._is_among(state.graphs.graph(id), s, p, o):
                    yield self._named(store.dictionary.text(id))
        if not found or self._is_among(state.graphs.shared, s, p, o):
            yield self.default

    @property
    def default(self) -> Graph:
        """The default graph of a dataset."""
        return Graph(self._owner, DATASET_DEFAULT_GRAPH_ID)

    def lookup(self, name: GraphName, store: ColumnarStore) -> PatternLookup:
        """Return a graph to be asked with patterns; the lookups of one state are kept."""
        from reasoner.sparql.dataset import dataset_of

        if self._state is not store.state:
            self._state = store.state
            self._lookups.clear()
        name = CLOSURE if name in (None, EVERYWHERE) else name
        if name not in self._lookups:
            assert name is not None
            graph = dataset_of(store).find(name)
            mapping = graph.mapping if name == CLOSURE else Representatives()
            self._lookups[name] = PatternLookup(graph.facts, mapping, store.dictionary, graph.own, graph.values)
        return self._lookups[name]

    def _named(self, text: str) -> Graph:
        return Graph(self._owner, to_rdflib(text))

    def _is_among(self, facts: Any, s: int, p: int, o: int) -> bool:
        return bool((facts.table(p).objects_of(s) == o).any()) if p in facts else False


def _is_graph(text: str, store: ColumnarStore) -> bool:
    id = store.dictionary.lookup(text)
    return id is not None and id in store.state.graphs.named
