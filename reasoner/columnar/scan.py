"""Joining bindings with the facts that a triple pattern matches: the one way to read tables, for rules and queries.

A pattern is two terms and a table. A term is an id, or a variable, which is bound if the bindings have a column of it.
Depending on what is bound, a table is asked for all its pairs, for those of one subject or object, for those of every
value of a column, or only whether it has the pairs that there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from reasoner.columnar.bindings import Bindings, Limits, V, appended, is_open
from reasoner.columnar.factset import FactSet, Unranged, group_rows
from reasoner.columnar.kernels import Ids, Keys, Mask, expand, probing_order, ranges, unpack
from reasoner.columnar.memory import MemoryLimitError, require_memory
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.table import Table
from reasoner.rules.encode import Triple, is_variable
from reasoner.terms.term import OCCURS, SAME

# Joins without other limits that give more rows than this are done piece by piece, so that memory stays bounded.
MOST_ROWS = 1 << 24

# From this many rows on, marking the members of a set in a table of ids costs less than searching it for each row,
# unless the table would be so many times as long as there are rows.
_MARK_FROM = 4096
_MARKS_A_ROW = 64

# What a predicate that is not known is taken to give for a term.
_FEW = 8.0


class Sampling:
    """A join that takes up to ``most`` matches of a row from each run of a table, which costs what it takes.

    ``cut`` are the rows that have more.
    """

    __slots__ = ("cut", "most")

    def __init__(self, most: int) -> None:
        self.most = most
        self.cut: list[Bindings[Any]] = []

    def cut_short(self, bindings: Bindings[V], order: Ids | None, low: Ids, high: Ids) -> tuple[Ids, Ids]:
        """Return the beginnings of the slices of ordered rows, and note the rows that have longer ones."""
        longer = high - low > self.most
        if longer.any():
            self.cut.append(bindings.taken(longer if order is None else order[longer]))
        return low, np.minimum(high, low + self.most)


class Scanning:
    """How patterns read tables.

    With ``limits`` a join is refused before it gives too many rows; without, it is done in pieces of bounded size. A
    column of terms that is not folded is looked up by its representatives under ``mapping``; new columns are folded if
    that is so (``folds``).
    """

    __slots__ = ("folds", "limits", "mapping")

    def __init__(
        self, limits: Limits | None = None, mapping: Representatives | None = None, *, folds: bool = False
    ) -> None:
        self.limits = limits
        self.mapping = mapping
        self.folds = folds

    def values(self, bindings: Bindings[V], term: V | int) -> Ids:
        """Return what a bound term is looked up by in each row."""
        values = bindings.values(term)
        if self.mapping is None or not is_open(term) or term in bindings.folded:
            return values
        return self.mapping.of(values)

    def joined(
        self,
        bindings: Bindings[V],
        subject: V | int,
        table: Table,
        obj: V | int,
        sampling: Sampling | None = None,
    ) -> Iterator[Bindings[V]]:
        """Yield the join of bindings with a table, in one piece if there are limits, and none if nothing matches."""
        if table.size == 0 or bindings.size == 0:
            return
        columns = bindings.columns
        if subject not in columns and is_open(subject):
            if obj not in columns and is_open(obj):
                s, o = table.pairs()
                if subject == obj:
                    s = o = s[s == o]
                yield from self.crossed(bindings, {subject: s, obj: o}, s.size)
            else:
                yield from self._reached(bindings, obj, subject, table, sampling, by_subject=False)
        elif obj not in columns and is_open(obj):
            yield from self._reached(bindings, subject, obj, table, sampling, by_subject=True)
        else:
            yield self._checked(bindings, subject, table, obj)

    def crossed(self, bindings: Bindings[V], new: dict[V, Ids], size: int) -> Iterator[Bindings[V]]:
        """Yield the product with columns of other variables."""
        folded = tuple(new) if self.folds else ()
        step = bindings.size
        if self.limits is not None:
            self.limits.check(float(bindings.size) * size, len(bindings.columns) + len(new))
        elif bindings.size * size > MOST_ROWS:
            step = max(1, MOST_ROWS // max(1, size))
        for start in range(0, bindings.size, step):
            piece = bindings if step >= bindings.size else bindings.piece(start, start + step)
            yield piece.crossed(new, size, folded)

    def _reached(
        self,
        bindings: Bindings[V],
        known: V | int,
        unknown: V,
        table: Table,
        sampling: Sampling | None,
        *,
        by_subject: bool,
    ) -> Iterator[Bindings[V]]:
        """Yield the join of bindings with the pairs of a table that have a known end."""
        if known not in bindings.columns:
            found = table.objects_of(int(known)) if by_subject else table.subjects_of(int(known))
            yield from self.crossed(bindings, {unknown: found}, found.size)
            return
        probes = self.values(bindings, known)
        runs = table.subject_runs(probes) if by_subject else table.object_runs(probes)
        order = probing_order(probes)
        if order is not None:
            probes = probes[order]
        slices = [ranges(keys, probes) for keys in runs]
        if sampling is not None:
            slices = [sampling.cut_short(bindings, order, low, high) for low, high in slices]
        folded = (unknown,) if self.folds else ()
        for start, stop in self._cuts(bindings, slices):
            # Of each row: the columns of the result, its owner and position, and what these and its key are made of.
            rows = sum(int((high[start:stop] - low[start:stop]).sum()) for low, high in slices)
            require_memory(rows, len(bindings.columns) + 7)
            owner, value = _pairs(runs, slices, start, stop)
            if table.dead.size and owner.size:
                alive = table.contains(probes[owner], value) if by_subject else table.contains(value, probes[owner])
                if not alive.all():
                    owner, value = owner[alive], value[alive]
            yield bindings.taken(owner if order is None else order[owner]).with_columns({unknown: value}, folded)

    def _cuts(self, bindings: Bindings[V], slices: list[tuple[Ids, Ids]]) -> Iterator[tuple[int, int]]:
        """Yield the ranges of rows that are joined at once."""
        if not slices:
            return
        matches: Ids = sum((high - low for low, high in slices[1:]), slices[0][1] - slices[0][0])
        if self.limits is not None:
            self.limits.check(float(matches.sum()), len(bindings.columns) + 1)
            yield 0, bindings.size
            return
        reached = np.cumsum(matches)
        start = 0
        while start < bindings.size:
            stop = bindings.size
            before = int(reached[start - 1]) if start else 0
            if int(reached[-1]) - before > MOST_ROWS:
                stop = max(start + 1, int(reached.searchsorted(before + MOST_ROWS, "right")))
            yield start, stop
            start = stop

    def _checked(self, bindings: Bindings[V], subject: V | int, table: Table, obj: V | int) -> Bindings[V]:
        if not is_open(subject) and not is_open(obj):
            holds = table.contains(np.array([subject]), np.array([obj]))[0]
            return bindings if holds else Bindings.none(bindings.columns)
        if bindings.size >= _MARK_FROM and not table.is_partial:
            if not is_open(obj):
                return bindings.taken(among(self.values(bindings, subject), table.subjects_of(int(obj))))
            if not is_open(subject):
                return bindings.taken(among(self.values(bindings, obj), table.objects_of(int(subject))))
        keys = table.main_keys(self.values(bindings, subject), self.values(bindings, obj))
        order = probing_order(keys)
        if order is None:
            return bindings.taken(table.contains_keys(keys))
        found = np.empty(keys.size, dtype=np.bool_)
        found[order] = table.contains_keys(keys[order])
        return bindings.taken(found)


_PLAIN = Scanning()


def among(values: Ids, members: Ids) -> Mask:
    """Tell which values are among some members, in time linear in both unless ids are much larger than they are many.

    >>> among(np.array([5, 2, 9]), np.array([2, 3]))
    array([False,  True, False])
    """
    if not members.size:
        return np.zeros(values.size, dtype=np.bool_)
    largest = int(members.max())
    if largest > _MARKS_A_ROW * values.size:
        return np.isin(values, members)
    marks = np.zeros(largest + 2, dtype=np.bool_)
    marks[members] = True
    # The last place is nobody's, and stands for all that are larger than any member.
    found: Mask = marks[np.minimum(values, largest + 1)]
    return found


def extend(
    bindings: Bindings[int],
    atom: Triple,
    facts: FactSet,
    wild: Unranged | frozenset[int],
    sampling: Sampling | None = None,
) -> Iterator[Bindings[int]]:
    """Join bindings with the facts that an atom of a rule matches, in pieces of bounded size.

    A variable predicate ranges over all predicates but ``wild``.
    """
    subject, predicate, obj = atom
    if not is_variable(predicate):
        parts = _joined(bindings, subject, predicate, facts.table(predicate), obj, sampling)
    else:
        parts = _extend_by_predicate(bindings, atom, facts, wild, sampling)
    small: list[Bindings[int]] = []
    for part in parts:
        if part.size * 4 > MOST_ROWS:
            yield part
        elif part.size:
            small.append(part)
    if small:
        yield small[0] if len(small) == 1 else appended(small)


def _extend_by_predicate(
    bindings: Bindings[int], atom: Triple, facts: FactSet, wild: Unranged | frozenset[int], sampling: Sampling | None
) -> Iterator[Bindings[int]]:
    subject, predicate, obj = atom
    candidates: Iterable[tuple[int, Ids | None]]
    if predicate in bindings.columns:
        candidates = group_rows(bindings.columns[predicate])
    else:
        candidates = ((p, None) for p in facts)
    for p, rows in candidates:
        if p not in facts or p in wild or p == OCCURS:
            continue
        if rows is None:
            part = bindings.with_columns({predicate: np.full(bindings.size, p, dtype=np.int64)})
        else:
            part = bindings.taken(rows)
        s, o = p if subject == predicate else subject, p if obj == predicate else obj
        yield from _joined(part, s, p, facts.table(p), o, sampling)


def _joined(
    bindings: Bindings[int], subject: int, predicate: int, table: Table, obj: int, sampling: Sampling | None
) -> Iterator[Bindings[int]]:
    """Yield the join with the facts of a predicate; what takes more memory than there is names it."""
    try:
        yield from _PLAIN.joined(bindings, subject, table, obj, sampling)
    except MemoryLimitError as error:
        raise error.of_join(bindings.size, table.size, predicate) from None


def holds(bindings: Bindings[int], atom: Triple, facts: FactSet, *, equality: bool) -> Mask:
    """Tell for which rows a fully bound atom is a fact; with equality, c = c is one for every c."""
    s, o = bindings.values(atom[0]), bindings.values(atom[2])
    if not is_variable(atom[1]):
        return _holds(s, atom[1], o, facts, equality)
    mask = np.zeros(bindings.size, dtype=np.bool_)
    for predicate, rows in group_rows(bindings.columns[atom[1]]):
        mask[rows] = _holds(s[rows], predicate, o[rows], facts, equality)
    return mask


def _holds(s: Ids, predicate: int, o: Ids, facts: FactSet, equality: bool) -> Mask:
    found = facts.table(predicate).contains(s, o)
    return found | (s == o) if equality and predicate == SAME else found


def _pairs(runs: list[Keys], slices: list[tuple[Ids, Ids]], start: int, stop: int) -> tuple[Ids, Ids]:
    """Return the rows of a range with the second halves of the keys that their slices of runs hold."""
    owners, values = [], []
    for keys, (low, high) in zip(runs, slices, strict=True):
        owner, position = expand(low[start:stop], high[start:stop])
        owners.append(owner + start if start else owner)
        values.append(unpack(keys[position])[1])
    return (owners[0], values[0]) if len(owners) == 1 else (np.concatenate(owners), np.concatenate(values))


def fan_out(bindings: Bindings[V], subject: V | int, table: Table, obj: V | int) -> float:
    """Estimate how many facts of a table match a row; zero only if there are none."""
    if table.size == 0:
        return 0.0
    subject_bound, object_bound = bindings.is_bound(subject), bindings.is_bound(obj)
    if subject_bound and object_bound:
        return 0.5
    if not subject_bound and not object_bound:
        return float(table.size)
    known = subject if subject_bound else obj
    if is_open(known):
        return table.fan_out(from_subject=subject_bound)
    return float(table.count(subject=int(known)) if subject_bound else table.count(obj=int(known)))


def fan_out_of_any(bindings: Bindings[V], subject: V | int, predicate: V, facts: FactSet, obj: V | int) -> float:
    """Estimate how many facts match a row whatever their predicate is, or for the one that a row has."""
    total = float(len(facts))
    if predicate in bindings.columns:
        total /= max(1, len(list(facts)))
    subject_bound, object_bound = bindings.is_bound(subject), bindings.is_bound(obj)
    if subject_bound and object_bound:
        return min(1.0, total)
    return min(total, _FEW) if subject_bound or object_bound else total
