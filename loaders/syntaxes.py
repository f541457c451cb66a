"""Turtle, TriG, RDF/XML and JSON-LD, brought to blocks of N-Quads lines by a real parser (pyoxigraph).

JSON-LD made safe: the parser calls itself for every level of nesting, until the process has no stack left.

RDF/XML made safe: other encodings than UTF-8, documents cut off or not well-formed, entities made to explode.

The RDF parser takes the end of its input for the end of the document, whatever is still open, places no errors, and
replaces entities however large they get. A second, plain XML parser reads everything first and notices all of this.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, cast
from xml.parsers import expat

import numpy as np

from loaders.block import BlockError
from loaders.errors import LoadError, ParseError
from loaders.formats import Format
from loaders.sources import Limit, Source

if TYPE_CHECKING:
    import pyoxigraph

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
        except LookupError:
            # Python's decoders are asked for the encoding that a document declares.
            self._fault("it declares an encoding that is unknown; convert it to UTF-8", 1, 0)
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


_BATCH = 20_000
_STUCK = 3
_NEWER_RDF = re.compile(rb"<<|\{\||@[A-Za-z0-9-]+--(?:ltr|rtl)|parseType=.Triple")
_NEWER_TERM = re.compile(r"<<\(|@[A-Za-z0-9-]+--(?:ltr|rtl)")
_MESSAGE_PLACE = re.compile(r"^Parser error (?:at|between) [^:]*: ")
# A literal over many lines would hide what is wrong with it.
_LONG_QUOTATION = re.compile(r"(\S[^\n]{0,59})[^\n]*\n.*( is not [^\n]*)", re.DOTALL)

SkipError = Callable[[ParseError], None]


def statement_blocks(
    source: Source, stream: BinaryIO, format: Format, base: str | None, skip: SkipError | None
) -> Iterator[bytes]:
    """Yield the statements of ``stream`` as blocks of N-Quads lines.

    ``source`` must be open to being read again: errors are placed in a second look. Where the syntax lets reading go
    on behind an error and ``skip`` is given, the error goes there; else it is raised as ``ParseError``.
    """
    import pyoxigraph

    checked = _checked(source, stream, format)
    reading = _reading(source, cast(BinaryIO, checked or stream), format, base, checked, skip)
    while block := pyoxigraph.serialize(islice(reading, _BATCH), format=pyoxigraph.RdfFormat.N_QUADS):
        yield block


class UnsupportedPlacer:
    """Places statements that the parser lets through although RDF 1.1 has no such terms.

    The parser does not say where a statement stood. What is newer than RDF 1.1 stands out in the text, so the first
    such statement is put at the first such place, the second at the next, in one pass over the document.
    """

    def __init__(self, source: Source, format: Format) -> None:
        self._source = source
        self._format = format
        self._places = self._newer_places()
        self._last = (1, 1, "")

    def place(self, error: BlockError) -> ParseError:
        """Make the error of one statement."""
        if _NEWER_TERM.search(error.text):
            self._last = line, column, text = next(self._places, self._last)
            message = "triple terms and text directions belong to RDF 1.2; this reads RDF 1.1"
            return ParseError(message, file=self._source.name, line=line, column=column, text=text or error.text)
        return ParseError(f"a statement that RDF 1.1 has not: {error.message}", file=self._source.name, text=error.text)

    def close(self) -> None:
        """Close the document."""
        self._places.close()

    def _newer_places(self) -> Generator[tuple[int, int, str], None, None]:
        with closing(_lines(self._source, self._format)) as lines:
            for number, line in enumerate(lines, 1):
                for found in _NEWER_RDF.finditer(line):
                    yield number, len(line[: found.start()].decode(errors="replace")) + 1, _shown(line)


def _checked(source: Source, stream: BinaryIO, format: Format) -> CheckedXml | CheckedJson | None:
    """Return a stream that stops at what the RDF parser does not survive or overlooks, None where there is no such."""
    if format is Format.RDFXML:
        return CheckedXml(_as_utf8(source, stream, format))
    return CheckedJson(stream) if format is Format.JSONLD else None


def _reading(
    source: Source,
    stream: BinaryIO,
    format: Format,
    base: str | None,
    checked: CheckedXml | CheckedJson | None,
    skip: SkipError | None,
) -> Iterator[pyoxigraph.Quad]:
    parser = _parser(stream, format, base)
    last, repeats = (0, 0), 0
    with closing(_LineFinder(source, format)) as finder:
        while True:
            try:
                yield from parser
                break
            except SyntaxError as error:
                if checked is not None and checked.error() is not None:
                    break
                placed = _placed(source, format, base, error, finder)
                if skip is None or not format.can_resume:
                    raise placed from None
                skip(placed)
                place = (placed.line, placed.column)
                repeats = repeats + 1 if place == last else 0
                last = place
                if repeats == _STUCK:
                    return
        if checked is not None and (fault := checked.error()):
            message, line, column = fault
            text = finder.line(line)
            raise ParseError(message, file=source.name, line=line, column=column, text=text)


def _parser(stream: BinaryIO, format: Format, base: str | None) -> Iterator[pyoxigraph.Quad]:
    import pyoxigraph

    formats = pyoxigraph.RdfFormat
    native = {
        Format.TURTLE: formats.TURTLE,
        Format.TRIG: formats.TRIG,
        Format.RDFXML: formats.RDF_XML,
        Format.JSONLD: formats.JSON_LD,
    }[format]
    try:
        return iter(pyoxigraph.parse(input=stream, format=native, base_iri=base))
    except ValueError as error:
        raise LoadError(f"{base!r} cannot be the base: {error}") from error


def _placed(source: Source, format: Format, base: str | None, error: SyntaxError, finder: _LineFinder) -> ParseError:
    message = _LONG_QUOTATION.sub(r"\1...\2", _MESSAGE_PLACE.sub("", error.msg or str(error)))
    if "LoadDocumentCallback" in message:
        message = "the context is on another server and is not fetched; put it into the document"
    line = error.lineno or _line_where_parsing_fails(source, format, base)
    text = finder.line(line)
    column = error.offset or len(text) - len(text.lstrip()) + 1
    return ParseError(message, file=source.name, line=line, column=column, text=text)


def _line_where_parsing_fails(source: Source, format: Format, base: str | None) -> int:
    """Hand the document to the parser line by line, and see which line it does not survive."""
    with closing(_lines(source, format)) as document:
        lines = _LineByLine(document)
        with suppress(SyntaxError):
            for _ in _parser(cast(BinaryIO, lines), format, base):
                pass
    return max(lines.count, 1)


class _LineByLine:
    """A stream that gives out one line a read."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._rest = b""
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        if not self._rest:
            self._rest = next(self._lines, b"")
            self.count += bool(self._rest)
        size = len(self._rest) if size < 0 else size
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


class _LineFinder:
    """Finds lines by number; numbers that grow cost one pass over the document altogether."""

    def __init__(self, source: Source, format: Format) -> None:
        self._source = source
        self._format = format
        self._lines: Generator[bytes, None, None] | None = None
        self._number = 0
        self._line = b""

    def line(self, number: int) -> str:
        if self._lines is None or number < self._number:
            self.close()
            self._lines, self._number = _lines(self._source, self._format), 0
        while self._number < number:
            self._number += 1
            self._line = next(self._lines, b"")
        return _shown(self._line)

    def close(self) -> None:
        if self._lines is not None:
            self._lines.close()


def _lines(source: Source, format: Format) -> Generator[bytes, None, None]:
    with source.open() as opened:
        yield from _as_utf8(source, opened.stream, format)


def _shown(line: bytes) -> str:
    return line.decode(errors="replace").rstrip("\r\n")


def _as_utf8(source: Source, stream: BinaryIO, format: Format) -> BinaryIO:
    if format is not Format.RDFXML:
        return stream
    try:
        return in_utf8(stream)
    except UnicodeError as error:
        raise LoadError(f"{source.name} is not in the encoding that it declares: {error}") from error
    except LoadError as error:
        raise LoadError(f"cannot read {source.name}: {error}") from error
