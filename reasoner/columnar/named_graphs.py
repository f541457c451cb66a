"""Named graphs as sorted columns of quads, of which a graph becomes a fact set when somebody asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from reasoner.columnar.factset import FactSet, group_rows
from reasoner.columnar.kernels import NO_KEYS, Ids, Keys, expand, pack, swap, unpack
from reasoner.columnar.multiset import ColumnarMultiset, counted
from reasoner.vocabulary import TYPE

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
