"""Which graphs assert which explicit facts: named graphs as fact sets, and how a change goes through them.

Named graphs as sorted columns of quads, of which a graph becomes a fact set when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reasoner.columnar.factset import FactSet, group_rows
from reasoner.columnar.kernels import NO_KEYS, Ids, Keys, expand, pack, swap, unpack
from reasoner.columnar.multiset import ColumnarMultiset, counted
from reasoner.terms.term import TYPE

# Graphs that changed are kept beside the columns until they are this many, and hold this part of all quads.
_MOST_CHANGED = 64
_MERGE_RATIO = 4


class QuadColumns:
    """Distinct quads that never change, sorted by graph, predicate, subject and object.

    ``ids`` are the graphs and ``starts`` where each begins; of a quad, its predicate and its packed subject and object
    are kept. Fact sets of graphs, and the order by fact, are made on first use and kept.
    """

    __slots__ = ("_by_fact", "_made", "ids", "keys", "p", "starts")

    def __init__(self, g: Ids = NO_KEYS, s: Ids = NO_KEYS, p: Ids = NO_KEYS, o: Ids = NO_KEYS) -> None:
        """Take columns in any order and with repetitions."""
        keys = pack(s, o)
        order = np.lexsort((keys, p, g))
        g, p, keys = g[order], p[order], keys[order]
        fresh = np.ones(g.size, dtype=np.bool_)
        fresh[1:] = (g[1:] != g[:-1]) | (p[1:] != p[:-1]) | (keys[1:] != keys[:-1])
        g, self.p, self.keys = g[fresh], p[fresh].astype(np.int32), keys[fresh]
        begins = np.flatnonzero(np.append(True, g[1:] != g[:-1])) if g.size else NO_KEYS
        self.ids: Ids = g[begins]
        self.starts: Ids = np.append(begins, g.size)
        self._made: dict[int, FactSet] = {}
        self._by_fact: dict[int, tuple[Keys, Ids]] | None = None

    def __getstate__(self) -> tuple[Any, ...]:
        """Return what cannot be made again: another process makes the rest when it is asked for it."""
        return self.ids, self.starts, self.p, self.keys

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.ids, self.starts, self.p, self.keys = state
        self._made, self._by_fact = {}, None

    def __len__(self) -> int:
        return self.keys.size

    @property
    def nbytes(self) -> int:
        made = sum(facts.nbytes for facts in self._made.values())
        by_fact = sum(keys.nbytes + rows.nbytes for keys, rows in (self._by_fact or {}).values())
        return self.p.nbytes + self.keys.nbytes + self.ids.nbytes + self.starts.nbytes + made + by_fact

    def size(self, id: int) -> int:
        """Count the quads of a graph."""
        start, stop = self._range(id)
        return stop - start

    def graph(self, id: int) -> FactSet:
        """Return the facts of a graph."""
        found = self._made.get(id)
        if found is None:
            start, stop = self._range(id)
            s, o = unpack(self.keys[start:stop])
            found = self._made[id] = FactSet.of_columns(s, self.p[start:stop].astype(np.int64), o)
        return found

    def columns(self, without: Iterable[int] = ()) -> tuple[Ids, Ids, Ids, Ids]:
        """Return graph, subject, predicate and object of all quads but those of some graphs."""
        g = np.repeat(self.ids, np.diff(self.starts))
        left_out = np.fromiter(without, np.int64)
        rows = ~np.isin(g, left_out) if left_out.size else slice(None)
        s, o = unpack(self.keys[rows])
        return g[rows], s, self.p[rows].astype(np.int64), o

    def asserting(self, facts: FactSet) -> Ids:
        """Return the graphs that hold one of some facts; the cost follows these facts and the answer."""
        if self._by_fact is None:
            self._by_fact = {}
            for predicate, rows in group_rows(self.p.astype(np.int64)):
                order = rows[np.argsort(self.keys[rows], kind="stable")]
                self._by_fact[predicate] = self.keys[order], order
        found = [NO_KEYS]
        for predicate in facts:
            if predicate in self._by_fact:
                keys, rows = self._by_fact[predicate]
                asked = pack(*facts.table(predicate).pairs())
                _, position = expand(keys.searchsorted(asked), keys.searchsorted(asked, side="right"))
                found.append(rows[position])
        places = self.starts.searchsorted(np.concatenate(found), side="right") - 1
        graphs: Ids = self.ids[np.unique(places)]
        return graphs

    def counts(self) -> ColumnarMultiset:
        """Return how many graphs hold each fact."""
        amounts = {}
        for predicate, rows in group_rows(self.p.astype(np.int64)):
            keys = self.keys[rows]
            amounts[predicate] = [counted(swap(keys) if predicate == TYPE else keys)]
        return ColumnarMultiset.of_amounts(amounts)

    def _range(self, id: int) -> tuple[int, int]:
        place = int(self.ids.searchsorted(id))
        if place == self.ids.size or self.ids[place] != id:
            return 0, 0
        return int(self.starts[place]), int(self.starts[place + 1])


_NO_QUADS = QuadColumns()


class NamedGraphs(Mapping[int, FactSet]):
    """The facts of named graphs by id: columns of quads, and beside them the graphs that have changed since.

    Nothing in it ever changes; a graph without facts is none. Graphs that two of them share are the same object.
    """

    __slots__ = ("_base", "_changed", "_size")

    def __init__(self, base: QuadColumns | None = None, changed: Mapping[int, FactSet] | None = None) -> None:
        self._base = _NO_QUADS if base is None else base
        self._changed = changed or {}
        replaced = sum(1 for id in self._changed if self._base.size(id))
        self._size = self._base.ids.size - replaced + sum(1 for facts in self._changed.values() if len(facts))

    def __getitem__(self, id: int) -> FactSet:
        if id not in self:
            raise KeyError(id)
        return self._changed[id] if id in self._changed else self._base.graph(id)

    def __contains__(self, id: object) -> bool:
        return isinstance(id, int) and self.size(id) > 0

    def __iter__(self) -> Iterator[int]:
        unchanged = (id for id in self._base.ids.tolist() if id not in self._changed)
        return iter(sorted((*unchanged, *(id for id, facts in self._changed.items() if len(facts)))))

    def __len__(self) -> int:
        return self._size

    @property
    def nbytes(self) -> int:
        return self._base.nbytes + sum(facts.nbytes for facts in self._changed.values())

    def size(self, id: int) -> int:
        """Count the facts of a graph, without making a set of them."""
        return len(self._changed[id]) if id in self._changed else self._base.size(id)

    def columns(self) -> tuple[Ids, Ids, Ids, Ids]:
        """Return graph, subject, predicate and object of all quads."""
        parts = [self._base.columns(without=self._changed)]
        for id, facts in self._changed.items():
            parts.append((np.full(len(facts), id, dtype=np.int64), *facts.columns()))
        g, s, p, o = (np.concatenate([part[place] for part in parts]) for place in range(4))
        return g, s, p, o

    def asserting(self, facts: FactSet) -> list[int]:
        """Return all graphs that hold one of some facts, and perhaps some that do not."""
        found = (id for id in self._base.asserting(facts).tolist() if id not in self._changed)
        return [*found, *(id for id, held in self._changed.items() if len(held))]

    def differing(self, other: NamedGraphs) -> list[int]:
        """Return all graphs that differ from those of another state, and perhaps some that do not."""
        if self._base is not other._base:
            return sorted({*self, *other})
        ids = {*self._changed, *other._changed}
        return sorted(id for id in ids if self._changed.get(id) is not other._changed.get(id))

    def with_graphs(self, graphs: Mapping[int, FactSet]) -> NamedGraphs:
        """Return these graphs with some of them replaced; now and then all are brought into columns again."""
        after = NamedGraphs(self._base, {**self._changed, **graphs})
        if len(after._changed) > _MOST_CHANGED:
            held = sum(map(len, after._changed.values()))
            if held * _MERGE_RATIO > len(self._base) or len(after._changed) * _MERGE_RATIO > self._base.ids.size:
                return NamedGraphs(QuadColumns(*after.columns()))
        return after


# Stands for the default graph, which has no name and so no id.
DEFAULT = -1

# Quads in more graphs than these are not added graph by graph.
_FEW_GRAPHS = 64

_NOTHING = FactSet()
_NO_COUNTS = ColumnarMultiset(_NOTHING)


@dataclass(frozen=True, slots=True)
class QuadChange:
    """Facts that go and come, by graph; first ``everywhere`` leaves all graphs, then ``removed`` goes, ``added`` comes.

    What is added to a graph and also removed from it is in it afterwards.
    """

    everywhere: FactSet = _NOTHING
    removed: Mapping[int, FactSet] = field(default_factory=dict)
    added: Mapping[int, FactSet] = field(default_factory=dict)

    def touched(self) -> FactSet:
        """Return all facts that the change mentions."""
        sets = [facts for facts in (self.everywhere, *self.removed.values(), *self.added.values()) if len(facts)]
        if len(sets) < 3:
            return united(sets[0], sets[-1]) if sets else _NOTHING
        columns = [facts.columns() for facts in sets]
        return FactSet.of_columns(*(np.concatenate([column[place] for column in columns]) for place in range(3)))

    @property
    def names_graphs(self) -> bool:
        """Whether it says something about a named graph."""
        return bool(self.removed.keys() - {DEFAULT} or self.added.keys() - {DEFAULT})


@dataclass(frozen=True, slots=True, eq=False)
class GraphMemberships:
    """The named graphs of a state, by the id of their name; nothing in it ever changes.

    A fact is explicit if the default graph or a named one asserts it. What the default graph asserts is not stored
    again: it is the explicit facts that no named graph asserts, and ``shared``, those that both do. ``counts`` is how
    many named graphs assert each fact, so that taking a fact out of one graph asks no other. A store without named
    graphs has none of this.
    """

    named: NamedGraphs = field(default_factory=NamedGraphs)
    counts: ColumnarMultiset = _NO_COUNTS
    shared: FactSet = _NOTHING

    @classmethod
    def from_columns(cls, g: Ids, s: Ids, p: Ids, o: Ids) -> GraphMemberships:
        """Make memberships of what ``columns`` gives, in any order and with repetitions."""
        own = g == DEFAULT
        columns = QuadColumns(g[~own], s[~own], p[~own], o[~own])
        return cls(NamedGraphs(columns), columns.counts(), FactSet.of_columns(s[own], p[own], o[own]))

    def columns(self) -> tuple[Ids, Ids, Ids, Ids]:
        """Return graph, subject, predicate and object of all memberships, sorted by g, p, s, o.

        Only what is in a named graph is there: with the id of the graph, and with -1 if it is in the default one too.
        """
        shared = (np.full(len(self.shared), DEFAULT, dtype=np.int64), *self.shared.columns())
        g, s, p, o = (np.concatenate(pair) for pair in zip(shared, self.named.columns(), strict=True))
        order = np.lexsort((o, s, p, g))
        return g[order], s[order], p[order], o[order]

    def __bool__(self) -> bool:
        return bool(self.named)

    def __iter__(self) -> Iterator[int]:
        return iter(self.named)

    def __len__(self) -> int:
        """Count the memberships in named graphs."""
        return sum(map(self.named.size, self.named))

    @property
    def nbytes(self) -> int:
        """The memory of all columns; runs that graphs share with other sets of facts are counted here as well."""
        return self.named.nbytes + self.counts.facts.nbytes + self.shared.nbytes if self.named else 0

    def graph(self, id: int) -> FactSet:
        """Return what a named graph asserts."""
        return self.named.get(id, _NOTHING)

    def default(self, explicit: FactSet) -> FactSet:
        """Return what the default graph itself asserts, given all explicit facts."""
        return explicit.difference(self.counts.facts).union(self.shared) if self.named else explicit

    def default_among(self, facts: FactSet, explicit: FactSet) -> FactSet:
        """Return those of some facts, few as they may be, that the default graph itself asserts."""
        known = facts.intersection(explicit).difference(facts.intersection(self.counts.facts))
        return united(known, facts.intersection(self.shared))

    def by_graph(self, explicit: FactSet) -> Iterator[tuple[int, FactSet]]:
        """Yield every graph with what it asserts: the default graph first, then the others in the order of ids."""
        yield DEFAULT, self.default(explicit)
        yield from self.named.items()

    def with_quads(self, explicit: FactSet, g: Ids, s: Ids, p: Ids, o: Ids) -> tuple[FactSet, GraphMemberships]:
        """Return which facts are explicit now and were not, and the memberships, after quads have come.

        It is for many quads: where they are in many graphs, all memberships are sorted anew.
        """
        if len(named_in(g)) <= _FEW_GRAPHS:
            _, coming, graphs = self.changed(explicit, QuadChange(added=facts_by_graph(g, s, p, o)))
            return coming, graphs
        own, held = g == DEFAULT, self.named.columns()
        default = united(self.default(explicit), FactSet.of_columns(s[own], p[own], o[own]))
        columns = QuadColumns(*(np.concatenate((a, b[~own])) for a, b in zip(held, (g, s, p, o), strict=True)))
        counts = columns.counts()
        smaller, larger = sorted((default, counts.facts), key=len)
        coming = FactSet.of_columns(s, p, o).difference(explicit)
        return coming, GraphMemberships(NamedGraphs(columns), counts, smaller.intersection(larger))

    def changed(self, explicit: FactSet, change: QuadChange) -> tuple[FactSet, FactSet, GraphMemberships]:
        """Return which facts are explicit no more, which are so now, and the memberships after a change.

        The cost follows the change and the number of graphs in it.
        """
        if not self.named and not change.names_graphs:
            return *_plain(explicit, change), self
        touched = change.touched()
        known, named_before = touched.intersection(explicit), touched.intersection(self.counts.facts)
        default = self.default_among(touched, explicit)
        default = default.difference(change.everywhere).difference(change.removed.get(DEFAULT, _NOTHING))
        default = united(default, change.added.get(DEFAULT, _NOTHING))
        named, counts = self._named_after(change, named_before)
        asserted = touched.intersection(counts.facts)
        after = united(default, asserted)
        leaving, coming = known.difference(after), after.difference(known)
        shared_before, shared_after = touched.intersection(self.shared), default.intersection(asserted)
        if named is self.named and _are_equal(shared_before, shared_after):
            return leaving, coming, self
        shared = self.shared.difference(shared_before).union(shared_after)
        return leaving, coming, GraphMemberships(named, counts, shared)

    def _named_after(self, change: QuadChange, held: FactSet) -> tuple[NamedGraphs, ColumnarMultiset]:
        """Return the named graphs after a change, and their counts; ``held`` is what it mentions and they hold."""
        everywhere = change.everywhere.intersection(held)
        visited = self.named.asserting(everywhere) if len(everywhere) else ()
        after: dict[int, FactSet] = {}
        lost: list[FactSet] = []
        won: list[FactSet] = []
        for g in dict.fromkeys((*visited, *change.removed, *change.added)):
            if g == DEFAULT:
                continue
            before, coming = self.graph(g), change.added.get(g, _NOTHING)
            going = united(everywhere, change.removed.get(g, _NOTHING)).intersection(before).difference(coming)
            coming = coming.difference(before)
            if not len(going) and not len(coming):
                continue
            lost.append(going)
            won.append(coming)
            after[g] = before.difference(going).union(coming)
        if not after:
            return self.named, self.counts
        return self.named.with_graphs(after), self.counts.minus(_counted(lost)).plus(_counted(won))


def facts_by_graph(g: Ids, s: Ids, p: Ids, o: Ids) -> dict[int, FactSet]:
    """Return the facts of each graph of quads, in any order and with repetitions."""
    # Groups are found among numbers from 0 on.
    return {id - 1: FactSet.of_columns(s[rows], p[rows], o[rows]) for id, rows in group_rows(g + 1)}


def named_in(g: Ids) -> list[int]:
    """Return the ids of the named graphs in a column of graphs."""
    found: list[int] = np.unique(g[g >= 0]).tolist()
    return found


def _plain(explicit: FactSet, change: QuadChange) -> tuple[FactSet, FactSet]:
    coming = change.added.get(DEFAULT, _NOTHING)
    leaving = united(change.everywhere, change.removed.get(DEFAULT, _NOTHING))
    return leaving.intersection(explicit).difference(coming), coming.difference(explicit)


def united(left: FactSet, right: FactSet) -> FactSet:
    """Return the union of two sets that may overlap."""
    if right is left or not len(right):
        return left
    return left.union(right.difference(left))


def _are_equal(left: FactSet, right: FactSet) -> bool:
    return len(left) == len(right) and not len(left.difference(right))


def _counted(sets: Iterable[FactSet]) -> ColumnarMultiset:
    """Return how many of some sets hold each fact."""
    parts: dict[int, list[Keys]] = {}
    for facts in sets:
        for predicate in facts:
            parts.setdefault(predicate, []).append(facts.table(predicate).keys())
    # Most of the time there is one graph for each predicate, whose keys are sorted and distinct already.
    amounts = {
        predicate: [
            (keys[0], np.ones(keys[0].size, dtype=np.int64)) if len(keys) == 1 else counted(np.concatenate(keys))
        ]
        for predicate, keys in parts.items()
    }
    return ColumnarMultiset.of_amounts(amounts)


def lost_by_graphs(
    one: tuple[FactSet, GraphMemberships], other: tuple[FactSet, GraphMemberships]
) -> Iterator[tuple[int, FactSet]]:
    """Yield the graphs that assert something in one state and not in another, with that; cost follows the difference.

    A state is given by its explicit facts and its memberships.
    """
    (explicit, graphs), (others, other_graphs) = one, other
    pairs = [(explicit, others), (graphs.counts.facts, other_graphs.counts.facts), (graphs.shared, other_graphs.shared)]
    changed = _NOTHING
    for left, right in pairs:
        if left is not right:
            changed = united(united(changed, left.difference(right)), right.difference(left))
    default = graphs.default_among(changed, explicit).difference(other_graphs.default_among(changed, others))
    if len(default):
        yield DEFAULT, default
    for id in graphs.named.differing(other_graphs.named):
        before, after = graphs.graph(id), other_graphs.graph(id)
        if before is not after and len(lost := before.difference(after)):
            yield id, lost
