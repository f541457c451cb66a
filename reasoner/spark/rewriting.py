"""Equality: taking equalities out of derived facts, merging classes, and bringing facts into normal form.

The mapping of terms to representatives is that of the columnar engine, at the driver. Facts are rewritten by joins
with it, and equalities are fetched; connected components of very many equalities are computed by Spark.
"""

from __future__ import annotations

from collections.abc import Collection

from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.representatives import Representatives
from reasoner.spark.components import connected_smallest
from reasoner.spark.facts import Place, Query, SparkFacts, reading, runs_of
from reasoner.spark.mappings import Mappings
from reasoner.spark.set_operations import SetOperations, in_list
from reasoner.spark.terms import Terms
from reasoner.vocabulary import OCCURS, SAME


class Rewriting(SetOperations):
    """The operations by which equality merges terms and rewrites facts."""

    place: Place
    driver: ColumnarEngine
    mappings: Mappings
    terms: Terms
    equality: bool
    components_from: int

    def identity(self) -> Representatives:
        return self.driver.identity()

    def normalise(self, facts: SparkFacts, representatives: Representatives) -> SparkFacts:
        if not representatives or facts.is_provably_empty:
            return facts
        if not facts.is_computed:
            return self.place.of_query(self.mappings.normal(facts.query(), representatives))
        here = facts.local
        if here is not None:
            return self.place.of_facts(self.driver.normalise(here, representatives))
        kept, changed = self.rewrite(facts, representatives)
        return self.union(kept, changed)

    def take_equalities(self, facts: SparkFacts) -> tuple[SparkFacts, SparkFacts, SparkFacts]:
        empty = self.place.empty
        if facts.is_provably_empty or not facts.may_have(SAME):
            return facts, empty, empty
        here = facts.local
        if here is not None:
            others, merging, notes = self.driver.take_equalities(here)
            return self._kept(facts, here, others), self.place.of_facts(merging), self.place.of_facts(notes)
        if not any(SAME in segment.run.predicates for segment in facts.segments if segment.added):
            return facts, empty, empty
        same = reading(facts.segments, f"p = {SAME}", SAME)
        runs = runs_of(facts.segments)
        reflexive = self.place.of_query(
            Query(reading(facts.segments, f"p = {SAME} AND s = o", SAME), runs, frozenset({SAME}), True)
        )
        texts = self.terms.view()
        text = (
            f"SELECT f.s, f.p, f.o FROM ({same}) f JOIN {texts} ts ON f.s = ts.id JOIN {texts} ot ON f.o = ot.id"
            f" WHERE f.s <> f.o AND {self.terms.mergeable('ts.text', 'ot.text')}"
        )
        merging_facts = self.place.of_query(Query(text, runs, frozenset({SAME}), True))
        rest = self.difference(facts, self.union(merging_facts, reflexive))
        return rest, merging_facts, self.renamed(reflexive, {SAME: OCCURS})

    def merge(
        self, representatives: Representatives, equalities: SparkFacts
    ) -> tuple[Representatives, Representatives]:
        here = equalities.local
        if here is None and equalities.rows >= self.components_from:
            here = connected_smallest(self.place.scratch, equalities, self.mappings, representatives)
        if here is None:
            here = self.fetched(equalities, f"p = {SAME}", SAME)
        return self.driver.merge(representatives, here)

    def rewrite(self, facts: SparkFacts, moved: Representatives) -> tuple[SparkFacts, SparkFacts]:
        if not moved or facts.is_provably_empty:
            return facts, self.place.empty
        here = facts.local
        if here is not None:
            kept, changed = self.driver.rewrite(here, moved)
            return self._kept(facts, here, kept), self.place.of_facts(changed)
        renamed = [p for p in facts.splits() if moved.of_one(p) != p]
        shown = self.mappings.shown(moved)
        terms = f"(SELECT id FROM {shown.view} WHERE id <> representative)"
        where = in_list("f.p", renamed) if renamed else "false"
        query = self.mappings.mentioning(facts.query(), terms, shown, where)
        touched = self.place.of_query(query)
        if self.is_empty(touched):
            return facts, touched
        changed_facts = self.place.of_query(self.mappings.normal(touched.query(), moved))
        return self.difference(facts, touched), changed_facts

    def representative(self, mapping: Representatives, id: int) -> int:
        return self.driver.representative(mapping, id)

    def moves(self, mapping: Representatives, terms: Collection[int]) -> bool:
        return self.driver.moves(mapping, terms)

    def class_size(self, mapping: Representatives, id: int) -> int:
        return self.driver.class_size(mapping, id)

    def occurrences(self, facts: SparkFacts, representatives: Representatives | None) -> SparkFacts:
        here = facts.local
        if here is not None:
            return self.place.of_facts(self.driver.occurrences(here, representatives))
        hidden = self.driver.auxiliary.among(facts.splits())
        source = reading(facts.segments, in_list("p", {OCCURS, *hidden}, negated=True))
        text = f"SELECT explode(array(s, p, o, {SAME}L)) AS t FROM ({source})"
        needs: tuple[object, ...] = runs_of(facts.segments)
        if representatives:
            shown = self.mappings.shown(representatives)
            needs += (shown,)
            text += f" UNION ALL SELECT representative AS t FROM {shown.view}"
        text = f"SELECT DISTINCT t AS s, {OCCURS}L AS p, t AS o FROM ({text})"
        return self.place.of_query(Query(text, needs, frozenset({OCCURS}), True))

    def reflexive_notes(self, explicit: SparkFacts, representatives: Representatives) -> SparkFacts:
        if not explicit.may_have(SAME):
            return self.place.empty
        here = explicit.local
        if here is None:
            # These are stated by hand, and few.
            here = self.fetched(explicit, f"p = {SAME} AND s = o", SAME)
        return self.place.of_facts(self.driver.reflexive_notes(here, representatives))

    def stored(self, facts: SparkFacts) -> SparkFacts:
        return self.irreflexive(facts) if self.equality else facts

    def fetched_equalities(self, facts: SparkFacts) -> FactSet:
        """Bring the classes c = c among facts to the driver; they are no more than the mapping there has."""
        if facts.local is not None:
            return facts.local
        return self.fetched(facts, f"p = {SAME} AND s = o", SAME)
