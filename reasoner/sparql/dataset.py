"""The graphs that a query may read: the closure as the default graph, and named graphs if any are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from reasoner.columnar.factset import FactSet
from reasoner.sparql.algebra import Query
from reasoner.sparql.errors import UnsupportedQueryError
from reasoner.sparql.graph import Graph, merged
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore, Snapshot

NamedGraphs = Mapping[str, Iterable[TextTriple]]

# What is found out about a state of a store is kept as long as the store is in that state.
_views: WeakKeyDictionary[ColumnarStore, tuple[Snapshot, dict[bool, Graph]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Dataset:
    """A default graph and named graphs by the text of their names; None if nobody said which named graphs there are."""

    default: Graph
    named: Mapping[str, Graph] | None


def dataset_of(store: ColumnarStore, graphs: NamedGraphs | None = None, *, expand: bool = True) -> Dataset:
    """Return the dataset of a store.

    The store keeps one graph, so that named graphs are given beside it: by the text of their name, their triples. They
    are asked as they are, and not reasoned over.
    """
    named = None
    if graphs is not None:
        named = {
            name if name.startswith(("<", "_:")) else f"<{name}>": Graph(
                FactSet.of_columns(*store.encode(triples)), store.dictionary
            )
            for name, triples in graphs.items()
        }
    return Dataset(_view(store, expand), named)


def dataset_for(query: Query, dataset: Dataset) -> Dataset:
    """Return the dataset that the FROM clauses of a query describe, or the one given if it has none."""
    if query.default is None or query.named is None:
        return dataset
    if dataset.named is None:
        raise UnsupportedQueryError(
            "FROM needs named graphs, and the store keeps all triples in one graph; leave FROM out, or give graphs"
        )
    known = dataset.named
    for name in (*query.default, *query.named):
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise UnsupportedQueryError(f"there is no graph {name}; the graphs given are: {listed}")
    default = merged([known[name] for name in query.default], dataset.default.dictionary)
    return Dataset(default, {name: known[name] for name in query.named})


def _view(store: ColumnarStore, expand: bool) -> Graph:
    state, views = _views.get(store, (None, {}))
    if state is not store.state:
        state, views = store.state, {}
        _views[store] = (state, views)
    if expand not in views:
        views[expand] = Graph(
            state.facts, store.dictionary, state.representatives, expand=expand, hide_reflexive=store.axioms
        )
    return views[expand]
