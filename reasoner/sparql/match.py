"""Extending solutions by the facts that a triple pattern matches.

Property paths (18.4): joins along a path, and reachability for ``+``, ``*`` and ``?``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from reasoner.columnar.bindings import Bindings, Solutions, appended, pairs_of
from reasoner.columnar.factset import group_rows
from reasoner.columnar.kernels import NO_KEYS, Ids, is_member, merge, pack, sort_distinct, unpack
from reasoner.columnar.scan import Scanning
from reasoner.columnar.table import Table
from reasoner.sparql.algebra import Alternative, Inverse, Link, NegatedSet, Path, PathSequence, RepeatedPath, Term, Var
from reasoner.sparql.budget import Budget
from reasoner.sparql.dataset import Graph
from reasoner.sparql.join import join
from reasoner.sparql.terms import QueryTerms
from reasoner.terms.term import SAME

_PREDICATE = ".predicate"


class PatternMatcher:
    """Matches triple patterns in one graph; a variable that is bound must be so in every row."""

    def __init__(self, graph: Graph, terms: QueryTerms, budget: Budget) -> None:
        self.graph = graph
        self._terms = terms
        self._budget = budget
        self.classes = graph.classes
        self._scanning = Scanning(budget, graph.mapping, folds=bool(graph.classes))

    def constant(self, term: str) -> int:
        """Return the representative of a constant."""
        known = self.graph.constants.get(term)
        if known is None:
            id = self._terms.id_of(term)
            known = self.graph.mapping.of_one(id)
            if id < len(self._terms):
                self.graph.constants[term] = known
        return known

    def extended(self, solutions: Solutions, subject: Term, predicate: Term, obj: Term) -> Solutions:
        """Return the join of solutions with the matches of a pattern."""
        self._budget.check(solutions.size)
        if isinstance(predicate, Var):
            return self._by_any_predicate(solutions, subject, predicate, obj)
        known = self.constant(predicate)
        name = self._terms.id_of(predicate) if known == SAME and self.classes else known
        return self._by_predicate(solutions, subject, name, known, obj)

    def _by_predicate(self, solutions: Solutions, subject: Term, name: int, predicate: int, obj: Term) -> Solutions:
        """Match with one predicate, given as the name that is asked for and as its representative."""
        own = self.graph.own
        if name not in own.names and predicate != SAME:
            return self._by_table(solutions, subject, predicate, obj)
        stored = self._by_table(solutions, subject, predicate, obj)
        if own.hides(name) and stored.size:
            stored = stored.taken(self._values(stored, subject) != self._values(stored, obj))
        parts = [stored]
        if self.classes:
            parts.append(self._equal(solutions, subject, obj))
        if own.may_have(name):
            parts.append(self._own(solutions, subject, name, obj))
        return parts[0] if len(parts) == 1 else appended(parts, self.classes, self._budget)

    def _by_any_predicate(self, solutions: Solutions, subject: Term, predicate: Var, obj: Term) -> Solutions:
        """Match with a variable predicate, whose column is never folded: its names are IRIs only."""
        if predicate in (subject, obj):
            found = self._by_any_predicate(solutions, subject, Var(_PREDICATE), obj)
            found = found.unfolded([predicate.name], self.classes, self._budget)
            found = found.taken(found.columns[predicate.name] == found.columns[_PREDICATE])
            return found.without([_PREDICATE], self.classes)
        parts = [Bindings.none([*solutions.columns, *self._new(solutions, subject, predicate, obj)])]
        for name, part in self._predicate_rows(solutions, predicate):
            found = self._by_predicate(part, subject, name, self.graph.mapping.of_one(name), obj)
            if found.size:
                parts.append(found.with_columns({predicate.name: np.full(found.size, name, dtype=np.int64)}))
        return appended(parts, self.classes, self._budget)

    def _predicate_rows(self, solutions: Solutions, predicate: Var) -> Iterator[tuple[int, Solutions]]:
        """Yield the names that a predicate may have, each with the solutions that it may have it in."""
        predicates = self.graph.readable_predicates
        names = [name for representative in predicates for name in self.graph.names(representative)]
        if predicate.name not in solutions.columns:
            for name in names:
                self._budget.check()
                yield name, solutions
            return
        solutions = solutions.unfolded([predicate.name], self.classes, self._budget)
        known = set(names)
        for name, rows in group_rows(solutions.columns[predicate.name]):
            if name in known:
                yield name, solutions.taken(rows)

    def _new(self, solutions: Solutions, *terms: Term) -> list[str]:
        return [term.name for term in terms if isinstance(term, Var) and term.name not in solutions.columns]

    def _by_table(self, solutions: Solutions, subject: Term, predicate: int, obj: Term) -> Solutions:
        table = self.graph.table(predicate)
        for found in self._joined(solutions, subject, table, obj) if table.size else ():
            if found.size and self.graph.may_have_literal_subjects(predicate, found.size):
                found = found.taken(~self._terms.is_literal(self._values(found, subject)))
            return found
        return Bindings.none([*solutions.columns, *dict.fromkeys(self._new(solutions, subject, obj))])

    def _joined(self, solutions: Solutions, subject: Term, table: Table, obj: Term) -> Iterator[Solutions]:
        s, o = self.looked_up(subject), self.looked_up(obj)
        spellings = self.graph.spellings(o) if isinstance(o, int) else None
        if spellings is None or spellings.size == 1:
            yield from self._scanning.joined(solutions, s, table, o)
            return
        found = sort_distinct(np.concatenate([table.subjects_of(id) for id in spellings.tolist()]))
        if isinstance(s, str) and s not in solutions.columns:
            yield from self._scanning.crossed(solutions, {s: found}, found.size)
        else:
            yield solutions.taken(is_member(self._scanning.values(solutions, s), found))

    def looked_up(self, term: Term) -> str | int:
        """Return the variable of a term, or the representative of a constant."""
        return self.constant(term) if isinstance(term, str) else term.name

    def _is_bound(self, solutions: Solutions, term: Term) -> bool:
        return isinstance(term, str) or term.name in solutions.columns

    def _values(self, solutions: Solutions, term: Term) -> Ids:
        """Return the representatives that a bound term stands for in each row."""
        return self._scanning.values(solutions, self.looked_up(term))

    def _crossed(self, solutions: Solutions, new: dict[str, Ids]) -> Solutions:
        """Return the product with columns in which every term stands for itself."""
        size = next(iter(new.values())).size
        self._budget.check(float(solutions.size) * size, len(solutions.columns) + len(new))
        return solutions.crossed(new, size)

    def _equal(self, solutions: Solutions, subject: Term, obj: Term) -> Solutions:
        """Join with the equalities that classes stand for: c = d for different resources of one class."""
        solutions = solutions.unfolded(
            [term.name for term in (subject, obj) if isinstance(term, Var)], self.classes, self._budget
        )
        starts, stops, members = self.graph.equal_resources
        if not (self._is_bound(solutions, subject) or self._is_bound(solutions, obj)):
            assert isinstance(subject, Var) and isinstance(obj, Var)
            if subject == obj:
                return Bindings.none([*solutions.columns, subject.name])
            s, o = self._all_equal(starts, stops, members)
            return self._crossed(solutions, {subject.name: s, obj.name: o})
        known, other = (subject, obj) if self._is_bound(solutions, subject) else (obj, subject)
        exact = self._exact(solutions, known)
        first = self.graph.mapping.of(members[starts])
        order = np.argsort(first)
        place = first[order].searchsorted(self.graph.mapping.of(exact))
        place[place == first.size] = 0
        slot = order[place] if first.size else place
        inside = first[slot] == self.graph.mapping.of(exact) if first.size else np.zeros(exact.size, dtype=np.bool_)
        inside &= ~self._terms.is_literal(exact)
        low = np.where(inside, starts[slot] if first.size else 0, 0)
        high = np.where(inside, stops[slot] if first.size else 0, 0)
        owner, position = pairs_of(low, high, self._budget, len(solutions.columns) + 1)
        value = members[position]
        apart = value != exact[owner]
        owner, value = owner[apart], value[apart]
        found = solutions.taken(owner)
        if self._is_bound(solutions, other):
            return found.taken(self._exact(found, other) == value)
        assert isinstance(other, Var)
        return found.with_columns({other.name: value})

    def _own(self, solutions: Solutions, subject: Term, name: int, obj: Term) -> Solutions:
        """Join with the equalities of a term with itself."""
        ends = [term for term in (subject, obj) if isinstance(term, Var)]
        solutions = solutions.unfolded([term.name for term in ends], self.classes, self._budget)
        bound = [term for term in (subject, obj) if self._is_bound(solutions, term)]
        if not bound:
            terms = self.graph.own.terms(name)
            return self._crossed(solutions, {term.name: terms for term in ends})
        exact = self._exact(solutions, bound[0])
        chosen = self.graph.own.among(name, exact)
        if len(bound) == 2:
            chosen &= exact == self._exact(solutions, bound[1])
        new = {term.name: exact[chosen] for term in ends if term not in bound}
        return solutions.taken(chosen).with_columns(new)

    def _exact(self, solutions: Solutions, term: Term) -> Ids:
        if isinstance(term, str):
            id = self._terms.id_of(term) if self.classes else self.constant(term)
            return np.full(solutions.size, id, dtype=np.int64)
        return solutions.columns[term.name]

    def _all_equal(self, starts: Ids, stops: Ids, members: Ids) -> tuple[Ids, Ids]:
        sizes = stops - starts
        self._budget.check(float((sizes * (sizes - 1)).sum()))
        owner, position = pairs_of(starts, stops, self._budget)
        again, second = pairs_of(starts[owner], stops[owner], self._budget)
        s, o = members[position][again], members[second]
        return s[s != o], o[s != o]


_START, _END = ".start", ".end"


class PathMatcher:
    """Matches path patterns in one graph; a variable that is bound must be so in every row."""

    def __init__(self, matcher: PatternMatcher, terms: QueryTerms, budget: Budget) -> None:
        self._matcher = matcher
        self._terms = terms
        self._budget = budget
        self._classes = matcher.classes
        self._middles = 0
        # What closures within closures have reached: the starts that are known, and the pairs of start and end.
        self._known: dict[RepeatedPath, tuple[Ids, Ids]] = {}

    def matched(self, solutions: Solutions, subject: Term, path: Path | Term, obj: Term) -> Solutions:
        """Return the join of solutions with the matches of a pattern, whose predicate may be a path."""
        if isinstance(path, Var | str):
            return self._matcher.extended(solutions, subject, path, obj)
        return self.extended(solutions, subject, simplified(path), obj)

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
            case PathSequence(first, second):
                return self._sequence(solutions, subject, first, second, obj)
            case Alternative(first, second):
                parts = [self.extended(solutions, subject, part, obj) for part in (first, second)]
                return appended(parts, self._classes, self._budget)
            case NegatedSet():
                return self._negated(solutions, subject, path, obj)
            case RepeatedPath():
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

    def _closure(self, solutions: Solutions, subject: Term, path: RepeatedPath, obj: Term) -> Solutions:
        if not self._is_bound(solutions, subject) and self._is_bound(solutions, obj):
            return self._closure(solutions, obj, RepeatedPath(Inverse(path.path), path.zero, path.many), subject)
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
        found = Bindings(columns, kept.size, kept.folded - {name}, kept.weights)
        return found if wanted.size == 1 else found.distinct()

    def _starts(self, solutions: Solutions, subject: Term) -> Ids | None:
        """Return the terms that a path has to start from, or None if it may from any."""
        if isinstance(subject, str):
            return self._matcher.graph.spellings(self._terms.id_of(subject))
        if subject.name not in solutions.columns:
            return None
        column = sort_distinct(solutions.columns[subject.name])
        return sort_distinct(self._classes.expanded(column)[1]) if subject.name in solutions.folded else column

    def _pairs(self, path: RepeatedPath, starts: Ids | None, *, anywhere: bool) -> Solutions:
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
        return appended([pairs, Bindings({_START: own, _END: own}, own.size)], self._classes, self._budget).distinct()

    def _reached(self, path: RepeatedPath, starts: Ids | None) -> Solutions:
        """Return the pairs of one or more steps (one at most, if there are not many).

        A closure within a closure is asked at every step of the outer one, and mostly for starts that it was asked for
        before. What it reaches from each start is found once, so that the time of nested closures is the sum of the
        times that each of them takes alone, and not their product.
        """
        if starts is None:
            return _pairs_of(self._steps(path, self._step(path.path, None)))
        starts = sort_distinct(starts)
        known, pairs = self._known.get(path, (NO_KEYS, NO_KEYS))
        fresh = starts[~is_member(starts, known)]
        if fresh.size:
            found = self._steps(path, self._step(path.path, pack(fresh, fresh)))
            known, pairs = merge(known, fresh), merge(pairs, found)
            self._budget.hold([pairs])
            self._known[path] = known, pairs
        if known.size > starts.size:
            pairs = pairs[is_member(unpack(pairs)[0] & 0xFFFFFFFF, starts)]
        return _pairs_of(pairs)

    def _steps(self, path: RepeatedPath, frontier: Ids) -> Ids:
        """Return the pairs of a first step and of all further ones, semi-naively."""
        seen = frontier
        while path.many and frontier.size:
            self._budget.check(seen.size, 2)
            frontier = self._step(path.path, frontier)
            frontier = frontier[~is_member(frontier, seen)]
            seen = merge(seen, frontier)
        return seen

    def _step(self, path: Path, pairs: Ids | None) -> Ids:
        """Return the distinct pairs of a start and a term one step beyond, from pairs of a start and a term."""
        if pairs is None:
            found = self.extended(Bindings.unit(), Var(_START), path, Var(_END))
        else:
            start, here = unpack(pairs)
            folded = (
                frozenset({".here"}) if self._classes and _is_invariant(path, self._names_equality) else frozenset()
            )
            given = Bindings({_START: start, ".here": here}, start.size, folded)
            found = self.extended(given, Var(".here"), path, Var(_END))
        if not (self._classes and _is_invariant(path, self._names_equality)):
            found = found.unfolded([_START, _END], self._classes, self._budget)
        if found.size == 0:
            return NO_KEYS
        return sort_distinct(pack(found.columns[_START], found.columns[_END]))

    def _names_equality(self, predicate: str) -> bool:
        return self._matcher.constant(predicate) == SAME


def simplified(path: Path) -> Path:
    """Return a path with the same matches in which no closure is that of a closure alone, and inverses are inside.

    >>> simplified(RepeatedPath(Inverse(RepeatedPath(Link("<p>"), zero=True, many=True)), zero=False, many=True))
    RepeatedPath(path=Inverse(path=Link(predicate='<p>')), zero=True, many=True)
    """
    match path:
        case Inverse(Inverse(inner)):
            return simplified(inner)
        case Inverse(PathSequence(first, second)):
            return PathSequence(simplified(Inverse(second)), simplified(Inverse(first)))
        case Inverse(Alternative(first, second)):
            return Alternative(simplified(Inverse(first)), simplified(Inverse(second)))
        case Inverse(RepeatedPath(inner, zero, many)):
            return simplified(RepeatedPath(Inverse(inner), zero, many))
        case PathSequence(first, second):
            return PathSequence(simplified(first), simplified(second))
        case Alternative(first, second):
            return Alternative(simplified(first), simplified(second))
        case RepeatedPath(inner, zero, many):
            below = simplified(inner)
            if isinstance(below, RepeatedPath):
                # (p+)* and (p?)+ are p*: a path of no step is one if either says so, and so is one of many.
                return RepeatedPath(below.path, zero or below.zero, many or below.many)
            return RepeatedPath(below, zero, many)
        case _:
            return path


def _pairs_of(keys: Ids) -> Solutions:
    first, second = unpack(keys)
    return Bindings({_START: first & 0xFFFFFFFF, _END: second}, keys.size)


def _is_invariant(path: Path, names_equality: Callable[[str], bool]) -> bool:
    """Tell whether equal terms have the same successors and predecessors along a path.

    Not so for a path that may be of length zero, and for owl:sameAs, which leads to all equal terms but the first.
    """
    match path:
        case Link(predicate):
            return not names_equality(predicate)
        case Inverse(inner):
            return _is_invariant(inner, names_equality)
        case PathSequence(first, second) | Alternative(first, second):
            return _is_invariant(first, names_equality) and _is_invariant(second, names_equality)
        case RepeatedPath(inner, zero):
            return not zero and _is_invariant(inner, names_equality)
        case _:
            return False
