"""Explicit facts with their normal forms, as a table of the store: those that are not their own normal form.

Motik, Nenov, Piro, Horrocks, *Combining Rewriting and Incremental Materialisation Maintenance for Datalog Programs with
Equality*, 2015, asks in its conclusion for an index of the explicit facts that a fact over representatives stands for.
Such a fact is itself one of them if it is explicit; the table has the others. Its rows lie together by class, however
far apart the terms of the class are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from loaders.arrow import mask_array, number_column, number_table
from reasoner.columnar.factset import FactSet
from reasoner.columnar.membership import facts_about
from reasoner.columnar.persisted import Change, Piece, differences, least_of_own
from reasoner.store.tables import TABLES

if TYPE_CHECKING:
    from reasoner.columnar.kernels import Ids
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
