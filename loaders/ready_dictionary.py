"""A dictionary over texts that have their ids already, such as those of a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loaders.dictionary import Dictionary, _hash_all


class ReadyDictionary(Dictionary):
    """A dictionary that is indexed when a term is first looked up: ids become texts without an index.

    The hash of a text is another one in every process, so that an index cannot be kept in a file.

    >>> terms = ReadyDictionary([pa.array(["<http://a/x>", '"1"'])])
    >>> terms.text(1), terms.lookup("<http://a/x>"), terms.id_of("<http://a/y>")
    ('"1"', 0, 2)
    """

    def __init__(self, texts: Iterable[pa.StringArray]) -> None:
        super().__init__()
        for part in texts:
            self._texts.extend(part)
        self._indexed = False

    def encode(self, terms: Sequence[str] | pa.Array) -> NDArray[np.int64]:
        self._index()
        return super().encode(terms)

    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        self._index()
        return super().find(terms)

    def lookup(self, term: str) -> int | None:
        self._index()
        return super().lookup(term)

    def id_of(self, term: str) -> int:
        self._index()
        return super().id_of(term)

    def truncate(self, length: int) -> None:
        self._index()
        super().truncate(length)

    def _index(self) -> None:
        if self._indexed:
            return
        with self._lock:
            if not self._indexed:
                total = len(self)
                hashes: NDArray[Any] = np.empty(max(total, 64), np.uint32)
                # In pieces: a Python object for each term of a piece is enough.
                for first in range(0, total, 1 << 18):
                    ids = np.arange(first, min(first + (1 << 18), total))
                    hashes[ids] = _hash_all(self._texts.take(ids))
                self._hashes, self._hashes_view = hashes, hashes.data
                size = 128
                while total > 0.8 * size:
                    size *= 2
                self._rebuild(size)
                self._indexed = True
