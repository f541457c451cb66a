"""Terms in files, looked up by the driver: texts by ranges of ids, ids by the hashes of texts.

A hash only ever proposes candidates; texts decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loaders.arrow import number_column
from loaders.text_hash import text_hashes
from reasoner.columnar.kernels import Ids, Mask, sort_distinct
from reasoner.columnar.keyed_rows import KeyedRows

if TYPE_CHECKING:
    import pyarrow as pa


def texts_of(rows: KeyedRows, ids: Ids) -> pa.StringArray | None:
    """Return the texts of sorted, distinct ids; None if files are not in sight. Missing ids are an error."""
    found = rows.about(ids)
    return None if found is None else ordered_texts(ids, *found)


def ordered_texts(ids: Ids, known: Ids, texts: pa.StringArray) -> pa.StringArray:
    """Return texts that were found for sorted, distinct ids, provided that each was found once."""
    if not np.array_equal(known, ids):
        raise ValueError(f"{ids.size:,} terms were asked for, and {known.size:,} found: ids are missing or there twice")
    return texts


def ids_of(index: KeyedRows, rows: KeyedRows, texts: pa.StringArray, first: int, end: int) -> Ids | None:
    """Return the ids of distinct texts, -1 where they are unknown; None if files are not in sight."""
    found = index.about(sort_distinct(text_hashes(texts)))
    if found is None:
        return None
    candidates = sort_distinct(number_column(found[1]))
    candidates = candidates[(candidates >= first) & (candidates < end)]
    known = texts_of(rows, candidates)
    return None if known is None else matched(texts, candidates, known)


def matched(texts: pa.StringArray, ids: Ids, known: pa.StringArray) -> Ids:
    """Return the ids of texts, given the ids and the texts of some terms; -1 where a text is not among these."""
    import pyarrow.compute as pc

    at = pc.fill_null(pc.index_in(texts, value_set=known), -1).to_numpy(zero_copy_only=False).astype(np.int64)
    found: Ids = np.where(at < 0, -1, ids[at]) if ids.size else np.full(len(texts), -1, dtype=np.int64)
    return found


def mask_of_bitmaps(buckets: Ids, bitmaps: pa.Array, bits: int, first: int, end: int) -> Mask:
    """Return for ids from ``first`` to before ``end`` whether their bits are set in bitmaps of so many bits each."""
    mask = np.zeros(end - first, dtype=np.bool_)
    for bucket, bitmap in zip(buckets.tolist(), bitmaps, strict=True):
        here = np.unpackbits(np.frombuffer(bitmap.as_py(), dtype=np.uint8), bitorder="little").astype(np.bool_)
        begin = bucket * bits
        low, high = max(first, begin), min(end, begin + bits)
        mask[low - first : high - first] = here[low - begin : high - begin]
    return mask
