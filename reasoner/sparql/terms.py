"""The terms of one query: those of the store, and those that the query makes, which the store never sees."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.bindings import UNBOUND
from reasoner.columnar.kernels import Ids, Mask
from reasoner.sparql.budget import Budget

# Ids of the store stay below this; ids of computed terms start here and still fit the half of a packed key.
_FIRST = 1 << 31
# Up to this many ids, decoding one by one costs less than starting the bulk operation.
_ONE_BY_ONE = 128
_MOST_REMEMBERED = 1 << 16
_TAGGED = re.compile(r'(".*"@)([A-Za-z0-9-]+)', re.DOTALL)


class QueryTerms:
    """Ids to texts and back. Equal terms have equal ids, wherever they come from.

    >>> terms = QueryTerms(Dictionary())
    >>> made = terms.id_of('"computed"')
    >>> terms.decode(np.array([made, UNBOUND]))
    ['"computed"', None]
    """

    def __init__(
        self, dictionary: Dictionary, remembered: dict[int, str] | None = None, budget: Budget | None = None
    ) -> None:
        """``remembered`` are texts of the store that queries before have decoded; it is added to.

        The texts that the query makes count among what its ``budget`` allows.
        """
        self._dictionary = dictionary
        self._remembered = {} if remembered is None else remembered
        self._budget = budget
        self._made: list[str] = []
        self._ids: dict[str, int] = {}

    def id_of(self, text: str) -> int:
        """Return the id of a term, making one if the store does not know it."""
        found = self._ids.get(text)
        if found is None:
            found = self._dictionary.lookup(text)
            if found is None and (match := _TAGGED.fullmatch(text)):
                # Language tags have no case, and most parsers write them in lower case.
                found = self._dictionary.lookup(match[1] + match[2].lower())
            if found is None:
                if self._budget is not None:
                    self._budget.keep(len(text))
                found = _FIRST + len(self._made)
                self._made.append(text)
            self._ids[text] = found
        return found

    def encode(self, texts: Sequence[str | None]) -> Ids:
        """Return the ids of terms, unbound for None."""
        return np.fromiter((UNBOUND if text is None else self.id_of(text) for text in texts), np.int64, len(texts))

    def decode(self, ids: Ids) -> list[str | None]:
        """Return the texts of ids, None for what is unbound."""
        if ids.size == 0:
            return []
        if ids.size <= _ONE_BY_ONE:
            known = self._remembered
            return [known[id] if id in known else self._text(id) for id in ids.tolist()]
        low, high = int(ids.min()), int(ids.max())
        if low >= 0 and high < _FIRST:
            return list(self._dictionary.decode(ids))
        texts: list[str | None] = [None] * ids.size
        stored = np.flatnonzero((ids >= 0) & (ids < _FIRST))
        for place, text in zip(stored.tolist(), self._dictionary.decode(ids[stored]), strict=True):
            texts[place] = text
        for place in np.flatnonzero(ids >= _FIRST).tolist():
            texts[place] = self._made[int(ids[place]) - _FIRST]
        return texts

    def _text(self, id: int) -> str | None:
        if id >= _FIRST:
            return self._made[id - _FIRST]
        if id < 0:
            return None
        if len(self._remembered) >= _MOST_REMEMBERED:
            self._remembered.clear()
        text = self._remembered[id] = self._dictionary.text(id)
        return text

    def is_literal(self, ids: Ids) -> Mask:
        """Tell which ids are literals; what is unbound is none."""
        mask = self._dictionary.literal_mask()
        stored = (ids >= 0) & (ids < mask.size)
        found = np.zeros(ids.size, dtype=np.bool_)
        found[stored] = mask[ids[stored]]
        made = ids >= _FIRST
        if made.any():
            literal = np.fromiter((text.startswith('"') for text in self._made), np.bool_, len(self._made))
            found[made] = literal[ids[made] - _FIRST]
        return found

    def __len__(self) -> int:
        """Return how many terms the store knows."""
        return len(self._dictionary)
