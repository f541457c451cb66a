"""Arrow arrays of numbers, masks and texts, made of buffers.

``pyarrow.array`` asks of everything that it is given whether it belongs to pandas, and imports pandas for that wherever
it is installed: a fifth of a second at the start of every program. Buffers are never asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_LARGEST = 1 << 31


def number_array(values: NDArray[np.integer[Any]] | Sequence[int]) -> pa.Array:
    """Return integers as an array, without copying them if they lie side by side.

    >>> number_array(np.array([3, 1], np.int32)).to_pylist()
    [3, 1]
    """
    values = np.ascontiguousarray(values if isinstance(values, np.ndarray) else np.array(values, np.int64))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), values.size, [None, pa.py_buffer(values)])


def mask_array(mask: NDArray[np.bool_]) -> pa.BooleanArray:
    """Return a mask as an array.

    >>> mask_array(np.array([True, False, True])).to_pylist()
    [True, False, True]
    """
    bits = np.packbits(mask, bitorder="little")
    return pa.Array.from_buffers(pa.bool_(), mask.size, [None, pa.py_buffer(bits)])


def text_array(texts: Sequence[str]) -> pa.StringArray:
    """Return texts as an array; raise ``UnicodeEncodeError`` if one of them holds half of a surrogate pair.

    >>> text_array(["a", "", "é"]).to_pylist()
    ['a', '', 'é']
    """
    joined = "".join(texts)
    data = joined.encode()
    lengths = map(len, texts) if len(data) == len(joined) else (len(text.encode()) for text in texts)
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(lengths, np.int64, len(texts)), out=offsets[1:])
    if offsets[-1] >= _LARGEST:
        raise ValueError(f"{len(data):,} bytes of text are too much for one array; pass fewer terms at once")
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
    return pa.StringArray.from_buffers(len(texts), buffers[1], buffers[2])


def text_list(array: pa.StringArray) -> list[str]:
    """Return the texts of an array without nulls as a list.

    >>> text_list(text_array(["a", "", "é"]).slice(1))
    ['', 'é']
    """
    count = len(array)
    if not count:
        return []
    _, offset_buffer, data_buffer = array.buffers()
    offsets = np.frombuffer(offset_buffer, np.int32, count + 1, 4 * array.offset).astype(np.int64)
    start = int(offsets[0])
    data = data_buffer.slice(start, int(offsets[-1]) - start).to_pybytes() if data_buffer is not None else b""
    ends = (offsets - start).tolist()
    if data.isascii():
        text = data.decode("ascii")
        return [text[low:high] for low, high in pairwise(ends)]
    return [data[low:high].decode() for low, high in pairwise(ends)]


def flag_column(array: pa.BooleanArray) -> NDArray[np.bool_]:
    """Return the values of a boolean array without nulls.

    >>> flag_column(mask_array(np.array([True, False, True])).slice(1)).tolist()
    [False, True]
    """
    bits = np.frombuffer(array.buffers()[1], np.uint8)
    flags = np.unpackbits(bits, count=array.offset + len(array), bitorder="little")
    return flags[array.offset :].astype(np.bool_)


def number_column(array: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """Return the values of an array of numbers without nulls, not copied if they are in one piece.

    >>> number_column(number_array(np.array([3, 1, 2])).slice(1)).tolist()
    [1, 2]
    """
    dtype = np.dtype(array.type.to_pandas_dtype())
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    if not len(array):
        return np.empty(0, dtype)
    return np.frombuffer(array.buffers()[1], dtype, len(array), array.offset * dtype.itemsize)


def number_table(**columns: NDArray[np.integer[Any]]) -> pa.Table:
    """Return columns of integers as a table.

    >>> number_table(s=np.array([1, 2]), o=np.array([3, 4])).to_pydict()
    {'s': [1, 2], 'o': [3, 4]}
    """
    return pa.Table.from_arrays([number_array(column) for column in columns.values()], names=list(columns))
