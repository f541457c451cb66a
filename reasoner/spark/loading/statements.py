"""Ids back into the statements: each part gets the ids of its terms, and its codes are places among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reasoner.spark.loading.packing import packed_rows, unpack
from reasoner.spark.loading.parse import CODES
from reasoner.spark.python_tasks import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def statements_of(rows: DataFrame, first_ids: Mapping[int, int], *, graphs: bool) -> DataFrame:
    """Return statements as ids, for rows that lie together by part; ``graphs`` adds a column g, null by default."""
    names = "spog" if graphs else "spo"

    def decode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from decode_parts(batches, first_ids, names)

    return mapped(rows, decode, ", ".join(f"{name} bigint" for name in names))


def decode_parts(
    batches: Iterable[pa.RecordBatch], first_ids: Mapping[int, int], names: str
) -> Iterator[pa.RecordBatch]:
    """Do, in a task, what ``statements_of`` promises."""
    codes: dict[int, pa.RecordBatch] = {}
    ids: dict[int, dict[int, NDArray[np.int64]]] = defaultdict(dict)
    for part, bucket, data in packed_rows(batches):
        if bucket == CODES:
            codes[part] = unpack(data)
        else:
            ids[part][bucket] = _final(unpack(data).column("id").to_numpy(), first_ids.get(bucket, 0))
    for part in sorted(codes):
        found = ids.pop(part)
        # The terms of a part are in the order of their buckets.
        yield _decoded(codes.pop(part), np.concatenate([found[bucket] for bucket in sorted(found)]), names)


def _final(ids: NDArray[np.int64], first: int) -> NDArray[np.int64]:
    return np.where(ids >= 0, ids, first - 1 - ids)


def _decoded(codes: pa.RecordBatch, ids: NDArray[np.int64], names: str) -> pa.RecordBatch:
    columns = {name: pa.array(ids[codes.column(name).to_numpy()]) for name in "spo"}
    if "g" in names:
        columns["g"] = pa.nulls(codes.num_rows, pa.int64())
        if "g" in codes.schema.names:
            graphs = codes.column("g").to_numpy()
            columns["g"] = pa.array(ids[graphs], mask=graphs < 0)
    return pa.RecordBatch.from_pydict(columns)
