"""Facts of Spark as a set of columns: a table comes to the driver when somebody asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids, sort_distinct
from reasoner.columnar.table import Table
from reasoner.spark.engine import SparkEngine
from reasoner.spark.facts import Segments, SparkFacts, parted, read_at_driver
from reasoner.spark.set_operations import in_list


class FetchedFacts(FactSet):
    """An immutable set of facts in files, which can do what a set of the columnar engine can.

    Union, difference and intersection are left to Spark. A predicate that is read comes to the driver as a whole, by
    one job, and stays there for as long as this set does. There may be predicates without a fact: which of them lost
    their last fact is not known before they are read.
    """

    __slots__ = ("_engine", "_fetched", "_keeps", "spark")

    def __init__(self, engine: SparkEngine, spark: SparkFacts, *, keeps: bool = True) -> None:
        """Make a set of what Spark has; unless it ``keeps`` tables, only the one that was last read stays."""
        self._engine = engine
        self._keeps = keeps
        self._fetched: dict[int, Table] = {}
        self._classes = None
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
        if predicate not in self._fetched:
            if predicate not in self:
                return FactSet().table(predicate)
            self.fetch([predicate])
        return self._fetched[predicate]

    def fetch(self, predicates: Iterable[int] | None = None) -> None:
        """Bring several predicates, or all, to the driver by one job."""
        if self.spark.local is not None:
            return
        wanted = [p for p in (self if predicates is None else predicates) if p in self and p not in self._fetched]
        if not wanted:
            return
        found = self.only_where(in_list("p", wanted), wanted[0] if len(wanted) == 1 else None)
        if not self._keeps:
            self._fetched.clear()
        self._fetched.update({predicate: found.table(predicate) for predicate in wanted})

    def only_where(self, where: str, predicate: int | None = None, of_class: int | None = None) -> FactSet:
        """Bring the facts that meet a condition on s, p and o to the driver by one job."""
        return self._engine.fetched(self.spark, where, predicate, of_class)

    def distinct(self, column: str, where: str = "") -> Ids:
        """Return the distinct values of s, p or o in order, by one job."""
        text = f"SELECT DISTINCT {column} FROM ({self.spark.query(where).text})"
        found: Ids = self._engine.scratch.rows(text).column(column).to_numpy()
        return sort_distinct(found)

    def reflexive(self, predicate: int) -> Ids:
        if self.spark.local is not None or predicate in self._fetched or predicate not in self:
            return super().reflexive(predicate)
        return self.only_where(f"p = {predicate} AND s = o", predicate).reflexive(predicate)

    def classes(self) -> frozenset[int]:
        return self.spark.splits().classes()

    @property
    def nbytes(self) -> int:
        return sum(table.nbytes for table in self._fetched.values())

    def columns(self) -> tuple[Ids, Ids, Ids]:
        return self._engine.to_facts(self.spark).columns()

    def only(self, predicates: Iterable[int]) -> FactSet:
        wanted = list(predicates)
        self.fetch(wanted)
        return FactSet({predicate: self.table(predicate) for predicate in wanted})

    def union(self, other: FactSet) -> FactSet:
        return wrapped(self._engine, self._engine.extend(self.spark, unwrapped(self._engine, other)), self)

    def difference(self, other: FactSet) -> FactSet:
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
    one, other = parted(old), parted(new)
    if one is not None and other is not None and _same_files(one[0], other[0]):
        (_, left, joined), (_, left_now, joined_now) = one, other
        came = joined_now.difference(joined).union(left.difference(left_now))
        went = joined.difference(joined_now).union(left_now.difference(left))
        return came, went
    return engine.to_facts(engine.difference(new, old)), engine.to_facts(engine.difference(old, new))


def _same_files(one: Segments, other: Segments) -> bool:
    return [id(segment.run) for segment in one] == [id(segment.run) for segment in other]
