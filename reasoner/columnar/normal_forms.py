"""Explicit facts with their normal forms, as a table of the store: those that are not their own normal form.

Motik, Nenov, Piro, Horrocks, *Combining Rewriting and Incremental Materialisation Maintenance for Datalog Programs with
Equality*, 2015, asks in its conclusion for an index of the explicit facts that a fact over representatives stands for.
Such a fact is itself one of them if it is explicit; the table has the others. Its rows lie together by class, however
far apart the terms of the class are.

Explicit facts in files, looked up by class: the facts about terms that others represent lie beside one another.

The terms of a class may have been numbered anywhere, so that looking each of them up among the explicit facts may read
a row group each. Their normal forms (``normal_forms``) are sorted by representative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from loaders.arrow import mask_array, number_column, number_table
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import NO_KEYS, Ids, sort_distinct
from reasoner.columnar.membership import facts_about
from reasoner.columnar.persisted import Change, Piece, differences, least_of_own
from reasoner.columnar.row_groups import MOST_ROWS, GroupRanges, RowGroups, only_about
from reasoner.store.file_system import Place
from reasoner.store.segment import TABLES

if TYPE_CHECKING:
    from reasoner.columnar.representatives import Representatives
    from reasoner.columnar.store import Snapshot

_LAYOUT = TABLES["normal"]
_NONE = FactSet()


def whole_forms(state: Snapshot) -> Iterator[Piece]:
    """Yield the rows of each frequent predicate, sorted, and those of all others together."""
    merged = merged_terms(state.representatives)
    rows = forms_of(state.representatives, facts_about(state.explicit, merged))
    predicates = number_column(rows["p"])
    names, counts = np.unique(predicates, return_counts=True)
    own = names[counts >= least_of_own(rows.num_rows)]
    for predicate in own.tolist():
        yield predicate, rows.filter(mask_array(predicates == predicate))
    rare = ~np.isin(predicates, own)
    if rare.any():
        yield None, rows.filter(mask_array(rare))


def changed_forms(before: Snapshot, after: Snapshot) -> Change:
    """Return the rows that came and those that went: of explicit facts that did so, or that mention moved terms."""
    if not before.representatives and not after.representatives:
        return forms_of(after.representatives, _NONE), forms_of(after.representatives, _NONE)
    came, went = differences(before.explicit, after.explicit)
    moved = after.representatives.moved_since(before.representatives)
    return (
        forms_of(after.representatives, came, facts_about(after.explicit, moved)),
        forms_of(before.representatives, went, facts_about(before.explicit, moved)),
    )


def merged_terms(mapping: Representatives) -> Ids:
    """Return the terms, in order, that others represent."""
    merged: Ids = mapping.members[mapping.members != mapping.targets]
    return merged


def forms_of(mapping: Representatives, facts: FactSet, others: FactSet = _NONE) -> pa.Table:
    """Return the rows of explicit facts, and of others that may be among them, but not of normal ones."""
    raw = facts.union(others.difference(facts)).columns()
    normal = [mapping.of(column) for column in raw]
    moved = np.logical_or.reduce([form != term for form, term in zip(normal, raw, strict=True)])
    columns = dict(zip(_LAYOUT.columns, (column[moved] for column in (*normal, *raw)), strict=True))
    order = np.lexsort([columns[name] for name in reversed(_LAYOUT.order)])
    return number_table(**{name: column[order] for name, column in columns.items()})


_RAW = ("raw_s", "raw_p", "raw_o")


class FormGroups:
    """The rows of normal forms: files, and what has come to them and gone from them since, at hand.

    If this machine does not see all ``rows`` of the files, nothing is read here.
    """

    def __init__(self, files: Sequence[Place], rows: int, came: pa.Table, went: pa.Table) -> None:
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
