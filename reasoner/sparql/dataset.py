"""The graphs that a query may read: the closure as the default graph, and named graphs, the store's or the user's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from reasoner.columnar.factset import FactSet
from reasoner.quads import ASSERTED, CLOSURE, INFERRED, OWN, PSEUDO_GRAPHS, checked_graph
from reasoner.sparql.errors import UnsupportedQueryError
from reasoner.sparql.graph import Graph, merged
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from reasoner.columnar.expand import Columns
    from reasoner.columnar.store import ColumnarStore

NamedGraphs = Mapping[str, Iterable[TextTriple]]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A default graph, and named graphs by the text of their names.

    ``find`` gives any graph that a query may name: more than there are named graphs, as FROM may name those of our own.
    ``closure`` is everything that holds, part of the dataset or not: all classes of equal terms are of it.
    """

    default: Graph
    named: Mapping[str, Graph]
    find: Callable[[str], Graph]
    closure: Graph


def dataset_of(
    store: ColumnarStore, graphs: NamedGraphs | None = None, *, expand: bool = True, reflexive: bool = False
) -> Dataset:
    """Return the dataset of a store.

    Its default graph is everything that holds; with ``reflexive`` every term equals itself in it. Its named graphs are
    those of the store, or ``graphs``, by name, in their place. A named graph holds what was asserted in it, term by
    term: nothing is inferred within it, and a term is not replaced by one that is equal to it. GRAPH and FROM may also
    name the graphs of ``reasoner.quads``.
    """
    views = _views_of(store)
    default = views.closure(store, expand, reflexive)
    if graphs is None:
        named = _StoreGraphs(store, views, expand)
        return Dataset(default, named, named.__getitem__, default)
    given = {
        name if name.startswith(("<", "_:")) else f"<{name}>": Graph(
            FactSet.of_columns(*store.encode(triples)), store.dictionary
        )
        for name, triples in graphs.items()
    }

    def find(name: str) -> Graph:
        if name not in given:
            listed = ", ".join(sorted(given)) or "none"
            raise UnsupportedQueryError(f"there is no graph {name}; the graphs given are: {listed}")
        return given[name]

    return Dataset(default, given, find, default)


def dataset_for(default: Sequence[str] | None, named: Sequence[str] | None, dataset: Dataset) -> Dataset:
    """Return the dataset that FROM, USING or WITH describe: the names of graphs that become its parts.

    None leaves a part as it is in the dataset given. What becomes the default graph is merged.
    """
    if default is None and named is None:
        return dataset
    if default is None:
        merge = dataset.default
    else:
        graphs = {id(graph): graph for graph in map(dataset.find, default)}
        # All graphs of a store are parts of its closure.
        whole = [graph for graph in graphs.values() if graph is dataset.closure]
        single = whole or list(graphs.values())
        merge = single[0] if len(single) == 1 else merged(single, dataset.default.dictionary)
    chosen = dataset.named if named is None else {name: dataset.find(name) for name in named}
    return Dataset(merge, chosen, dataset.find, dataset.closure)


class _Views:
    """The graphs of one state of a store, made when they are asked for; what is found out about them is kept."""

    def __init__(self, store: ColumnarStore) -> None:
        self.state = store.state
        self.dictionary = store.dictionary
        self._closures: dict[tuple[bool, bool], Graph] = {}
        self._graphs: dict[str, Graph] = {}

    def closure(self, store: ColumnarStore, expand: bool, reflexive: bool = False) -> Graph:
        """Return everything that holds."""
        key = (expand, reflexive)
        if key not in self._closures:
            state, own = self.state, store.own_equalities(self.state, reflexive=reflexive)
            self._closures[key] = Graph(
                state.facts, self.dictionary, state.representatives, expand=expand, own=own, values=state.values
            )
        return self._closures[key]

    def graph(self, name: str, facts: Callable[[], FactSet]) -> Graph:
        """Return the graph of a name, made of some facts if it is not there yet."""
        if name not in self._graphs:
            self._graphs[name] = Graph(facts(), self.dictionary)
        return self._graphs[name]


# What is found out about a state of a store is kept as long as the store is in that state.
_views: WeakKeyDictionary[ColumnarStore, _Views] = WeakKeyDictionary()


def _views_of(store: ColumnarStore) -> _Views:
    views = _views.get(store)
    if views is None or views.state is not store.state:
        views = _views[store] = _Views(store)
    return views


class _StoreGraphs(Mapping[str, Graph]):
    """The named graphs of a store.

    Asking for any other name gives an empty graph, or a graph of our own; these are not listed among the others.
    """

    def __init__(self, store: ColumnarStore, views: _Views, expand: bool) -> None:
        self._store = store
        self._views = views
        self._expand = expand

    def __getitem__(self, name: str) -> Graph:
        checked_graph(name, pseudo=True)
        return (
            self._views.closure(self._store, self._expand)
            if name == CLOSURE
            else self._views.graph(name, lambda: self._of(name))
        )

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        id = self._store.dictionary.lookup(name)
        if id is not None and id in self._views.state.graphs.named:
            return True
        return checked_graph(name, pseudo=True) in PSEUDO_GRAPHS

    def __iter__(self) -> Iterator[str]:
        return map(self._store.dictionary.text, self._views.state.graphs)

    def __len__(self) -> int:
        return len(self._views.state.graphs.named)

    def _of(self, name: str) -> FactSet:
        state = self._views.state
        if name == ASSERTED:
            return state.explicit
        if name == OWN:
            return state.graphs.default(state.explicit)
        if name == INFERRED:
            return _facts(list(self._store.pieces(inferred_only=True, state=state)))
        id = self._store.dictionary.lookup(name)
        return FactSet() if id is None else state.graphs.graph(id)


def _facts(pieces: list[Columns]) -> FactSet:
    if not pieces:
        return FactSet()
    predicates = [np.full(s.size, predicate, dtype=np.int64) for s, predicate, _ in pieces]
    subjects, objects = [s for s, _, _ in pieces], [o for _, _, o in pieces]
    return FactSet.of_columns(*map(np.concatenate, (subjects, predicates, objects)))
