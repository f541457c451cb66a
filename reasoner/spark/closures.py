"""The closure of (symmetric-)transitive predicates: at the driver if the predicate fits there, else by joins.

Under maintenance the facts of the one predicate that changed are brought to the driver, whatever their number.

Relating facts over representatives to the facts that they stand for, by joins with the mapping.

Equality: taking equalities out of derived facts, merging classes, and bringing facts into normal form.

The mapping of terms to representatives is that of the columnar engine, at the driver. Facts are rewritten by joins
with it, and equalities are fetched; connected components of very many equalities are computed by Spark.
"""

from __future__ import annotations

from collections.abc import Collection

from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids
from reasoner.columnar.representatives import Representatives
from reasoner.reasoning.modules import Closure
from reasoner.spark.components import Mappings, connected_smallest, smallest_connected
from reasoner.spark.facts import FactPlacement, PendingRows, SparkFacts, reading, runs_of
from reasoner.spark.set_operations import SetOperations, in_list
from reasoner.spark.terms import SparkTerms
from reasoner.terms.term import OCCURS, SAME


class Rewriting(SetOperations):
    """The operations by which equality merges terms and rewrites facts."""

    place: FactPlacement
    driver: ColumnarEngine
    mappings: Mappings
    terms: SparkTerms
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
            PendingRows(reading(facts.segments, f"p = {SAME} AND s = o", SAME), runs, frozenset({SAME}), True)
        )
        texts = self.terms.view()
        text = (
            f"SELECT f.s, f.p, f.o FROM ({same}) f JOIN {texts} ts ON f.s = ts.id JOIN {texts} ot ON f.o = ot.id"
            f" WHERE f.s <> f.o AND {self.terms.mergeable('ts.text', 'ot.text')}"
        )
        merging_facts = self.place.of_query(PendingRows(text, runs, frozenset({SAME}), True))
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
        return self.place.of_query(PendingRows(text, needs, frozenset({OCCURS}), True))

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
        query = PendingRows(reading(explicit.segments, in_list("p", known)), runs_of(explicit.segments), known, True)
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
        return self.place.of_query(PendingRows(text, form.needs + runs_of(wanted), query.predicates, True))

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
        return self.place.of_query(PendingRows(text, (*needs, *owners), facts.predicates, True))

    def _parts_view(self, rebuilt: Representatives, mapping: Representatives) -> str:
        """Return a relation of the representatives of two or more terms, and into how many classes of ``rebuilt`` the
        class of each falls."""
        old, new = self.mappings.shown(mapping).view, self.mappings.shown(rebuilt).view
        return (
            "(SELECT m.representative AS id, count(DISTINCT coalesce(n.representative, m.id)) AS parts"
            f" FROM {old} m LEFT JOIN {new} n ON m.id = n.id GROUP BY m.representative)"
        )


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
        query = PendingRows(edges, runs_of(facts.segments), frozenset({predicate}), distinct=True)
        found = self._close_symmetrically(query) if closure.symmetric else self._close_transitively(query)
        return self.difference(found, facts)

    def derived_by_edges(self, closure: Closure, facts: SparkFacts, edges: SparkFacts) -> SparkFacts:
        return self._placed(self.driver.derived_by_edges(closure, self._of(closure, facts), self._of(closure, edges)))

    def derived_by_new_edges(self, closure: Closure, facts: SparkFacts, edges: SparkFacts) -> SparkFacts:
        found = self.driver.derived_by_new_edges(closure, self._of(closure, facts), self._of(closure, edges))
        return self._placed(found)

    def steps_between(self, closure: Closure, facts: SparkFacts, goals: SparkFacts) -> SparkFacts:
        return self._placed(self.driver.steps_between(closure, self._of(closure, facts), self._of(closure, goals)))

    def reached(
        self, closure: Closure, steps: SparkFacts, goals: SparkFacts, representatives: Representatives
    ) -> SparkFacts:
        form = Closure(representatives.of_one(closure.predicate))
        found = self.driver.reached(closure, self._of(closure, steps), self._of(form, goals), representatives)
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

    def _close_symmetrically(self, edges: PendingRows) -> SparkFacts:
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
        return self.place.of_query(PendingRows(text, (*edges.needs, owner), edges.predicates, distinct=True))

    def _close_transitively(self, edges: PendingRows) -> SparkFacts:
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
            fresh = self.difference(self.place.of_query(PendingRows(text, runs, edges.predicates)), paths)
            paths = self.extend(paths, fresh)
        return paths


class _Owner:
    """Something that a view can belong to."""
