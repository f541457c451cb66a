"""The closure of (symmetric-)transitive predicates: at the driver if the predicate fits there, else by joins.

Under maintenance the facts of the one predicate that changed are brought to the driver, whatever their number.
"""

from __future__ import annotations

from reasoner.columnar.factset import FactSet
from reasoner.modules import Closure
from reasoner.spark.components import smallest_connected
from reasoner.spark.facts import Query, SparkFacts, reading, runs_of
from reasoner.spark.membership import Membership


class Closures(Membership):
    """The operations of the modules. ``closure_rows`` is how many facts of a predicate the driver closes."""

    closure_rows: int

    def close(self, closure: Closure, facts: SparkFacts, fresh: SparkFacts | None) -> SparkFacts:
        predicate = closure.predicate
        if not facts.may_have(predicate) or (fresh is not None and not fresh.may_have(predicate)):
            return self.place.empty
        rows = self.count(facts, predicate)
        if rows == 0 or (fresh is not None and self.count(fresh, predicate) == 0):
            return self.place.empty
        if rows <= self.closure_rows:
            changed = None if fresh is None else self._of(closure, fresh)
            return self.place.of_facts(self.driver.close(closure, self._of(closure, facts), changed))
        edges = reading(facts.segments, f"p = {predicate}", predicate)
        query = Query(edges, runs_of(facts.segments), frozenset({predicate}), distinct=True)
        found = self._close_symmetrically(query) if closure.symmetric else self._close_transitively(query)
        return self.difference(found, facts)

    def derived_by_edges(self, closure: Closure, facts: SparkFacts, edges: SparkFacts) -> SparkFacts:
        return self._placed(self.driver.derived_by_edges(closure, self._of(closure, facts), self._of(closure, edges)))

    def derived_by_new_edges(self, closure: Closure, facts: SparkFacts, edges: SparkFacts) -> SparkFacts:
        found = self.driver.derived_by_new_edges(closure, self._of(closure, facts), self._of(closure, edges))
        return self._placed(found)

    def rederived(
        self, closure: Closure, left: SparkFacts, gone: SparkFacts, external: SparkFacts | None
    ) -> SparkFacts:
        steps = None if external is None else self._of(closure, external)
        return self._placed(self.driver.rederived(closure, self._of(closure, left), self._of(closure, gone), steps))

    def unsupported(
        self, closure: Closure, facts: SparkFacts, lost: SparkFacts, external: SparkFacts, *, nearby: bool
    ) -> SparkFacts:
        found = self.driver.unsupported(
            closure,
            self._of(closure, facts),
            self._of(closure, lost),
            self._of(closure, external),
            nearby=nearby,
        )
        return self._placed(found)

    def neighbourhood(self, closure: Closure, facts: SparkFacts, lost: SparkFacts, most: int) -> SparkFacts | None:
        found = self.driver.neighbourhood(closure, self._of(closure, facts), self._of(closure, lost), most)
        return None if found is None else self._placed(found)

    def _of(self, closure: Closure, facts: SparkFacts) -> FactSet:
        """Bring the facts of a predicate to the driver."""
        if not facts.may_have(closure.predicate):
            return FactSet()
        if facts.local is not None:
            return facts.local
        return self.of_predicate(facts, closure.predicate)

    def _placed(self, facts: FactSet) -> SparkFacts:
        return self.place.of_facts(facts)

    def _close_symmetrically(self, edges: Query) -> SparkFacts:
        """Return all pairs of members of one component."""
        (predicate,) = edges.predicates or frozenset()
        scratch = self.place.scratch
        labels = scratch.table_view(owner := _Owner(), smallest_connected(scratch, edges.text))
        nodes = f"SELECT s AS node FROM ({edges.text}) UNION SELECT o AS node FROM ({edges.text})"
        labelled = (
            f"SELECT n.node, coalesce(l.o, n.node) AS label FROM ({nodes}) n LEFT JOIN {labels} l ON n.node = l.s"
        )
        text = (
            f"SELECT a.node AS s, {predicate}L AS p, b.node AS o FROM ({labelled}) a JOIN ({labelled}) b"
            " ON a.label = b.label"
        )
        return self.place.of_query(Query(text, (*edges.needs, owner), edges.predicates, distinct=True))

    def _close_transitively(self, edges: Query) -> SparkFacts:
        """Return all pairs that a path connects, by rounds that double the length of the paths.

        A path that is new to a round has a new one as its first part, or as its second.
        """
        (predicate,) = edges.predicates or frozenset()
        paths = fresh = self.place.of_query(edges)
        while not self.is_empty(fresh):
            known, new = reading(paths.segments), reading(fresh.segments)
            parts = [(new, known)] if fresh is paths else [(new, known), (known, new)]
            text = " UNION ALL ".join(
                f"SELECT a.s, {predicate}L AS p, b.o FROM ({first}) a JOIN ({second}) b ON a.o = b.s"
                for first, second in parts
            )
            runs = runs_of(paths.segments) + runs_of(fresh.segments)
            fresh = self.difference(self.place.of_query(Query(text, runs, edges.predicates)), paths)
            paths = self.extend(paths, fresh)
        return paths


class _Owner:
    """Something that a view can belong to."""
