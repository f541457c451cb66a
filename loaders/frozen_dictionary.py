"""A dictionary as it was at one moment, for readers that must not wait for whoever makes it grow."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from loaders.dictionary import Dictionary
from loaders.texts import TermTexts


class FrozenDictionary(Dictionary):
    """The terms that a dictionary had when this was made: nothing is copied, and no lock is ever taken.

    What the two share never changes for these terms: texts and hashes are written behind them only, and the table of
    ids is filled where it was empty. A term found in the table whose id is too high came later, and is passed by: it
    stands behind all older ones on its way. Whoever takes back terms of the dictionary must not take back these.

    >>> terms = Dictionary()
    >>> _ = terms.encode(["<http://a/x>"])
    >>> frozen = FrozenDictionary(terms)
    >>> _ = terms.encode(["<http://a/y>"])
    >>> frozen.lookup("<http://a/x>"), frozen.lookup("<http://a/y>"), len(frozen)
    (0, None, 1)
    """

    def __init__(self, source: Dictionary) -> None:
        with source._lock:
            # Whatever the dictionary makes on first use it makes now, for both.
            source.literal_mask()
            source.lookup("")
            vars(self).update(vars(source))
            self._texts = _frozen_texts(source._texts)
        self._size = len(self._texts)
        self._lock: Any = nullcontext()

    def encode(self, terms: Sequence[str] | Any) -> NoReturn:
        raise TypeError("this dictionary is frozen; give new terms to the one that it was made from")

    id_of = truncate = new_blank_scope = encode  # type: ignore[assignment]

    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the id of each term, or -1 where it is unknown."""
        found = (self.lookup(term) for term in terms)
        return np.fromiter((-1 if id is None else id for id in found), np.int64, len(terms))

    def _probe(self, text: bytes, hashed: int) -> tuple[int, int]:
        slots, hashes, mask, size = self._slots_view, self._hashes_view, self._mask, self._size
        slot, step = hashed & mask, 0
        while (id := slots[slot]) >= 0:
            if id < size and hashes[id] == hashed and self._texts[id] == text:
                return id, slot
            step += 1
            slot = (slot + step) & mask
        return -1, slot


def _frozen_texts(texts: TermTexts) -> TermTexts:
    """Return the texts so far: the same memory, with ends of its own."""
    frozen = copy.copy(texts)
    frozen._segments = [copy.copy(segment) for segment in texts._segments]
    frozen._firsts = list(texts._firsts)
    return frozen
