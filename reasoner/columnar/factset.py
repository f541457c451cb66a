"""A set of facts as one table per predicate, immutable and cheap to extend.

Which predicates have facts about a term, so that looking for them does not go from predicate to predicate.

Which predicates of facts are auxiliary classes, told by the text of each predicate once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView, Mapping

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.kernels import NO_KEYS, Ids, Keys, expand, pack, ranges, sort_distinct, unpack
from reasoner.columnar.memory import MemoryLimitError, require_memory
from reasoner.columnar.table import Table, table_of
from reasoner.rules.rule import is_auxiliary
from reasoner.terms.term import OCCURS, TYPE

_NARROW = (1 << 16) - 1
# The rows of a few values are found by a scan for each where they are many: sorting them takes 18 bytes a row.
_SCANNED_FROM = 1 << 20
_FEW = 32
# Fewer predicates than this are looked at one after the other.
_INDEXED_FROM = 64

_EMPTY = Table((), by_object=False)
_EMPTY_TYPE = Table((), by_object=True)


class FactSet:
    """An immutable set of facts over ids. rdf:type is kept object first, because it is read by class."""

    __slots__ = ("_classes", "_index", "_named", "_size", "_tables")

    def __init__(self, tables: Mapping[int, Table] | None = None) -> None:
        self._tables = {p: table for p, table in (tables or {}).items() if table.size}
        self._classes: frozenset[int] | None = None
        self._named: dict[int, bool] = {}
        self._index: PredicateIndex | None = None
        self._size: int | None = None

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
        if self._size is None:
            self._size = sum(table.size for table in self._tables.values())
        return self._size

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

    def predicates(self) -> KeysView[int]:
        """Return the predicates that have facts, as a view."""
        return self._tables.keys()

    def has_class(self, class_id: int) -> bool:
        """Tell whether a fact of rdf:type may name a class; if not, none does."""
        if self._classes is not None:
            return class_id in self._classes
        if class_id not in self._named:
            self._named[class_id] = self.table(TYPE).count(obj=class_id) > 0
        return self._named[class_id]

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
        if self._size is not None:
            before = sum(self.table(predicate).size for predicate in changed)
            result._size = self._size - before + sum(table.size for table in changed.values())
        if self._index is not None:
            result._index = self._index.touching(frozenset(changed))
        return result

    def predicates_about(self, terms: Ids) -> list[int]:
        """Return the predicates that may have a fact with one of the sorted terms, also as the predicate."""
        if len(self._tables) < _INDEXED_FROM or terms.size > len(self._tables):
            return list(self._tables)
        if self._index is None:
            self._index = PredicateIndex.of_tables(self._tables)
        if self._index is None:
            return list(self._tables)
        found = self._index.mentioning(terms).union(terms.tolist())
        return [predicate for predicate in found if predicate in self._tables]

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
        tables = dict(other._tables)
        for predicate, table in other._tables.items():
            if predicate in self._tables:
                try:
                    tables[predicate] = self._tables[predicate].with_facts_of(table)
                except MemoryLimitError as error:
                    raise error.of_union(predicate) from None
        return self.with_tables(tables)

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
        try:
            tables[predicate] = Table.of_keys(sort_distinct(_appended(keys)), by_object=predicate == TYPE)
        except MemoryLimitError as error:
            raise error.of_union(predicate) from None
    return FactSet(tables)


def _appended(parts: list[Keys]) -> Keys:
    """Return keys one after the other."""
    if len(parts) == 1:
        return parts[0]
    require_memory(sum(keys.size for keys in parts), 1)
    return np.concatenate(parts)


def group_rows(values: Ids) -> Iterable[tuple[int, Ids]]:
    """Yield each distinct value with the rows that hold it."""
    if values.size == 0:
        return
    first = int(values[0])
    if (values == first).all():
        yield first, np.arange(values.size)
        return
    if values.size > _SCANNED_FROM and (few := _few_distinct(values)) is not None:
        for value in few:
            yield value, np.flatnonzero(values == value)
        return
    order = np.argsort(_narrow(values), kind="stable")
    ordered = values[order]
    cuts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    found = ordered[np.concatenate(([0], cuts))].tolist()
    # The caller makes tables meanwhile: what is large and not needed any more goes first.
    del ordered
    yield from zip(found, np.split(order, cuts), strict=True)


def _few_distinct(values: Ids) -> list[int] | None:
    """Return the distinct values in order; None if they are not few, or not small numbers."""
    if int(values.max()) > _SCANNED_FROM:
        return None
    found = np.flatnonzero(np.bincount(values))
    return found.tolist() if found.size <= _FEW else None


def _narrow(values: Ids) -> np.ndarray[tuple[int], np.dtype[np.uint16]] | Ids:
    """Return 16-bit codes in the order of the values where that is possible, because these are sorted by radix."""
    if int(values.max()) <= _NARROW:
        return values.astype(np.uint16)
    if values.size > _NARROW:
        distinct = sort_distinct(values)
        if distinct.size <= _NARROW:
            return distinct.searchsorted(values).astype(np.uint16)
    return values


# Larger tables are not indexed: there are few of them, and each is searched by its own order.
_INDEXED_UP_TO = 1024


class PredicateIndex:
    """The terms of all small tables of some facts, each with the predicates that mention it.

    It stays right, and says too much, while tables lose facts. ``touched`` are the predicates that may have gained some
    since it was made; they count as mentioning every term.
    """

    __slots__ = ("_large", "_predicates", "_rows", "_touched")

    def __init__(self, predicates: Ids, rows: Ids, large: tuple[int, ...], touched: frozenset[int]) -> None:
        self._predicates = predicates
        self._rows = rows
        self._large = large
        self._touched = touched

    @classmethod
    def of_tables(cls, tables: Mapping[int, Table]) -> PredicateIndex | None:
        """Make the index, or none where looking at tables would fetch them."""
        if any(table.is_partial for table in tables.values()):
            return None
        small = [(predicate, table) for predicate, table in tables.items() if table.size <= _INDEXED_UP_TO]
        large = tuple(predicate for predicate, table in tables.items() if table.size > _INDEXED_UP_TO)
        runs = [(at, run.main) for at, (_, table) in enumerate(small) for run in table.runs]
        owner = np.repeat(
            np.fromiter((at for at, _ in runs), dtype=np.int64, count=len(runs)),
            np.fromiter((keys.size for _, keys in runs), dtype=np.int64, count=len(runs)),
        )
        first, second = unpack(np.concatenate([keys for _, keys in runs]) if runs else NO_KEYS)
        rows = sort_distinct(np.concatenate((pack(first, owner), pack(second, owner))))
        predicates = np.fromiter((predicate for predicate, _ in small), dtype=np.int64, count=len(small))
        return cls(predicates, rows, large, frozenset())

    def touching(self, predicates: frozenset[int]) -> PredicateIndex | None:
        """Return the index after some predicates have gained facts, or none if it is worth making anew."""
        if predicates <= self._touched:
            return self
        touched = self._touched | predicates
        if len(touched) * 4 > self._predicates.size:
            return None
        return PredicateIndex(self._predicates, self._rows, self._large, touched)

    def mentioning(self, terms: Ids) -> set[int]:
        """Return all predicates that may have a fact with one of the terms as subject or object."""
        _, position = expand(*ranges(self._rows, terms))
        found = sort_distinct(unpack(self._rows[position])[1])
        return {*self._predicates[found].tolist(), *self._large, *self._touched}


class AuxiliaryPredicates:
    """The predicates of a dictionary that are auxiliary classes: facts with them are never shown."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._known: dict[int, bool] = {OCCURS: False}
        self._truncations = dictionary.truncations

    def __contains__(self, predicate: int) -> bool:
        if self._truncations != self._dictionary.truncations:
            # Ids may have been given to other terms since.
            self._known, self._truncations = {OCCURS: False}, self._dictionary.truncations
        known = self._known.get(predicate)
        if known is None:
            known = self._known[predicate] = is_auxiliary(self._dictionary.text(predicate))
        return known

    def among(self, predicates: Iterable[int]) -> frozenset[int]:
        """Return those of some predicates that are auxiliary classes."""
        return frozenset(predicate for predicate in predicates if predicate in self)


def shown_facts(facts: FactSet, auxiliary: AuxiliaryPredicates) -> FactSet:
    """Return the facts that are neither notes that terms occur nor about auxiliary classes."""
    return facts.only(predicate for predicate in facts if predicate != OCCURS and predicate not in auxiliary)


class Unranged:
    """The predicates that a variable predicate does not range over: some, and all auxiliary classes."""

    def __init__(self, predicates: frozenset[int], auxiliary: AuxiliaryPredicates) -> None:
        self._predicates = predicates
        self._auxiliary = auxiliary

    def __contains__(self, predicate: int) -> bool:
        return predicate in self._predicates or predicate in self._auxiliary

    def among(self, predicates: Iterable[int]) -> frozenset[int]:
        """Return those of some predicates, and the others that are known beforehand."""
        return self._predicates | self._auxiliary.among(predicates)
