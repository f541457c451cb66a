"""Which equalities merge terms, and which literals have one value: these stay apart, as they are written."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import permutations

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.kernels import NO_KEYS, Ids, Mask
from reasoner.literals.value import value_key


def mergeable(left: Ids, right: Ids, dictionary: Dictionary) -> Mask:
    """Tell which pairs of different terms may share a representative: two resources."""
    literal = dictionary.literal_mask()
    mask: Mask = ~(literal[left] | literal[right]) & (left != right)
    return mask


def equal_values(literals: Ids, dictionary: Dictionary) -> tuple[Ids, Ids]:
    """Return the pairs of literals of one value, in both orders (the W3C rule dt-eq).

    Only typed literals can be written in several ways, so that plain strings are not even looked at.
    """
    texts = dictionary.decode(literals)
    alone: dict[Hashable, int] = {}
    groups: dict[Hashable, list[int]] = {}
    for id, text in zip(literals.tolist(), texts, strict=True):
        if text.endswith('"'):
            continue
        key = value_key(text)
        first = alone.setdefault(key, id)
        if first != id:
            groups.setdefault(key, [first]).append(id)
    return pairs_within(groups.values())


def pairs_within(groups: Iterable[Sequence[int]]) -> tuple[Ids, Ids]:
    """Return all pairs of different members of each group, in both orders."""
    pairs = [pair for group in groups for pair in permutations(group, 2)]
    if not pairs:
        return NO_KEYS, NO_KEYS
    left, right = np.array(pairs, dtype=np.int64).T
    return left, right
