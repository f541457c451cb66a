"""Property paths (18.4): joins along a path, and reachability for ``+``, ``*`` and ``?``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reasoner.columnar.kernels import NO_KEYS, Ids, is_member, merge, pack, sort_distinct, unpack
from reasoner.sparql.algebra import Alternative, Closure, Inverse, Link, NegatedSet, Path, Sequence, Term
from reasoner.sparql.budget import Budget
from reasoner.sparql.expression import Var
from reasoner.sparql.join import join
from reasoner.sparql.match import Matcher
from reasoner.sparql.solutions import Solutions, appended
from reasoner.sparql.terms import Terms
from reasoner.vocabulary import SAME

_START, _END = ".start", ".end"


class PathMatcher:
    """Matches path patterns in one graph; a variable that is bound must be so in every row."""

    def __init__(self, matcher: Matcher, terms: Terms, budget: Budget) -> None:
        self._matcher = matcher
        self._terms = terms
        self._budget = budget
        self._classes = matcher.classes
        self._middles = 0

    def extended(self, solutions: Solutions, subject: Term, path: Path, obj: Term) -> Solutions:
        """Return the join of solutions with the matches of a path.

        A sequence counts every way through its middle; ``+``, ``*`` and ``?`` count every pair of ends once.
        """
        self._budget.check(solutions.size)
        match path:
            case Link(predicate):
                return self._matcher.extended(solutions, subject, predicate, obj)
            case Inverse(inner):
                return self.extended(solutions, obj, inner, subject)
            case Sequence(first, second):
                return self._sequence(solutions, subject, first, second, obj)
            case Alternative(first, second):
                parts = [self.extended(solutions, subject, part, obj) for part in (first, second)]
                return appended(parts, self._classes, self._budget)
            case NegatedSet():
                return self._negated(solutions, subject, path, obj)
            case Closure():
                return self._closure(solutions, subject, path, obj)

    def _sequence(self, solutions: Solutions, subject: Term, first: Path, second: Path, obj: Term) -> Solutions:
        self._middles += 1
        middle = Var(f".middle{self._middles}")
        if isinstance(subject, Var) and subject.name not in solutions.columns and self._is_bound(solutions, obj):
            found = self.extended(self.extended(solutions, middle, second, obj), subject, first, middle)
        else:
            found = self.extended(self.extended(solutions, subject, first, middle), middle, second, obj)
        return found.without([middle.name], self._classes)

    def _is_bound(self, solutions: Solutions, term: Term) -> bool:
        return isinstance(term, str) or term.name in solutions.columns

    def _negated(self, solutions: Solutions, subject: Term, path: NegatedSet, obj: Term) -> Solutions:
        parts = []
        for excluded, (s, o) in ((path.forward, (subject, obj)), (path.backward, (obj, subject))):
            if excluded is not None:
                gone = {self._terms.id_of(name) for name in excluded}
                predicate = Var(".negated")
                found = self._matcher.extended(solutions, s, predicate, o)
                kept = ~np.isin(found.columns[predicate.name], np.array(sorted(gone), dtype=np.int64))
                parts.append(found.taken(kept).without([predicate.name], self._classes))
        return appended(parts, self._classes, self._budget)

    def _closure(self, solutions: Solutions, subject: Term, path: Closure, obj: Term) -> Solutions:
        if not self._is_bound(solutions, subject) and self._is_bound(solutions, obj):
            return self._closure(solutions, obj, Closure(Inverse(path.path), path.zero, path.many), subject)
        pairs = self._pairs(
            path, self._starts(solutions, subject), anywhere=isinstance(subject, str) or isinstance(obj, str)
        )
        for term, name in ((subject, _START), (obj, _END)):
            if isinstance(term, str):
                pairs = self._ending_at(pairs, name, self._terms.id_of(term), zero=path.zero)
        names = {name: term.name for term, name in ((subject, _START), (obj, _END)) if isinstance(term, Var)}
        if subject == obj and isinstance(subject, Var):
            pairs = pairs.unfolded([_START, _END], self._classes, self._budget)
            pairs = pairs.taken(pairs.columns[_START] == pairs.columns[_END]).without([_END], self._classes)
            names = {_START: subject.name}
        return join(solutions, pairs.renamed(names), self._classes, self._budget)

    def _ending_at(self, pairs: Solutions, name: str, id: int, *, zero: bool) -> Solutions:
        """Keep the pairs with one end at a constant, which is one member of its class, and drop that end.

        A literal is asked for by value; but a path of length zero, which is no fact, begins and ends with the term.
        """
        graph = self._matcher.graph
        wanted = graph.spellings(id)
        if wanted.size == 1:
            end = graph.mapping.of_one(id) if name in pairs.folded else id
            kept = pairs.taken(pairs.columns[name] == end)
        else:
            kept = pairs.taken(np.isin(pairs.columns[name], wanted))
            if zero:
                own = (kept.columns[_START] == kept.columns[_END]) & (kept.columns[name] != id)
                kept = kept.taken(~own)
        columns = {other: column for other, column in kept.columns.items() if other != name}
        found = Solutions(columns, kept.size, kept.folded - {name}, kept.weights)
        return found if wanted.size == 1 else found.distinct()

    def _starts(self, solutions: Solutions, subject: Term) -> Ids | None:
        """Return the terms that a path has to start from, or None if it may from any."""
        if isinstance(subject, str):
            return self._matcher.graph.spellings(self._terms.id_of(subject))
        if subject.name not in solutions.columns:
            return None
        column = sort_distinct(solutions.columns[subject.name])
        return sort_distinct(self._classes.expanded(column)[1]) if subject.name in solutions.folded else column

    def _pairs(self, path: Closure, starts: Ids | None, *, anywhere: bool) -> Solutions:
        """Return the distinct pairs of ends of a path, folded where equal terms are reached alike.

        A path of length zero is one from any term if an end is a constant (``anywhere``), else only from the terms of
        the graph.
        """
        if not self._classes or _is_invariant(path.path, self._names_equality):
            pairs = self._reached(path, None if starts is None else self._matcher.graph.mapping.of(starts))
            if self._classes:
                pairs = pairs.with_columns({}, (_START, _END))
        else:
            pairs = self._reached(path, starts)
        if not path.zero:
            return pairs
        # A path of length zero leads from a term to itself, and not to the terms that equal it.
        own = self._matcher.graph.nodes if starts is None else starts
        if starts is not None and not anywhere:
            own = starts[is_member(starts, self._matcher.graph.nodes)]
        pairs = pairs.unfolded([_START, _END], self._classes, self._budget)
        return appended([pairs, Solutions({_START: own, _END: own}, own.size)], self._classes, self._budget).distinct()

    def _reached(self, path: Closure, starts: Ids | None) -> Solutions:
        """Return the pairs of one or more steps (one at most, if there are not many), semi-naively."""
        if starts is None:
            frontier = self._step(path.path, None)
        else:
            starts = sort_distinct(starts)
            frontier = self._step(path.path, pack(starts, starts))
        seen = frontier
        while path.many and frontier.size:
            self._budget.check(seen.size, 2)
            frontier = self._step(path.path, frontier)
            frontier = frontier[~is_member(frontier, seen)]
            seen = merge(seen, frontier)
        first, second = unpack(seen)
        return Solutions({_START: first & 0xFFFFFFFF, _END: second}, seen.size)

    def _step(self, path: Path, pairs: Ids | None) -> Ids:
        """Return the distinct pairs of a start and a term one step beyond, from pairs of a start and a term."""
        if pairs is None:
            found = self.extended(Solutions.unit(), Var(_START), path, Var(_END))
        else:
            start, here = unpack(pairs)
            folded = (
                frozenset({".here"}) if self._classes and _is_invariant(path, self._names_equality) else frozenset()
            )
            given = Solutions({_START: start, ".here": here}, start.size, folded)
            found = self.extended(given, Var(".here"), path, Var(_END))
        if not (self._classes and _is_invariant(path, self._names_equality)):
            found = found.unfolded([_START, _END], self._classes, self._budget)
        if found.size == 0:
            return NO_KEYS
        return sort_distinct(pack(found.columns[_START], found.columns[_END]))

    def _names_equality(self, predicate: str) -> bool:
        return self._matcher.constant(predicate) == SAME


def _is_invariant(path: Path, names_equality: Callable[[str], bool]) -> bool:
    """Tell whether equal terms have the same successors and predecessors along a path.

    Not so for a path that may be of length zero, and for owl:sameAs, which leads to all equal terms but the first.
    """
    match path:
        case Link(predicate):
            return not names_equality(predicate)
        case Inverse(inner):
            return _is_invariant(inner, names_equality)
        case Sequence(first, second) | Alternative(first, second):
            return _is_invariant(first, names_equality) and _is_invariant(second, names_equality)
        case Closure(inner, zero):
            return not zero and _is_invariant(inner, names_equality)
        case _:
            return False
