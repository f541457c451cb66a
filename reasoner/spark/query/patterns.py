"""Matching triple patterns: a scan of one predicate's facts each, joined by ids, fewest rows first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from reasoner.spark.query.relation import Field, Kind, Relation, appended, fresh, join
from reasoner.spark.query.source import Source, View
from reasoner.sparql.algebra import Term, TriplePattern
from reasoner.sparql.expression import Var
from reasoner.sparql.scope import names_of
from reasoner.vocabulary import SAME

_PREDICATE = ".predicate"
# A constant leaves about one in so many facts of a predicate.
_SELECTIVITY = 64


class Matcher:
    """Matches triple patterns in one graph."""

    def __init__(self, source: Source, view: View) -> None:
        self.source = source
        self.view = view
        self._kind = Kind.FOLDED if view.folded else Kind.ID

    def matches(self, subject: Term, predicate: Term, obj: Term) -> Relation:
        """Return the solutions of a pattern."""
        if isinstance(predicate, Var):
            return self._by_any_predicate(subject, predicate, obj)
        id = self.source.constant(predicate, self.view)
        if id is None:
            return self._nothing(subject, obj)
        parts = [self._stored(subject, obj, id)]
        if id == SAME and self.view.equates:
            parts.append(self._equal(subject, obj))
        name = self.source.id_of(predicate) if self.view.folded else id
        if self.view.own is not None and name in self.source.equality:
            own = self.view.own.where(f.col("p") == name)
            parts.append(self._own(own, subject, None, obj))
        return appended(parts)

    def estimate(self, pattern: TriplePattern) -> float:
        """Guess how many solutions a pattern has."""
        counts, predicate = self.source.counts, pattern.predicate
        rows = float(sum(counts.values()))
        if isinstance(predicate, str):
            id = self.source.constant(predicate, self.view)
            rows = float(counts.get(id, 0)) if id is not None else 0.0
        for term in (pattern.subject, pattern.object):
            rows = rows / _SELECTIVITY if isinstance(term, str) else rows
        return rows

    def _by_any_predicate(self, subject: Term, predicate: Var, obj: Term) -> Relation:
        """Match with a variable predicate, whose column is never folded: its names are IRIs only."""
        if predicate in (subject, obj):
            found = self._by_any_predicate(subject, Var(_PREDICATE), obj).unfolded([predicate.name])
            same = found.fields[predicate.name].column == found.fields[_PREDICATE].column
            return found.where(same).projected([name for name in found.fields if name != _PREDICATE])
        field, stored = fresh(Kind.ID), self._stored(subject, obj, None)
        rows = self.source.names if self.view.mapped else self._own_names()
        rows = rows if self.view.folded else [(p, name) for p, name in rows if p == name]
        names = self.source.session.createDataFrame(rows, f"{field.name}p long, {field.name} long")
        frame = stored.frame.join(f.broadcast(names), f.col("p") == f.col(f"{field.name}p"))
        found = replace(stored, frame=frame.drop("p", f"{field.name}p"))
        found = replace(found, fields={**found.fields, predicate.name: field})
        parts = [found]
        if self.view.own is not None:
            parts.append(self._own(self.view.own, subject, predicate, obj))
        for name in [name for p, name in self.source.names if p == SAME] if self.view.equates else ():
            parts.append(self._equal(subject, obj).with_field(predicate.name, fresh(Kind.ID), f.lit(name).cast("long")))
        return appended(parts)

    def _own_names(self) -> list[tuple[int, int]]:
        """Return the predicates of a graph whose terms stand for themselves."""
        return [(int(row[0]), int(row[0])) for row in self.view.facts.select("p").distinct().collect()]

    def _stored(self, subject: Term, obj: Term, predicate: int | None) -> Relation:
        """Return the matches among the facts; for any predicate, None, their column p is kept."""
        source, frame = self.source, self.view.facts
        if predicate is not None:
            frame = frame.where(f.col("p") == predicate)
        if self.view.hidden and (predicate is None or predicate in self.view.hidden):
            frame = frame.where(~f.col("p").isin(sorted(self.view.hidden)) | (f.col("s") != f.col("o")))
        if self._has_literal_subjects(predicate):
            frame = frame.join(source.literals, f.col("s") == f.col("literal"), "left_anti")
        fields: dict[str, Field] = {}
        several = False
        for column, term in (("s", subject), ("o", obj)):
            if isinstance(term, str):
                ids = source.constants(term, self.view)
                several |= len(ids) > 1
                frame = frame.where(f.col(column).isin(ids) if ids else f.lit(False))
            elif term.name in fields:
                frame = frame.where(f.col("s") == f.col("o"))
            else:
                fields[term.name] = fresh(self._kind)
        places = zip(("s", "o"), (subject, obj), strict=True)
        chosen: dict[str, str] = {}
        for column, term in places:
            if isinstance(term, Var):
                chosen.setdefault(term.name, column)
        columns = [f.col(column).alias(fields[name].name) for name, column in chosen.items()]
        columns += [f.col("p")] if predicate is None else []
        frame = frame.select(*columns or [f.lit(1).alias("unit")])
        # A fact that is written with several literals of one value holds once.
        return Relation(source, frame.distinct() if several else frame, fields)

    def _has_literal_subjects(self, predicate: int | None) -> bool:
        if not self.view.mapped:
            return False
        found = self.source.with_literal_subjects
        return bool(found) if predicate is None else predicate in found

    def _equal(self, subject: Term, obj: Term) -> Relation:
        """Return the equalities that classes stand for: c = d for different resources of one class."""
        if subject == obj and isinstance(subject, Var):
            return Relation.none(self.source, [subject.name])
        first, second = fresh(Kind.ID), fresh(Kind.ID)
        left, right = (
            self.source.resources.select(f.col("id").alias(x.name), f.col("representative").alias(f"{x.name}r"))
            for x in (first, second)
        )
        frame = left.join(right, f.col(f"{first.name}r") == f.col(f"{second.name}r"))
        frame = frame.where(first.column != second.column).select(first.name, second.name)
        return self._between(frame, {first: subject, second: obj})

    def _own(self, facts: DataFrame, subject: Term, predicate: Var | None, obj: Term) -> Relation:
        """Return the facts c = c that match; their predicate is a variable, or None if it is known."""
        first, named, second = fresh(Kind.ID), fresh(Kind.ID), fresh(Kind.ID)
        places = {"s": first, "p": named, "o": second}
        frame = facts.select(*(f.col(place).alias(field.name) for place, field in places.items()))
        found = self._between(frame, {first: subject, second: obj})
        return found if predicate is None else replace(found, fields={**found.fields, predicate.name: named})

    def _between(self, frame: DataFrame, ends: Mapping[Field, Term]) -> Relation:
        """Return the rows with the constants at the ends of a pattern, and its variables; terms are not folded."""
        fields: dict[str, Field] = {}
        for field, term in ends.items():
            if isinstance(term, str):
                id = self.source.id_of(term) if self.view.folded else self.source.constant(term, self.view)
                frame = frame.where(f.lit(False) if id is None else field.column == id)
            else:
                fields[term.name] = field
        return Relation(self.source, frame, fields)

    def _nothing(self, *terms: Term) -> Relation:
        return Relation.none(self.source, [term.name for term in terms if isinstance(term, Var)])


def joined(
    patterns: Sequence[TriplePattern],
    start: Relation | None,
    matches: Callable[[TriplePattern], Relation],
    estimate: Callable[[TriplePattern], float],
) -> Relation | None:
    """Join patterns with a bag, if there is one: fewest rows first, each connected with those before it if one is."""
    found = start
    left = list(patterns)
    while left:
        bound: Iterable[str] = found.fields if found is not None else ()
        connected = [pattern for pattern in left if any(name in bound for name in names_of(pattern))]
        chosen = min(connected or left, key=estimate)
        left.remove(chosen)
        part = matches(chosen)
        found = part if found is None else join(found, part)
    return found
