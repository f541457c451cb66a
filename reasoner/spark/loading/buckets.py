"""In which bucket a text belongs: the same in every process, and evenly spread."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loaders.text_hash import text_hashes

_HALF = np.uint64(32)


def buckets_of(texts: pa.StringArray, count: int) -> NDArray[np.int64]:
    """Return the bucket, from 0 to ``count`` - 1, of every text.

    >>> buckets_of(pa.array(["a", "b", "a"]), 1000).tolist()
    [963, 564, 963]
    """
    hashes = text_hashes(texts).view(np.uint64)
    # The upper half is a number below 2^32, which scales to the range without a division.
    return (((hashes >> _HALF) * np.uint64(count)) >> _HALF).astype(np.int64)
