"""Comparing two states of a store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from reasoner.columnar.expand import Columns, Expansion
from reasoner.columnar.factset import FactSet, facts_of_keys
from reasoner.columnar.kernels import Keys, pack
from reasoner.columnar.representatives import Representatives
from reasoner.vocabulary import TYPE


def same_mapping(left: Representatives, right: Representatives) -> bool:
    """Tell whether two mappings are one."""
    return np.array_equal(left.members, right.members) and np.array_equal(left.targets, right.targets)


def collected(pieces: Iterable[Columns]) -> FactSet:
    """Gather pieces of an expanded closure."""
    keys: dict[int, list[Keys]] = defaultdict(list)
    for s, predicate, o in pieces:
        keys[predicate].append(pack(o, s) if predicate == TYPE else pack(s, o))
    return facts_of_keys(keys)


def closure_difference(left: Expansion, right: Expansion) -> FactSet:
    """Return the facts of the left closure that the right one lacks.

    While the same terms are equal in both, only facts over representatives are compared.
    """
    if same_mapping(left.representatives, right.representatives):
        gone = Expansion(left.facts.difference(right.facts), left.representatives, left.dictionary, virtual=False)
        return collected(gone.pieces(equalities=False))
    return collected(left.pieces()).difference(collected(right.pieces()))
