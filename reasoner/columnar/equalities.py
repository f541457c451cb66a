"""Which equalities merge terms: literals take part in equality only by value."""

from __future__ import annotations

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.kernels import NO_KEYS, Ids, Mask
from reasoner.literals.value import value_key


def mergeable(left: Ids, right: Ids, dictionary: Dictionary) -> Mask:
    """Tell which pairs of different terms may share a representative: two resources, or two literals of one value."""
    literal = dictionary.literal_mask()
    left_literal, right_literal = literal[left], literal[right]
    mask: Mask = ~(left_literal | right_literal) & (left != right)
    for row in np.flatnonzero(left_literal & right_literal & (left != right)).tolist():
        key = value_key(dictionary.text(int(left[row])))
        mask[row] = key is not None and key == value_key(dictionary.text(int(right[row])))
    return mask


def equal_values(literals: Ids, dictionary: Dictionary) -> tuple[Ids, Ids]:
    """Return pairs that connect the literals of one value (the W3C rule dt-eq).

    Only typed literals can be written in several ways, so that plain strings are not even looked at.
    """
    texts = dictionary.decode(literals)
    first: dict[object, int] = {}
    left, right = [], []
    for id, text in zip(literals.tolist(), texts, strict=True):
        if text.endswith('"'):
            continue
        key = value_key(text)
        if key is None:
            continue
        known = first.setdefault(key, id)
        if known != id:
            left.append(known)
            right.append(id)
    return (np.array(left, dtype=np.int64), np.array(right, dtype=np.int64)) if left else (NO_KEYS, NO_KEYS)
