"""A set of facts as one table per predicate, immutable and cheap to extend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from reasoner.columnar.kernels import NO_KEYS, Ids, Keys, sort_distinct
from reasoner.columnar.table import Table, table_of
from reasoner.vocabulary import TYPE

_NARROW = (1 << 16) - 1
_EMPTY = Table((), by_object=False)
_EMPTY_TYPE = Table((), by_object=True)


class FactSet:
    """An immutable set of facts over ids. rdf:type is kept object first, because it is read by class."""

    __slots__ = ("_classes", "_tables")

    def __init__(self, tables: Mapping[int, Table] | None = None) -> None:
        self._tables = {p: table for p, table in (tables or {}).items() if table.size}
        self._classes: frozenset[int] | None = None

    @classmethod
    def of_columns(cls, s: Ids, p: Ids, o: Ids) -> FactSet:
        """Make a set of facts from three columns, in any order and with repetitions."""
        if s.size == 0:
            return cls()
        tables = {}
        for predicate, rows in group_rows(p):
            tables[predicate] = table_of(s[rows], o[rows], by_object=predicate == TYPE)
        return cls(tables)

    def __iter__(self) -> Iterator[int]:
        return iter(self._tables)

    def __len__(self) -> int:
        return sum(table.size for table in self._tables.values())

    def __contains__(self, predicate: int) -> bool:
        return predicate in self._tables

    def table(self, predicate: int) -> Table:
        """Return the table of a predicate, empty if it has no facts."""
        found = self._tables.get(predicate)
        if found is None:
            return _EMPTY_TYPE if predicate == TYPE else _EMPTY
        return found

    def reflexive(self, predicate: int) -> Ids:
        """Return the terms that a predicate relates to themselves, in order."""
        s, o = self.table(predicate).pairs()
        return sort_distinct(s[s == o])

    def classes(self) -> frozenset[int]:
        """Return the classes that the facts of rdf:type name."""
        if self._classes is None:
            self._classes = frozenset(self.table(TYPE).objects().tolist())
        return self._classes

    @property
    def nbytes(self) -> int:
        return sum(table.nbytes for table in self._tables.values())

    def with_tables(self, changed: Mapping[int, Table]) -> FactSet:
        """Return this set with some predicates' tables replaced."""
        if not changed:
            return self
        result = FactSet()
        result._tables = {**self._tables, **changed}
        for predicate, table in changed.items():
            if not table.size:
                del result._tables[predicate]
        return result

    def only(self, predicates: Iterable[int]) -> FactSet:
        """Return the facts of some of its predicates."""
        return FactSet({predicate: self._tables[predicate] for predicate in predicates})

    def columns(self) -> tuple[Ids, Ids, Ids]:
        """Return all facts as three columns."""
        parts: list[tuple[Ids, Ids, Ids]] = []
        for predicate, table in self._tables.items():
            s, o = table.pairs()
            parts.append((s, np.full(s.size, predicate, dtype=np.int64), o))
        if not parts:
            return NO_KEYS, NO_KEYS, NO_KEYS
        return (
            np.concatenate([part[0] for part in parts]),
            np.concatenate([part[1] for part in parts]),
            np.concatenate([part[2] for part in parts]),
        )

    def union(self, other: FactSet) -> FactSet:
        """Return the union with a set that is disjoint from this one; runs are shared."""
        return self.with_tables(
            {
                predicate: self._tables[predicate].with_facts_of(table) if predicate in self._tables else table
                for predicate, table in other._tables.items()
            }
        )

    def difference(self, other: FactSet) -> FactSet:
        """Return the facts that are not in the other set."""
        own, others = self._tables, other._tables
        shared = [p for p in others if p in own] if len(others) < len(own) else [p for p in own if p in others]
        return self.with_tables({p: own[p].minus(others[p]) for p in shared})

    def intersection(self, other: FactSet) -> FactSet:
        """Return the facts that are in both sets, given that this one is the smaller."""
        own, others = self._tables, other._tables
        return FactSet({p: own[p].within(others[p]) for p in own if p in others})


def facts_of_keys(parts: Mapping[int, list[Keys]]) -> FactSet:
    """Make a set of facts from main-order keys per predicate, in any order and with repetitions."""
    tables = {}
    for predicate, keys in parts.items():
        joined = keys[0] if len(keys) == 1 else np.concatenate(keys)
        tables[predicate] = Table.of_keys(sort_distinct(joined), by_object=predicate == TYPE)
    return FactSet(tables)


def group_rows(values: Ids) -> Iterable[tuple[int, Ids]]:
    """Yield each distinct value with the rows that hold it."""
    if values.size == 0:
        return
    first = int(values[0])
    if (values == first).all():
        yield first, np.arange(values.size)
        return
    order = np.argsort(_narrow(values), kind="stable")
    ordered = values[order]
    cuts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    starts = np.concatenate(([0], cuts))
    yield from zip(ordered[starts].tolist(), np.split(order, cuts), strict=True)


def _narrow(values: Ids) -> np.ndarray[tuple[int], np.dtype[np.uint16]] | Ids:
    """Return 16-bit codes in the order of the values where that is possible, because these are sorted by radix."""
    if int(values.max()) <= _NARROW:
        return values.astype(np.uint16)
    if values.size > _NARROW:
        distinct = sort_distinct(values)
        if distinct.size <= _NARROW:
            return distinct.searchsorted(values).astype(np.uint16)
    return values
