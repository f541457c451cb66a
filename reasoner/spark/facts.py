"""Sets of facts that are at the driver while they are small, and in files of Spark when they are not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from reasoner.columnar.factset import FactSet
from reasoner.columnar.row_groups import only_about
from reasoner.rules.errors import ReasonerError
from reasoner.spark.platform.scratch import Scratch, ScratchRun
from reasoner.terms.term import TYPE

# With more segments than this the later ones are written together.
_MOST_SEGMENTS = 8


@dataclass(frozen=True, slots=True)
class FactSegment:
    """A run that a set of facts takes in, or leaves out from what came before it."""

    run: ScratchRun
    added: bool = True


Segments: TypeAlias = tuple[FactSegment, ...]


@dataclass(frozen=True, slots=True)
class PendingRows:
    """Rows s, p, o that nobody has computed yet; ``needs`` are the owners of the views that the text names.

    ``predicates`` are all that may occur, None if that is not known. Unless ``distinct``, rows may repeat.
    ``expected`` is a guess at how many there are, if there is one.
    """

    text: str
    needs: tuple[object, ...]
    predicates: frozenset[int] | None
    distinct: bool = False
    expected: int | None = None


# A job of Spark takes a tenth of a second and more even for a few rows, which are no trouble to the driver.
DRIVER_ROWS = 1 << 18
# The variable of the environment that says so for this process.
DRIVER_ROWS_VARIABLE = "REASONER_DRIVER_ROWS"


def rows_at_driver() -> int:
    """Return how many facts of a set may be at the driver, by the environment or as usual."""
    named = os.environ.get(DRIVER_ROWS_VARIABLE, str(DRIVER_ROWS))
    if not named.isdecimal():
        raise ReasonerError(f"{DRIVER_ROWS_VARIABLE} is {named!r}; set it to a number of facts, such as {DRIVER_ROWS}")
    return int(named)


class FactPlacement:
    """Where facts are: sets of up to ``driver_rows`` facts come to the driver, the others stay in ``scratch``.

    Of a set that stays there, a question may bring ``fetched_rows`` facts to the driver at a time.
    """

    def __init__(self, scratch: Scratch, driver_rows: int) -> None:
        self.scratch = scratch
        self.driver_rows = driver_rows
        self.fetched_rows = max(driver_rows, DRIVER_ROWS)
        self.empty = SparkFacts(self, (FactSegment(scratch.held(FactSet())),))

    def of_facts(self, facts: FactSet) -> SparkFacts:
        """Place facts that the driver has at hand."""
        return self.of_run(self._run(facts))

    def of_run(self, run: ScratchRun) -> SparkFacts:
        return SparkFacts(self, (FactSegment(run),)) if run.rows else self.empty

    def of_query(self, query: PendingRows | None) -> SparkFacts:
        """Return the facts that a query would give; no query gives none."""
        return self.empty if query is None else SparkFacts(self, (), query)

    def computed(self, query: PendingRows) -> ScratchRun:
        """Run a query; what is small comes to the driver."""
        text = query.text if query.distinct else f"SELECT DISTINCT s, p, o FROM ({query.text})"
        if self.is_expected_here(query):
            # One row more than there is room for tells that the guess was wrong.
            found = self.scratch.fetched(f"SELECT s, p, o FROM ({text}) LIMIT {self.driver_rows + 1}")
            if len(found) <= self.driver_rows:
                return self.scratch.held(found)
        run = self.scratch.written(text)
        return self.scratch.held(self.scratch.read(run)) if run.rows <= self.driver_rows else run

    def is_expected_here(self, query: PendingRows) -> bool:
        """Tell whether the rows of a query will probably come to the driver."""
        return query.expected is not None and query.expected <= self.driver_rows

    def runs(self, facts: SparkFacts) -> tuple[ScratchRun, ...]:
        """Return runs whose union a set is: its own, or one that is computed now if facts have left some."""
        if not facts.is_union:
            return (self.computed(facts.query()),)
        return runs_of(facts.segments)

    def changed(
        self, facts: SparkFacts, *, leaving: Iterable[ScratchRun] = (), joining: Iterable[ScratchRun] = ()
    ) -> SparkFacts:
        """Return a set without the facts of some runs, which it has, and then with those of others, which it has not.

        Runs and not segments: what left another set would leave this one as well.
        """
        changes = [*(FactSegment(run, added=False) for run in leaving), *map(FactSegment, joining)]
        changes = [segment for segment in changes if segment.run.rows]
        return self._of_segments((*facts.segments, *changes)) if changes else facts

    def _of_segments(self, segments: Segments) -> SparkFacts:
        """Return the facts of some segments, of which few are left: changes at the driver are united with one another,
        and runs in files are written together when they have become many."""
        left = self._folded(segments) or [segment for segment in segments if segment.run.rows]
        if len(left) > _MOST_SEGMENTS:
            at = len(left) // 2
            # What is left out of later runs may be in earlier ones.
            at = at if all(segment.added for segment in left[at:]) else 0
            tail = SparkFacts(self, tuple(left[at:]))
            left = [*left[:at], FactSegment(self.computed(tail.query()))]
        return SparkFacts(self, tuple(left)) if left else self.empty

    def _folded(self, segments: Segments) -> list[FactSegment] | None:
        """Return the runs in files, and what leaves and joins them at the driver as one segment each; None if a run in
        files brings back what has left before it."""
        files: list[FactSegment] = []
        leaving, joining = FactSet(), FactSet()
        for segment in segments:
            facts = segment.run.facts
            if facts is None:
                if not segment.added or (len(leaving) and self._shares(segment.run, leaving)):
                    return None
                files.append(segment)
            elif segment.added:
                back = _common(facts, leaving)
                leaving, joining = leaving.difference(back), joining.union(facts.difference(back))
            else:
                again = _common(facts, joining)
                joining, leaving = joining.difference(again), leaving.union(facts.difference(again))
        changes = (FactSegment(self._run(leaving), added=False), FactSegment(self._run(joining)))
        return [*files, *(change for change in changes if change.run.rows)]

    def _shares(self, run: ScratchRun, facts: FactSet) -> bool:
        """Tell whether a run in files has one of some facts of the driver; at most one job."""
        if run.predicates.isdisjoint(facts):
            return False
        held = self.scratch.held(facts)
        text = within(reading((FactSegment(run),)), reading((FactSegment(held),)))
        return bool(self.scratch.rows(f"SELECT s FROM ({text}) LIMIT 1").num_rows)

    def _run(self, facts: FactSet) -> ScratchRun:
        few = len(facts) <= self.driver_rows or not len(facts)
        return self.scratch.held(facts) if few else self.scratch.distributed(facts)


class SparkFacts:
    """An immutable set of facts: some segments, or a query that becomes a segment when somebody asks for its facts."""

    __slots__ = ("_place", "_query", "_segments")

    def __init__(self, place: FactPlacement, segments: Segments, query: PendingRows | None = None) -> None:
        self._place = place
        self._segments = segments
        self._query = query

    @property
    def is_computed(self) -> bool:
        return self._query is None

    @property
    def is_provably_empty(self) -> bool:
        """Tell whether there are no facts, as far as that is known without a job."""
        return self._query is None and self.rows == 0

    @property
    def segments(self) -> Segments:
        """The runs that make up the set, computed now if they were not yet."""
        if self._query is not None:
            self._segments = (FactSegment(self._place.computed(self._query)),)
            self._query = None
        return self._segments

    @property
    def is_union(self) -> bool:
        """Tell whether the set is the union of its runs: no facts have left one of them."""
        return all(segment.added for segment in self.segments)

    @property
    def rows(self) -> int:
        return sum(segment.run.rows if segment.added else -segment.run.rows for segment in self.segments)

    @property
    def local(self) -> FactSet | None:
        """The facts at the driver, if they are there."""
        segments = self.segments
        return segments[0].run.facts if len(segments) == 1 else None

    @property
    def predicates(self) -> frozenset[int] | None:
        """The predicates that may occur, None if that is not known."""
        if self._query is not None:
            return self._query.predicates
        return frozenset().union(*(segment.run.predicates for segment in self._segments if segment.added))

    def may_have(self, predicate: int) -> bool:
        """Tell whether there may be facts of a predicate, as far as that is known without a job."""
        predicates = self.predicates
        return predicates is None or predicate in predicates

    def query(self, where: str = "", *, distinct: bool = False) -> PendingRows:
        """Return the query for the facts, or for those that meet a condition on s, p and o."""
        if self._query is not None:
            if not where:
                return self._query
            text = f"SELECT s, p, o FROM ({self._query.text}) WHERE {where}"
            return PendingRows(text, self._query.needs, self._query.predicates, self._query.distinct)
        needs, expected = runs_of(self._segments), None if where else self.rows
        return PendingRows(reading(self._segments, where), needs, self.predicates, distinct=True, expected=expected)

    def splits(self) -> Splits:
        """Return which predicates and classes there are, for the index of plans."""
        return Splits(self.segments)


class Splits:
    """The predicates and classes of a set of facts, in the way in which plans ask a fact set for them."""

    def __init__(self, segments: Segments) -> None:
        runs = [segment.run for segment in segments if segment.added]
        self._predicates = frozenset[int]().union(*(run.predicates for run in runs))
        self._runs = runs

    def __iter__(self) -> Iterator[int]:
        return iter(self._predicates)

    def __contains__(self, predicate: int) -> bool:
        return predicate in self._predicates

    def __len__(self) -> int:
        return sum(run.rows for run in self._runs)

    def classes(self) -> frozenset[int]:
        """Return the classes that the facts of rdf:type name."""
        return frozenset[int]().union(*(run.classes for run in self._runs))


def parted(facts: SparkFacts) -> tuple[Segments, FactSet, FactSet] | None:
    """Return the files of a set, and what leaves and joins them at the driver; None if it is not so simple."""
    files: list[FactSegment] = []
    leaving, joining = FactSet(), FactSet()
    for segment in facts.segments:
        here = segment.run.facts
        if here is None:
            if not segment.added or len(leaving) or len(joining):
                return None
            files.append(segment)
        elif segment.added:
            if len(joining):
                return None
            joining = here
        else:
            if len(leaving) or len(joining):
                return None
            leaving = here
    return tuple(files), leaving, joining


def read_at_driver(facts: SparkFacts, **asked: Any) -> FactSet | None:
    """Return the facts about some terms, read by the driver; None if a job is to read them."""
    parts = parted(facts)
    if parts is None:
        return None
    files, leaving, joining = parts
    found = read_files(files, **asked)
    return None if found is None else found.difference(leaving).union(only_about(joining, **asked))


def read_files(files: Segments, **asked: Any) -> FactSet | None:
    """Return the facts about some terms that runs in files have, read by the driver; None if a job is to read them."""
    found = FactSet()
    for segment in files:
        part = segment.run.read_at_driver(**asked)
        if part is None:
            return None
        found = found.union(part)
    return found


def _common(left: FactSet, right: FactSet) -> FactSet:
    return left.intersection(right) if len(left) < len(right) else right.intersection(left)


def runs_of(segments: Segments) -> tuple[ScratchRun, ...]:
    return tuple(segment.run for segment in segments)


def reading(segments: Segments, where: str = "", predicate: int | None = None, of_class: int | None = None) -> str:
    """Return the text of a query for the facts of segments that meet a condition.

    A run that has nothing of the predicate or of the class that the condition asks for is not read.
    """
    text = ""
    clause = f" WHERE {where}" if where else ""
    for segment in segments:
        run = segment.run
        if run.rows == 0 or not has_split(run, predicate, of_class):
            continue
        part = f"SELECT s, p, o FROM {run.view}{clause}"
        if segment.added:
            text = f"{text} UNION ALL {part}" if text else part
        elif text:
            text = without(text, part)
    return text or "SELECT 0L AS s, 0L AS p, 0L AS o WHERE false"


def has_split(run: ScratchRun, predicate: int | None, of_class: int | None = None) -> bool:
    """Tell whether a run has facts of a predicate, and if that is rdf:type, of a class; None is any."""
    if predicate is None:
        return run.rows > 0
    if predicate not in run.predicates:
        return False
    return predicate != TYPE or of_class is None or of_class in run.classes


def without(left: str, right: str) -> str:
    """Return the text of a query for the rows of one that another does not have."""
    return f"SELECT l.s, l.p, l.o FROM ({left}) l LEFT ANTI JOIN ({right}) r ON l.s = r.s AND l.p = r.p AND l.o = r.o"


def within(left: str, right: str) -> str:
    """Return the text of a query for the rows of one that another has as well."""
    return f"SELECT l.s, l.p, l.o FROM ({left}) l LEFT SEMI JOIN ({right}) r ON l.s = r.s AND l.p = r.p AND l.o = r.o"
