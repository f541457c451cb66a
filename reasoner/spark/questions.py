"""Rule bodies over facts in files, matched by Spark: what questions and constraints ask the columnar engine for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow.compute as pc

from reasoner.columnar.bindings import Bindings
from reasoner.columnar.factset import FactSet
from reasoner.columnar.plans import Plan, Plans
from reasoner.columnar.representatives import Representatives
from reasoner.rules.encode import EncodedRule, EncodedTerm, is_variable
from reasoner.spark.by_key import FactsElsewhereError
from reasoner.spark.chaining import body_over
from reasoner.spark.engine import SparkEngine
from reasoner.spark.fetched import FetchedFacts, unwrapped, wrapped
from reasoner.spark.terms import column


class QuestionEngine:
    """The columnar engine of the driver, but for matches over facts in files: Spark finds these, all by one job.

    Of each plan at most ``most`` matches come to the driver, and ``cut`` are the plans that have more. Without ``most``
    all of them do, unless they are more than the driver takes.
    """

    def __init__(self, spark: SparkEngine, most: int | None = None) -> None:
        self._spark = spark
        self._most = most
        self.cut: list[Plan] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spark.driver, name)

    def matches(self, rules: Iterable[EncodedRule], facts: FactSet) -> Iterator[tuple[Plan, Bindings[int]]]:
        """Yield the matches of rule bodies with all their variables, plan by plan."""
        if not isinstance(facts, FetchedFacts) or facts.spark.local is not None:
            yield from self._spark.driver.matches(rules, facts)
            return
        segments, bodies = facts.spark.segments, self._spark.bodies
        plans = [
            (plan, text)
            for plan in self._spark.driver.compile(rules)
            if (text := bodies.matches(body_over(plan, segments))) is not None
        ]
        if not plans:
            return
        most = self._spark.place.fetched_rows if self._most is None else self._most
        widest = max(len(_variables(plan)) for plan, _ in plans)
        parts = (_padded(at, plan, text, widest, most + 1) for at, (plan, text) in enumerate(plans))
        rows = self._spark.scratch.rows(" UNION ALL ".join(parts))
        for at, (plan, _) in enumerate(plans):
            found = rows.filter(pc.equal(rows.column("plan"), at))
            if found.num_rows > most:
                if self._most is None:
                    names = ", ".join(dict.fromkeys(rule.origin.name for rule in plan.template.rules[:3]))
                    raise FactsElsewhereError(f"more than {most:,} matches of {names}", most)
                self.cut.append(plan)
                found = found.slice(0, most)
            if found.num_rows:
                variables = enumerate(_variables(plan))
                columns = {variable: found.column(f"c{number}").to_numpy() for number, variable in variables}
                yield plan, Bindings(columns, found.num_rows)

    def any_match(self, plans: Plans, facts: FactSet) -> bool:
        return self._spark.any_match(plans, unwrapped(self._spark, facts))

    def occurrences(self, facts: FactSet, representatives: Representatives | None) -> FactSet:
        return wrapped(self._spark, self._spark.occurrences(unwrapped(self._spark, facts), representatives))

    def union(self, left: FactSet, right: FactSet) -> FactSet:
        return wrapped(self._spark, self._spark.union(*(unwrapped(self._spark, facts) for facts in (left, right))))


def _variables(plan: Plan) -> list[EncodedTerm]:
    """Return the variables and parameters that the matches of a plan bind, in a fixed order."""
    bound = {term for atom in plan.template.body for term in atom if is_variable(term)}
    return sorted(bound | set(plan.template.parameters), reverse=True)


def _padded(at: int, plan: Plan, matches: str, width: int, most: int) -> str:
    """Return the query for the first matches of a plan, with its number and as many columns as the others have."""
    names = [f"m.{column(variable)}" for variable in _variables(plan)]
    names += ["0L"] * (width - len(names))
    columns = "".join(f", {name} AS c{number}" for number, name in enumerate(names))
    return f"SELECT * FROM (SELECT {at}L AS plan{columns} FROM ({matches}) m LIMIT {most})"
