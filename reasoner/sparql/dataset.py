"""The graphs that a query may read: the closure as the default graph, and named graphs, the store's or the user's.

One graph that a query reads: facts over representatives, and how they stand for the closure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import NO_KEYS, Ids, sort_distinct
from reasoner.columnar.literal_values import spellings_of
from reasoner.columnar.own_equalities import OwnEqualities
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.table import Table, table_of
from reasoner.sparql.errors import UnsupportedQueryError
from reasoner.terms.quads import ASSERTED, CLOSURE, INFERRED, OWN, PSEUDO_GRAPHS, checked_graph
from reasoner.terms.term import OCCURS, SAME, TYPE, TextTriple

if TYPE_CHECKING:
    from reasoner.columnar.expand import Columns
    from reasoner.columnar.store import ColumnarStore

# Rows are few of a table if there are so many times as many facts in it.
_FEW_OF = 16


class Graph:
    """Facts with the mapping that they are normal under.

    ``mapping`` brings constants to representatives. ``classes`` are the classes that answers are written out for: the
    mapping itself, or nothing if representatives are answer enough. ``own`` are the equalities of a term with itself
    that are answers, as they are without a mapping to representatives. ``values`` are the equalities between
    literals of one value: a literal in a pattern asks for all of them, a variable joins literals as they are written.
    """

    def __init__(
        self,
        facts: FactSet,
        dictionary: Dictionary,
        mapping: Representatives | None = None,
        *,
        expand: bool = True,
        own: OwnEqualities | None = None,
        values: FactSet | None = None,
    ) -> None:
        self.facts = facts
        self.dictionary = dictionary
        self.mapping = mapping or Representatives()
        self.classes = self.mapping if expand else Representatives()
        own = OwnEqualities() if own is None else own
        self.own = own if expand else own.folded(self.mapping)
        self.values = FactSet() if values is None else values
        self._with_literal_subjects: dict[int, bool] = {}
        self._names: dict[int, list[int]] = {}
        # What queries found out and the next ones can use: ids of constants, texts of ids, orders of joins.
        self.constants: dict[str, int] = {}
        self.texts: dict[int, str] = {}
        self.orders: dict[int, tuple[tuple[object, object], list[Any]]] = {}

    def spellings(self, id: int) -> Ids:
        """Return the terms that a constant of a pattern asks for: a literal is asked for by value."""
        return spellings_of(self.values, id)

    @cached_property
    def predicates(self) -> list[int]:
        """The predicates of stored facts, as representatives."""
        return [predicate for predicate in self.facts if predicate != OCCURS]

    @cached_property
    def readable_predicates(self) -> list[int]:
        """The predicates of stored facts, and equality where there can be equalities that are not stored."""
        return [*self.predicates, SAME] if self.equates and SAME not in self.predicates else self.predicates

    def table(self, predicate: int) -> Table:
        """Return the facts of a predicate, given as a representative."""
        return self.facts.table(predicate if predicate != OCCURS else -1)

    def names(self, predicate: int) -> list[int]:
        """Return the IRIs that a predicate is known under."""
        known = self._names.get(predicate)
        if known is None:
            members = self.classes.class_of(predicate).tolist() if self.classes else [predicate]
            texts = self.dictionary.decode(np.array(members))
            known = [name for name, text in zip(members, texts, strict=True) if text.startswith("<")]
            self._names[predicate] = known
        return known

    def may_have_literal_subjects(self, predicate: int, rows: int) -> bool:
        """Tell whether rows of a table have to be looked at for literals; a look at few costs less than to know."""
        if predicate not in self._with_literal_subjects and rows * _FEW_OF < self.table(predicate).size:
            return True
        return self.has_literal_subjects(predicate)

    def has_literal_subjects(self, predicate: int) -> bool:
        """Tell whether a table holds facts about literals, which are no RDF and never an answer."""
        known = self._with_literal_subjects.get(predicate)
        if known is None:
            literal = self.dictionary.literal_mask()
            known = bool(literal[self.table(predicate).pairs()[0]].any())
            self._with_literal_subjects[predicate] = known
        return known

    @cached_property
    def equates(self) -> bool:
        """Whether there can be equalities that are not stored."""
        return bool(self.classes) or self.own.may_exist

    @cached_property
    def has_equality_aliases(self) -> bool:
        """Whether owl:sameAs equals another term."""
        return bool(self.classes) and self.classes.class_of(SAME).size > 1

    @cached_property
    def equal_resources(self) -> tuple[Ids, Ids, Ids]:
        """The classes of two or more resources: where each begins and ends, and all their members in a row."""
        _, ends, members = self.classes.classes()
        literal = self.dictionary.literal_mask()[members] if members.size else np.empty(0, dtype=np.bool_)
        if not literal.any():
            return np.concatenate(([0], ends[:-1])).astype(np.int64) if ends.size else ends, ends, members
        owner = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))[~literal]
        counts = np.bincount(owner, minlength=ends.size)
        large = counts > 1
        stops = np.cumsum(counts)
        return (stops - counts)[large], stops[large], members[~literal]

    @cached_property
    def nodes(self) -> Ids:
        """The subjects and objects of the graph, every equal term for itself."""
        literal = self.dictionary.literal_mask()
        parts: list[Ids] = [NO_KEYS]
        for predicate in self.predicates:
            if not self.names(predicate):
                continue
            s, o = self.table(predicate).pairs()
            if self.has_literal_subjects(predicate):
                s, o = s[~literal[s]], o[~literal[s]]
            if self.own.hides(predicate):
                s, o = s[s != o], o[s != o]
            parts += [s, o]
        _, found = self.classes.expanded(sort_distinct(np.concatenate(parts)))
        starts, stops, members = self.equal_resources
        inside = [members[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
        return sort_distinct(np.concatenate([found, *inside, *(terms for _, terms in self.own)]))


def merged(graphs: list[Graph], dictionary: Dictionary) -> Graph:
    """Return the merge of graphs, as FROM asks for it; their equalities are facts like any other."""
    facts = FactSet()
    for graph in graphs:
        facts = facts.union(graph.facts.difference(facts))
    return Graph(facts, dictionary)


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
    name the graphs of ``reasoner.terms.quads``.
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
            return facts_of_pieces(self._store.pieces(inferred_only=True, state=state))
        id = self._store.dictionary.lookup(name)
        return FactSet() if id is None else state.graphs.graph(id)


def facts_of_pieces(pieces: Iterable[Columns]) -> FactSet:
    """Return facts that came as subjects, a predicate and objects, piece by piece."""
    parts: dict[int, list[tuple[Ids, Ids]]] = defaultdict(list)
    for s, predicate, o in pieces:
        parts[predicate].append((s, o))
    return FactSet(
        {
            predicate: table_of(*map(np.concatenate, zip(*columns, strict=True)), by_object=predicate == TYPE)
            for predicate, columns in parts.items()
        }
    )
