"""Matching rule bodies: the atoms of a plan are joined one by one, the cheapest next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from reasoner.columnar.auxiliary_predicates import Unranged
from reasoner.columnar.bindings import Bindings, extend, holds
from reasoner.columnar.conditions import Conditions
from reasoner.columnar.factset import FactSet
from reasoner.columnar.plan import Plan
from reasoner.rules.encode import EncodedTerm, Triple, is_variable

_PARAMETERS = -1

# Fewer rows than this cost less to carry on than to compare.
_DISTINCT_FROM = 512

Found = Callable[[Bindings], None]


class Matcher:
    """Evaluates plan bodies.

    ``wild`` are the predicates that a variable predicate does not range over, ``free`` those of a free atom.
    """

    def __init__(self, conditions: Conditions, *, equality: bool, wild: Unranged, free: Unranged) -> None:
        self._conditions = conditions
        self._equality = equality
        self.wild = wild
        self.free = free

    def match(
        self,
        plan: Plan,
        sources: Sequence[FactSet],
        absent: Sequence[FactSet],
        found: Found,
        *,
        keep_all: bool = False,
        distinct: bool = False,
        free: int | None = None,
        start: Bindings | None = None,
    ) -> None:
        """Call ``found`` with the matches of a plan, in one or more pieces.

        Body atom i reads ``sources[i]``; negative atom i must not be in ``absent[i]``. Unless ``keep_all`` is set,
        only the columns that the head needs are kept, one row per match all the same, or one row for all matches
        that agree on them if ``distinct``. A variable predicate of the atom ``free`` ranges over all predicates.
        ``start`` has values that some variables are bound to from the beginning.
        """
        template = plan.template
        open_atoms = list(range(len(template.body)))
        if template.parameters:
            open_atoms.append(_PARAMETERS)
        conditions = list(range(len(template.conditions)))
        search = _Search(plan, sources, absent, found, keep_all, distinct, free)
        self._step(search, start or Bindings.unit(), open_atoms, conditions)

    def _step(self, search: _Search, bindings: Bindings, open_atoms: list[int], conditions: list[int]) -> None:
        template = search.plan.template
        if conditions:
            bindings, conditions = self._filtered(template.conditions, bindings, conditions)
        if bindings.size == 0:
            return
        if not open_atoms:
            for atom, facts in zip(template.negative, search.absent, strict=True):
                bindings = bindings.taken(~holds(bindings, atom, facts, equality=self._equality))
            if bindings.size:
                search.found(bindings)
            return
        chosen, rows = self._cheapest(search, bindings, open_atoms)
        if rows == 0.0:
            return
        rest = [index for index in open_atoms if index != chosen]
        if chosen == _PARAMETERS:
            pieces: Iterable[Bindings] = [search.plan.join_parameters(bindings)]
        else:
            wild = self.free if chosen == search.free else self.wild
            pieces = extend(bindings, template.body[chosen], search.sources[chosen], wild)
        for piece in pieces:
            if not search.keep_all:
                piece = piece.only(search.plan.needed_after(rest))
                if search.distinct and piece.size > _DISTINCT_FROM:
                    piece = piece.distinct()
            self._step(search, piece, rest, conditions)

    def _filtered(
        self, all_conditions: Sequence[tuple[str, tuple[EncodedTerm, ...]]], bindings: Bindings, waiting: list[int]
    ) -> tuple[Bindings, list[int]]:
        later = []
        for index in waiting:
            name, terms = all_conditions[index]
            if all(bindings.is_bound(term) for term in terms):
                if bindings.size:
                    bindings = bindings.taken(self._conditions.holds(name, terms, bindings))
            else:
                later.append(index)
        return bindings, later

    def _cheapest(self, search: _Search, bindings: Bindings, open_atoms: list[int]) -> tuple[int, float]:
        """Return the open atom with the fewest estimated rows after it; zero rows end the search."""
        if bindings.columns:
            chosen = self._only_connected(search, bindings, open_atoms)
            if chosen is not None:
                return chosen
        best, fewest = open_atoms[0], float("inf")
        for index in open_atoms:
            if index == _PARAMETERS:
                fan_out = search.plan.parameters_per_value(bindings)
                rows = bindings.size * (search.plan.row_count if fan_out is None else fan_out)
            else:
                atom, facts = search.plan.template.body[index], search.sources[index]
                rows = _estimated_rows(bindings, atom, facts, compare=len(open_atoms) > 1)
            if rows == 0.0:
                return index, 0.0
            if rows < fewest:
                best, fewest = index, rows
        return best, fewest

    def _only_connected(self, search: _Search, bindings: Bindings, open_atoms: list[int]) -> tuple[int, float] | None:
        """Return the one open atom that shares a variable with the bindings, if there is just one: it comes next."""
        found = None
        for index in open_atoms:
            if index == _PARAMETERS:
                terms: Iterable[EncodedTerm] = search.plan.parameters
            else:
                terms = search.plan.template.body[index]
            if any(term in bindings.columns for term in terms):
                if found is not None:
                    return None
                found = index
        if found is None:
            return None
        if found != _PARAMETERS:
            predicate = search.plan.template.body[found][1]
            if not is_variable(predicate) and predicate not in search.sources[found]:
                return found, 0.0
        return found, 1.0


class _Search:
    """What stays the same while one plan is matched."""

    __slots__ = ("absent", "distinct", "found", "free", "keep_all", "plan", "sources")

    def __init__(
        self,
        plan: Plan,
        sources: Sequence[FactSet],
        absent: Sequence[FactSet],
        found: Found,
        keep_all: bool,
        distinct: bool,
        free: int | None,
    ) -> None:
        self.plan = plan
        self.sources = sources
        self.absent = absent
        self.found = found
        self.keep_all = keep_all
        self.distinct = distinct
        self.free = free


def _estimated_rows(bindings: Bindings, atom: Triple, facts: FactSet, *, compare: bool) -> float:
    subject, predicate, obj = atom
    subject_bound, object_bound = bindings.is_bound(subject), bindings.is_bound(obj)
    if is_variable(predicate):
        total = float(len(facts))
        if predicate in bindings.columns:
            total = total / max(1, len(list(facts)))
        if subject_bound and object_bound:
            return bindings.size * min(1.0, total)
        return bindings.size * (min(total, 8.0) if subject_bound or object_bound else total)
    table = facts.table(predicate)
    if table.size == 0:
        return 0.0
    if subject_bound and object_bound:
        return bindings.size * 0.5
    if not subject_bound and not object_bound:
        return float(bindings.size * table.size)
    known = subject if subject_bound else obj
    if not compare and is_variable(known):
        return float(bindings.size)
    if not is_variable(known):
        count = table.count(subject=known) if subject_bound else table.count(obj=known)
        return float(bindings.size * count)
    return bindings.size * table.fan_out(from_subject=subject_bound)


def all_matches(matcher: Matcher, plan: Plan, facts: FactSet) -> Bindings:
    """Return every match of a plan's body over one set of facts, with all its variables."""
    parts: list[Bindings] = []
    template = plan.template
    matcher.match(plan, [facts] * len(template.body), [facts] * len(template.negative), parts.append, keep_all=True)
    if not parts:
        return Bindings({}, 0)
    columns = {v: np.concatenate([part.columns[v] for part in parts]) for v in parts[0].columns}
    return Bindings(columns, sum(part.size for part in parts))
