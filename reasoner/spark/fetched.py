"""Facts of Spark as a set of columns, of which the driver reads what is asked for: the facts about some terms.

The Spark engine for a store, whose facts are columns that come to the driver only when somebody reads them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids, sort_distinct
from reasoner.columnar.table import Table
from reasoner.spark.by_key import FactsByKey, FactsElsewhereError, PartedFacts
from reasoner.spark.engine import SparkEngine
from reasoner.spark.facts import Segments, SparkFacts, parted, read_at_driver
from reasoner.spark.multiset import SparkMultiset


class FetchedFacts(FactSet):
    """An immutable set of facts in files, which can do what a set of the columnar engine can.

    Union, difference and intersection are left to Spark. A table reads the facts about the terms that it is asked for,
    and keeps them for as long as this set is there. A table that is asked for as a whole comes to the driver as a whole
    if the driver takes as many facts, and is refused else (``by_key``). There may be predicates without a fact: which
    of them lost their last fact is not known before they are read.
    """

    __slots__ = ("_engine", "_read", "spark")

    def __init__(self, engine: SparkEngine, spark: SparkFacts) -> None:
        self._engine = engine
        self._read: FactsByKey | None = None
        self._classes = self._index = self._size = None
        self._named = {}
        self.spark = spark

    @property
    def _tables(self) -> Mapping[int, Table]:  # type: ignore[override]
        return _Tables(self)

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self.spark.splits()))

    def __len__(self) -> int:
        return self.spark.rows

    def __contains__(self, predicate: int) -> bool:
        return predicate in self.spark.splits()

    def table(self, predicate: int) -> Table:
        here = self.spark.local
        if here is not None:
            return here.table(predicate)
        if predicate not in self:
            return FactSet().table(predicate)
        return self._by_key().sets[0].table(predicate)

    def _by_key(self) -> FactsByKey:
        """Return what reads facts by their terms; when it has read as much as the driver takes, it begins anew."""
        most = self._engine.place.fetched_rows
        read = self._read
        if read is None or read.near.held > most:
            read = self._read = FactsByKey(self._engine, [PartedFacts.of(self.spark)], sys.maxsize, most)
        return read

    def forget(self) -> None:
        """Let go of what was read; it is read again when somebody asks."""
        self._read = None

    def fetch(self, predicates: Iterable[int]) -> None:
        """Bring several predicates to the driver as a whole, by at most one job."""
        if self.spark.local is None:
            self._by_key().near.need_predicates(p for p in predicates if p in self)

    def only_where(self, where: str, predicate: int | None = None, of_class: int | None = None) -> FactSet:
        """Bring the facts that meet a condition on s, p and o to the driver by one job."""
        return self._engine.fetched(self.spark, where, predicate, of_class)

    def distinct(self, column: str, where: str = "") -> Ids:
        """Return the distinct values of s, p or o in order, by one job."""
        text = f"SELECT DISTINCT {column} FROM ({self.spark.query(where).text})"
        found: Ids = self._engine.scratch.rows(text).column(column).to_numpy()
        return sort_distinct(found)

    def reflexive(self, predicate: int) -> Ids:
        if self.spark.local is not None or predicate not in self:
            return super().reflexive(predicate)
        return self.only_where(f"p = {predicate} AND s = o", predicate).reflexive(predicate)

    def classes(self) -> frozenset[int]:
        return self.spark.splits().classes()

    @property
    def nbytes(self) -> int:
        return 0 if self._read is None else self._read.near.nbytes

    def columns(self) -> tuple[Ids, Ids, Ids]:
        if self.spark.local is None and len(self) > self._engine.place.fetched_rows:
            raise FactsElsewhereError(f"all {len(self):,} facts", self._engine.place.fetched_rows)
        return self._engine.to_facts(self.spark).columns()

    def only(self, predicates: Iterable[int]) -> FactSet:
        return FactSet({predicate: self.table(predicate) for predicate in predicates})

    def union(self, other: FactSet) -> FactSet:
        return wrapped(self._engine, self._engine.extend(self.spark, unwrapped(self._engine, other)), self)

    def difference(self, other: FactSet) -> FactSet:
        if self.spark.local is None and isinstance(other, FetchedFacts):
            changes = _changes_in_files(other.spark, self.spark)
            if changes is not None:
                return changes[0]
        return wrapped(self._engine, self._engine.difference(self.spark, unwrapped(self._engine, other)), self)

    def intersection(self, other: FactSet) -> FactSet:
        return wrapped(self._engine, self._engine.common(self.spark, unwrapped(self._engine, other)), self)


class _Tables(Mapping[int, Table]):
    """The tables by predicate, as a plain set of facts has them."""

    def __init__(self, facts: FetchedFacts) -> None:
        self._facts = facts

    def __getitem__(self, predicate: int) -> Table:
        if predicate not in self._facts:
            raise KeyError(predicate)
        return self._facts.table(predicate)

    def __contains__(self, predicate: object) -> bool:
        return isinstance(predicate, int) and predicate in self._facts

    def __iter__(self) -> Iterator[int]:
        return iter(self._facts)

    def __len__(self) -> int:
        return sum(1 for _ in self._facts)


def wrapped(engine: SparkEngine, facts: SparkFacts, *known: FactSet) -> FactSet:
    """Return facts of Spark as columns, those that are known already as the same object."""
    for each in known:
        if isinstance(each, FetchedFacts) and each.spark is facts:
            return each
    return FetchedFacts(engine, facts)


def unwrapped(engine: SparkEngine, facts: FactSet) -> SparkFacts:
    """Return columns as facts of Spark."""
    return facts.spark if isinstance(facts, FetchedFacts) else engine.of_facts(facts)


def lookup(engine: SparkEngine, few: FactSet, facts: FactSet) -> FactSet:
    """Return those of a few facts at the driver that are among others, which stay where they are; at most one job."""
    if not isinstance(facts, FetchedFacts):
        return few.intersection(facts)
    return engine.to_facts(engine.common(engine.of_facts(few), facts.spark))


def mentioning(engine: SparkEngine, terms: Ids, facts: FactSet) -> FactSet:
    """Return the facts that mention one of some sorted terms, at the driver; at most one job."""
    spark, found = unwrapped(engine, facts), FactSet()
    for name in "spo":
        part = read_at_driver(spark, **{name: terms})
        if part is None:
            return engine.to_facts(engine._about_terms(spark, terms))
        # A fact may mention terms in several places.
        found = found.union(part.difference(found))
    return found


def with_change(engine: SparkEngine, facts: FactSet, went: FactSet, came: FactSet) -> FactSet:
    """Return facts after a change of a few that are known to be among them, and of others that are not; no job."""
    spark = unwrapped(engine, facts)
    if spark.local is not None:
        return wrapped(engine, engine.of_facts(spark.local.difference(went).union(came)))
    held = engine.scratch.held
    return wrapped(engine, engine.place.changed(spark, leaving=[held(went)], joining=[held(came)]), facts)


def changes_between(engine: SparkEngine, before: FactSet, after: FactSet) -> tuple[FactSet, FactSet]:
    """Return the facts that came, and those that went, at the driver.

    Where both sets are the same files with a few changes at the driver, these tell everything, and no job runs.
    """
    if before is after:
        return FactSet(), FactSet()
    old, new = unwrapped(engine, before), unwrapped(engine, after)
    found = _changes_in_files(old, new)
    if found is not None:
        return found
    return engine.to_facts(engine.difference(new, old)), engine.to_facts(engine.difference(old, new))


def _changes_in_files(before: SparkFacts, after: SparkFacts) -> tuple[FactSet, FactSet] | None:
    """Return what came to a set and what went, if both are the same files with a few changes at the driver."""
    one, other = parted(before), parted(after)
    if one is None or other is None or not _same_files(one[0], other[0]):
        return None
    (_, left, joined), (_, left_now, joined_now) = one, other
    came = joined_now.difference(joined).union(left.difference(left_now))
    went = joined.difference(joined_now).union(left_now.difference(left))
    return came, went


def _same_files(one: Segments, other: Segments) -> bool:
    return [id(segment.run) for segment in one] == [id(segment.run) for segment in other]


class StoreEngine:
    """Does what a Spark engine does, on sets of facts that a store can hold and read.

    Sets are unwrapped on their way in and wrapped on their way out, so that algorithms, stores and questions work on
    one and the same value; a set that comes out as it went in is the same object.
    """

    def __init__(self, spark: SparkEngine) -> None:
        object.__setattr__(self, "spark", spark)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.spark, name)
        return _on_columns(self.spark, found) if callable(found) else found

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.spark, name, value)


class _StoreMultiset:
    """A multiset of Spark over sets of facts that a store can hold."""

    def __init__(self, engine: SparkEngine, spark: SparkMultiset) -> None:
        self._engine = engine
        self.spark = spark

    @property
    def facts(self) -> FactSet:
        return wrapped(self._engine, self.spark.facts)

    def __getattr__(self, name: str) -> Any:
        return _on_columns(self._engine, getattr(self.spark, name))


def _on_columns(engine: SparkEngine, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of Spark for arguments and results that are columns."""

    def called(*arguments: Any, **named: Any) -> Any:
        given = [_inwards(engine, argument) for argument in arguments]
        result = method(*given, **{name: _inwards(engine, argument) for name, argument in named.items()})
        for argument, inside in zip(arguments, given, strict=True):
            if result is inside and isinstance(argument, FactSet | _StoreMultiset):
                return argument
        return _outwards(engine, result)

    return called


def _inwards(engine: SparkEngine, value: Any) -> Any:
    if isinstance(value, FactSet):
        return unwrapped(engine, value)
    return value.spark if isinstance(value, _StoreMultiset) else value


def _outwards(engine: SparkEngine, value: Any) -> Any:
    match value:
        case SparkFacts():
            return wrapped(engine, value)
        case SparkMultiset():
            return _StoreMultiset(engine, value)
        case tuple():
            return tuple(_outwards(engine, part) for part in value)
    return value
