"""Write ids as N-Triples, N-Quads, Turtle, TriG, RDF/XML or JSON-LD, plain or compressed."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loaders.arrow import text_array
from loaders.dictionary import Dictionary
from loaders.local_path import local_path

_ROWS = 1 << 16
# Triples of a graph that are brought into order before they are written; 100 bytes each, for a moment.
_MOST_SORTED = 4_000_000

_NAME_OF_XML = re.compile(r"[^\W\d][\w.-]*\Z")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Ids = NDArray[np.integer[Any]]
Target = str | os.PathLike[str] | BinaryIO


def write_ntriples(target: Target, dictionary: Dictionary, s: Ids, p: Ids, o: Ids) -> int:
    """Write one line a triple, in the order given, and return their number; ``target`` is as for ``opened``."""
    return write_pieces(target, dictionary, [(s, p, o)])


def write_pieces(target: Target, dictionary: Dictionary, pieces: Iterable[tuple[Ids, Ids, Ids]]) -> int:
    """Write triples that come in pieces, and return their number; ``target`` is as for ``opened``."""
    with opened(target) as stream:
        return sum(_write(stream, dictionary, *piece) for piece in pieces)


def write_nquads(target: Target, dictionary: Dictionary, graphs: Iterable[tuple[int, Ids, Ids, Ids]]) -> int:
    """Write the triples of graphs, each with the id of its name or -1 for the default graph; return their number."""
    with opened(target) as stream:
        return sum(_write(stream, dictionary, s, p, o, _name(dictionary, g)) for g, s, p, o in graphs)


def write_syntax(
    target: Target,
    dictionary: Dictionary,
    graphs: Iterable[tuple[int, Ids, Ids, Ids]],
    syntax: str,
    prefixes: Mapping[str, str],
) -> int:
    """Write the triples of graphs as ``turtle``, ``trig``, ``rdfxml`` or ``jsonld``; otherwise as ``write_nquads``.

    What is said about a subject stands together as long as a graph has up to four million triples; those of a larger
    one are written as they come, so that memory is bounded. Turtle and RDF/XML have no graphs: all is the default
    graph. Raise ``ValueError`` for a triple that the syntax cannot say.
    """
    import pyoxigraph

    formats = pyoxigraph.RdfFormat
    native = {
        "turtle": formats.TURTLE,
        "trig": formats.TRIG,
        "rdfxml": formats.RDF_XML,
        "jsonld": formats.JSON_LD,
    }[syntax]
    count = 0

    def statements() -> Iterator[Any]:
        nonlocal count
        for g, s, p, o in _gathered(graphs):
            block = io.BytesIO()
            count += _write(block, dictionary, s, p, o, _name(dictionary, g))
            # Relative IRIs in data that were made by hand are not this file's business.
            quads = pyoxigraph.parse(block.getvalue(), format=formats.N_QUADS, lenient=True)
            if syntax == "rdfxml":
                yield from (_sayable_in_xml(quad.triple) for quad in quads)
            else:
                yield from quads if native.supports_datasets else (quad.triple for quad in quads)

    with opened(target) as stream:
        pyoxigraph.serialize(statements(), stream, native, prefixes=dict(prefixes))
    return count


def _sayable_in_xml(triple: Any) -> Any:
    """Return a triple; refuse one of which the library would make a document that is no XML."""
    if not _NAME_OF_XML.search(triple.predicate.value):
        raise ValueError(f"the predicate {triple.predicate} does not end in a name of XML")
    if found := _NOT_IN_XML.search(triple.object.value):
        raise ValueError(f"the object of {triple.subject} {triple.predicate} holds {found[0]!r}, which is not in XML")
    return triple


def _gathered(graphs: Iterable[tuple[int, Ids, Ids, Ids]]) -> Iterator[tuple[int, Ids, Ids, Ids]]:
    """Yield blocks of triples of one graph, sorted as long as they are not too many to be held at once."""
    for g, pieces in groupby(graphs, key=itemgetter(0)):
        waiting: list[tuple[Ids, Ids, Ids]] = []
        rows = 0
        for _, s, p, o in pieces:
            waiting.append((s, p, o))
            rows += len(s)
            if rows > _MOST_SORTED:
                yield from ((g, *block) for block in _blocks(waiting))
                waiting = []
        if rows <= _MOST_SORTED and waiting:
            s, p, o = (np.concatenate(column) for column in zip(*waiting, strict=True))
            order = np.lexsort((o, p, s))
            waiting = [(s[order], p[order], o[order])]
        yield from ((g, *block) for block in _blocks(waiting))


def _blocks(pieces: Iterable[tuple[Ids, Ids, Ids]]) -> Iterator[tuple[Ids, Ids, Ids]]:
    for s, p, o in pieces:
        for start in range(0, len(s), _ROWS):
            yield s[start : start + _ROWS], p[start : start + _ROWS], o[start : start + _ROWS]


def _name(dictionary: Dictionary, graph: int) -> str:
    return "" if graph < 0 else dictionary.text(graph)


@contextmanager
def opened(target: Target) -> Iterator[BinaryIO]:
    """Open a path or a stream for writing.

    A path is compressed as its extension says (.gz, .bz2, .zst), and replaced only once all is written: whoever
    reads it sees the old file or the new one, never a part. What is not a plain file, such as a device or a pipe, is
    written to as it is.
    """
    if not isinstance(target, (str, os.PathLike)):
        yield target
        return
    path = local_path(target).resolve()
    with _replacing(path) if path.is_file() or not path.exists() else _opened(path) as stream:
        yield stream


def _write(stream: BinaryIO, dictionary: Dictionary, s: Ids, p: Ids, o: Ids, graph: str = "") -> int:
    # Scalars that Arrow makes of Python's texts make it import pandas, which takes longer than a small file.
    end, space = text_array([f"{graph} .\n" if graph else ".\n", " "])
    for start in range(0, len(s), _ROWS):
        columns = [dictionary.decode_arrow(column[start : start + _ROWS]) for column in (s, p, o)]
        lines = pc.binary_join_element_wise(*columns, end, space)
        for part in lines.chunks if isinstance(lines, pa.ChunkedArray) else [lines]:
            _, offsets_buffer, data = part.buffers()
            offsets = np.frombuffer(offsets_buffer, np.int32)[part.offset : part.offset + len(part) + 1]
            stream.write(memoryview(data)[int(offsets[0]) : int(offsets[-1])])
    return len(s)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    with path.open("wb") as raw, _compressing(path, raw) as stream:
        yield stream


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as raw:
            with _compressing(path, raw) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
        temporary.chmod(_mode_of(path))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def _compressing(path: Path, raw: BinaryIO) -> Iterator[BinaryIO]:
    match path.suffix.lower():
        case ".gz":
            # Without name and time, so that equal content gives equal files.
            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as zipped:
                yield cast(BinaryIO, zipped)
        case ".bz2":
            with bz2.BZ2File(raw, "wb") as zipped2:
                yield cast(BinaryIO, zipped2)
        case ".zst":
            import zstandard

            with zstandard.ZstdCompressor(level=3).stream_writer(raw, closefd=False) as writer:
                yield cast(BinaryIO, writer)
        case _:
            yield raw


def _mode_of(path: Path) -> int:
    """Return the permissions of the file to be replaced, or those of a new one."""
    if path.exists():
        return path.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
