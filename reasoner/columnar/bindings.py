"""Bindings of variables as equally long columns, and the steps that extend them by one atom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from reasoner.columnar.auxiliary_predicates import Unranged
from reasoner.columnar.factset import FactSet, group_rows
from reasoner.columnar.kernels import (
    Ids,
    Keys,
    Mask,
    expand,
    first_of_each,
    pack,
    probing_order,
    ranges,
    sort_distinct,
    unpack,
)
from reasoner.columnar.table import Table
from reasoner.rules.encode import EncodedTerm, Triple, is_variable
from reasoner.vocabulary import OCCURS, SAME

# Joins that give more rows than this are done piece by piece, so that memory stays bounded.
MOST_ROWS = 1 << 24


class Bindings:
    """A relation over variables: ``columns`` by variable, all of length ``size``."""

    __slots__ = ("columns", "size")

    def __init__(self, columns: dict[EncodedTerm, Ids], size: int) -> None:
        self.columns = columns
        self.size = size

    @classmethod
    def unit(cls) -> Bindings:
        """Return the relation with no variable and one row."""
        return cls({}, 1)

    def taken(self, rows: Ids | Mask) -> Bindings:
        """Return the rows chosen by positions or by a mask."""
        columns = {variable: column[rows] for variable, column in self.columns.items()}
        size = int(np.count_nonzero(rows)) if rows.dtype == np.bool_ else rows.size
        return Bindings(columns, size)

    def piece(self, start: int, stop: int) -> Bindings:
        """Return a range of rows without copying."""
        columns = {variable: column[start:stop] for variable, column in self.columns.items()}
        return Bindings(columns, min(stop, self.size) - start)

    def with_columns(self, new: dict[EncodedTerm, Ids]) -> Bindings:
        """Return these rows with further columns."""
        return Bindings({**self.columns, **new}, self.size)

    def only(self, needed: frozenset[EncodedTerm]) -> Bindings:
        """Return the same rows without the columns that nobody needs."""
        return Bindings({v: column for v, column in self.columns.items() if v in needed}, self.size)

    def distinct(self) -> Bindings:
        """Return every row once."""
        if self.size < 2:
            return self
        columns = list(self.columns.values())
        if not columns:
            return Bindings({}, 1)
        if len(columns) == 1:
            kept = [sort_distinct(columns[0])]
        elif len(columns) == 2:
            kept = list(unpack(sort_distinct(pack(*columns))))
        else:
            return self.taken(first_of_each(columns))
        return Bindings(dict(zip(self.columns, kept, strict=True)), kept[0].size)

    def values(self, term: EncodedTerm) -> Ids:
        """Return the column of a bound variable, or a constant as a column."""
        return self.columns[term] if is_variable(term) else np.full(self.size, term, dtype=np.int64)

    def crossed(self, new: dict[EncodedTerm, Ids], size: int) -> Bindings:
        """Return the product with a relation over other variables."""
        if self.size == 1 and not self.columns:
            return Bindings(dict(new), size)
        left = np.repeat(np.arange(self.size), size)
        right = np.tile(np.arange(size), self.size)
        columns = {variable: column[left] for variable, column in self.columns.items()}
        columns.update({variable: column[right] for variable, column in new.items()})
        return Bindings(columns, self.size * size)

    def is_bound(self, term: EncodedTerm) -> bool:
        return not is_variable(term) or term in self.columns


def joined(parts: list[Bindings]) -> Bindings:
    """Append relations over the same variables."""
    parts = [part for part in parts if part.size]
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Bindings({}, 0)
    columns = {v: np.concatenate([part.columns[v] for part in parts]) for v in parts[0].columns}
    return Bindings(columns, sum(part.size for part in parts))


def extend(bindings: Bindings, atom: Triple, facts: FactSet, wild: Unranged | frozenset[int]) -> Iterator[Bindings]:
    """Join bindings with the facts that an atom matches, in pieces of bounded size.

    A variable predicate ranges over all predicates but ``wild``.
    """
    small: list[Bindings] = []
    for part in _extend_by_predicate(bindings, atom, facts, wild):
        if part.size * 4 > MOST_ROWS:
            yield part
        elif part.size:
            small.append(part)
    if small:
        yield joined(small)


def holds(bindings: Bindings, atom: Triple, facts: FactSet, *, equality: bool) -> Mask:
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


def _extend_by_predicate(
    bindings: Bindings, atom: Triple, facts: FactSet, wild: Unranged | frozenset[int]
) -> Iterator[Bindings]:
    predicate = atom[1]
    if not is_variable(predicate):
        yield from _extend(bindings, atom, facts.table(predicate))
        return
    candidates: Iterable[tuple[int, Ids | None]]
    if predicate in bindings.columns:
        candidates = group_rows(bindings.columns[predicate])
    else:
        candidates = ((p, None) for p in facts)
    for p, rows in candidates:
        if p not in facts or p in wild or p == OCCURS:
            continue
        part = bindings if rows is None else bindings.taken(rows)
        if rows is None:
            part = part.with_columns({predicate: np.full(part.size, p, dtype=np.int64)})
        bound = (p if atom[0] == predicate else atom[0], p, p if atom[2] == predicate else atom[2])
        yield from _extend(part, bound, facts.table(p))


def _extend(bindings: Bindings, atom: Triple, table: Table) -> Iterator[Bindings]:
    for piece in _extend_runs(bindings, atom, table):
        if table.dead.size and piece.size:
            alive = table.contains(piece.values(atom[0]), piece.values(atom[2]))
            piece = piece if alive.all() else piece.taken(alive)
        yield piece


def _extend_runs(bindings: Bindings, atom: Triple, table: Table) -> Iterator[Bindings]:
    """Join with all that the runs of a table hold, the dead included where they are found by probing."""
    subject, _, obj = atom
    if table.size == 0 or bindings.size == 0:
        return
    subject_bound, object_bound = bindings.is_bound(subject), bindings.is_bound(obj)
    if subject_bound and object_bound:
        if is_variable(subject) or is_variable(obj):
            yield bindings.taken(table.contains(bindings.values(subject), bindings.values(obj)))
        elif table.contains(np.array([subject]), np.array([obj]))[0]:
            yield bindings
        return
    if not subject_bound and not object_bound:
        s, o = table.pairs()
        if subject == obj:
            same = s[s == o]
            yield from _product(bindings, {subject: same}, same.size)
        else:
            yield from _product(bindings, {subject: s, obj: o}, s.size)
        return
    known, unknown = (subject, obj) if subject_bound else (obj, subject)
    if not is_variable(known):
        values = table.objects_of(known) if subject_bound else table.subjects_of(known)
        yield from _product(bindings, {unknown: values}, values.size)
        return
    probes = bindings.columns[known]
    runs = table.subject_runs(probes) if subject_bound else table.object_runs(probes)
    yield from _probe(bindings, known, unknown, runs)


def _product(bindings: Bindings, new: dict[EncodedTerm, Ids], size: int) -> Iterator[Bindings]:
    step = max(1, MOST_ROWS // max(1, size))
    for start in range(0, bindings.size, step):
        piece = bindings if step >= bindings.size else bindings.piece(start, start + step)
        yield piece.crossed(new, size)


def _probe(bindings: Bindings, known: EncodedTerm, unknown: EncodedTerm, runs: list[Keys]) -> Iterator[Bindings]:
    probes = bindings.columns[known]
    order = probing_order(probes)
    if order is not None:
        bindings, probes = bindings.taken(order), probes[order]
    slices = [ranges(keys, probes) for keys in runs]
    reached = np.cumsum(sum(high - low for low, high in slices))
    start = 0
    while start < bindings.size:
        stop = bindings.size
        before = int(reached[start - 1]) if start else 0
        if int(reached[-1]) - before > MOST_ROWS:
            stop = max(start + 1, int(reached.searchsorted(before + MOST_ROWS, "right")))
        parts = []
        for keys, (low, high) in zip(runs, slices, strict=True):
            owner, position = expand(low[start:stop], high[start:stop])
            if owner.size:
                values = unpack(keys[position])[1]
                parts.append(bindings.taken(owner + start).with_columns({unknown: values}))
        yield joined(parts)
        start = stop
