"""Union, difference and selection of sets of facts, each at the driver where its operands are there.

A set at the driver that meets one in files is sent to the files, and what they have in common comes back, so that
the result is at the driver again. Of two sets in files a small one is added to, or left out of, a large one as a
further segment, so that the large one is not written again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import sort_distinct
from reasoner.rules.levels import SplitSet
from reasoner.spark.facts import (
    FactPlacement,
    PendingRows,
    SparkFacts,
    read_at_driver,
    reading,
    runs_of,
    within,
    without,
)
from reasoner.terms.term import SAME

# A set that is left out of one so many times larger becomes a segment of it; else what is left is written anew.
_SMALLER_BY = 4

# Up to so many facts are looked up by a condition, more of them by a join.
_FEW = 1000


class SetOperations:
    """The operations on sets that know neither rules nor equality; ``driver`` works on what is at the driver."""

    place: FactPlacement
    driver: ColumnarEngine

    def empty(self) -> SparkFacts:
        return self.place.empty

    def is_empty(self, facts: SparkFacts) -> bool:
        return facts.rows == 0

    def size(self, facts: SparkFacts) -> int:
        return facts.rows

    def union(self, left: SparkFacts, right: SparkFacts) -> SparkFacts:
        if left is right or right.is_provably_empty:
            return left
        if left.is_provably_empty:
            return right
        if not left.is_computed and not right.is_computed:
            return self.place.of_query(united(left.query(), right.query()))
        if not left.is_computed or (right.is_computed and left.rows < right.rows):
            left, right = right, left
        here, there = left.local, right.local if right.is_computed else None
        if here is not None and there is not None:
            return self.place.of_facts(self.driver.union(here, there))
        if here is not None and not right.is_computed:
            return self.place.of_query(united(left.query(), right.query()))
        return self.extend(left, self.difference(right, left))

    def extend(self, facts: SparkFacts, fresh: SparkFacts) -> SparkFacts:
        if fresh.is_provably_empty:
            return facts
        if facts.is_provably_empty:
            return fresh
        here, there = facts.local, fresh.local
        if here is not None and there is not None:
            return self.place.of_facts(self.driver.extend(here, there))
        if not fresh.is_union and facts.is_union and facts.rows < fresh.rows:
            facts, fresh = fresh, facts
        return self.place.changed(facts, joining=self.place.runs(fresh))

    def difference(self, left: SparkFacts, right: SparkFacts) -> SparkFacts:
        if left is right:
            return self.place.empty
        if left.is_provably_empty or right.is_provably_empty or _are_apart(left, right):
            return left
        if not left.is_computed and not self.place.is_expected_here(left.query()):
            return self._new_rows(left.query(), right)
        here, there_local = left.local, right.local
        if left.rows == 0 or right.rows == 0 or _are_apart(left, right):
            return left
        if here is not None and there_local is not None:
            return self._kept(left, here, self.driver.difference(here, there_local))
        if here is not None:
            return self._kept(left, here, self.driver.difference(here, self._shared(left, here, right)))
        if right.rows * _SMALLER_BY > left.rows:
            text = without(left.query().text, self._about(left.predicates, right))
            query = PendingRows(text, runs_of(left.segments) + runs_of(right.segments), left.predicates, distinct=True)
            return self.place.of_query(query)
        return self.place.changed(left, leaving=self.place.runs(self.common(right, left)))

    def common(self, left: SparkFacts, right: SparkFacts) -> SparkFacts:
        if left is right:
            return left
        if left.is_provably_empty or right.is_provably_empty or _are_apart(left, right):
            return self.place.empty
        if left.rows > right.rows:
            left, right = right, left
        # Now that both are computed, more is known about them.
        if left.rows == 0 or _are_apart(left, right):
            return self.place.empty
        here, there = left.local, right.local
        if here is not None and there is not None:
            return self._kept(left, here, self.driver.common(here, there))
        if here is not None:
            return self._kept(left, here, self._shared(left, here, right))
        text = within(left.query().text, self._about(left.predicates, right))
        runs = runs_of(left.segments) + runs_of(right.segments)
        return self.place.of_query(PendingRows(text, runs, left.predicates, distinct=True))

    def renamed(self, facts: SparkFacts, names: Mapping[int, int]) -> SparkFacts:
        here = facts.local
        if here is not None:
            return self.place.of_facts(self.driver.renamed(here, names))
        known = {old: new for old, new in names.items() if facts.may_have(old)}
        if not known:
            return self.place.empty
        cases = " ".join(f"WHEN {old}L THEN {new}L" for old, new in known.items())
        source = reading(facts.segments, in_list("p", known))
        text = f"SELECT s, CASE p {cases} END AS p, o FROM ({source})"
        return self.place.of_query(PendingRows(text, runs_of(facts.segments), frozenset(known.values())))

    def sample(self, facts: SparkFacts, step: int) -> SparkFacts:
        here = facts.local
        if here is not None:
            return self.place.of_facts(self.driver.sample(here, step))
        # By hash, so that the same facts are drawn whenever the query runs; the first fact makes sure of at least one.
        chosen = f"pmod(hash(s, p, o), {step}L) = 0"
        first = f"SELECT * FROM ({reading(facts.segments)} LIMIT 1)"
        text = f"{reading(facts.segments, chosen)} UNION ALL {first}"
        return self.place.of_query(PendingRows(text, runs_of(facts.segments), facts.predicates))

    def of_splits(self, facts: SparkFacts, splits: SplitSet) -> SparkFacts:
        if facts.is_computed and facts.local is not None:
            here = facts.local
            return self._kept(facts, here, self.driver.of_splits(here, splits))
        return self._selected(facts, splits, by_object=True)

    def covering(self, facts: SparkFacts, splits: SplitSet) -> SparkFacts:
        if facts.is_computed and facts.local is not None:
            here = facts.local
            return self._kept(facts, here, self.driver.covering(here, splits))
        return self._selected(facts, splits, by_object=False)

    def irreflexive(self, facts: SparkFacts) -> SparkFacts:
        if not facts.may_have(SAME):
            return facts
        if facts.is_computed and facts.local is not None:
            return self._kept(facts, facts.local, self.driver.irreflexive(facts.local))
        if not facts.is_computed:
            return self.place.of_query(facts.query(f"NOT (p = {SAME} AND s = o)"))
        reflexive = self.place.of_query(facts.query(f"p = {SAME} AND s = o"))
        return self.difference(facts, reflexive)

    def count(self, facts: SparkFacts, predicate: int) -> int:
        return sum(
            segment.run.counts.get(predicate, 0) * (1 if segment.added else -1)
            for segment in facts.segments
            if predicate in segment.run.predicates
        )

    def subjects(self, facts: SparkFacts, predicate: int, obj: int) -> list[int]:
        here = facts.local
        if here is None:
            here = self.fetched(facts, f"p = {predicate} AND o = {obj}", predicate, obj)
        return self.driver.subjects(here, predicate, obj)

    def fetched(
        self, facts: SparkFacts, where: str, predicate: int | None = None, of_class: int | None = None
    ) -> FactSet:
        """Bring the facts that meet a condition to the driver; one job, unless no run can have any."""
        if facts.local is not None:
            facts = self.place.of_run(facts.segments[0].run)
        text = reading(facts.segments, where, predicate, of_class)
        return FactSet() if text.endswith("WHERE false") else self.place.scratch.fetched(text)

    def of_predicate(self, facts: SparkFacts, predicate: int) -> FactSet:
        """Bring the facts of a predicate to the driver; at most one job."""
        found = read_at_driver(facts, p=[predicate])
        return self.fetched(facts, f"p = {predicate}", predicate) if found is None else found

    def _selected(self, facts: SparkFacts, splits: SplitSet, *, by_object: bool) -> SparkFacts:
        """Return the facts of the predicates of some splits, and only those of their objects if ``by_object``."""
        predicates = facts.predicates
        if predicates is None:
            predicates = frozenset(facts.splits())
        chosen = frozenset(p for p in predicates if splits.has_predicate(p))
        cut = dict(splits.cut_predicates(chosen)) if by_object else {}
        if not chosen:
            return self.place.empty
        if len(chosen) == len(predicates) and not cut:
            return facts
        whole = chosen - cut.keys()
        parts = [in_list("p", whole)] if whole else []
        parts += [f"p = {p} AND {in_list('o', part.named, negated=part.others)}" for p, part in cut.items()]
        query = facts.query(" OR ".join(f"({part})" for part in parts))
        return self.place.of_query(PendingRows(query.text, query.needs, chosen, query.distinct))

    def _new_rows(self, rows: PendingRows, known: SparkFacts) -> SparkFacts:
        """Return the rows of a query that are not known, each once, in the same job.

        Few known facts go to where the rows are. Many are grouped with the rows by one shuffle, which finds repetitions
        among the rows as well.
        """
        facts = self._about(rows.predicates, known)
        if known.rows <= self.place.driver_rows:
            once = rows.text if rows.distinct else f"SELECT DISTINCT s, p, o FROM ({rows.text})"
            text = without(once, facts)
        else:
            text = (
                f"SELECT s, p, o FROM (SELECT s, p, o, 0 AS known FROM ({rows.text}) UNION ALL"
                f" SELECT s, p, o, 1 AS known FROM ({facts})) GROUP BY s, p, o HAVING max(known) = 0"
            )
        return self.place.of_query(
            PendingRows(text, rows.needs + runs_of(known.segments), rows.predicates, distinct=True)
        )

    def _about(self, predicates: frozenset[int] | None, facts: SparkFacts) -> str:
        """Return the query for the facts of some predicates, which are all that a comparison has to read."""
        known = facts.predicates
        if predicates is None or (known is not None and known <= predicates):
            return reading(facts.segments)
        wanted = predicates if known is None else predicates & known
        return reading(facts.segments, in_list("p", wanted))

    def _shared(self, few: SparkFacts, here: FactSet, facts: SparkFacts) -> FactSet:
        """Return what a set, which is ``here`` at the driver, has in common with facts in files; at most one job."""
        s, p, o = (sort_distinct(ids) for ids in here.columns())
        found = read_at_driver(facts, s=s, p=p, o=o)
        if found is None and len(here) <= _FEW:
            where = " AND ".join(in_list(name, ids.tolist()) for name, ids in (("p", p), ("s", s), ("o", o)))
            found = self.place.scratch.fetched(reading(facts.segments, where))
        if found is not None:
            return here.intersection(found)
        text = within(self._about(few.predicates, facts), reading(few.segments))
        return self.place.scratch.fetched(text)

    def _kept(self, facts: SparkFacts, before: FactSet, after: FactSet) -> SparkFacts:
        """Place what is left of facts at the driver, the same object if that is all of them."""
        return facts if len(before) == len(after) else self.place.of_facts(after)


def united(left: PendingRows, right: PendingRows) -> PendingRows:
    """Return the query for the rows of two, with repetitions."""
    predicates = None if left.predicates is None or right.predicates is None else left.predicates | right.predicates
    expected = None if left.expected is None or right.expected is None else left.expected + right.expected
    return PendingRows(f"{left.text} UNION ALL {right.text}", left.needs + right.needs, predicates, expected=expected)


def in_list(column: str, values: Iterable[int], *, negated: bool = False) -> str:
    """Return the condition that a column has one of some values.

    >>> in_list("p", [3, 1]), in_list("p", [])
    ('p IN (1, 3)', 'false')
    """
    if not (values := sorted(values)):
        return "true" if negated else "false"
    return f"{column}{' NOT' if negated else ''} IN ({', '.join(map(str, values))})"


def _are_apart(left: SparkFacts, right: SparkFacts) -> bool:
    """Tell whether two sets have no predicate in common, as far as that is known without a job."""
    first, second = left.predicates, right.predicates
    return first is not None and second is not None and first.isdisjoint(second)
