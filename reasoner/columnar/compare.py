"""Comparing two states of a store, with cost by what differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from reasoner.columnar.expand import Columns, Expansion
from reasoner.columnar.factset import FactSet, facts_of_keys
from reasoner.columnar.kernels import Ids, Keys, is_member, pack, sort_distinct
from reasoner.columnar.membership import facts_about
from reasoner.columnar.representatives import Representatives
from reasoner.vocabulary import TYPE


def closure_difference(left: Expansion, right: Expansion) -> FactSet:
    """Return the facts of the left closure that the right one lacks.

    Only facts over representatives that differ, and those that mention a term whose class differs, are expanded.
    """
    moved = moved_terms(left.representatives, right.representatives)
    return (
        _expanded(left, right, moved).difference(_expanded(right, left, moved))
        if moved.size
        else collected(_part(left, left.facts.difference(right.facts)).pieces(equalities=False))
    )


def moved_terms(left: Representatives, right: Representatives) -> Ids:
    """Return the terms whose class is another in one mapping than in the other."""
    if left is right:
        return left.members[:0]
    terms = sort_distinct(np.concatenate((left.members, right.members)))
    moved: Ids = terms[left.of(terms) != right.of(terms)]
    # A class changes for all its members, also for those whose representative stays.
    for mapping in (left, right):
        moved = sort_distinct(np.concatenate((moved, mapping.expanded(sort_distinct(mapping.of(moved)))[1])))
    return moved


def collected(pieces: Iterable[Columns]) -> FactSet:
    """Gather pieces of an expanded closure."""
    keys: dict[int, list[Keys]] = defaultdict(list)
    for s, predicate, o in pieces:
        keys[predicate].append(pack(o, s) if predicate == TYPE else pack(s, o))
    return facts_of_keys(keys)


def _expanded(this: Expansion, other: Expansion, moved: Ids) -> FactSet:
    """Expand what can make this closure differ from the other."""
    mapping = this.representatives
    affected = sort_distinct(mapping.of(moved))
    about = facts_about(this.facts, affected)
    facts = about.union(this.facts.difference(other.facts).difference(about))
    found = collected(_part(this, facts).pieces(equalities=False))
    in_class = is_member(mapping.targets, affected)
    classes = Representatives(mapping.members[in_class], mapping.targets[in_class])
    # The names of owl:sameAs itself come from the whole mapping.
    pairs = Expansion(FactSet(), mapping, this.dictionary, virtual=False, only=classes)
    return found.union(collected(pairs.pieces()).difference(found))


def _part(this: Expansion, facts: FactSet) -> Expansion:
    return Expansion(facts, this.representatives, this.dictionary, virtual=False)
