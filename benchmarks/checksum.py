"""A number by which sets of facts are told apart, whatever the order of the facts and the ids of their terms."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from loaders.dictionary import Dictionary
    from reasoner.columnar.store import ColumnarStore, Snapshot

    Columns = tuple[NDArray[np.int64], int, NDArray[np.int64]]

# Odd constants with bits all over: the golden ratio, and the two of splitmix64.
_SUBJECT, _PREDICATE, _OBJECT = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_HALF = np.uint64(32)


class Checksum:
    """Hashes the terms of a dictionary once, and then facts over them, column by column.

    Facts are hashed one by one and added up, so that their order does not matter.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        texts = dictionary.decode(np.arange(len(dictionary)))
        hashes = b"".join(blake2b(text.encode(), digest_size=8).digest() for text in texts)
        self._terms = np.frombuffer(hashes, dtype=np.uint64)

    def closure(self, store: ColumnarStore, state: Snapshot) -> Result:
        """Return count and checksum of the closure that a state stands for; that a term equals itself is left out."""
        return self._of(store.pieces(state=state))

    def stored(self, state: Snapshot) -> Result:
        """Return counts and checksums of a state as it is stored: facts over representatives, and who has which."""
        facts = self._of(_turned(state.facts.table(predicate).pairs(), predicate) for predicate in state.facts)
        classes = self._of([(state.representatives.members, 0, state.representatives.targets)])
        return {**facts, **{f"{name} of classes": value for name, value in classes.items()}}

    def _of(self, pieces: Iterable[Columns]) -> Result:
        count, total = 0, 0
        for s, predicate, o in pieces:
            predicate_hash = np.full(1, self._terms[predicate]) * _PREDICATE
            hashed = _mixed(self._terms[s] * _SUBJECT + predicate_hash)
            hashed = _mixed((hashed + self._terms[o]) * _OBJECT) * _SUBJECT
            total += int(hashed.sum(dtype=np.uint64))
            count += s.size
        return {"facts": count, "checksum": total % 2**64}


def _mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return hashes ^ (hashes >> _HALF)


def _turned(pairs: tuple[NDArray[np.int64], NDArray[np.int64]], predicate: int) -> Columns:
    s, o = pairs
    return s, predicate, o
