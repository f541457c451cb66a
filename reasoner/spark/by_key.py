"""Sets of facts in files as tables of which the driver reads what it asks for: the facts about some terms.

Files are cut down by predicate and by the ranges of their row groups; the driver reads what is left of them itself, or
by one job where it is much. What one question may bring to the driver is limited: a question that asks for more is
refused with the number of rows, and never answered by fetching in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids
from reasoner.columnar.nearby import Neighbourhood, TooFarError
from reasoner.rules.errors import ReasonerError
from reasoner.spark.facts import DRIVER_ROWS_VARIABLE, Segments, SparkFacts, parted, read_files, reading
from reasoner.spark.platform.scratch import facts_of
from reasoner.spark.set_operations import in_list
from reasoner.terms.term import TYPE

if TYPE_CHECKING:
    from reasoner.spark.engine import SparkEngine

# More ids than this are joined with, and not listed.
_LISTED = 1000

_WHERE = {"s": "s", "o": "o", "class": "o", "p": "p"}
_ASKED: dict[str, Callable[[Ids], dict[str, Any]]] = {
    "s": lambda ids: {"s": ids},
    "o": lambda ids: {"o": ids, "types": False},
    "class": lambda ids: {"p": [TYPE], "o": ids},
    "p": lambda ids: {"p": ids},
}


class FactsElsewhereError(ReasonerError, TooFarError):
    """A question asks for more facts at the driver than it takes at a time."""

    def __init__(self, rows: str, most: int) -> None:
        super().__init__(
            f"{rows} would come to the driver, which takes {most:,} at a time; let Spark answer (kb.query, "
            f"kb.dataframe, kb.write with a slash at the end), ask about fewer terms, or raise {DRIVER_ROWS_VARIABLE}"
        )


@dataclass(frozen=True, slots=True)
class PartedFacts:
    """A set of facts: runs that Spark reads, and what leaves and joins them at the driver."""

    files: Segments
    leaving: FactSet
    joining: FactSet

    @classmethod
    def of(cls, facts: SparkFacts) -> PartedFacts:
        parts = parted(facts)
        return cls(facts.segments, FactSet(), FactSet()) if parts is None else cls(*parts)

    @property
    def is_union(self) -> bool:
        return all(segment.added for segment in self.files)

    def counts(self) -> dict[int, int]:
        """Return how many facts each predicate has in the files."""
        counts: dict[int, int] = {}
        for segment in self.files:
            for predicate, rows in segment.run.counts.items():
                counts[predicate] = counts.get(predicate, 0) + (rows if segment.added else -rows)
        return counts

    def classes(self) -> frozenset[int]:
        return frozenset[int]().union(*(segment.run.classes for segment in self.files if segment.added))

    def read_at_driver(self, kind: str, ids: Ids) -> FactSet | None:
        """Return the facts of the files about some terms; None if a job is to read them."""
        return read_files(self.files, **_ASKED[kind](ids)) if self.is_union else None

    def query(self, where: str, predicate: int | None) -> str:
        """Return the query for the facts of the files that meet a condition, in as few tasks as it takes."""
        if predicate is not None or not self.is_union:
            return reading(self.files, where, predicate)
        views = (segment.run.view_by_term or segment.run.view for segment in self.files)
        parts = [f"SELECT s, p, o FROM {view} WHERE {where}" for view in views]
        return " UNION ALL ".join(parts) or reading((), where)


class FactsByKey:
    """Some sets of facts whose tables fetch what they are asked for, from all sets at once.

    Once more than ``most`` facts have come, ``TooFarError`` is raised. If ``at_a_time`` is given, a single question for
    more facts than that is refused with ``FactsElsewhereError``, before they come.
    """

    def __init__(
        self, engine: SparkEngine, sides: Sequence[PartedFacts], most: int, at_a_time: int | None = None
    ) -> None:
        self._engine = engine
        self._sides = sides
        self._at_a_time = at_a_time
        self._counts = [side.counts() for side in sides]
        self.near = Neighbourhood(self._fetched, len(engine.driver.dictionary), most)
        self.sets = [
            self.near.facts(counts, side.classes(), side.leaving, side.joining)
            for side, counts in zip(sides, self._counts, strict=True)
        ]

    def _fetched(self, kind: str, ids: Ids) -> list[FactSet]:
        """Bring the facts of all sets about some terms to the driver: it reads them itself, or else by one job."""
        if kind == "p" and self._at_a_time is not None:
            rows = sum(counts.get(predicate, 0) for counts in self._counts for predicate in ids.tolist())
            if rows > self._at_a_time:
                raise FactsElsewhereError(f"{rows:,} facts, all of {self._names(ids)},", self._at_a_time)
        near = [side.read_at_driver(kind, ids) for side in self._sides]
        read = [facts for facts in near if facts is not None]
        found = read if len(read) == len(near) else self._fetched_by_job(kind, ids)
        if self._at_a_time is not None and sum(map(len, found)) > self._at_a_time:
            raise FactsElsewhereError(f"more than {self._at_a_time:,} facts about {self._names(ids)}", self._at_a_time)
        return found

    def _fetched_by_job(self, kind: str, ids: Ids) -> list[FactSet]:
        engine, column = self._engine, _WHERE[kind]
        owner = None
        if ids.size <= _LISTED:
            where = in_list(column, ids.tolist())
        else:
            owner = engine.scratch.held(FactSet.of_columns(ids, ids * 0, ids))
            where = f"{column} IN (SELECT s FROM {owner.view})"
        if kind == "o":
            where += f" AND p <> {TYPE}"
        if kind == "class":
            where = f"p = {TYPE} AND {where}"
        predicate = TYPE if kind == "class" else int(ids[0]) if kind == "p" and ids.size == 1 else None
        texts = (
            f"SELECT {at}L AS part, s, p, o FROM ({side.query(where, predicate)})"
            for at, side in enumerate(self._sides)
        )
        limit = "" if self._at_a_time is None else f" LIMIT {self._at_a_time + 1}"
        rows = engine.scratch.rows(f"SELECT * FROM ({' UNION ALL '.join(texts)}){limit}")
        part = rows.column("part").to_numpy()
        return [facts_of(rows.filter(part == at)) for at in range(len(self._sides))]

    def _names(self, ids: Ids) -> str:
        """Return the terms of a question as an error names them."""
        dictionary = self._engine.driver.dictionary
        shown = [dictionary.text(id) for id in ids[:3].tolist() if id < len(dictionary)]
        return ", ".join(shown) + (f" and {ids.size - 3:,} more terms" if ids.size > 3 else "")
