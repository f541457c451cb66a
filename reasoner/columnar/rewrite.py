"""Bringing facts into normal form, with cost by what changes where that is little."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from reasoner.columnar.factset import FactSet, facts_of_keys
from reasoner.columnar.kernels import Ids, Keys, expand, is_member, pack, ranges, sort_distinct, unpack
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.table import Table
from reasoner.vocabulary import TYPE


def normal_form(facts: FactSet, representatives: Representatives) -> FactSet:
    """Replace every term of every fact by its representative."""
    if not representatives:
        return facts
    kept, changed = rewritten_apart(facts, representatives)
    return kept.union(changed.difference(kept))


def rewritten_apart(facts: FactSet, moved: Representatives) -> tuple[FactSet, FactSet]:
    """Return the facts without a moved term as they are, and the other facts in normal form."""
    if not moved:
        return facts, FactSet()
    kept: dict[int, Table] = {}
    changed: dict[int, list[Keys]] = defaultdict(list)
    sources = moved.members[moved.members != moved.targets]
    for predicate in facts:
        table = facts.table(predicate)
        target = moved.of_one(predicate)
        keys = table.keys() if target != predicate else mentioning_keys(table, sources)
        if keys.size == 0:
            continue
        kept[predicate] = table.without(keys)
        first, second = unpack(keys)
        first, second = moved.of(first), moved.of(second)
        if table.by_object != (target == TYPE):
            first, second = second, first
        changed[target].append(pack(first, second))
    return facts.with_tables(kept), facts_of_keys(changed)


def mentioning_keys(table: Table, terms: Ids) -> Keys:
    """Return the main-order keys that mention one of the sorted terms."""
    found = []
    for run in table.runs_about(terms):
        if terms.size * 16 > run.main.size:
            first, second = unpack(run.main)
            found.append(run.main[is_member(first, terms) | is_member(second, terms)])
            continue
        _, position = expand(*ranges(run.main, terms))
        found.append(run.main[position])
        _, position = expand(*ranges(run.other, terms))
        second, first = unpack(run.other[position])
        found.append(pack(first, second))
    keys = sort_distinct(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
    return keys[~is_member(keys, table.dead)] if table.dead.size else keys
