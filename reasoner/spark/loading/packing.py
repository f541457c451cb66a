"""Columns as one binary value, which Spark moves and keeps without looking inside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

# What every step hands to the next: ``data`` for ``target``, which comes from ``origin``.
SCHEMA = "origin bigint, target bigint, data binary"
_FIELDS = pa.schema([("origin", pa.int64()), ("target", pa.int64()), ("data", pa.binary())])

Row = tuple[int, int, bytes]


def pack(**columns: Any) -> bytes:
    """Return columns of equal length, arrays of Arrow or NumPy, as bytes."""
    batch = pa.RecordBatch.from_pydict({name: pa.array(column) for name, column in columns.items()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def unpack(data: bytes | pa.Buffer) -> pa.RecordBatch:
    """Undo ``pack``, without a copy.

    >>> unpack(pack(id=[3, 4])).column("id").to_pylist()
    [3, 4]
    """
    with pa.ipc.open_stream(data) as reader:
        return reader.read_next_batch()


def packed_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, int, pa.Buffer]]:
    """Yield the rows that a task is given."""
    for batch in batches:
        origins, targets = batch.column(0).to_pylist(), batch.column(1).to_pylist()
        values = batch.column(2)
        for place, (origin, target) in enumerate(zip(origins, targets, strict=True)):
            yield origin, target, values[place].as_buffer()


def row_batch(*rows: Row) -> pa.RecordBatch:
    """Return rows as a task hands them on."""
    return pa.RecordBatch.from_pylist(
        [{"origin": origin, "target": target, "data": data} for origin, target, data in rows], _FIELDS
    )
