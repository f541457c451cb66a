"""The row groups of files of facts: which of them may have the facts about some terms, so that only these are read.

A job of Spark takes longer to begin than a process takes to read millions of sorted ids. How much it has to read for a
question is known beforehand, from the ranges of ids that the files give for each of their row groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from loaders.arrow import number_column
from reasoner.columnar.factset import FactSet
from reasoner.columnar.group_ranges import GroupRanges
from reasoner.columnar.kernels import NO_KEYS, Ids, Mask
from reasoner.vocabulary import TYPE

# So many rows are read and compared in the time in which a job begins and ends (about 0.4 s on two cores).
MOST_ROWS = 1 << 24

_Sorted: TypeAlias = Ids | Sequence[int]


class RowGroups:
    """The row groups of some files; their ranges are read from the files when they are first asked for.

    A file has the facts of one predicate as pairs, or of several, which are None, as triples. If this machine does not
    see all of their ``rows``, as may be of files that another one has just written, nothing is read here; None are as
    many as it sees.
    """

    def __init__(self, files: Sequence[tuple[Path, int | None]], rows: int | None) -> None:
        self._predicates = [predicate for _, predicate in files]
        self._rows = rows
        constants = [{} if predicate is None else {"p": predicate} for predicate in self._predicates]
        self._ranges = GroupRanges("spo", [(path, each) for (path, _), each in zip(files, constants, strict=True)])

    def facts(
        self, *, s: _Sorted | None = None, p: _Sorted | None = None, o: _Sorted | None = None, types: bool = True
    ) -> FactSet | None:
        """Return the facts whose subjects, predicates and objects are among sorted ids, of which None are any.

        Unless ``types`` are wanted, those of rdf:type are left out. None is returned if too many rows would be read.
        """
        index = self._ranges
        asked = _asked(s, p, o)
        chosen = np.logical_and.reduce([index.may_have(name, ids) for name, ids in asked.items()])
        if not types:
            chosen &= ~self._only_types()
        if int(index.rows[chosen].sum()) > MOST_ROWS or self._rows not in (None, int(index.rows.sum())):
            return None
        found = [(NO_KEYS, NO_KEYS, NO_KEYS)]
        for at in np.unique(index.files[chosen]).tolist():
            found.append(self._read(at, index.groups[chosen & (index.files == at)].tolist(), asked, types=types))
        return FactSet.of_columns(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def mentioned(self) -> tuple[int, frozenset[int], frozenset[int]]:
        """Return how many facts there are, their predicates, and the objects of rdf:type.

        Only row groups of several predicates, and those of rdf:type, are read.
        """
        import pyarrow.compute as pc

        index, (low, high) = self._ranges, self._ranges.range("p")
        some = index.rows > 0
        predicates, classes = set(low[some & (low == high)].tolist()), set()
        for number in np.flatnonzero(some & ((low < high) | ((low <= TYPE) & (high >= TYPE)))).tolist():
            at, group = int(index.files[number]), int(index.groups[number])
            own = self._predicates[at]
            rows = index.read(at, [group], ["o"] if own is not None else ["p", "o"])
            if own is None:
                predicates.update(pc.unique(rows.column("p")).to_pylist())
                rows = rows.filter(pc.equal(rows.column("p"), TYPE))
            classes.update(pc.unique(rows.column("o")).to_pylist())
        return int(index.rows.sum()), frozenset(predicates), frozenset(classes)

    def _read(self, at: int, groups: list[int], asked: Mapping[str, Ids], *, types: bool) -> tuple[Ids, Ids, Ids]:
        """Return the columns of the facts of one file that are asked for."""
        predicate = self._predicates[at]
        names = ["s", "o"] if predicate is not None else ["s", "p", "o"]
        rows = self._ranges.read(at, groups, names)
        columns = {name: number_column(rows.column(name)) for name in names}
        keep = _is_wanted(columns, asked, types=types)
        s, o = columns["s"][keep], columns["o"][keep]
        return s, columns["p"][keep] if predicate is None else np.full(s.size, predicate), o

    def _only_types(self) -> Mask:
        """Tell which row groups have facts of rdf:type only."""
        low, high = self._ranges.range("p")
        found: Mask = (low == TYPE) & (high == TYPE)
        return found


def only_about(
    facts: FactSet, *, s: _Sorted | None = None, p: _Sorted | None = None, o: _Sorted | None = None, types: bool = True
) -> FactSet:
    """Return what ``RowGroups.facts`` returns of facts in files, of facts at hand."""
    columns = facts.columns()
    keep = _is_wanted(dict(zip("spo", columns, strict=True)), _asked(s, p, o), types=types)
    return FactSet.of_columns(*(column[keep] for column in columns))


def _asked(s: _Sorted | None, p: _Sorted | None, o: _Sorted | None) -> dict[str, Ids]:
    given = zip("spo", (s, p, o), strict=True)
    return {name: np.asarray(ids, dtype=np.int64) for name, ids in given if ids is not None}


def _is_wanted(columns: Mapping[str, Ids], asked: Mapping[str, Ids], *, types: bool) -> Mask:
    """Tell which rows are asked for, as far as their columns are there."""
    keep = np.ones(columns["s"].size, dtype=np.bool_)
    for name in asked.keys() & columns.keys():
        keep &= np.isin(columns[name], asked[name])
    if not types and "p" in columns:
        keep &= columns["p"] != TYPE
    return keep
