"""The texts of the terms, packed end to end: four bytes of overhead a term, and no Python object for any of them.

A hash of texts that is the same in every process, and evenly spread: files of stores are sorted by it.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loaders.arrow import flag_column, number_array, text_array

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


_FIRST_CAPACITY = 1 << 24
_LAST_CAPACITY = 1 << 30


class TermTexts:
    """An append-only sequence of UTF-8 texts, read by position.

    Texts lie in a few segments whose byte buffers never move. A buffer is reserved whole and filled from the front;
    the operating system provides pages as they are touched, so what is reserved but unused costs nothing, and adding
    texts never copies those already there. What is read out is always a copy.
    """

    def __init__(self) -> None:
        self._segments: list[_Segment] = [_Segment(0, _FIRST_CAPACITY)]
        self._firsts: list[int] = [0]

    def __len__(self) -> int:
        last = self._segments[-1]
        return last.first + last.count

    @property
    def text_bytes(self) -> int:
        """The bytes of the texts proper."""
        return sum(segment.used for segment in self._segments)

    @property
    def overhead_bytes(self) -> int:
        """The bytes of the positions in use."""
        return sum(4 * (segment.count + 1) for segment in self._segments)

    def append(self, text: bytes) -> None:
        """Add one text."""
        segment = self._with_room(len(text))
        segment.reserve(1)
        end = segment.used + len(text)
        segment.bytes_view[segment.used : end] = text
        segment.used = end
        segment.count += 1
        segment.offsets_view[segment.count] = end

    def extend(self, texts: pa.StringArray) -> None:
        """Add all of an array without nulls; amortised cost in proportion to it alone."""
        count = len(texts)
        if not count:
            return
        _, offsets_buffer, data_buffer = texts.buffers()
        offsets = np.frombuffer(offsets_buffer, np.int32, count + 1, texts.offset * 4)
        start, total = int(offsets[0]), int(offsets[-1] - offsets[0])
        segment = self._with_room(total)
        segment.reserve(count)
        if total:
            data = np.frombuffer(data_buffer, np.uint8, total, start)
            segment.data[segment.used : segment.used + total] = data
        segment.offsets[segment.count + 1 : segment.count + count + 1] = offsets[1:] + np.int32(segment.used - start)
        segment.used += total
        segment.count += count

    def __getitem__(self, position: int) -> bytes:
        segment = self._segments[bisect.bisect_right(self._firsts, position) - 1]
        index = position - segment.first
        view = segment.offsets_view
        return bytes(segment.bytes_view[view[index] : view[index + 1]])

    def take(self, positions: NDArray[np.integer[Any]]) -> pa.StringArray:
        """Gather the texts at ``positions`` in one pass per segment."""
        if len(self._segments) == 1:
            return self._segments[0].array().take(number_array(positions))
        owners = np.searchsorted(np.asarray(self._firsts), positions, side="right") - 1
        present = np.unique(owners)
        if len(present) == 1:
            segment = self._segments[int(present[0])]
            return segment.array().take(number_array(positions - segment.first))
        order = np.argsort(owners, kind="stable")
        parts = []
        for owner in present.tolist():
            segment = self._segments[owner]
            parts.append(segment.array().take(number_array(positions[owners == owner] - segment.first)))
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        return _concatenated(parts).take(number_array(back))

    def positions(self, texts: Sequence[str]) -> dict[str, int]:
        """Return the positions of those of some texts that are here, after a scan through all texts."""
        found: dict[str, int] = {}
        wanted = text_array(texts)
        for segment in self._segments:
            array = segment.array()
            if len(wanted) == 1:
                at = pc.index(array, wanted[0]).as_py()
                places = [] if at < 0 else [at]
            else:
                places = np.flatnonzero(flag_column(pc.is_in(array, value_set=wanted))).tolist()
            for place in places:
                found[array[place].as_py()] = segment.first + place
        return found

    def first_bytes(self, start: int) -> NDArray[np.uint8]:
        """Return the first byte of every text from position ``start`` on; 0 for an empty text."""
        parts = []
        for segment in self._segments:
            if segment.first + segment.count > start:
                low = max(start - segment.first, 0)
                offsets = segment.offsets[low : segment.count + 1]
                # An empty text at the very end of a segment begins where nothing is written yet.
                begins = np.minimum(offsets[:-1], max(segment.used - 1, 0))
                parts.append(np.where(offsets[1:] > offsets[:-1], segment.data[begins], np.uint8(0)))
        return np.concatenate(parts) if parts else np.empty(0, np.uint8)

    def truncate(self, length: int) -> None:
        """Forget every text from position ``length`` on."""
        while self._segments[-1].first > length:
            self._segments.pop()
            self._firsts.pop()
        segment = self._segments[-1]
        segment.count = min(segment.count, length - segment.first)
        segment.used = int(segment.offsets[segment.count])
        segment.forget_array()

    def _with_room(self, size: int) -> _Segment:
        segment = self._segments[-1]
        if segment.used + size <= len(segment.data):
            return segment
        capacity = max(min(len(segment.data) * 2, _LAST_CAPACITY), size)
        if segment.count == 0:
            self._segments[-1] = _Segment(segment.first, capacity)
        else:
            self._segments.append(_Segment(segment.first + segment.count, capacity))
            self._firsts.append(segment.first + segment.count)
        return self._segments[-1]


class _Segment:
    """Texts ``first .. first + count - 1``: text i is ``data[offsets[i]:offsets[i + 1]]``."""

    __slots__ = ("_array", "bytes_view", "count", "data", "first", "offsets", "offsets_view", "used")

    def __init__(self, first: int, capacity: int) -> None:
        self.first = first
        self.count = 0
        self.used = 0
        self.data = np.empty(capacity, np.uint8)
        self.bytes_view = self.data.data
        self._array: pa.StringArray | None = None
        self._set_offsets(np.zeros(16, np.int32))

    def array(self) -> pa.StringArray:
        """Show the segment as an Arrow array over the same memory."""
        if self._array is None or len(self._array) != self.count:
            offsets, data = pa.py_buffer(self.offsets[: self.count + 1]), pa.py_buffer(self.data[: self.used])
            self._array = pa.StringArray.from_buffers(self.count, offsets, data)
        return self._array

    def reserve(self, count: int) -> None:
        needed = self.count + count + 1
        if needed > len(self.offsets):
            grown = np.zeros(max(needed, len(self.offsets) * 3 // 2), np.int32)
            grown[: self.count + 1] = self.offsets[: self.count + 1]
            self._set_offsets(grown)

    def forget_array(self) -> None:
        self._array = None

    def _set_offsets(self, offsets: NDArray[np.int32]) -> None:
        self.offsets = offsets
        self.offsets_view = offsets.data


def _concatenated(parts: list[pa.StringArray]) -> pa.Array:
    total = sum(part.nbytes for part in parts)
    if total < 2**31:
        return pa.concat_arrays(parts)
    return pa.concat_arrays([part.cast(pa.large_string()) for part in parts])
