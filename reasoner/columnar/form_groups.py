"""Explicit facts in files, looked up by class: the facts about terms that others represent lie beside one another.

The terms of a class may have been numbered anywhere, so that looking each of them up among the explicit facts may read
a row group each. Their normal forms (``normal_forms``) are sorted by representative.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from loaders.arrow import number_column
from reasoner.columnar.factset import FactSet
from reasoner.columnar.group_ranges import GroupRanges
from reasoner.columnar.kernels import NO_KEYS, Ids, sort_distinct
from reasoner.columnar.normal_forms import merged_terms
from reasoner.columnar.row_groups import MOST_ROWS, RowGroups, only_about

if TYPE_CHECKING:
    import pyarrow as pa

    from reasoner.columnar.representatives import Representatives

_RAW = ("raw_s", "raw_p", "raw_o")


class FormGroups:
    """The rows of normal forms: files, and what has come to them and gone from them since, at hand.

    If this machine does not see all ``rows`` of the files, nothing is read here.
    """

    def __init__(self, files: Sequence[Path], rows: int, came: pa.Table, went: pa.Table) -> None:
        self._rows = rows
        self._ranges = GroupRanges(("s",), [(path, {}) for path in files])
        self._came, self._went = came, went

    def about(self, representatives: Ids) -> FactSet | None:
        """Return the explicit facts, other than normal ones, whose subjects some sorted terms represent; None if too
        many rows would be read."""
        index = self._ranges
        chosen = index.may_have("s", representatives)
        if int(index.rows.sum()) != self._rows or int(index.rows[chosen].sum()) > MOST_ROWS:
            return None
        tables = [
            index.read(at, index.groups[chosen & (index.files == at)].tolist(), ["s", *_RAW])
            for at in np.unique(index.files[chosen]).tolist()
        ]
        found = _facts(tables, representatives)
        # A fact that changed its normal form has gone with the one, and come with the other.
        found = found.difference(_facts([self._went], representatives))
        return found.union(_facts([self._came], representatives).difference(found))


class FactsByClass:
    """Row groups of explicit facts, whose merged subjects are looked up by their representatives.

    ``mapping`` and ``forms`` are of one state, of which ``leaving`` and ``joining`` tell by what it differs from the
    facts in the files.
    """

    def __init__(
        self,
        groups: RowGroups,
        mapping: Representatives,
        forms: FormGroups,
        leaving: FactSet,
        joining: FactSet,
    ) -> None:
        self.plain = groups
        self._mapping = mapping
        self._forms = forms
        merged = merged_terms(mapping)
        self._leaving, self._joining = only_about(leaving, s=merged), joining

    def facts(self, *, s: Any = None, **others: Any) -> FactSet | None:
        """Return what ``RowGroups.facts`` returns."""
        if s is None:
            return self.plain.facts(**others)
        asked = np.asarray(s, dtype=np.int64)
        targets = self._mapping.of(asked)
        merged = asked[targets != asked]
        if not merged.size:
            return self.plain.facts(s=asked, **others)
        by_class = self._forms.about(sort_distinct(targets[targets != asked]))
        alone = asked[targets == asked]
        found = self.plain.facts(s=alone, **others) if alone.size else FactSet()
        if by_class is None or found is None:
            return None
        about = only_about(by_class, s=merged, **others).difference(self._joining)
        return found.union(about).union(only_about(self._leaving, s=merged, **others))


def _facts(tables: Sequence[pa.Table], representatives: Ids) -> FactSet:
    """Return the facts as they were asserted of the rows about some representatives."""
    found = [(NO_KEYS, NO_KEYS, NO_KEYS)]
    for rows in tables:
        wanted = np.isin(number_column(rows.column("s")), representatives)
        s, p, o = (number_column(rows.column(name))[wanted] for name in _RAW)
        found.append((s, p, o))
    return FactSet.of_columns(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
