"""Running plans forward and backward over sets of facts, all plans of one call as one query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.plans import Plan, Plans
from reasoner.columnar.representatives import Representatives
from reasoner.reasoning.engine import DeadlineError
from reasoner.rules.encode import EncodedRule, Triple, is_variable
from reasoner.spark.body import Body, BodyQueries, SingleAtoms, gathered, instance, merged, structs, values
from reasoner.spark.components import Mappings
from reasoner.spark.facts import FactPlacement, FactSegment, PendingRows, Segments, SparkFacts
from reasoner.spark.platform.scratch import ScratchRun
from reasoner.spark.set_operations import SetOperations
from reasoner.terms.term import SAME

# A guess at how many heads a fact of a change has, which decides only how they are compared with the known facts.
_HEADS_PER_FACT = 2


class SparkChaining(SetOperations):
    """Evaluates plans. Plans are those of the columnar engine, which evaluates them where all facts are at the driver.

    Deviation: only the instances that the driver considers are counted, since counting those that Spark does would
    need a job of its own.
    """

    place: FactPlacement
    driver: ColumnarEngine
    bodies: BodyQueries
    mappings: Mappings
    equality: bool
    overdue: Callable[[], bool] | None

    def compile(self, rules: Iterable[EncodedRule]) -> Plans:
        return self.driver.compile(rules)

    def compile_backward(self, rules: Iterable[EncodedRule]) -> Plans:
        return self.driver.compile_backward(rules)

    def exchange(self, plans: Plans, leaving: Iterable[EncodedRule], joining: Iterable[EncodedRule]) -> Plans:
        return self.driver.exchange(plans, leaving, joining)

    def exchange_backward(self, plans: Plans, leaving: Iterable[EncodedRule], joining: Iterable[EncodedRule]) -> Plans:
        return self.driver.exchange_backward(plans, leaving, joining)

    def evaluate(self, plans: Plans, facts: SparkFacts) -> SparkFacts:
        self.require_time()
        here = facts.local
        if here is not None:
            return self.place.of_facts(self.driver.evaluate(plans, here))
        return self._heads(body_over(plan, facts.segments) for plan in plans)

    def evaluate_delta(self, plans: Plans, old: SparkFacts, delta: SparkFacts, whole: SparkFacts) -> SparkFacts:
        self.require_time()
        here = at_driver(old, delta, whole)
        if here is not None:
            return self.place.of_facts(self.driver.evaluate_delta(plans, *here))
        few = delta.local
        if few is None:
            return self._heads(delta_bodies(plans, old, delta, whole), expected=_HEADS_PER_FACT * delta.rows)
        # Who reads one new fact asks for no other: no job is needed for these.
        alone = Plans(plan for plan in plans if len(plan.template.body) == 1 and not plan.template.negative)
        others = Plans(plan for plan in plans if len(plan.template.body) > 1 or plan.template.negative)
        own = self.place.of_facts(self.driver.evaluate_delta(alone, FactSet(), few, few))
        return self.union(
            own, self._heads(delta_bodies(others, old, delta, whole), expected=_HEADS_PER_FACT * len(few))
        )

    def heads_using(
        self,
        plans: Plans,
        old: SparkFacts,
        delta: SparkFacts,
        whole: SparkFacts,
        representatives: Representatives,
    ) -> SparkFacts:
        here = at_driver(old, delta, whole)
        if here is not None:
            return self.place.of_facts(self.driver.heads_using(plans, *[*here, representatives]))
        heads = self._heads(delta_bodies(plans, old, delta, whole), reflexive=True)
        if heads.is_provably_empty or not heads.may_have(SAME):
            return heads
        query = heads.query()
        where = f"NOT (h.p = {SAME} AND h.s = h.o)"
        text = f"SELECT h.s, h.p, h.o FROM ({query.text}) h"
        if representatives:
            members = self.mappings.shown(representatives)
            text += f" LEFT JOIN {members.view} c ON h.p = {SAME} AND h.s = c.id WHERE {where} OR c.id IS NOT NULL"
            return self.place.of_query(PendingRows(text, (*query.needs, members), query.predicates))
        return self.place.of_query(PendingRows(f"{text} WHERE {where}", query.needs, query.predicates))

    def changed_heads(
        self,
        plans: Plans,
        whole: SparkFacts,
        absent: SparkFacts,
        delta: SparkFacts,
        returned: SparkFacts | None = None,
        own: SparkFacts | None = None,
    ) -> SparkFacts:
        self.require_time()
        given = [facts for facts in (returned, own) if facts is not None]
        if at_driver(whole, absent, delta, *given) is not None:
            return self.place.of_facts(
                self.driver.changed_heads(
                    plans,
                    *(None if f is None else f.local for f in (whole, absent, delta, returned, own)),  # type: ignore[arg-type]
                )
            )
        change = delta.rows + (0 if returned is None else returned.rows)
        bodies = self.changed_bodies(plans, whole, absent, delta, returned, own)
        return self._heads(bodies, expected=_HEADS_PER_FACT * change)

    def changed_bodies(
        self,
        plans: Plans,
        whole: SparkFacts,
        absent: SparkFacts,
        delta: SparkFacts,
        returned: SparkFacts | None = None,
        own: SparkFacts | None = None,
    ) -> Iterator[Body]:
        """Yield what to match to meet each instance that a change concerns once.

        The literals of a body are ordered, positive ones first: the first that the change concerns reads it, those
        before it read what the change does not concern.
        """
        change = tuple(FactSegment(run, added=False) for run in self.place.runs(delta))

        def before(facts: Segments) -> Segments:
            return facts + change

        for plan, at in reading_places(plans, delta):
            template = plan.template
            if own is not None and not template.own[at]:
                continue
            owned = template.own if own is not None else (False,) * len(template.body)
            sources = [whole.segments if own is None or not is_own else own.segments for is_own in owned]
            for earlier in range(at):
                if own is None or template.own[earlier]:
                    sources[earlier] = before(sources[earlier])
            sources[at] = delta.segments
            yield Body(plan, tuple(sources), (absent.segments,) * len(template.negative))
        if returned is None or self.is_empty(returned):
            return
        wider = (*absent.segments, *map(FactSegment, self.place.runs(returned)))
        for plan, at in denying_places(plans, returned):
            template = plan.template
            sources = [before(whole.segments)] * len(template.body)
            absences = [wider] * at + [absent.segments] * (len(template.negative) - at - 1)
            yield Body(plan.denial(at), (*sources, returned.segments), tuple(absences))

    def any_match(self, plans: Plans, facts: SparkFacts) -> bool:
        here = facts.local
        if here is not None:
            return self.driver.any_match(plans, here)
        for plan in plans:
            matches = self.bodies.matches(body_over(plan, facts.segments))
            if matches is not None and self.place.scratch.rows(f"SELECT 1 AS found FROM ({matches}) LIMIT 1").num_rows:
                return True
        return False

    def bodies_of(
        self, backward: Plans, facts: SparkFacts, heads: SparkFacts, absent: SparkFacts | None = None
    ) -> SparkFacts:
        here = at_driver(facts, heads, facts if absent is None else absent)
        if here is not None:
            given = None if absent is None else here[2]
            return self.place.of_facts(self.driver.bodies_of(backward, here[0], here[1], given))
        parts = [
            f"SELECT explode({structs(wanted)}) AS f FROM ({matches}) m"
            for body, wanted, matches in self._backward_matches(backward, facts, heads, absent, None)
            if wanted
        ]
        return self._exploded(parts, facts, heads, absent)

    def few_bodies_of(
        self, backward: Plans, facts: SparkFacts, heads: SparkFacts, most: int
    ) -> tuple[SparkFacts, SparkFacts]:
        here = at_driver(facts, heads)
        if here is not None:
            found, having_more = self.driver.few_bodies_of(backward, here[0], here[1], most)
            return self.place.of_facts(found), self.place.of_facts(having_more)
        parts = self._bodies_beside_heads(backward, facts, heads, None, None)
        if not parts:
            return self.place.empty, self.place.empty
        numbered = (
            "SELECT s, p, o, body, row_number() OVER (PARTITION BY s, p, o ORDER BY body) AS number "
            f"FROM ({' UNION ALL '.join(parts)})"
        )
        few = self._exploded([f"SELECT explode(body) AS f FROM ({numbered}) WHERE number <= {most}"], facts, heads)
        more = f"SELECT s, p, o FROM ({numbered}) WHERE number = {most + 1}"
        return few, self.place.of_query(PendingRows(more, _runs(facts, heads), heads.predicates))

    def one_body_each(
        self,
        backward: Plans,
        facts: SparkFacts,
        heads: SparkFacts,
        absent: SparkFacts | None = None,
        own: SparkFacts | None = None,
    ) -> SparkFacts:
        given = [facts for facts in (absent, own) if facts is not None]
        if at_driver(facts, heads, *given) is not None:
            return self.place.of_facts(
                self.driver.one_body_each(
                    backward,
                    *(None if f is None else f.local for f in (facts, heads, absent, own)),  # type: ignore[arg-type]
                )
            )
        parts = self._bodies_beside_heads(backward, facts, heads, absent, own)
        if not parts:
            return self.place.empty
        # The first body by its ids, so that the same one is taken whenever the query runs.
        chosen = f"SELECT min(body) AS body FROM ({' UNION ALL '.join(parts)}) GROUP BY s, p, o"
        return self._exploded([f"SELECT explode(body) AS f FROM ({chosen})"], facts, heads, absent, own)

    def _bodies_beside_heads(
        self,
        backward: Plans,
        facts: SparkFacts,
        heads: SparkFacts,
        absent: SparkFacts | None,
        own: SparkFacts | None,
    ) -> list[str]:
        """Return queries for the rule instances of the heads: each head as s, p, o, and the facts of its body."""
        parts = []
        for body, wanted, matches in self._backward_matches(backward, facts, heads, absent, own):
            s, p, o = values(body.plan.template.body[0])
            found = structs(wanted) if wanted else "CAST(array() AS array<struct<s: bigint, p: bigint, o: bigint>>)"
            parts.append(f"SELECT {s} AS s, {p} AS p, {o} AS o, {found} AS body FROM ({matches}) m")
        return parts

    def derivable(self, backward: Plans, facts: SparkFacts, absent: SparkFacts, heads: SparkFacts) -> SparkFacts:
        here = at_driver(facts, absent, heads)
        if here is not None:
            return self.place.of_facts(self.driver.derivable(backward, *here))
        parts = [
            instance(body.plan.template.body[0], matches)
            for body, _, matches in self._backward_matches(backward, facts, heads, absent, None)
        ]
        if not parts:
            return self.place.empty
        runs = _runs(facts, absent, heads)
        return self.place.of_query(PendingRows(" UNION ALL ".join(parts), runs, heads.predicates))

    def require_time(self) -> None:
        if self.overdue is not None and self.overdue():
            raise DeadlineError

    def head_query(self, body: Body, *, reflexive: bool = False) -> str | None:
        """Return the query for the heads of the matches of a body, with repetitions; None if there cannot be any."""
        head = body.plan.template.head
        assert head is not None, "constraints are matched, not evaluated"
        matches = self.bodies.matches(body)
        if matches is None:
            return None
        text = instance(head, matches)
        parameters = body.plan.parameters
        binds = any(is_variable(term) and term not in parameters for term in (head[0], head[2]))
        wild = is_variable(head[1]) and head[1] not in parameters
        if self.equality and not reflexive and binds and (wild or head[1] == SAME):
            # c = c holds by itself: a match that binds c shows that c occurs.
            text = f"SELECT s, p, o FROM ({text}) WHERE NOT (p = {SAME} AND s = o)"
        return text

    def _heads(self, bodies: Iterable[Body], *, reflexive: bool = False, expected: int | None = None) -> SparkFacts:
        """Return the heads of all matches of some bodies as one query."""
        parts, runs = [], list[ScratchRun]()
        predicates: set[int] | None = set()
        single, others = gathered(bodies, equality=self.equality)
        queries: list[tuple[SingleAtoms | Body, str | None]] = [(each, each.query()) for each in single]
        queries += [(body, self.head_query(body, reflexive=reflexive)) for body in merged(others)]
        for body, text in queries:
            if text is None:
                continue
            parts.append(text)
            runs += body.runs
            written = body.head_predicates
            predicates = None if predicates is None or written is None else predicates | written
        if not parts:
            return self.place.empty
        known = None if predicates is None else frozenset(predicates)
        text, needs = " UNION ALL ".join(parts), tuple(dict.fromkeys(runs))
        return self.place.of_query(PendingRows(text, needs, known, expected=expected))

    def _backward_matches(
        self,
        backward: Plans,
        facts: SparkFacts,
        heads: SparkFacts,
        absent: SparkFacts | None,
        own: SparkFacts | None,
    ) -> Iterator[tuple[Body, tuple[Triple, ...], str]]:
        """Yield the bodies that have one of the heads, with the atoms that are wanted and the query for the matches."""
        self.require_time()
        absences = (facts if absent is None else absent).segments

        def bodies() -> Iterator[Body]:
            for plan in backward.writing(_as_facts(heads)):
                template = plan.template
                owned = template.own if own is not None else (False,) * len(template.body)
                sources = [own.segments if own is not None and is_own else facts.segments for is_own in owned]
                sources[0] = heads.segments
                yield Body(plan, tuple(sources), (absences,) * len(template.negative), free=0)

        for body in merged(bodies()):
            matches = self.bodies.matches(body)
            if matches is not None:
                yield body, _wanted_body(body.plan), matches

    def _exploded(self, parts: list[str], *given: SparkFacts | None) -> SparkFacts:
        if not parts:
            return self.place.empty
        text = " UNION ALL ".join(f"SELECT f.s AS s, f.p AS p, f.o AS o FROM ({part})" for part in parts)
        return self.place.of_query(PendingRows(text, _runs(*given), None))


def body_over(plan: Plan, facts: Segments) -> Body:
    """Return the body of a plan with all its literals over the same facts."""
    template = plan.template
    return Body(plan, (facts,) * len(template.body), (facts,) * len(template.negative))


def delta_bodies(plans: Plans, old: SparkFacts, delta: SparkFacts, whole: SparkFacts) -> Iterator[Body]:
    """Yield what to match to meet each instance with a new fact once."""
    for plan, at in reading_places(plans, delta):
        template = plan.template
        after = len(template.body) - at - 1
        sources = (old.segments,) * at + (delta.segments,) + (whole.segments,) * after
        yield Body(plan, sources, (whole.segments,) * len(template.negative))


def reading_places(plans: Plans, facts: SparkFacts) -> Iterable[tuple[Plan, int]]:
    """Return the plans with the positions of the body atoms that some of the facts may match."""
    return plans.reading(_as_facts(facts))


def denying_places(plans: Plans, facts: SparkFacts) -> Iterable[tuple[Plan, int]]:
    """Return the plans with the positions of the negative atoms that some of the facts may match."""
    return plans.denying(_as_facts(facts))


def at_driver(*sets: SparkFacts) -> list[Any] | None:
    """Return sets of facts as they are at the driver, None if one of them is not there."""
    found = [facts.local for facts in sets]
    return None if any(facts is None for facts in found) else found


def _as_facts(facts: SparkFacts) -> Any:
    """Return what the index of plans asks of a fact set: its predicates, its classes and its size."""
    return facts.splits()


def _wanted_body(plan: Plan) -> tuple[Triple, ...]:
    """Return the body atoms of a backward plan: those of its own stratum, if it tells them apart."""
    body, own = plan.template.body, plan.template.own
    return tuple(atom for atom, is_own in zip(body, own, strict=True) if is_own) if own else body[1:]


def _runs(*sets: SparkFacts | None) -> tuple[ScratchRun, ...]:
    return tuple(segment.run for facts in sets if facts is not None for segment in facts.segments)
