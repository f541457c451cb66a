"""JSON-LD made safe: the parser calls itself for every level of nesting, until the process has no stack left."""

from __future__ import annotations

import io
import re
from typing import BinaryIO

import numpy as np

from loaders.limits import Limit

_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_STEP = np.zeros(256, np.int64)
_STEP[[*b"[{"]] = 1
_STEP[[*b"]}"]] = -1


class CheckedJson(io.RawIOBase):
    """A stream of JSON that ends where objects and arrays lie too deep in each other."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._deepest = Limit.NESTING.get()
        self._depth = 0
        self._in_string = False
        self._rest = b""
        self._line = 1
        self._error: tuple[str, int, int] | None = None

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        if self._error is None:
            self._check(data)
        return b"" if self._error else data

    def error(self) -> tuple[str, int, int] | None:
        """Return message, line and column of the fault, if there is one in what was read so far."""
        return self._error

    def _check(self, data: bytes) -> None:
        """Follow the nesting through a piece of the document, which may begin and end inside a string."""
        text = self._rest + data
        # A backslash at the end belongs to what comes next.
        slashes = len(text) - len(text.rstrip(b"\\"))
        self._rest = text[-1:] if slashes % 2 else b""
        text = _ESCAPED.sub(b"", text[:-1] if self._rest else text)
        parts = text.split(b'"')
        outside = parts[1::2] if self._in_string else parts[::2]
        self._in_string ^= len(parts) % 2 == 0
        structure = b"".join(outside)
        levels = self._depth + np.cumsum(_STEP[np.frombuffer(structure, np.uint8)])
        too_deep = np.flatnonzero(levels > self._deepest)
        if too_deep.size:
            message = f"objects and arrays nested more than {self._deepest:,} deep; {Limit.NESTING.remedy()}"
            # Strings have no line feeds, so that those of the structure are all.
            self._error = message, self._line + structure.count(b"\n", 0, int(too_deep[0])), 1
        elif levels.size:
            self._depth = int(levels[-1])
        self._line += structure.count(b"\n")
