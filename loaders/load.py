"""Load RDF from files, globs, folders or standard input into ids, or read a small source as terms.

Telling how far a load has come, once it takes longer than a second.

One source to blocks of statements, in order, with every error placed in its file.

The blank nodes of different files kept apart: each file's labels get a prefix of their own.
"""

from __future__ import annotations

import io
import os
import re
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loaders.arrow import text_array
from loaders.block import Block, BlockError, parse_block
from loaders.dictionary import Dictionary
from loaders.errors import LoadError, ParseError
from loaders.formats import SAMPLE_SIZE, Format, declared_prefixes, detect_format, format_named
from loaders.sources import Limit, OpenSource, PathOrText, Source, Sources, expand_sources
from loaders.syntaxes import UnsupportedPlacer, statement_blocks
from loaders.terms import lone_surrogate

_PATIENCE = 1.0
_INTERVAL = 0.25


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a load has come; ``bytes_total`` is None if a source does not know its size."""

    file: str
    files_done: int
    files_total: int
    statements: int
    bytes_read: int
    bytes_total: int | None
    seconds: float

    @property
    def fraction(self) -> float | None:
        """The part of the work that is done, from 0 to 1, if it can be told."""
        if self.bytes_total is None:
            return None
        return min(1.0, self.bytes_read / self.bytes_total) if self.bytes_total else 1.0

    @property
    def rate(self) -> float:
        """Statements a second."""
        return self.statements / self.seconds if self.seconds else 0.0

    def __str__(self) -> str:
        part = "" if self.fraction is None else f", {self.fraction:.0%}"
        return f"{self.file}: {self.statements:,} statements{part}, {self.rate:,.0f} a second"


class Reporter:
    """Calls ``callback`` after a second, and then a few times a second."""

    def __init__(self, callback: Callable[[Progress], None] | None, files_total: int, bytes_total: int | None) -> None:
        self._callback = callback
        self._files_total = files_total
        self._bytes_total = bytes_total
        self._start = time.perf_counter()
        self._next = self._start + _PATIENCE
        self._bytes_of_files_done = 0
        self._reported = False
        self.files_done = 0

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return time.perf_counter() - self._start

    def update(self, file: str, statements: int, bytes_read: int) -> None:
        """Report if it is time to; ``bytes_read`` is of the current file."""
        now = time.perf_counter()
        if self._callback is not None and now >= self._next:
            self._next = now + _INTERVAL
            self._report(file, statements, bytes_read)

    def file_done(self, file: str, statements: int, bytes_read: int) -> None:
        """Count a file as done; the last one is reported if anything was."""
        self.files_done += 1
        self._bytes_of_files_done += bytes_read
        if self._reported and self.files_done == self._files_total:
            self._report(file, statements, 0)
        else:
            self.update(file, statements, 0)

    def _report(self, file: str, statements: int, bytes_read: int) -> None:
        if self._callback is None:
            return
        self._reported = True
        total = self._bytes_of_files_done + bytes_read
        self._callback(
            Progress(file, self.files_done, self._files_total, statements, total, self._bytes_total, self.seconds)
        )


__all__ = ["LoadReport", "Loaded", "Progress", "load", "parse_text", "read_triples"]

Triple = tuple[str, str, str]

_ERRORS_KEPT = 1000


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a load did. ``errors`` holds the first thousand of the ``skipped`` errors.

    ``passed_over`` are the files of folders that are not RDF, such as a README; ``prefixes`` those that files declare.
    """

    files: int
    statements: int
    seconds: float
    errors: tuple[ParseError, ...] = ()
    skipped: int = 0
    names: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Statements a second."""
        return self.statements / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Loaded:
    """Statements as ids, in the order of the files, repetitions included.

    ``g`` is the graph of each statement, -1 for the default graph; None if there is no named graph at all.
    """

    s: NDArray[np.int64]
    p: NDArray[np.int64]
    o: NDArray[np.int64]
    g: NDArray[np.int64] | None
    report: LoadReport

    def __len__(self) -> int:
        return len(self.s)


def load(
    sources: Sources,
    dictionary: Dictionary,
    *,
    format: str | None = None,
    base: str | None = None,
    skip_errors: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Loaded:
    """Load files, globs, folders or ``-`` (standard input), all or nothing.

    The syntax is told by extension and content unless ``format`` names it; compression by content. Blank nodes of
    different files stay different, also from those of earlier loads into the same dictionary. At the first error
    raise ``ParseError``, with the dictionary as it was; with ``skip_errors`` leave out the offending statement (in
    RDF/XML and JSON-LD: the file), report it and go on. ``progress`` is called once a load takes over a second.
    """
    chosen = None if format is None else format_named(format)
    passed_over: list[str] = []
    found = expand_sources(sources, passed_over)
    mark = len(dictionary)
    loading = _Loading(dictionary, found, progress, tuple(passed_over))
    executor = ThreadPoolExecutor(WORKERS, thread_name_prefix="loaders")
    try:
        for source in found:
            loading.add(source, chosen, base, skip_errors, executor)
        return loading.finish()
    except BaseException:
        dictionary.truncate(mark)
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def read_triples(
    source: PathOrText | BinaryIO, *, format: str | None = None, base: str | None = None, blank_prefix: str = ""
) -> list[Triple]:
    """Read one small source as triples of canonical terms, in order, whatever graph they are in.

    Blank nodes keep their labels, behind ``blank_prefix``, which tells those of different sources apart.
    """
    chosen = None if format is None else format_named(format)
    triples: list[Triple] = []
    for one in expand_sources(source):
        triples += _triples(one, chosen, base, blank_prefix)
    return triples


def parse_text(text: str | bytes, format: str, base: str | None = None, *, blank_prefix: str = "") -> list[Triple]:
    """Read a text as triples of canonical terms, in order.

    >>> parse_text("@prefix : <http://a/> . :s :p 1 .", "turtle")
    [('<http://a/s>', '<http://a/p>', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>')]
    """
    if isinstance(text, str) and (place := lone_surrogate(text)) is not None:
        line, start = text.count("\n", 0, place) + 1, text.rfind("\n", 0, place) + 1
        message = "half of a surrogate pair is no Unicode character"
        raise ParseError(message, line=line, column=place - start + 1, text=text[start : place + 20])
    data = text.encode() if isinstance(text, str) else text
    return _triples(Source("<text>", stream=io.BytesIO(data)), format_named(format), base, blank_prefix)


def _triples(source: Source, format: Format | None, base: str | None, blank_prefix: str) -> list[Triple]:
    terms: list[str] = []
    rows: list[list[int]] = []
    with ThreadPoolExecutor(WORKERS) as executor:
        for batch in read_batches(source, format=format, base=base, skip_errors=False, executor=executor):
            rows += (batch.block.codes[:, :3] + np.int64(len(terms))).tolist()
            terms += batch.block.terms.to_pylist()
    terms = with_readable_labels(terms, blank_prefix)
    return [(terms[s], terms[p], terms[o]) for s, p, o in rows]


@dataclass(slots=True)
class _Rows:
    """Ids of statements in pieces, four bytes an id until the end while ids are that small."""

    parts: list[NDArray[Any]] = field(default_factory=list)
    count: int = 0
    has_graph: bool = False

    def add(self, ids: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
        # One more entry, for the code -1 of the default graph.
        table = np.full(len(ids) + 1, -1, np.int64 if len(ids) and ids.max() >= 2**31 else np.int32)
        table[:-1] = ids
        part: NDArray[Any] = table[codes]
        self.parts.append(part)
        self.count += len(part)
        self.has_graph |= part.shape[1] == 4 and bool((part[:, 3] >= 0).any())

    def columns(self) -> tuple[NDArray[np.int64], ...]:
        """Return s, p, o, and g if there is a named graph; each piece is let go as soon as it is copied."""
        columns = tuple(np.empty(self.count, np.int64) for _ in range(4 if self.has_graph else 3))
        start = 0
        self.parts.reverse()
        while self.parts:
            part = self.parts.pop()
            for position, column in enumerate(columns):
                column[start : start + len(part)] = part[:, position] if position < part.shape[1] else -1
            start += len(part)
        return columns


class _Loading:
    """A load under way."""

    def __init__(
        self,
        dictionary: Dictionary,
        sources: Sequence[Source],
        progress: Callable[[Progress], None] | None,
        passed_over: tuple[str, ...],
    ) -> None:
        sizes = [source.size for source in sources]
        total = None if None in sizes else sum(size for size in sizes if size is not None)
        self._dictionary = dictionary
        self._reporter = Reporter(progress, len(sources), total)
        self._rows = _Rows()
        self._errors: list[ParseError] = []
        self._skipped = 0
        self._names = tuple(source.name for source in sources)
        self._passed_over = passed_over
        self._prefixes: dict[str, str] = {}

    def add(
        self, source: Source, format: Format | None, base: str | None, skip_errors: bool, executor: ThreadPoolExecutor
    ) -> None:
        """Read one source; a whole file that is skipped for an error leaves no trace but the error."""
        rows, mark = len(self._rows.parts), len(self._dictionary)
        scope = BlankScope(self._dictionary)
        bytes_read = 0
        try:
            for batch in read_batches(
                source,
                format=format,
                base=base,
                skip_errors=skip_errors,
                executor=executor,
                prefixes=self._prefixes,
            ):
                terms = scope.relabel(batch.block.terms, generated=not batch.format.is_line_based)
                self._rows.add(self._dictionary.encode(terms), batch.block.codes)
                self._note(batch.errors)
                bytes_read = batch.bytes_read
                self._reporter.update(source.name, self._rows.count, bytes_read)
        except ParseError as error:
            if not skip_errors:
                raise
            self._note((error,))
            self._rows.count -= sum(map(len, self._rows.parts[rows:]))
            del self._rows.parts[rows:]
            self._dictionary.truncate(mark)
        self._reporter.file_done(source.name, self._rows.count, bytes_read)

    def finish(self) -> Loaded:
        s, p, o, *graphs = self._rows.columns()
        g = graphs[0] if graphs else None
        report = LoadReport(
            self._reporter.files_done,
            len(s),
            self._reporter.seconds,
            tuple(self._errors),
            self._skipped,
            self._names,
            self._passed_over,
            self._prefixes,
        )
        return Loaded(s, p, o, g, report)

    def _note(self, errors: Sequence[ParseError]) -> None:
        self._skipped += len(errors)
        self._errors.extend(errors[: _ERRORS_KEPT - len(self._errors)])


# Large enough to spread the cost of compiling patterns, small enough to stay in the processor's cache.
_BLOCK_SIZE = 1 << 23

WORKERS = min(4, os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class Batch:
    """Some statements of a source, and the errors that were skipped on the way to them."""

    block: Block
    format: Format
    errors: tuple[ParseError, ...]
    bytes_read: int


def read_batches(
    source: Source,
    *,
    format: Format | None,
    base: str | None,
    skip_errors: bool,
    executor: Executor,
    prefixes: dict[str, str] | None = None,
) -> Iterator[Batch]:
    """Yield the statements of a source in order; blocks are parsed by ``executor``, a few ahead.

    Raise ``ParseError`` at the first error unless errors are skipped; where a syntax does not let reading go on
    behind an error it is raised in any case. Raise ``LoadError`` for what cannot be read. ``prefixes`` takes those that
    the source declares, unless their names are in it.
    """
    try:
        with source.open() as opened:
            sample = opened.stream.peek(SAMPLE_SIZE)
            chosen = format or detect_format(source.name, sample)
            if prefixes is not None and not chosen.is_line_based:
                for name, namespace in declared_prefixes(sample).items():
                    prefixes.setdefault(name, namespace)
            if chosen.is_line_based:
                yield from _line_batches(source, opened, chosen, skip_errors, executor)
            else:
                yield from _parsed_batches(source, opened, chosen, base, skip_errors, executor)
    except (OSError, EOFError, zlib.error) as error:
        raise LoadError(f"cannot read {source.name}: {error}") from error
    except Exception as error:
        # zstandard is imported only where a file needs it, so its error is known by name.
        if type(error).__name__ != "ZstdError":
            raise
        raise LoadError(f"cannot read {source.name}: {error}") from error


def _line_batches(
    source: Source, opened: OpenSource, format: Format, skip_errors: bool, executor: Executor
) -> Iterator[Batch]:
    lines = 0

    def placed(error: BlockError) -> ParseError:
        return ParseError(
            error.message, file=source.name, line=lines + error.line, column=error.column, text=error.text
        )

    parse = partial(parse_block, quads=format is Format.NQUADS, skip_errors=skip_errors)
    for block in _in_order(executor, _whole_lines(source, opened.stream), parse):
        errors = tuple(map(placed, block.errors))
        if errors and not skip_errors:
            raise errors[0]
        yield Batch(block, format, errors, opened.bytes_read)
        lines += block.lines


def _parsed_batches(
    source: Source, opened: OpenSource, format: Format, base: str | None, skip_errors: bool, executor: Executor
) -> Iterator[Batch]:
    again = source.rereadable(opened.stream)
    skipped: list[ParseError] = []
    with again.open() as reopened, closing(UnsupportedPlacer(again, format)) as placer:
        base = base if base is not None else source.base
        blocks = statement_blocks(again, reopened.stream, format, base, skipped.append if skip_errors else None)
        for block in _in_order(executor, blocks, partial(parse_block, quads=True, skip_errors=skip_errors)):
            skipped.extend(map(placer.place, block.errors))
            if skipped and not skip_errors:
                raise skipped[0]
            errors, skipped[:] = tuple(skipped), []
            yield Batch(block, format, errors, reopened.bytes_read)
    if skipped:
        yield Batch(parse_block(b""), format, tuple(skipped), reopened.bytes_read)


def _whole_lines(source: Source, stream: BinaryIO) -> Iterator[bytes]:
    longest, lines = Limit.LINE_BYTES.get(), 0
    while data := stream.read(_BLOCK_SIZE):
        data += stream.readline(longest + 1)
        whole = data if data.endswith(b"\n") else data + b"\n"
        if len(data) > longest:
            _refuse_long_lines(source, whole, lines, longest)
        yield whole
        lines += whole.count(b"\n")


def _refuse_long_lines(source: Source, block: bytes, before: int, longest: int) -> None:
    """Raise ``ParseError`` at the first line of a block that is too long; ``before`` lines came before the block."""
    start = 0
    while (end := block.find(b"\n", start)) >= 0:
        if end - start > longest:
            line = before + block.count(b"\n", 0, start) + 1
            text = block[start : start + 80].decode(errors="replace")
            raise ParseError(
                f"a line of more than {longest:,} bytes; {Limit.LINE_BYTES.remedy()}",
                file=source.name,
                line=line,
                text=text,
            )
        # Lines that end within the bound need not be looked at one by one.
        start = block.rfind(b"\n", start, start + longest + 1) + 1


def _in_order(executor: Executor, blocks: Iterator[bytes], parse: Callable[[bytes], Block]) -> Iterator[Block]:
    """Parse blocks side by side and yield them in order, holding no more than a few at a time."""
    first = next(blocks, None)
    if first is None:
        return
    second = next(blocks, None)
    if second is None:
        # Most files are small, and starting threads takes longer than reading them.
        yield parse(first)
        return
    running: deque[Future[Block]] = deque(executor.submit(parse, block) for block in (first, second))
    for block in blocks:
        running.append(executor.submit(parse, block))
        if len(running) > WORKERS:
            yield running.popleft().result()
    while running:
        yield running.popleft().result()


# The parser names the blank nodes that have no label with random hexadecimal numbers.
_GENERATED = re.compile(r"_:[a-f][0-9a-f]{23,31}")


class BlankScope:
    """The blank nodes of one file in one dictionary.

    A node with a label becomes ``_:f<file>_<label>``, one without ``_:f<file>-<number>``, counted in order of
    appearance, so that the same files give the same terms in every run.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._scope: str | None = None
        self._numbers: dict[str, int] = {}

    def relabel(self, terms: pa.StringArray, *, generated: bool) -> pa.StringArray:
        """Return ``terms`` with this file's blank nodes; ``generated`` says that some labels come from the parser."""
        mask = pc.starts_with(terms, "_:")
        blanks = terms.filter(mask)
        if not len(blanks):
            return terms
        if self._scope is None:
            self._scope = self._dictionary.new_blank_scope()
        if generated:
            relabelled = text_array([self._label(blank) for blank in blanks.to_pylist()])
        else:
            labels = pc.utf8_slice_codeunits(blanks, 2)
            relabelled = pc.binary_join_element_wise(f"_:{self._scope}_", labels, "")
        if len(blanks) == len(terms):
            return relabelled
        return pc.replace_with_mask(terms, mask, relabelled)

    def _label(self, blank: str) -> str:
        if _GENERATED.fullmatch(blank):
            return f"_:{self._scope}-{self._numbers.setdefault(blank, len(self._numbers))}"
        return f"_:{self._scope}_{blank[2:]}"


def with_readable_labels(terms: list[str], prefix: str) -> list[str]:
    """Return ``terms`` with ``prefix`` before every blank node label, and generated labels replaced by short ones."""
    blanks = {term for term in terms if term.startswith("_:")}
    generated = {blank for blank in blanks if _GENERATED.fullmatch(blank)}
    stem = "b"
    while any(blank.startswith(f"_:{stem}") for blank in blanks - generated):
        stem += "n"
    labels = {blank: f"_:{prefix}{blank[2:]}" for blank in blanks - generated}
    for term in terms:
        if term in generated and term not in labels:
            labels[term] = f"_:{prefix}{stem}{len(labels)}"
    return [labels.get(term, term) for term in terms] if labels else terms
