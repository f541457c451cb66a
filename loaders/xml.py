"""RDF/XML made safe: other encodings than UTF-8, and documents that are cut off or not well-formed.

The RDF parser takes the end of its input for the end of the document, whatever is still open, and places no errors.
A second, plain XML parser listens in and notices both.
"""

from __future__ import annotations

import codecs
import io
import re
from typing import BinaryIO, cast
from xml.parsers import expat

_DECLARED = re.compile(r"""^(\s*<\?xml[^>]*?)\s+encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_NATIVE = {"utf-8", "ascii"}


class CheckedXml(io.RawIOBase):
    """A stream of XML that is checked for well-formedness as it is read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._parser = expat.ParserCreate()
        self._error: expat.ExpatError | None = None

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._check(data, not data)
        return data

    def error(self) -> tuple[str, int, int] | None:
        """Return message, line and column of the first fault in what was read so far."""
        if self._error is None:
            return None
        return expat.ErrorString(self._error.code), self._error.lineno, self._error.offset + 1

    def _check(self, data: bytes, final: bool) -> None:
        if self._error is None:
            try:
                self._parser.Parse(data, final)
            except expat.ExpatError as error:
                self._error = error


def in_utf8(stream: BinaryIO) -> BinaryIO:
    """Return the same document in UTF-8, transcoded in memory if it declares or shows another encoding."""
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, stream))
    head = buffered.peek(1024)[:1024]
    encoding = "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None
    if encoding is None and (match := _DECLARED.match(head.decode("latin-1"))):
        encoding = match[2]
    try:
        native = encoding is None or codecs.lookup(encoding).name in _NATIVE
    except LookupError:
        native = True
    if native or encoding is None:
        return buffered
    text = buffered.read().decode(encoding)
    return io.BytesIO(_DECLARED.sub(r"\1", text, count=1).encode())
