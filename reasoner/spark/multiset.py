"""Multisets of facts: at the driver while they are small, and a column of multiplicities beside the facts else.

The heads of rule instances as multisets: every instance counts, and some only if they are of one round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasoner.columnar.factset import FactSet, group_rows
from reasoner.columnar.multiset import Amount, ColumnarMultiset
from reasoner.columnar.plans import Plans
from reasoner.reasoning.engine import Multiset
from reasoner.rules.encode import Triple, is_variable
from reasoner.spark.body import Body, instance, values
from reasoner.spark.chaining import SparkChaining, at_driver, body_over, delta_bodies, denying_places, reading_places
from reasoner.spark.facts import FactPlacement, FactSegment, PendingRows, Segments, SparkFacts, reading, runs_of
from reasoner.spark.platform.scratch import ScratchRun

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

    def __init__(
        self, place: FactPlacement, local: ColumnarMultiset | None = None, query: CountedQuery | None = None
    ) -> None:
        self._place = place
        self._local = local
        self._query = query
        self._run: ScratchRun | None = None
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
        return self._place.of_query(PendingRows(text, needs, facts.predicates, distinct=True))

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

    def __init__(self, place: FactPlacement, multiset: ColumnarMultiset) -> None:
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


def placed(place: FactPlacement, multiset: ColumnarMultiset) -> SparkMultiset:
    """Place a multiset that the driver has at hand."""
    if len(multiset.facts) <= place.driver_rows or not len(multiset.facts):
        return SparkMultiset(place, multiset)
    owner = _Shown(place, multiset)
    return SparkMultiset(place, query=CountedQuery(f"SELECT s, p, o, n FROM {owner.view}", (owner,)))


def of_facts(place: FactPlacement, facts: SparkFacts, multiplicity: int) -> SparkMultiset:
    """Make the multiset in which each fact occurs so often."""
    here = facts.local
    if here is not None:
        return placed(place, ColumnarMultiset.of_facts(here, multiplicity))
    text = f"SELECT s, p, o, {multiplicity}L AS n FROM ({reading(facts.segments)})"
    return SparkMultiset(place, query=CountedQuery(text, runs_of(facts.segments)))


def counting(place: FactPlacement, heads: list[str], needs: tuple[object, ...]) -> SparkMultiset:
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


Chosen = tuple[Body, str]


class SparkCountedHeads(SparkChaining):
    """Counts rule instances by their heads; births of facts are joined to the atoms that they are asked of."""

    def multiset(self, facts: SparkFacts, multiplicity: int = 1) -> SparkMultiset:
        return of_facts(self.place, facts, multiplicity)

    def reads(self, plans: Plans, facts: SparkFacts) -> bool:
        return any(True for _ in reading_places(plans, facts)) or any(True for _ in denying_places(plans, facts))

    def counted_heads(self, plans: Plans, facts: SparkFacts) -> SparkMultiset:
        here = facts.local
        if here is not None:
            return placed(self.place, self.driver.counted_heads(plans, here))
        return self._counted(body_over(plan, facts.segments) for plan in plans)

    def counted_delta(self, plans: Plans, old: SparkFacts, delta: SparkFacts, whole: SparkFacts) -> SparkMultiset:
        here = at_driver(old, delta, whole)
        if here is not None:
            return placed(self.place, self.driver.counted_delta(plans, *here))
        return self._counted(delta_bodies(plans, old, delta, whole))

    def counted_changes(
        self, plans: Plans, whole: SparkFacts, absent: SparkFacts, delta: SparkFacts, returned: SparkFacts
    ) -> SparkMultiset:
        here = at_driver(whole, absent, delta, returned)
        if here is not None:
            return placed(self.place, self.driver.counted_changes(plans, *here))
        return self._counted(self.changed_bodies(plans, whole, absent, delta, returned))

    def counted_of_round(
        self,
        plans: Plans,
        whole: SparkFacts,
        absent: SparkFacts,
        touched: SparkFacts,
        returned: SparkFacts,
        latest: SparkFacts,
        births: Multiset[SparkFacts],
        round: int,
    ) -> SparkMultiset:
        """Meet an instance where its first touched atom reads ``touched`` (or, if none is, its first denied atom reads
        ``returned``), and its first atom born in the round reads ``latest``."""
        here, born = at_driver(whole, absent, touched, returned, latest), spark(births)
        if here is not None and born.local is not None:
            return placed(self.place, self.driver.counted_of_round(plans, *[*here, born.local, round]))

        def chosen() -> Iterator[Chosen]:
            touched_now = born.occurring(touched, round, round)
            for plan, at in reading_places(plans, touched):
                body = plan.template.body
                for newest in _readers(body, latest, also=at):
                    sources = [whole.segments] * len(body)
                    sources[newest] = latest.segments
                    sources[at] = (touched_now if newest == at else touched).segments
                    reader = Body(plan, tuple(sources), (absent.segments,) * len(plan.template.negative))
                    yield from self._newest(reader, body, newest, born, round, body[:at], touched)
            for plan, at in denying_places(plans, returned):
                body, negative = plan.template.body, plan.template.negative
                # Denied atoms before this one must not be of the change, or the instance is met there.
                wider = (*absent.segments, *map(FactSegment, self.place.runs(returned)))
                absences = [wider] * at + [absent.segments] * (len(negative) - at - 1)
                for newest in _readers(body, latest):
                    sources = [whole.segments] * len(body)
                    sources[newest] = latest.segments
                    reader = Body(plan.denial(at), (*sources, returned.segments), tuple(absences))
                    yield from self._newest(reader, body, newest, born, round, body, touched)

        return self._counted_chosen(chosen(), (touched,), born)

    def counted_of_moved(
        self,
        plans: Plans,
        whole: SparkFacts,
        absent: SparkFacts,
        moved: SparkFacts,
        births: Multiset[SparkFacts],
        others: Multiset[SparkFacts],
        round: int,
    ) -> SparkMultiset:
        here, born, other = at_driver(whole, absent, moved), spark(births), spark(others)
        if here is not None and born.local is not None and other.local is not None:
            return placed(
                self.place,
                self.driver.counted_of_moved(plans, *[*here, born.local, other.local, round]),
            )

        def chosen() -> Iterator[Chosen]:
            for plan, at in reading_places(plans, moved):
                body = plan.template.body
                sources = tuple(moved.segments if place == at else whole.segments for place in range(len(body)))
                reader = Body(plan, sources, (absent.segments,) * len(plan.template.negative))
                matches = self.bodies.matches(reader)
                if matches is None:
                    continue
                matches = _none_holds(matches, body[:at], moved.segments)
                matches = _with_births(matches, body, born, [f"<= {round}"] * len(body))
                yield reader, _with_births(matches, body, other, [f"< {round}"] * len(body))

        return self._counted_chosen(chosen(), (moved,), born, other)

    def rounds_of(
        self,
        plans: Plans,
        whole: SparkFacts,
        absent: SparkFacts,
        touched: SparkFacts,
        returned: SparkFacts,
        births: Multiset[SparkFacts],
        least: int,
    ) -> frozenset[int]:
        here, born = at_driver(whole, absent, touched, returned), spark(births)
        if here is not None and born.local is not None:
            return self.driver.rounds_of(plans, *[*here, born.local, least])
        parts = []
        for plan, at in reading_places(plans, touched):
            body, negative = plan.template.body, plan.template.negative
            sources = tuple(touched.segments if place == at else whole.segments for place in range(len(body)))
            parts.append((Body(plan, sources, (absent.segments,) * len(negative)), body))
        for plan, at in denying_places(plans, returned):
            body, negative = plan.template.body, plan.template.negative
            sources = (*(whole.segments,) * len(body), returned.segments)
            parts.append((Body(plan.denial(at), sources, (absent.segments,) * (len(negative) - 1)), body))
        texts = [_latest(matches, atoms, born) for body, atoms in parts if (matches := self.bodies.matches(body))]
        if not texts:
            return frozenset()
        text = f"SELECT DISTINCT latest FROM ({' UNION ALL '.join(texts)}) WHERE latest >= {least}"
        return frozenset(self.place.scratch.rows(text).column("latest").to_pylist())

    def _counted(self, bodies: Iterable[Body]) -> SparkMultiset:
        heads, needs = [], list[object]()
        for body in bodies:
            text = self.head_query(body, reflexive=True)
            if text is not None:
                heads.append(text)
                needs += body.runs
        return counting(self.place, heads, tuple(needs))

    def _counted_chosen(
        self, chosen: Iterator[Chosen], read: Sequence[SparkFacts], *counted: SparkMultiset
    ) -> SparkMultiset:
        """Count the heads of chosen matches, which also read some facts and multisets."""
        heads, needs = [], list[object]()
        for body, matches in chosen:
            head = body.plan.template.head
            assert head is not None, "constraints are matched, not evaluated"
            heads.append(instance(head, matches))
            needs += body.runs
        needs += [run for facts in read for run in runs_of(facts.segments)]
        return counting(self.place, heads, (*needs, *counted))

    def _newest(
        self,
        reader: Body,
        body: Sequence[Triple],
        newest: int,
        births: SparkMultiset,
        round: int,
        before: Sequence[Triple],
        change: SparkFacts,
    ) -> Iterator[Chosen]:
        """Yield the matches in which an atom is the first that is born in a round, none is later, and some atoms are
        no change."""
        matches = self.bodies.matches(reader)
        if matches is None:
            return
        matches = _none_holds(matches, before, change.segments)
        wanted = [f"= {round}" if at == newest else f"< {round + (at > newest)}" for at in range(len(body))]
        yield reader, _with_births(matches, body, births, wanted)


def _readers(body: Sequence[Triple], facts: SparkFacts, also: int | None = None) -> list[int]:
    """Return the positions of the atoms that some of the facts may match, and of one more."""
    known = facts.splits()
    return [
        position
        for position, (_, predicate, _) in enumerate(body)
        if position == also or is_variable(predicate) or predicate in known
    ]


def _none_holds(matches: str, atoms: Sequence[Triple], facts: Segments) -> str:
    """Return the query for the matches for which none of some atoms is among the facts."""
    for atom in atoms:
        s, p, o = values(atom)
        found = reading(facts, predicate=None if is_variable(atom[1]) else atom[1])
        matches = f"SELECT m.* FROM ({matches}) m LEFT ANTI JOIN ({found}) f ON f.s = {s} AND f.p = {p} AND f.o = {o}"
    return matches


def _with_births(matches: str, atoms: Sequence[Triple], births: SparkMultiset, wanted: Sequence[str]) -> str:
    """Return the query for the matches whose atoms occur in a multiset as often as is wanted of each."""
    joins, names = _joined_births(atoms, births)
    clauses = [f"{name} {clause}" for name, clause in zip(names, wanted, strict=True)]
    return f"SELECT m.* FROM ({matches}) m{joins} WHERE {' AND '.join(clauses) or 'true'}"


def _latest(matches: str, atoms: Sequence[Triple], births: SparkMultiset) -> str:
    """Return the query for the latest birth of the atoms of each match."""
    joins, names = _joined_births(atoms, births)
    return f"SELECT greatest(0L, 0L{''.join(f', {name}' for name in names)}) AS latest FROM ({matches}) m{joins}"


def _joined_births(atoms: Sequence[Triple], births: SparkMultiset) -> tuple[str, list[str]]:
    """Return the joins that give matches the number of times that each atom occurs, and the names of these numbers."""
    known = births.facts.splits()
    joins, names = "", []
    for at, atom in enumerate(atoms):
        if not is_variable(atom[1]) and atom[1] not in known:
            names.append("0L")
            continue
        s, p, o = values(atom)
        joins += f" LEFT JOIN ({births.relation().text}) b{at} ON b{at}.s = {s} AND b{at}.p = {p} AND b{at}.o = {o}"
        names.append(f"coalesce(b{at}.n, 0L)")
    return joins, names
