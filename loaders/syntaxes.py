"""Turtle, TriG, RDF/XML and JSON-LD, brought to blocks of N-Quads lines by a real parser (pyoxigraph)."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, cast

from loaders.block import BlockError
from loaders.errors import LoadError, ParseError
from loaders.formats import Format
from loaders.json import CheckedJson
from loaders.sources import Source
from loaders.xml import CheckedXml, in_utf8

if TYPE_CHECKING:
    import pyoxigraph

_BATCH = 20_000
_STUCK = 3
_NEWER_RDF = re.compile(rb"<<|\{\||@[A-Za-z0-9-]+--(?:ltr|rtl)|parseType=.Triple")
_NEWER_TERM = re.compile(r"<<\(|@[A-Za-z0-9-]+--(?:ltr|rtl)")
_MESSAGE_PLACE = re.compile(r"^Parser error at [^:]*: ")

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
    message = _MESSAGE_PLACE.sub("", error.msg or str(error))
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
