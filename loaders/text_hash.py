"""A hash of texts that is the same in every process, and evenly spread: files of stores are sorted by it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_MODULUS = 1 << 64
# An odd number with bits all over (splitmix64), so that it has an inverse.
_FACTOR = 0xBF58476D1CE4E5B9
_INVERSE = pow(_FACTOR, -1, _MODULUS)
_MIX = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(32)
# Bytes that are hashed at a time; the tables of powers are as long.
_STRIDE = 1 << 16


def text_hashes(texts: pa.StringArray) -> NDArray[np.int64]:
    """Return the hash of every text, as a number of 64 bits with a sign.

    >>> text_hashes(pa.array(["a", "b", "a"])).tolist()
    [-670326347279633607, -8029319107091370797, -670326347279633607]
    """
    return _mixed(_polynomials(texts)).view(np.int64)


def _mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    hashes = (hashes ^ (hashes >> _HALF)) * _MIX
    return (hashes ^ (hashes >> _HALF)) * _MIX


def _polynomials(texts: pa.StringArray) -> NDArray[np.uint64]:
    """Return the sum of (byte + 1) * factor^position of every text, positions from 0, modulo 2^64.

    Bytes are multiplied with the powers of their place in the whole buffer and summed up; the sum of a text is the
    difference of two of these, divided by the power of its beginning.
    """
    _, offsets_buffer, data_buffer = texts.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32, len(texts) + 1, texts.offset * 4).astype(np.int64)
    start, total = int(offsets[0]), int(offsets[-1] - offsets[0])
    if not total:
        return np.zeros(len(texts), np.uint64)
    data = np.frombuffer(data_buffer, np.uint8, total, start)
    powers, inverses = _powers(_FACTOR), _powers(_INVERSE)
    bounds = offsets - start
    sums = np.zeros(len(bounds), np.uint64)
    # Strides start over with the first power; what a stride adds is carried on, multiplied to its place.
    done, first = 0, 0
    for begin in range(0, total, _STRIDE):
        part = data[begin : begin + _STRIDE]
        scale = pow(_FACTOR, begin, _MODULUS)
        running = np.cumsum((part + np.uint64(1)) * powers[: len(part)], dtype=np.uint64)
        beyond = int(np.searchsorted(bounds, begin + len(part), side="right"))
        inside = bounds[first:beyond] - begin
        summed = np.where(inside > 0, running[inside - 1], np.uint64(0))
        sums[first:beyond] = summed * np.uint64(scale) + np.uint64(done)
        done = (done + scale * int(running[-1])) % _MODULUS
        first = beyond
    begins = bounds[:-1]
    strides = range(total // _STRIDE + 1)
    stride_inverses = np.array([pow(_INVERSE, stride * _STRIDE, _MODULUS) for stride in strides], np.uint64)
    return (sums[1:] - sums[:-1]) * inverses[begins % _STRIDE] * stride_inverses[begins // _STRIDE]


def _powers(base: int) -> NDArray[np.uint64]:
    table = np.full(_STRIDE, np.uint64(base))
    table[0] = 1
    return np.cumprod(table, dtype=np.uint64)
