"""Load RDF from files, globs, folders or standard input into ids, or read a small source as terms."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from loaders.blanks import BlankScope, with_readable_labels
from loaders.dictionary import Dictionary
from loaders.errors import ParseError
from loaders.formats import Format, format_named
from loaders.progress import Progress, Reporter
from loaders.reader import WORKERS, read_batches
from loaders.sources import PathOrText, Source, Sources, expand_sources

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

    def column(self, position: int) -> NDArray[np.int64]:
        column = np.full(self.count, -1, np.int64)
        start = 0
        for part in self.parts:
            if position < part.shape[1]:
                column[start : start + len(part)] = part[:, position]
            start += len(part)
        return column


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
        rows = self._rows
        s, p, o = (rows.column(position) for position in range(3))
        g = rows.column(3) if rows.has_graph else None
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
