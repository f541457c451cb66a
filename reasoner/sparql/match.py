"""Extending solutions by the facts that a triple pattern matches."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reasoner.columnar.factset import group_rows
from reasoner.columnar.kernels import Ids, Mask, is_member, probing_order, ranges, sort_distinct, unpack
from reasoner.columnar.table import Table
from reasoner.sparql.algebra import Term
from reasoner.sparql.budget import Budget
from reasoner.sparql.expression import Var
from reasoner.sparql.graph import Graph
from reasoner.sparql.solutions import Solutions, appended, pairs_of
from reasoner.sparql.terms import Terms
from reasoner.vocabulary import SAME

# From this many probes on, marking the members of a set in a table of all terms costs less than searching it.
_MARK_FROM = 4096
_PREDICATE = ".predicate"


class Matcher:
    """Matches triple patterns in one graph; a variable that is bound must be so in every row."""

    def __init__(self, graph: Graph, terms: Terms, budget: Budget) -> None:
        self.graph = graph
        self._terms = terms
        self._budget = budget
        self.classes = graph.classes

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
        parts = [Solutions.none([*solutions.columns, *self._new(solutions, subject, predicate, obj)])]
        for name, part in self._predicate_rows(solutions, predicate):
            found = self._by_predicate(part, subject, name, self.graph.mapping.of_one(name), obj)
            if found.size:
                parts.append(found.with_columns({predicate.name: np.full(found.size, name, dtype=np.int64)}))
        return appended(parts, self.classes, self._budget)

    def _predicate_rows(self, solutions: Solutions, predicate: Var) -> Iterator[tuple[int, Solutions]]:
        """Yield the names that a predicate may have, each with the solutions that it may have it in."""
        stored = self.graph.predicates
        if self.graph.equates and SAME not in stored:
            stored = [*stored, SAME]
        names = [name for representative in stored for name in self.graph.names(representative)]
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
        if table.size == 0 or solutions.size == 0:
            return Solutions.none([*solutions.columns, *dict.fromkeys(self._new(solutions, subject, obj))])
        found = self._joined(solutions, subject, table, obj)
        if found.size and self.graph.may_have_literal_subjects(predicate, found.size):
            found = found.taken(~self._terms.is_literal(self._values(found, subject)))
        return found

    def _joined(self, solutions: Solutions, subject: Term, table: Table, obj: Term) -> Solutions:
        subject_bound, object_bound = self._is_bound(solutions, subject), self._is_bound(solutions, obj)
        if subject_bound and object_bound:
            return self._checked(solutions, subject, table, obj)
        if not subject_bound and not object_bound:
            assert isinstance(subject, Var) and isinstance(obj, Var)
            s, o = table.pairs()
            if subject == obj:
                return self._crossed(solutions, {subject.name: s[s == o]})
            return self._crossed(solutions, {subject.name: s, obj.name: o})
        known, unknown = (subject, obj) if subject_bound else (obj, subject)
        assert isinstance(unknown, Var)
        if isinstance(known, str):
            found = table.objects_of(self.constant(known)) if subject_bound else self._subjects_of(table, known)
            return self._crossed(solutions, {unknown.name: found})
        return self._probed(solutions, known, unknown, table, by_subject=subject_bound)

    def _subjects_of(self, table: Table, constant: Term) -> Ids:
        """Return the subjects, sorted, that a table has with a constant as object, each once."""
        assert isinstance(constant, str)
        spellings = self.graph.spellings(self.constant(constant)).tolist()
        found = [table.subjects_of(id) for id in spellings]
        return found[0] if len(found) == 1 else sort_distinct(np.concatenate(found))

    def _is_bound(self, solutions: Solutions, term: Term) -> bool:
        return isinstance(term, str) or term.name in solutions.columns

    def _values(self, solutions: Solutions, term: Term) -> Ids:
        """Return the representatives that a bound term stands for in each row."""
        if isinstance(term, str):
            return np.full(solutions.size, self.constant(term), dtype=np.int64)
        column = solutions.columns[term.name]
        return column if term.name in solutions.folded else self.graph.mapping.of(column)

    def _folded(self, names: dict[str, Ids]) -> tuple[str, ...]:
        return tuple(names) if self.classes else ()

    def _crossed(self, solutions: Solutions, new: dict[str, Ids]) -> Solutions:
        size = next(iter(new.values())).size
        if solutions.size == 1:
            columns = {name: np.repeat(column, size) for name, column in solutions.columns.items()}
            weights = None if solutions.weights is None else np.repeat(solutions.weights, size)
            return Solutions(columns, size, solutions.folded, weights).with_columns(new, self._folded(new))
        self._budget.check(float(solutions.size) * size, len(solutions.columns) + len(new))
        rows = np.repeat(np.arange(solutions.size), size)
        again = {name: np.tile(column, solutions.size) for name, column in new.items()}
        return solutions.taken(rows).with_columns(again, self._folded(new))

    def _probed(self, solutions: Solutions, known: Var, unknown: Var, table: Table, *, by_subject: bool) -> Solutions:
        probes = self._values(solutions, known)
        order = probing_order(probes)
        if order is not None:
            probes = probes[order]
        owners, values = [], []
        for keys in table.subject_runs() if by_subject else table.object_runs():
            owner, position = pairs_of(*ranges(keys, probes), self._budget, len(solutions.columns) + 1)
            owners.append(owner)
            values.append(unpack(keys[position])[1])
        owner = owners[0] if len(owners) == 1 else np.concatenate(owners)
        value = values[0] if len(values) == 1 else np.concatenate(values)
        if table.dead.size:
            pair = (probes[owner], value) if by_subject else (value, probes[owner])
            alive = table.contains(*pair)
            owner, value = owner[alive], value[alive]
        found = solutions.taken(owner if order is None else order[owner])
        return found.with_columns({unknown.name: value}, self._folded({unknown.name: value}))

    def _checked(self, solutions: Solutions, subject: Term, table: Table, obj: Term) -> Solutions:
        spellings = self.graph.spellings(self.constant(obj)) if isinstance(obj, str) else None
        if isinstance(subject, str) and spellings is not None:
            holds = table.contains(np.full(spellings.size, self.constant(subject)), spellings).any()
            return solutions if holds else Solutions.none(solutions.columns)
        if spellings is not None and spellings.size > 1 and solutions.size < _MARK_FROM:
            return solutions.taken(is_member(self._values(solutions, subject), self._subjects_of(table, obj)))
        if solutions.size >= _MARK_FROM and isinstance(obj, str):
            return solutions.taken(self._among(self._values(solutions, subject), self._subjects_of(table, obj)))
        if solutions.size >= _MARK_FROM and isinstance(subject, str):
            return solutions.taken(self._among(self._values(solutions, obj), table.objects_of(self.constant(subject))))
        keys = table.main_keys(self._values(solutions, subject), self._values(solutions, obj))
        order = probing_order(keys)
        if order is None:
            return solutions.taken(table.contains_keys(keys))
        found = np.empty(keys.size, dtype=np.bool_)
        found[order] = table.contains_keys(keys[order])
        return solutions.taken(found)

    def _among(self, values: Ids, members: Ids) -> Mask:
        marks = np.zeros(len(self._terms) + 1, dtype=np.bool_)
        marks[members] = True
        # What is not a term of the store has no place in the table; the last one stands for it.
        found: Mask = marks[np.minimum(values, marks.size - 1)]
        return found

    def _equal(self, solutions: Solutions, subject: Term, obj: Term) -> Solutions:
        """Join with the equalities that classes stand for: c = d for different resources of one class."""
        solutions = solutions.unfolded(
            [term.name for term in (subject, obj) if isinstance(term, Var)], self.classes, self._budget
        )
        starts, stops, members = self.graph.equal_resources
        if not (self._is_bound(solutions, subject) or self._is_bound(solutions, obj)):
            assert isinstance(subject, Var) and isinstance(obj, Var)
            if subject == obj:
                return Solutions.none([*solutions.columns, subject.name])
            s, o = self._all_equal(starts, stops, members)
            found = self._crossed(solutions, {subject.name: s, obj.name: o})
            return Solutions(found.columns, found.size, found.folded - {subject.name, obj.name}, found.weights)
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
            found = self._crossed(solutions, {term.name: terms for term in ends})
            return Solutions(found.columns, found.size, found.folded - {term.name for term in ends}, found.weights)
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
