"""Matching triple patterns: a scan of one predicate's facts each, joined by ids, fewest rows first.

Property paths (18.4): joins along a path, and iterated joins for ``+`` and ``*``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from reasoner.spark.platform.scratch import ScratchRun
from reasoner.spark.query.relation import ColumnKind, Field, Relation, appended, fresh, join
from reasoner.spark.query.source import FrameSource, View
from reasoner.sparql.algebra import (
    Alternative,
    Inverse,
    Link,
    NegatedSet,
    Path,
    PathSequence,
    RepeatedPath,
    Term,
    TriplePattern,
    Var,
)
from reasoner.sparql.scope import names_of
from reasoner.terms.term import SAME, SAME_AS

_PREDICATE = ".predicate"
# A constant leaves about one in so many facts of a predicate.
_SELECTIVITY = 64


class FrameMatcher:
    """Matches triple patterns in one graph."""

    def __init__(self, source: FrameSource, view: View) -> None:
        self.source = source
        self.view = view
        self._kind = ColumnKind.FOLDED if view.folded else ColumnKind.ID

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
        field, stored = fresh(ColumnKind.ID), self._stored(subject, obj, None)
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
            parts.append(
                self._equal(subject, obj).with_field(predicate.name, fresh(ColumnKind.ID), f.lit(name).cast("long"))
            )
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
        first, second = fresh(ColumnKind.ID), fresh(ColumnKind.ID)
        left, right = (
            self.source.resources.select(f.col("id").alias(x.name), f.col("representative").alias(f"{x.name}r"))
            for x in (first, second)
        )
        frame = left.join(right, f.col(f"{first.name}r") == f.col(f"{second.name}r"))
        frame = frame.where(first.column != second.column).select(first.name, second.name)
        return self._between(frame, {first: subject, second: obj})

    def _own(self, facts: DataFrame, subject: Term, predicate: Var | None, obj: Term) -> Relation:
        """Return the facts c = c that match; their predicate is a variable, or None if it is known."""
        first, named, second = fresh(ColumnKind.ID), fresh(ColumnKind.ID), fresh(ColumnKind.ID)
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


_START, _END, _NEGATED = ".start", ".end", ".negated"


class FramePathMatcher:
    """Matches path patterns in one graph. ``kept`` collects what was written on the way and is read by the result."""

    def __init__(self, matcher: FrameMatcher, kept: list[ScratchRun]) -> None:
        self._matcher = matcher
        self._source = matcher.source
        self._kept = kept
        self._middles = 0

    def matches(self, subject: Term, path: Path, obj: Term) -> Relation:
        """Return the solutions of a path.

        A sequence counts every way through its middle; ``+``, ``*`` and ``?`` count every pair of ends once.
        """
        match path:
            case Link(predicate):
                return self._matcher.matches(subject, predicate, obj)
            case Inverse(inner):
                return self.matches(obj, inner, subject)
            case PathSequence(first, second):
                self._middles += 1
                middle = Var(f".middle{self._middles}")
                found = join(self.matches(subject, first, middle), self.matches(middle, second, obj))
                return found.projected([name for name in found.fields if name != middle.name])
            case Alternative(first, second):
                return appended([self.matches(subject, part, obj) for part in (first, second)])
            case NegatedSet():
                return self._negated(subject, path, obj)
            case RepeatedPath():
                return self._closure(subject, path, obj)

    def _negated(self, subject: Term, path: NegatedSet, obj: Term) -> Relation:
        parts = []
        for excluded, (s, o) in ((path.forward, (subject, obj)), (path.backward, (obj, subject))):
            if excluded is not None:
                gone = [id for name in excluded if (id := self._source.id_of(name)) is not None]
                found = self._matcher.matches(s, Var(_NEGATED), o)
                kept = found.where(~found.fields[_NEGATED].column.isin(gone)) if gone else found
                parts.append(kept.projected([name for name in kept.fields if name != _NEGATED]))
        return appended(parts)

    def _closure(self, subject: Term, path: RepeatedPath, obj: Term) -> Relation:
        if isinstance(subject, Var) and isinstance(obj, str):
            return self._closure(obj, RepeatedPath(Inverse(path.path), path.zero, path.many), subject)
        folded = self._matcher.view.folded and _is_invariant(path.path) and not self._source.has_equality_aliases
        start: list[int] | None = None
        if isinstance(subject, str):
            id = self._source.id_of(subject)
            if id is None:
                return self._from_unknown(subject, path, obj)
            start = self._ends_at(subject, folded=folded)
        pairs = self._reached(path, start, folded=folded)
        if path.zero:
            pairs = self._with_own(pairs, subject, obj)
        return self._ended(pairs, subject, obj)

    def _from_unknown(self, subject: str, path: RepeatedPath, obj: Term) -> Relation:
        """Match from a term that the store does not know: a path of length zero leads to itself."""
        if isinstance(obj, str):
            return Relation.unit(self._source) if path.zero and obj == subject else self._nothing()
        if not path.zero:
            return Relation.none(self._source, [obj.name])
        return Relation.of_texts(self._source, [obj.name], [[subject]])

    def _ends_at(self, constant: str, *, folded: bool) -> list[int]:
        """Return the terms that an end of a path may be which is a constant: a literal is asked for by value."""
        id, ids = self._source.id_of(constant), self._source.constants(constant, self._matcher.view)
        if folded or len(ids) > 1:
            return ids
        return [] if id is None else [id]

    def _reached(self, path: RepeatedPath, start: list[int] | None, *, folded: bool) -> Relation:
        """Return the distinct pairs of one or more steps (one at most, if there are not many).

        Semi-naively, each round one join of the newest pairs with the steps, and one comparison with those known.
        """
        step = self.matches(Var(_START), path.path, Var(_END))
        if not folded:
            step = step.unfolded([_START, _END])
        step = step.projected([_START, _END], bag=False)
        edges = step.frame.select(step.fields[_START].column.alias("s"), step.fields[_END].column.alias("o")).distinct()
        found = edges if start is None else edges.where(f.col("s").isin(start))
        if path.many:
            found = self._closed(edges, found)
        ends = {_START: fresh(step.fields[_START].kind), _END: fresh(step.fields[_END].kind)}
        frame = found.select(f.col("s").alias(ends[_START].name), f.col("o").alias(ends[_END].name))
        return Relation(self._source, frame, ends)

    def _closed(self, edges: DataFrame, found: DataFrame) -> DataFrame:
        steps = self._written(edges).select(f.col("s").alias("from"), f.col("o").alias("to"))
        frontier = known = self._written(found)
        while self._kept[-1].rows:
            further = frontier.join(steps, f.col("o") == f.col("from")).select("s", f.col("to").alias("o")).distinct()
            seen = known.select(f.col("s").alias("seen_s"), f.col("o").alias("seen_o"))
            same = (f.col("s") == f.col("seen_s")) & (f.col("o") == f.col("seen_o"))
            frontier = self._written(further.join(seen, same, "left_anti"))
            known = known.unionAll(frontier)
        return known

    def _written(self, pairs: DataFrame) -> DataFrame:
        run = self._source.cut(pairs)
        self._kept.append(run)
        return self._source.session.table(run.view).select("s", "o")

    def _with_own(self, pairs: Relation, subject: Term, obj: Term) -> Relation:
        """Add the paths of length zero, which lead from a term to itself and not to the terms that equal it.

        They start at any term if an end is a constant, else only from the terms of the graph.
        """
        start, end = fresh(ColumnKind.ID), fresh(ColumnKind.ID)
        if isinstance(subject, str):
            nodes = self._source.session.createDataFrame([(self._source.id_of(subject),)], "node long")
        else:
            nodes = self._nodes()
        own = nodes.select(f.col("node").alias(start.name), f.col("node").alias(end.name))
        both = appended([pairs.unfolded([_START, _END]), Relation(self._source, own, {_START: start, _END: end})])
        return both.distinct()

    def _nodes(self) -> DataFrame:
        """Return the subjects and objects of the graph, every equal term for itself."""
        found = self._matcher.matches(Var("s"), Var("p"), Var("o")).unfolded(["s", "o"])
        ends = [found.frame.select(found.fields[name].column.alias("node")) for name in ("s", "o")]
        return ends[0].unionAll(ends[1]).distinct()

    def _ended(self, pairs: Relation, subject: Term, obj: Term) -> Relation:
        """Return pairs under the names of the ends; constants are compared and dropped."""
        if isinstance(subject, str):
            # Where the pairs are folded, so is their start; it was chosen before.
            pairs = pairs if pairs.fields[_START].kind is ColumnKind.FOLDED else self._at(pairs, _START, subject)
        if isinstance(obj, str):
            pairs = self._at(pairs, _END, obj)
        if subject == obj and isinstance(subject, Var):
            pairs = pairs.unfolded([_START, _END])
            pairs = pairs.where(pairs.fields[_START].column == pairs.fields[_END].column)
            return Relation(self._source, pairs.frame, {subject.name: pairs.fields[_START]})
        names = {_START: subject, _END: obj}
        fields = {term.name: pairs.fields[end] for end, term in names.items() if isinstance(term, Var)}
        found = Relation(self._source, pairs.frame, fields)
        constants = [term for term in (subject, obj) if isinstance(term, str)]
        # What is reached from two literals of one value is reached once.
        several = any(len(self._source.constants(term, self._matcher.view)) > 1 for term in constants)
        return found.projected(list(fields), bag=False).distinct() if several else found

    def _at(self, pairs: Relation, end: str, term: str) -> Relation:
        """Keep the pairs with one end at a constant.

        A literal is asked for by value; but a path of length zero, which is no fact, begins and ends with the term.
        """
        field = pairs.fields[end]
        ids = self._ends_at(term, folded=field.kind is ColumnKind.FOLDED)
        if not ids:
            return pairs.where(f.lit(False))
        found = pairs.where(field.column.isin(ids))
        if len(ids) == 1:
            return found
        own = pairs.fields[_START].column == pairs.fields[_END].column
        return found.where(~own | (field.column == self._source.id_of(term)))

    def _nothing(self) -> Relation:
        return Relation.none(self._source)


def _is_invariant(path: Path) -> bool:
    """Tell whether equal terms have the same successors and predecessors along a path.

    Not so for a path that may be of length zero, and for owl:sameAs, which leads to all equal terms but the first.
    """
    match path:
        case Link(predicate):
            return predicate != SAME_AS
        case Inverse(inner):
            return _is_invariant(inner)
        case PathSequence(first, second) | Alternative(first, second):
            return _is_invariant(first) and _is_invariant(second)
        case RepeatedPath(inner, zero):
            return not zero and _is_invariant(inner)
        case _:
            return False
