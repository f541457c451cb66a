"""A piece of work to distinct terms and codes, in a task.

In which bucket a text belongs: the same in every process, and evenly spread.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, BinaryIO, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from loaders.block import Block, parse_block
from loaders.errors import LoadError, ParseError
from loaders.formats import Format
from loaders.load import BlankScope, read_batches
from loaders.sources import Source
from loaders.texts import text_hashes
from reasoner.spark.loading.pieces import BYTE_ORDER_MARK, LineRange, Piece, Row, pack, row_batch

if TYPE_CHECKING:
    from loaders.dictionary import Dictionary

# Where a row goes that is not for a bucket: codes stay with their statements, notes go to the driver.
CODES, NOTES = -1, -2
# A blank node before its file has its prefix: no label has a space in it.
UNSCOPED = "_: "

BLOCK_SIZE = 1 << 23
_ERRORS_KEPT = 1000
# Beyond so much a task begins a new part, so that its memory does not grow with a file.
_STATEMENTS_KEPT = 1 << 22
_TEXT_KEPT = 1 << 28

# The line within its segment, the column, what is wrong, and the text.
PlacedError = tuple[int, int, str, str]


@dataclass(frozen=True, slots=True)
class ParseSettings:
    """What every task of a load has to know."""

    buckets: int
    base: str | None
    skip_errors: bool


@dataclass(slots=True)
class Note:
    """What a task tells about a segment; ``failure`` says why a file could not be read at all."""

    file: int
    start: int
    lines: int = 0
    statements: int = 0
    skipped: int = 0
    has_blanks: bool = False
    has_graphs: bool = False
    failure: str = ""
    errors: list[PlacedError] = field(default_factory=list)

    def add_errors(self, errors: Sequence[PlacedError]) -> None:
        """Count errors, and keep the first thousand."""
        self.skipped += len(errors)
        self.errors += errors[: _ERRORS_KEPT - len(self.errors)]

    def new_blank_scope(self) -> str:
        """Stand in for the dictionary that will give the blank nodes of the file their prefix."""
        self.has_blanks = True
        return f"{UNSCOPED[2:]}{self.file}"


class Collector:
    """The terms and statements of a task, handed on in parts.

    The terms of a part are made distinct and put in the order of their buckets; codes are places in this order. A
    part has the number ``task + turn * stride``, so that the parts of all tasks have different numbers.
    """

    def __init__(self, task: int, stride: int, settings: ParseSettings) -> None:
        self._part = task
        self._stride = stride
        self._settings = settings
        self._terms: list[pa.StringArray] = []
        self._codes: list[NDArray[np.int32]] = []
        self._term_count = 0
        self._text_bytes = 0
        self._statements = 0

    def mark(self) -> tuple[int, int, int, int]:
        """Return where it stands, for ``rewind``; nothing must be handed on in between."""
        return len(self._codes), self._term_count, self._text_bytes, self._statements

    def rewind(self, mark: tuple[int, int, int, int]) -> None:
        """Forget what came after ``mark``."""
        blocks, self._term_count, self._text_bytes, self._statements = mark
        del self._terms[blocks:], self._codes[blocks:]

    def add(self, block: Block, scope: BlankScope, note: Note, *, generated: bool) -> None:
        """Take in a block of the segment of ``note``."""
        codes = block.codes
        if codes.shape[1] == 4:
            note.has_graphs |= bool((codes[:, 3] >= 0).any())
        note.statements += len(codes)
        self._terms.append(scope.relabel(block.terms, generated=generated))
        self._codes.append(np.where(codes >= 0, codes + np.int32(self._term_count), codes).astype(np.int32, copy=False))
        self._term_count += len(block.terms)
        self._text_bytes += block.terms.nbytes
        self._statements += len(codes)

    @property
    def is_full(self) -> bool:
        """Whether it is time to hand on what there is."""
        return self._statements >= _STATEMENTS_KEPT or self._text_bytes >= _TEXT_KEPT

    def hand_on(self) -> Iterator[pa.RecordBatch]:
        """Yield what has come together, and begin anew."""
        if not self._statements:
            return
        encoded = pa.concat_arrays(self._terms).dictionary_encode()
        texts = encoded.dictionary
        buckets = buckets_of(texts, self._settings.buckets)
        order = np.argsort(buckets, kind="stable")
        places = np.empty(len(order) + 1, np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        places[-1] = -1
        # One more entry, for the code -1 of the default graph.
        table = places[np.append(encoded.indices.to_numpy(), np.int32(-1))]
        yield row_batch((self._part, CODES, _packed_codes([table[codes] for codes in self._codes])))
        sorted_texts, sorted_buckets = texts.take(pa.array(order)), buckets[order]
        starts = np.flatnonzero(np.diff(sorted_buckets, prepend=-1))
        for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
            data = pack(text=sorted_texts.slice(start, stop - start))
            yield row_batch((self._part, int(sorted_buckets[start]), data))
        self._part += self._stride
        self._terms, self._codes = [], []
        self._term_count = self._text_bytes = self._statements = 0


def parse_pieces(
    batches: Iterable[pa.RecordBatch], pieces: Sequence[Piece], settings: ParseSettings
) -> Iterator[pa.RecordBatch]:
    """Read the pieces whose numbers come in, and yield rows for the buckets, the statements and the driver."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            collector = Collector(number, len(pieces), settings)
            for segment in pieces[number]:
                note = Note(segment.file, segment.start)
                try:
                    yield from _read(segment, collector, note, settings)
                except LoadError as error:
                    note.failure = str(error)
                yield row_batch(note_row(note))
                if note.failure or (note.errors and not settings.skip_errors):
                    return
            yield from collector.hand_on()


def read_whole(
    source: Source, format: Format | None, collector: Collector, note: Note, settings: ParseSettings
) -> Iterator[pa.RecordBatch]:
    """Read a whole file of any syntax; one that is skipped for an error leaves no trace but the error."""
    mark = collector.mark()
    scope = note_scope(note)
    with ThreadPoolExecutor(1) as executor:
        try:
            for batch in read_batches(
                source, format=format, base=settings.base, skip_errors=settings.skip_errors, executor=executor
            ):
                collector.add(batch.block, scope, note, generated=not batch.format.is_line_based)
                note.add_errors([_place(error) for error in batch.errors])
                if collector.is_full and batch.format.can_resume:
                    yield from collector.hand_on()
        except ParseError as error:
            note.add_errors([_place(error)])
            if settings.skip_errors:
                note.statements = 0
                collector.rewind(mark)


def read_block(data: bytes, quads: bool, collector: Collector, note: Note, scope: BlankScope, skip: bool) -> bool:
    """Take in whole lines of a segment; return whether to go on."""
    block = parse_block(data, quads=quads, skip_errors=skip)
    note.add_errors([(note.lines + error.line, error.column, error.message, error.text) for error in block.errors])
    note.lines += block.lines
    if block.errors and not skip:
        return False
    collector.add(block, scope, note, generated=False)
    return True


def note_scope(note: Note) -> BlankScope:
    """Return a scope for the blank nodes of a file, whose prefix is decided when all files are read."""
    return BlankScope(cast("Dictionary", note))


def note_row(note: Note) -> Row:
    """Return the row that carries a note to the driver."""
    return note.file, NOTES, json.dumps(asdict(note)).encode()


def _read(segment: LineRange, collector: Collector, note: Note, settings: ParseSettings) -> Iterator[pa.RecordBatch]:
    if segment.stop is None:
        yield from read_whole(Source(segment.name, segment.path), segment.format, collector, note, settings)
        return
    scope = note_scope(note)
    quads = segment.format is Format.NQUADS
    try:
        with segment.path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size < segment.stop:
                raise LoadError(
                    f"{segment.name} is shorter for an executor, {size:,} bytes, than for the driver; put it on a file "
                    "system that all machines share under the same path"
                )
            for data in _blocks(stream, segment.start, segment.stop):
                if not read_block(data, quads, collector, note, scope, settings.skip_errors):
                    return
                if collector.is_full:
                    yield from collector.hand_on()
    except OSError as error:
        raise LoadError(f"cannot read {segment.name}: {error.strerror or error}") from error


def _blocks(stream: BinaryIO, start: int, stop: int) -> Iterator[bytes]:
    """Yield the lines that begin from ``start`` up to before ``stop``, the last one ended by a line feed as well."""
    if start:
        stream.seek(start - 1)
        stream.readline()
    elif stream.read(len(BYTE_ORDER_MARK)) != BYTE_ORDER_MARK:
        stream.seek(0)
    while (room := stop - stream.tell()) > 0 and (data := stream.read(min(room, BLOCK_SIZE))):
        if not data.endswith(b"\n"):
            data += stream.readline()
        yield data if data.endswith(b"\n") else data + b"\n"


def _place(error: ParseError) -> PlacedError:
    return error.line, error.column, error.message, error.text


def _packed_codes(parts: list[NDArray[np.int32]]) -> bytes:
    """Pack statements by columns; the fourth is there if any part has it."""
    width = max(part.shape[1] for part in parts)
    columns = {}
    for position, name in enumerate("spog"[:width]):
        pieces = [part[:, position] if position < part.shape[1] else np.full(len(part), -1, np.int32) for part in parts]
        columns[name] = np.concatenate(pieces)
    return pack(**columns)


_HALF = np.uint64(32)


def buckets_of(texts: pa.StringArray, count: int) -> NDArray[np.int64]:
    """Return the bucket, from 0 to ``count`` - 1, of every text.

    >>> buckets_of(pa.array(["a", "b", "a"]), 1000).tolist()
    [963, 564, 963]
    """
    hashes = text_hashes(texts).view(np.uint64)
    # The upper half is a number below 2^32, which scales to the range without a division.
    return (((hashes >> _HALF) * np.uint64(count)) >> _HALF).astype(np.int64)
