"""States of a store as Arrow tables of ids, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from loaders.arrow import number_array, number_column, number_table
from reasoner.columnar.factset import FactSet, group_rows
from reasoner.columnar.graphs import DEFAULT, GraphMemberships
from reasoner.columnar.kernels import NO_KEYS, Ids, Keys, pack, sort_distinct
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.table import Table
from reasoner.store.segment import BASE, REMOVED, Segment
from reasoner.store.tables import TABLES
from reasoner.vocabulary import SAME, TYPE

# A predicate has files of its own if it has so many facts, and no smaller a part of all of them.
_FEWEST = 8192
_PART = 256

_QUAD = TABLES["quads"].columns
_NO_QUADS = number_table(**dict.fromkeys(_QUAD, NO_KEYS))

Piece = tuple[int | None, pa.Table]
Change = tuple[pa.Table, pa.Table]


def whole_facts(facts: FactSet) -> Iterator[Piece]:
    """Yield the facts of each frequent predicate, sorted, and those of all others together."""
    least = least_of_own(len(facts))
    rare = []
    for predicate in sorted(facts):
        if facts.table(predicate).size >= least:
            s, o = facts.table(predicate).pairs()
            yield predicate, number_table(s=s, o=o)
        else:
            rare.append(predicate)
    if rare:
        yield None, triples(facts.only(rare))


def least_of_own(rows: int) -> int:
    """Return how many facts a predicate has at least, of so many in all, to have files of its own."""
    return max(_FEWEST, rows // _PART)


def changed_facts(before: FactSet, after: FactSet) -> Change:
    """Return the facts that came and those that went."""
    came, went = differences(before, after)
    return triples(came), triples(went)


def differences(before: FactSet, after: FactSet) -> tuple[FactSet, FactSet]:
    """Return the facts that came and those that went, as sets; tables that both share are not looked at."""
    predicates = sorted({p for p in (*before, *after) if before.table(p) is not after.table(p)})
    came = FactSet({p: after.table(p).minus(before.table(p)) for p in predicates})
    went = FactSet({p: before.table(p).minus(after.table(p)) for p in predicates})
    return came, went


def whole_pairs(facts: FactSet) -> pa.Table:
    """Return the equalities of literals."""
    s, o = facts.table(SAME).pairs()
    return number_table(s=s, o=o)


def changed_pairs(before: FactSet, after: FactSet) -> Change:
    """Return the equalities of literals that came and those that went."""
    came, went = changed_facts(before, after)
    return came.drop_columns(["p"]), went.drop_columns(["p"])


def whole_classes(mapping: Representatives) -> pa.Table:
    """Return the members of classes of two or more with their representatives."""
    return number_table(id=mapping.members, representative=mapping.targets)


def changed_classes(before: Representatives, after: Representatives) -> Change:
    """Return the memberships that came and those that went.

    A term changes its membership if its representative is another one, or if it is the representative, and others
    have come to it or have left it.
    """
    moved = after.moved_since(before)
    terms = sort_distinct(np.concatenate((moved, before.of(moved), after.of(moved))))
    old, new = before.of(terms), after.of(terms)
    was, is_now = before.is_plural(terms), after.is_plural(terms)
    came, went = is_now & (~was | (old != new)), was & (~is_now | (old != new))
    return (
        number_table(id=terms[came], representative=new[came]),
        number_table(id=terms[went], representative=old[went]),
    )


def whole_quads(graphs: GraphMemberships) -> pa.Table:
    """Return which explicit facts are in which named graphs."""
    return number_table(**dict(zip(_QUAD, graphs.columns(), strict=True)))


def changed_quads(before: GraphMemberships, after: GraphMemberships) -> Change:
    """Return the memberships in graphs that came and those that went; graphs that both share are not looked at."""
    came, went = [_NO_QUADS], [_NO_QUADS]
    for g in (DEFAULT, *after.named.differing(before.named)):
        was, is_now = (side.shared if g == DEFAULT else side.graph(g) for side in (before, after))
        if was is not is_now:
            for parts, facts in zip((came, went), changed_facts(was, is_now), strict=True):
                parts.append(facts.add_column(0, "g", number_array(np.full(facts.num_rows, g, dtype=np.int64))))
    return pa.concat_tables(came), pa.concat_tables(went)


def facts_of(pieces: Iterable[tuple[Segment, pa.Table]]) -> FactSet:
    """Return the facts that segments come down to, one after the other."""
    keys: dict[int, list[Keys]] = {}
    later: list[tuple[str, FactSet]] = []
    for segment, rows in pieces:
        s, o = _column(rows, "s"), _column(rows, "o")
        if segment.kind != BASE:
            p = np.full(s.size, segment.predicate) if segment.predicate is not None else _column(rows, "p")
            later.append((segment.kind, FactSet.of_columns(s, p, o)))
        elif segment.predicate is not None:
            keys.setdefault(segment.predicate, []).append(_packed(segment.predicate, s, o))
        else:
            for predicate, at in group_rows(_column(rows, "p")):
                keys.setdefault(predicate, []).append(_packed(predicate, s[at], o[at]))
    facts = FactSet(
        {
            predicate: Table.of_keys(sort_distinct(np.concatenate(parts)), by_object=predicate == TYPE)
            for predicate, parts in keys.items()
        }
    )
    for kind, change in later:
        facts = facts.difference(change) if kind == REMOVED else facts.union(change.difference(facts))
    return facts


def sharing(explicit: FactSet, facts: FactSet) -> FactSet:
    """Return the facts with the tables of the explicit ones where these are the same, which halves their memory."""
    same = {}
    for predicate in facts:
        own, other = facts.table(predicate), explicit.table(predicate)
        if own.size == other.size and np.array_equal(own.keys(), other.keys()):
            same[predicate] = other
    return facts.with_tables(same)


def pairs_of(rows: pa.Table) -> FactSet:
    """Return equalities of literals."""
    s, o = _column(rows, "s"), _column(rows, "o")
    return FactSet({SAME: Table.of_keys(sort_distinct(pack(s, o)), by_object=False)})


def classes_of(rows: pa.Table) -> Representatives:
    """Return the mapping to representatives, from rows that are sorted by id."""
    return Representatives(_column(rows, "id"), _column(rows, "representative"))


def graphs_of(rows: pa.Table) -> GraphMemberships:
    """Return which explicit facts are in which named graphs."""
    return GraphMemberships.from_columns(*(_column(rows, name) for name in _QUAD))


def texts_of(pieces: Iterable[tuple[Segment, pa.Table]]) -> list[pa.StringArray]:
    """Return the texts of terms in the order of their ids, which begin with 0 and have no gaps.

    What Spark wrote may be in any order, within a file and between files.
    """
    parts = [rows.cast(TABLES["dictionary"].schema) for _, rows in pieces]
    expected, ordered = 0, True
    for rows in parts:
        ids = _column(rows, "id")
        ordered = ordered and np.array_equal(ids, np.arange(expected, expected + ids.size))
        expected += ids.size
    if not ordered:
        whole = pa.concat_tables(parts).sort_by("id")
        if not np.array_equal(_column(whole, "id"), np.arange(expected)):
            raise ValueError("ids of terms are missing, or there twice")
        parts = [whole]
    return [chunk for rows in parts for chunk in rows["text"].cast(pa.string()).chunks]


def _packed(predicate: int, s: Ids, o: Ids) -> Keys:
    return pack(o, s) if predicate == TYPE else pack(s, o)


def triples(facts: FactSet) -> pa.Table:
    """Return facts sorted by predicate, subject and object."""
    s, p, o = facts.columns()
    order = np.lexsort((o, s, p))
    return number_table(s=s[order], p=p[order], o=o[order])


def _column(rows: pa.Table, name: str) -> Ids:
    column: Ids = number_column(rows[name])
    return column
