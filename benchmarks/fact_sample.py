"""Random facts to take out of a store and to put back in."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from datasets.draw import Draw

if TYPE_CHECKING:
    from reasoner.columnar.store import ColumnarStore
    from reasoner.terms.term import TextTriple


class FactSample:
    """The explicit facts of a store as they are now, to draw from.

    Made before an ontology is loaded, it has data only. Every fact is as likely as any other, and the same draw gives
    the same facts in every process, since ids are given in the order of the files.
    """

    def __init__(self, store: ColumnarStore, predicate: str | None = None) -> None:
        self._store = store
        self._explicit = store.state.explicit
        self._predicates = sorted(self._explicit) if predicate is None else [store.id_of(predicate)]
        self._ends = list(accumulate(self._explicit.table(p).size for p in self._predicates))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def draw(self, size: float, number: int) -> list[TextTriple]:
        """Return the facts of a draw; a size below one is a share of all facts, of which there is one at least."""
        count = min(len(self), int(size) if size >= 1 else max(1, round(size * len(self))))
        chosen = np.sort(np.array(Draw("update", size, number).distinct(len(self), count), dtype=np.int64))
        found: list[TextTriple] = []
        start = 0
        for predicate, end in zip(self._predicates, self._ends, strict=True):
            rows = chosen[(chosen >= start) & (chosen < end)] - start
            if rows.size:
                s, o = self._explicit.table(predicate).pairs()
                found += self._store.decoded([(s[rows], predicate, o[rows])])
            start = end
        return Draw("order", size, number).shuffled(found)
