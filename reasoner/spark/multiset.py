"""Multisets of facts: at the driver while they are small, and a column of multiplicities beside the facts else."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasoner.columnar.factset import FactSet, group_rows
from reasoner.columnar.multiset import Amount, ColumnarMultiset
from reasoner.engine import Multiset
from reasoner.spark.facts import Place, Query, SparkFacts, reading, runs_of
from reasoner.spark.run import Run

if TYPE_CHECKING:
    import pyarrow as pa

_SAME_FACT = "l.s = r.s AND l.p = r.p AND l.o = r.o"


@dataclass(frozen=True, slots=True)
class CountedQuery:
    """Rows s, p, o, n that nobody has computed yet, each fact once; ``needs`` own the views that the text names."""

    text: str
    needs: tuple[object, ...]


class SparkMultiset:
    """An immutable multiset: one of the driver, a run with multiplicities, or a query that becomes one of the two."""

    __slots__ = ("_facts", "_local", "_place", "_query", "_run", "_shown")

    def __init__(self, place: Place, local: ColumnarMultiset | None = None, query: CountedQuery | None = None) -> None:
        self._place = place
        self._local = local
        self._query = query
        self._run: Run | None = None
        self._shown: _Shown | None = None
        self._facts: SparkFacts | None = None

    @property
    def local(self) -> ColumnarMultiset | None:
        """The multiset at the driver, if it is there."""
        self._compute()
        return self._local

    @property
    def facts(self) -> SparkFacts:
        if self._facts is None:
            self._compute()
            if self._local is not None:
                self._facts = self._place.of_facts(self._local.facts)
            else:
                assert self._run is not None
                self._facts = self._place.of_run(self._run)
        return self._facts

    def relation(self) -> CountedQuery:
        """Return the query for the facts with their multiplicities."""
        if self._query is not None:
            return self._query
        if self._run is None:
            assert self._local is not None
            self._shown = self._shown or _Shown(self._place, self._local)
            return CountedQuery(f"SELECT s, p, o, n FROM {self._shown.view}", (self._shown,))
        return CountedQuery(f"SELECT s, p, o, n FROM {self._run.view}", (self._run,))

    def plus(self, other: SparkMultiset) -> SparkMultiset:
        if other.facts.rows == 0:
            return self
        if self.facts.rows == 0:
            return other
        here, there = self.local, other.local
        if here is not None and there is not None:
            return placed(self._place, here.plus(there))
        left, right = self.relation(), other.relation()
        return self._of(_summed(f"{left.text} UNION ALL {right.text}"), left, right)

    def minus(self, other: SparkMultiset) -> SparkMultiset:
        if other.facts.rows == 0 or self.facts.rows == 0:
            return self
        here, there = self.local, other.local
        if here is not None and there is not None:
            return placed(self._place, here.minus(there))
        left, right = self.relation(), other.relation()
        text = (
            f"SELECT l.s, l.p, l.o, l.n - coalesce(r.n, 0) AS n FROM ({left.text}) l LEFT JOIN ({right.text}) r"
            f" ON {_SAME_FACT} WHERE l.n > coalesce(r.n, 0)"
        )
        return self._of(text, left, right)

    def without(self, facts: SparkFacts) -> SparkMultiset:
        if facts.rows == 0 or self.facts.rows == 0:
            return self
        here, there = self.local, facts.local
        if here is not None and there is not None:
            return placed(self._place, here.without(there))
        left = self.relation()
        text = f"SELECT l.* FROM ({left.text}) l LEFT ANTI JOIN ({reading(facts.segments)}) r ON {_SAME_FACT}"
        return self._of(text, left, CountedQuery("", runs_of(facts.segments)))

    def occurring(self, facts: SparkFacts, least: int, most: int | None = None) -> SparkFacts:
        if facts.is_provably_empty:
            return facts
        here, there = self.local, facts.local
        if here is not None and there is not None:
            return self._place.of_facts(here.occurring(there, least, most))
        counted = self.relation()
        within = f"coalesce(r.n, 0) >= {least}" + ("" if most is None else f" AND coalesce(r.n, 0) <= {most}")
        text = (
            f"SELECT l.s, l.p, l.o FROM ({reading(facts.segments)}) l LEFT JOIN ({counted.text}) r"
            f" ON {_SAME_FACT} WHERE {within}"
        )
        needs = (*runs_of(facts.segments), *counted.needs)
        return self._place.of_query(Query(text, needs, facts.predicates, distinct=True))

    def _of(self, text: str, *parts: CountedQuery) -> SparkMultiset:
        needs = tuple(need for part in parts for need in part.needs)
        return SparkMultiset(self._place, query=CountedQuery(text, needs))

    def _compute(self) -> None:
        """Run the query, if that was not done yet; what is small comes to the driver."""
        if self._query is None:
            return
        place = self._place
        run = place.scratch.written(self._query.text, counted=True)
        self._query = None
        if run.rows <= place.driver_rows:
            self._local = _multiset_of(place.scratch.rows(f"SELECT s, p, o, n FROM {run.view}"))
        else:
            self._run = run


class _Shown:
    """A view of a multiset of the driver."""

    def __init__(self, place: Place, multiset: ColumnarMultiset) -> None:
        import pyarrow as pa

        facts = multiset.facts
        schema = pa.schema([(name, pa.int64()) for name in "spon"])
        tables = []
        for predicate in facts:
            table = facts.table(predicate)
            s, o = table.pairs()
            amounts = multiset.multiplicities(predicate, table.main_keys(s, o))
            tables.append(pa.table([s, s * 0 + predicate, o, amounts], schema=schema))
        whole = pa.concat_tables(tables) if tables else schema.empty_table()
        self.view = place.scratch.table_view(self, whole)


def placed(place: Place, multiset: ColumnarMultiset) -> SparkMultiset:
    """Place a multiset that the driver has at hand."""
    if len(multiset.facts) <= place.driver_rows or not len(multiset.facts):
        return SparkMultiset(place, multiset)
    owner = _Shown(place, multiset)
    return SparkMultiset(place, query=CountedQuery(f"SELECT s, p, o, n FROM {owner.view}", (owner,)))


def of_facts(place: Place, facts: SparkFacts, multiplicity: int) -> SparkMultiset:
    """Make the multiset in which each fact occurs so often."""
    here = facts.local
    if here is not None:
        return placed(place, ColumnarMultiset.of_facts(here, multiplicity))
    text = f"SELECT s, p, o, {multiplicity}L AS n FROM ({reading(facts.segments)})"
    return SparkMultiset(place, query=CountedQuery(text, runs_of(facts.segments)))


def counting(place: Place, heads: list[str], needs: tuple[object, ...]) -> SparkMultiset:
    """Return the multiset of the rows s, p, o of some queries, with their repetitions."""
    if not heads:
        return SparkMultiset(place, ColumnarMultiset(FactSet()))
    parts = " UNION ALL ".join(f"SELECT s, p, o, 1L AS n FROM ({head})" for head in heads)
    return SparkMultiset(place, query=CountedQuery(_summed(parts), needs))


def spark(multiset: Multiset[SparkFacts]) -> SparkMultiset:
    """Return a multiset of this engine as what it is."""
    assert isinstance(multiset, SparkMultiset), "multisets of different engines do not mix"
    return multiset


def _summed(text: str) -> str:
    return f"SELECT s, p, o, sum(n) AS n FROM ({text}) GROUP BY s, p, o"


def _multiset_of(rows: pa.Table) -> ColumnarMultiset:
    s, p, o, n = (rows.column(name).to_numpy() for name in "spon")
    facts = FactSet.of_columns(s, p, o)
    found: dict[int, list[Amount]] = defaultdict(list)
    for predicate, at in group_rows(p):
        keys = facts.table(predicate).main_keys(s[at], o[at])
        order = keys.argsort()
        found[predicate].append((keys[order], n[at][order]))
    return ColumnarMultiset.of_amounts(found)
