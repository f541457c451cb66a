"""A run: facts that Spark has written once, or that the driver holds, under a name that queries read them by."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reasoner.columnar.factset import FactSet

if TYPE_CHECKING:
    from reasoner.columnar.form_groups import FactsByClass
    from reasoner.columnar.row_groups import RowGroups
    from reasoner.spark.scratch import Scratch


class Run:
    """Distinct facts that never change; ``facts`` are the same at the driver, where they are few.

    ``predicates`` and ``classes`` (the objects of rdf:type) are what its facts mention. A run lives as long as anything
    refers to it; then the scratch folder forgets it. If it is ``counted``, a column n tells how often facts occur.
    """

    def __init__(
        self,
        scratch: Scratch,
        name: str,
        rows: int,
        predicates: frozenset[int],
        classes: frozenset[int],
        facts: FactSet | None = None,
        *,
        counted: bool = False,
    ) -> None:
        self._scratch = scratch
        self.name = name
        self.rows = rows
        self.predicates = predicates
        self.classes = classes
        self.facts = facts
        self._counted = counted
        # A view of the same facts that is read in fewer tasks, for who asks about terms whatever the predicate.
        self.view_by_term: str | None = None
        # What the driver may read of it by itself.
        self.groups: RowGroups | FactsByClass | None = None

    @property
    def view(self) -> str:
        """The name of the view that holds the facts, made when a query first asks for it."""
        self._scratch.show(self.name, self.facts, counted=self._counted)
        return self.name

    def read_at_driver(self, **asked: Any) -> FactSet | None:
        """Return the facts about some terms, read by the driver; None if a job is to read them."""
        found = None if self.groups is None else self.groups.facts(**asked)
        if found is not None:
            self._scratch.traffic.read(len(found))
        return found

    @cached_property
    def counts(self) -> Mapping[int, int]:
        """How many facts each predicate has; one job for a run that is not at the driver."""
        if self.facts is not None:
            return {predicate: self.facts.table(predicate).size for predicate in self.facts}
        if len(self.predicates) == 1:
            return dict.fromkeys(self.predicates, self.rows)
        rows = self._scratch.rows(f"SELECT p, count(*) AS n FROM {self.view} GROUP BY p")
        return dict(zip(rows["p"].to_pylist(), rows["n"].to_pylist(), strict=True))

    def estimate(self, predicate: int) -> float:
        """Guess how many facts of a predicate there are, without a job."""
        if predicate not in self.predicates:
            return 0.0
        if self.facts is not None or "counts" in self.__dict__:
            return float(self.counts[predicate])
        return self.rows / len(self.predicates)
