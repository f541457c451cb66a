"""Property paths (18.4): joins along a path, and iterated joins for ``+`` and ``*``."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from reasoner.rules.term import SAME_AS
from reasoner.spark.query.patterns import Matcher
from reasoner.spark.query.relation import Kind, Relation, appended, fresh, join
from reasoner.spark.run import Run
from reasoner.sparql.algebra import Alternative, Closure, Inverse, Link, NegatedSet, Path, Sequence, Term
from reasoner.sparql.expression import Var

_START, _END, _NEGATED = ".start", ".end", ".negated"


class PathMatcher:
    """Matches path patterns in one graph. ``kept`` collects what was written on the way and is read by the result."""

    def __init__(self, matcher: Matcher, kept: list[Run]) -> None:
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
            case Sequence(first, second):
                self._middles += 1
                middle = Var(f".middle{self._middles}")
                found = join(self.matches(subject, first, middle), self.matches(middle, second, obj))
                return found.projected([name for name in found.fields if name != middle.name])
            case Alternative(first, second):
                return appended([self.matches(subject, part, obj) for part in (first, second)])
            case NegatedSet():
                return self._negated(subject, path, obj)
            case Closure():
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

    def _closure(self, subject: Term, path: Closure, obj: Term) -> Relation:
        if isinstance(subject, Var) and isinstance(obj, str):
            return self._closure(obj, Closure(Inverse(path.path), path.zero, path.many), subject)
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

    def _from_unknown(self, subject: str, path: Closure, obj: Term) -> Relation:
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

    def _reached(self, path: Closure, start: list[int] | None, *, folded: bool) -> Relation:
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
        start, end = fresh(Kind.ID), fresh(Kind.ID)
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
            pairs = pairs if pairs.fields[_START].kind is Kind.FOLDED else self._at(pairs, _START, subject)
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
        ids = self._ends_at(term, folded=field.kind is Kind.FOLDED)
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
        case Sequence(first, second) | Alternative(first, second):
            return _is_invariant(first) and _is_invariant(second)
        case Closure(inner, zero):
            return not zero and _is_invariant(inner)
        case _:
            return False
