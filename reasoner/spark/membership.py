"""Relating facts over representatives to the facts that they stand for, by joins with the mapping."""

from __future__ import annotations

from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids
from reasoner.columnar.representatives import Representatives
from reasoner.spark.facts import Query, SparkFacts, reading, runs_of
from reasoner.spark.rewriting import Rewriting
from reasoner.spark.set_operations import in_list
from reasoner.vocabulary import SAME

_FORM = ", f.s AS raw_s, f.p AS raw_p, f.o AS raw_o"


class Membership(Rewriting):
    """The operations of maintenance under equality. Classes are read at the driver, facts where they are."""

    def mentioning(self, facts: SparkFacts, equalities: SparkFacts, representatives: Representatives) -> SparkFacts:
        if not representatives or facts.is_provably_empty or not equalities.may_have(SAME):
            return self.place.empty
        chosen = self.fetched_equalities(equalities)
        here = facts.local
        if here is not None:
            return self.place.of_facts(self.driver.mentioning(here, chosen, representatives))
        s, o = chosen.table(SAME).pairs()
        return self._about_terms(facts, s[(s == o) & representatives.is_plural(s)])

    def facts_about(self, facts: SparkFacts, changed: Representatives, before: Representatives) -> SparkFacts:
        here = facts.local
        if here is not None:
            return self.place.of_facts(self.driver.facts_about(here, changed, before))
        return self._about_terms(facts, changed.moved_since(before))

    def classes_of_terms(self, facts: SparkFacts, representatives: Representatives) -> SparkFacts:
        if not representatives or facts.is_provably_empty:
            return self.place.empty
        here = facts.local
        if here is not None:
            return self.place.of_facts(self.driver.classes_of_terms(here, representatives))
        members = self.mappings.shown(representatives)
        text = (
            f"SELECT DISTINCT t AS s, {SAME}L AS p, t AS o FROM (SELECT explode(array(s, p, o)) AS t FROM"
            f" ({reading(facts.segments)})) f LEFT SEMI JOIN {members.view} m ON f.t = m.id"
        )
        return self.place.of_facts(self.place.scratch.fetched(text))

    def standing_for(self, explicit: SparkFacts, representatives: Representatives, normal: SparkFacts) -> SparkFacts:
        if not representatives:
            return self.common(normal, explicit)
        if explicit.is_provably_empty or normal.is_provably_empty:
            return self.place.empty
        here, there = explicit.local, normal.local
        if here is not None and there is not None:
            return self.place.of_facts(self.driver.standing_for(here, representatives, there))
        return self._with_form(explicit, representatives, normal, "SEMI")

    def split_by_form(
        self, facts: SparkFacts, representatives: Representatives, chosen: SparkFacts
    ) -> tuple[SparkFacts, SparkFacts]:
        if facts.is_provably_empty:
            return facts, facts
        here, there = facts.local, chosen.local
        if here is not None and there is not None:
            inside, outside = self.driver.split_by_form(here, representatives, there)
            return self.place.of_facts(inside), self.place.of_facts(outside)
        if not representatives:
            return self.common(facts, chosen), self.difference(facts, chosen)
        within, without = (self._with_form(facts, representatives, chosen, kind) for kind in ("SEMI", "ANTI"))
        return within, without

    def unproved(
        self,
        facts: SparkFacts,
        proved: SparkFacts,
        rebuilt: Representatives,
        representatives: Representatives,
        *,
        wholly: bool,
    ) -> SparkFacts:
        if not representatives:
            return self.difference(facts, proved)
        here, there = facts.local, proved.local
        if here is not None and there is not None:
            return self._kept(facts, here, self.driver.unproved(here, there, rebuilt, representatives, wholly=wholly))
        return self._counted_unproved(facts, proved, rebuilt, representatives, wholly)

    def replace_classes(
        self, representatives: Representatives, rebuilt: Representatives, checked: SparkFacts
    ) -> Representatives:
        if not representatives or not checked.may_have(SAME):
            return representatives
        return self.driver.replace_classes(representatives, rebuilt, self.fetched_equalities(checked))

    def explicit_of(self, explicit: SparkFacts, representatives: Representatives, predicate: int) -> SparkFacts:
        here = explicit.local
        if here is not None:
            return self.place.of_facts(self.driver.explicit_of(here, representatives, predicate))
        names = representatives.class_of(predicate).tolist() if representatives else [predicate]
        known = frozenset(name for name in names if explicit.may_have(name))
        if not known:
            return self.place.empty
        query = Query(reading(explicit.segments, in_list("p", known)), runs_of(explicit.segments), known, True)
        return self.place.of_query(self.mappings.normal(query, representatives))

    def _about_terms(self, facts: SparkFacts, terms: Ids) -> SparkFacts:
        """Return the facts that mention one of some terms."""
        if not terms.size or facts.is_provably_empty:
            return self.place.empty
        owner = self.place.scratch.held(FactSet.of_columns(terms, terms * 0, terms))
        known = frozenset(terms.tolist())
        named = [p for p in facts.splits() if p in known]
        where = in_list("f.p", named) if named else "false"
        query = self.mappings.mentioning(facts.query(), f"(SELECT s AS id FROM {owner.view})", owner, where)
        return self.place.of_query(query)

    def _with_form(self, facts: SparkFacts, mapping: Representatives, chosen: SparkFacts, kind: str) -> SparkFacts:
        """Return the facts whose normal form is among chosen ones (SEMI), or is not (ANTI)."""
        wanted = chosen.segments
        where, named = "", chosen.predicates
        if kind == "SEMI" and named is not None:
            # Only the splits of these predicates, and of those that they represent, can have such facts.
            where = in_list("p", {name for predicate in named for name in mapping.class_of(predicate).tolist()})
        query = facts.query(where)
        form = self.mappings.normal(query, mapping, _FORM)
        text = (
            f"SELECT l.raw_s AS s, l.raw_p AS p, l.raw_o AS o FROM ({form.text}) l LEFT {kind} JOIN"
            f" ({reading(wanted)}) r ON l.s = r.s AND l.p = r.p AND l.o = r.o"
        )
        return self.place.of_query(Query(text, form.needs + runs_of(wanted), query.predicates, True))

    def _counted_unproved(
        self,
        facts: SparkFacts,
        proved: SparkFacts,
        rebuilt: Representatives,
        mapping: Representatives,
        wholly: bool,
    ) -> SparkFacts:
        """Compare the number of proved facts that a fact stands for with the number of combinations of its terms'
        classes under ``rebuilt``; see ``reasoner.columnar.membership.unproved``."""
        parts = self._parts_view(rebuilt, mapping)
        forms = self.mappings.normal(proved.query(), mapping).text
        same = f"f.p = {SAME} AND f.s = f.o AND ps.id IS NOT NULL"
        wanted = "coalesce(ps.parts, 1) * coalesce(po.parts, 1) * coalesce(pp.parts, 1)"
        # An equality is proved as it is, or is a class: that is proved when it is one class again.
        equality = f"CASE WHEN {same} THEN {'false' if wholly else 'ps.parts > 1'} ELSE coalesce(e.n, 0) = 0 END"
        others = "coalesce(g.n, 0) = 0" if wholly else f"coalesce(g.n, 0) < {wanted}"
        text = (
            f"SELECT f.s, f.p, f.o FROM ({reading(facts.segments)}) f"
            f" LEFT JOIN (SELECT s, p, o, count(*) AS n FROM ({forms}) GROUP BY s, p, o) g"
            " ON f.s = g.s AND f.p = g.p AND f.o = g.o"
            f" LEFT JOIN (SELECT s, o, 1 AS n FROM ({reading(proved.segments)}) WHERE p = {SAME}) e"
            f" ON f.p = {SAME} AND f.s = e.s AND f.o = e.o"
            f" LEFT JOIN {parts} ps ON f.s = ps.id LEFT JOIN {parts} po ON f.o = po.id"
            f" LEFT JOIN {parts} pp ON f.p = pp.id"
            f" WHERE CASE WHEN f.p = {SAME} THEN {equality} ELSE {others} END"
        )
        owners = self.mappings.shown(rebuilt), self.mappings.shown(mapping)
        needs = runs_of(facts.segments) + runs_of(proved.segments)
        return self.place.of_query(Query(text, (*needs, *owners), facts.predicates, True))

    def _parts_view(self, rebuilt: Representatives, mapping: Representatives) -> str:
        """Return a relation of the representatives of two or more terms, and into how many classes of ``rebuilt`` the
        class of each falls."""
        old, new = self.mappings.shown(mapping).view, self.mappings.shown(rebuilt).view
        return (
            "(SELECT m.representative AS id, count(DISTINCT coalesce(n.representative, m.id)) AS parts"
            f" FROM {old} m LEFT JOIN {new} n ON m.id = n.id GROUP BY m.representative)"
        )
