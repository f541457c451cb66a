"""A dictionary in parts: large ones wherever they are kept, and what comes later in memory."""

from __future__ import annotations

import copy
import threading
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loaders.arrow import number_array, text_array
from loaders.dictionary import Dictionary, distinct_texts, one_at_a_time

Ids = NDArray[np.int64]


class KeptTerms(Protocol):
    """Terms that are kept somewhere else, with the ids from ``first`` to before ``end``; they never change."""

    @property
    def first(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def text_bytes(self) -> int:
        """The bytes of the texts."""

    def find(self, texts: pa.StringArray) -> Ids:
        """Return the ids of distinct texts, -1 where they are unknown."""

    def texts(self, ids: Ids) -> pa.StringArray:
        """Return the texts of sorted, distinct ids."""

    def literals(self) -> NDArray[np.bool_]:
        """Tell for every id of the part whether it is a literal."""

    def highest_scope(self) -> int:
        """Return the highest number of a scope of blank nodes, or -1."""

    def before(self, end: int) -> KeptTerms:
        """Return the terms whose ids are less than ``end``."""


class HeldTerms:
    """Terms in memory, with ids from ``first`` on."""

    def __init__(self, first: int, dictionary: Dictionary) -> None:
        self.first = first
        self.dictionary = dictionary

    @property
    def end(self) -> int:
        return self.first + len(self.dictionary)

    @property
    def text_bytes(self) -> int:
        return self.dictionary.text_bytes

    def find(self, texts: pa.StringArray) -> Ids:
        return self._ids(self.dictionary.find(texts.to_pylist()))

    def encode(self, texts: pa.StringArray) -> Ids:
        """Return the ids of texts, giving the next free ids to new ones."""
        return self._ids(self.dictionary.encode(texts))

    def texts(self, ids: Ids) -> pa.StringArray:
        return self.dictionary.decode_arrow(ids - self.first)

    def literals(self) -> NDArray[np.bool_]:
        return self.dictionary.literal_mask()

    def highest_scope(self) -> int:
        return self.dictionary.highest_new_scope()

    def before(self, end: int) -> HeldTerms:
        self.dictionary.truncate(end - self.first)
        return self

    def _ids(self, found: Ids) -> Ids:
        return np.where(found < 0, -1, found + self.first)


class PartedDictionary(Dictionary):
    """A dictionary whose terms are in parts: ``parts`` are in the order of their ids, and the last one is in memory.

    As long as there is only this one, it does all the work. ``keep_elsewhere`` adds a part that is kept elsewhere.

    >>> terms = PartedDictionary(Dictionary())
    >>> terms.encode(["<http://a/x>", '"1"']).tolist(), terms.text(1), len(terms.parts)
    ([0, 1], '"1"', 1)
    """

    def __init__(self, *parts: Dictionary | KeptTerms) -> None:
        super().__init__()
        self.parts: list[KeptTerms | HeldTerms] = []
        for part in parts:
            first = self.parts[-1].end if self.parts else 0
            self.parts.append(HeldTerms(first, part) if isinstance(part, Dictionary) else part)
        if not self.parts or not isinstance(self.parts[-1], HeldTerms):
            self._open_part()

    def __len__(self) -> int:
        return self.parts[-1].end

    @property
    def kept(self) -> list[KeptTerms]:
        """The parts that are kept elsewhere."""
        return [part for part in self.parts if not isinstance(part, HeldTerms)]

    @property
    def held(self) -> int:
        """How many terms are in memory."""
        return sum(part.end - part.first for part in self.parts if isinstance(part, HeldTerms))

    @property
    def text_bytes(self) -> int:
        return sum(part.text_bytes for part in self.parts)

    @property
    def overhead_bytes(self) -> int:
        held = (part.dictionary.overhead_bytes for part in self.parts if isinstance(part, HeldTerms))
        return sum(held) + self._literals.nbytes

    @one_at_a_time
    def keep_elsewhere(self, part: KeptTerms) -> None:
        """Add terms that are kept elsewhere; their ids begin with the next free one."""
        if part.first != len(self):
            raise ValueError(f"the next free id is {len(self)}, and the terms begin with {part.first}")
        if self.parts[-1].first == self.parts[-1].end:
            self.parts.pop()
        self.parts.append(part)
        self._open_part()

    @one_at_a_time
    def hold(self, terms: pa.StringArray) -> None:
        """Give the next free ids to distinct terms that are known to be new."""
        self._last.encode(terms)

    @one_at_a_time
    def take_place(self, parts: Sequence[KeptTerms]) -> None:
        """Read all terms from other places that have them too."""
        if not parts or parts[-1].end != len(self):
            raise ValueError(f"the dictionary holds {len(self)} terms, and another number is to take their place")
        self.parts = list(parts)
        self._open_part()

    @one_at_a_time
    def encode(self, terms: Sequence[str] | pa.Array) -> Ids:
        last = self._last
        if len(self.parts) == 1:
            return last.encode(terms)
        distinct, codes = distinct_texts(terms)
        ids = self._find(distinct)
        missing = np.flatnonzero(ids < 0)
        ids[missing] = last.encode(distinct.take(number_array(missing)))
        return ids[codes]

    @one_at_a_time
    def find(self, terms: Sequence[str]) -> Ids:
        if len(self.parts) == 1:
            return self._last.dictionary.find(terms)
        distinct, codes = distinct_texts(terms)
        return self._find(distinct)[codes]

    def lookup(self, term: str) -> int | None:
        if len(self.parts) == 1:
            return self._last.dictionary.lookup(term)
        found = int(self.find([term])[0])
        return None if found < 0 else found

    def id_of(self, term: str) -> int:
        return self._last.dictionary.id_of(term) if len(self.parts) == 1 else int(self.encode([term])[0])

    def text(self, id: int) -> str:
        if len(self.parts) == 1:
            return self._last.dictionary.text(id)
        text: str = self.decode_arrow(np.array([id]))[0].as_py()
        return text

    @one_at_a_time
    def decode_arrow(self, ids: NDArray[np.integer[Any]] | Sequence[int]) -> pa.Array:
        if len(self.parts) == 1:
            return self._last.dictionary.decode_arrow(ids)
        distinct, at = np.unique(np.asarray(ids, dtype=np.int64), return_inverse=True)
        if not distinct.size:
            return text_array([])
        if distinct[0] < 0 or distinct[-1] >= len(self):
            wrong = int(distinct[0] if distinct[0] < 0 else distinct[-1])
            raise IndexError(f"no term has the id {wrong}; the dictionary holds {len(self)} terms")
        ends = np.searchsorted(distinct, [part.end for part in self.parts])
        pieces, start = [], 0
        for part, end in zip(self.parts, ends.tolist(), strict=True):
            if end > start:
                pieces.append(part.texts(distinct[start:end]))
            start = end
        found = pieces[0] if len(pieces) == 1 else pa.concat_arrays(pieces)
        return found if np.array_equal(at, np.arange(len(found))) else found.take(number_array(at))

    def held_from(self, first: int) -> Ids:
        ranges = [np.arange(max(part.first, first), part.end) for part in self.parts if isinstance(part, HeldTerms)]
        return np.concatenate(ranges)

    def literal_mask(self) -> NDArray[np.bool_]:
        return self._last.dictionary.literal_mask() if len(self.parts) == 1 else super().literal_mask()

    @one_at_a_time
    def new_blank_scope(self) -> str:
        highest = max(part.highest_scope() for part in self.parts)
        self._scopes = max(self._scopes, highest + 1)
        self._scopes += 1
        return f"f{self._scopes - 1}"

    @one_at_a_time
    def truncate(self, length: int) -> None:
        if length >= len(self):
            return
        self.truncations += 1
        self._marked = min(self._marked, length)
        while self.parts[-1].first >= length and len(self.parts) > 1:
            self.parts.pop()
        if self.parts[-1].end > length:
            self.parts[-1] = self.parts[-1].before(length)
        if not isinstance(self.parts[-1], HeldTerms):
            self._open_part()
        # Masks handed out before share this memory up to the old length.
        self._literals_known = min(self._literals_known, length)
        self._literals = self._literals[: self._literals_known].copy()

    def frozen(self) -> PartedDictionary:
        """Return the dictionary as it is now, for readers that must not wait for whoever makes it grow."""
        with self._lock:
            frozen = copy.copy(self)
            frozen.parts = [
                HeldTerms(part.first, part.dictionary.frozen()) if isinstance(part, HeldTerms) else part
                for part in self.parts
            ]
        frozen._lock = threading.RLock()
        return frozen

    @property
    def _last(self) -> HeldTerms:
        last = self.parts[-1]
        if not isinstance(last, HeldTerms):
            raise AssertionError("the last part of a dictionary is in memory")
        return last

    def _are_literals_from(self, first: int) -> NDArray[np.bool_]:
        later = [part for part in self.parts if part.end > first]
        return np.concatenate([part.literals()[max(first - part.first, 0) :] for part in later])

    def _open_part(self) -> None:
        self.parts.append(HeldTerms(self.parts[-1].end if self.parts else 0, Dictionary()))

    def _find(self, texts: pa.StringArray) -> Ids:
        """Return the ids of distinct texts, -1 where they are unknown; what is in memory is asked first."""
        ids = np.full(len(texts), -1, np.int64)
        for part in sorted(self.parts, key=lambda part: not isinstance(part, HeldTerms)):
            missing = np.flatnonzero(ids < 0)
            if not missing.size:
                break
            ids[missing] = part.find(texts.take(number_array(missing)))
        return ids
