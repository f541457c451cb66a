"""RDF/XML made safe: other encodings than UTF-8, documents cut off or not well-formed, entities made to explode.

The RDF parser takes the end of its input for the end of the document, whatever is still open, places no errors, and
replaces entities however large they get. A second, plain XML parser reads everything first and notices all of this.
"""

from __future__ import annotations

import codecs
import io
import re
from contextlib import suppress
from typing import BinaryIO, cast
from xml.parsers import expat

from loaders.errors import LoadError
from loaders.limits import Limit

_DECLARED = re.compile(r"""^(\s*<\?xml[^>]*?)\s+encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_NATIVE = {"utf-8", "ascii"}
_REFERENCE = re.compile(r"&([^#;&\s][^;&\s]*);")

_LONGEST_NAME = 1024

# What the entities of a document may add to it, whatever its size.
_ALWAYS_ADDED = 1 << 20


class CheckedXml(io.RawIOBase):
    """A stream of XML that is checked for well-formedness as it is read, and ends at the first fault."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._parser = expat.ParserCreate()
        self._parser.EntityDeclHandler = self._declare
        # The text that each entity stands for, all entities in it replaced.
        self._entities: dict[str, str] = {}
        self._rest = b""
        self._read = self._added = 0
        self._error: tuple[str, int, int] | None = None

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._check(data)
        return b"" if self._error else data

    def error(self) -> tuple[str, int, int] | None:
        """Return message, line and column of the first fault in what was read so far."""
        return self._error

    def _check(self, data: bytes) -> None:
        if self._error is not None:
            return
        try:
            self._parser.Parse(data, not data)
            self._count_references(data)
        except expat.ExpatError as error:
            # The error itself would keep the frames alive from which it was raised, and these the RDF parser.
            self._fault(f"not well-formed XML: {expat.ErrorString(error.code)}", error.lineno, error.offset)
        except _RefusedError as refused:
            self._fault(str(refused), self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber)

    def _fault(self, message: str, line: int, offset: int) -> None:
        self._error = message, line, offset + 1

    def _declare(
        self,
        name: str,
        is_parameter: int,
        value: str | None,
        base: object,
        system: object,
        public: object,
        note: object,
    ) -> None:
        """Take an entity into account; one of another document, which nobody fetches, stands for nothing."""
        if is_parameter or value is None or name in self._entities:
            return
        most = Limit.ENTITY_CHARACTERS.get()
        text = _REFERENCE.sub(lambda found: self._entities.get(found[1], found[0]), value)
        if len(text) > most:
            raise _RefusedError(
                f"the entity {name} stands for {len(text):,} characters; {Limit.ENTITY_CHARACTERS.remedy()}"
            )
        self._entities[name] = text

    def _count_references(self, data: bytes) -> None:
        """Refuse a document that its entities make many times as long."""
        self._read += len(data)
        if not self._entities:
            return
        # A reference may be cut in two by the end of what was read.
        data = self._rest + data
        cut = data.rfind(b"&")
        complete = len(data) if cut < 0 or b";" in data[cut:] or len(data) - cut > _LONGEST_NAME else cut
        self._rest = data[complete:]
        for name in _REFERENCE.findall(data[:complete].decode(errors="replace")):
            self._added += len(self._entities.get(name, ""))
        if self._added > max(_ALWAYS_ADDED, Limit.ENTITY_RATIO.get() * self._read):
            raise _RefusedError(
                f"{self._read:,} bytes grow by {self._added:,} characters when entities are replaced; "
                f"as a ratio {Limit.ENTITY_RATIO.remedy()}"
            )


class _RefusedError(Exception):
    """A document that is not read because of what it would take."""


def in_utf8(stream: BinaryIO) -> BinaryIO:
    """Return the same document in UTF-8, transcoded in memory if it declares or shows another encoding.

    Raise ``LoadError`` for an encoding that is none of text, ``UnicodeDecodeError`` if the document is not in it.
    """
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, stream))
    head = buffered.peek(1024)[:1024]
    encoding = "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None
    if encoding is None and (match := _DECLARED.match(head.decode("latin-1"))):
        encoding = match[2]
    if encoding is None:
        return buffered
    try:
        with suppress(UnicodeError):
            b" ".decode(encoding)
    except LookupError as error:
        raise LoadError(f"it declares the encoding {encoding}, which is unknown; convert it to UTF-8") from error
    if codecs.lookup(encoding).name in _NATIVE:
        return buffered
    text = buffered.read().decode(encoding)
    return io.BytesIO(_DECLARED.sub(r"\1", text, count=1).encode())
