"""Write ids as N-Triples, N-Quads or TriG, plain or compressed."""

from __future__ import annotations

import bz2
import gzip
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loaders.dictionary import Dictionary
from loaders.local_path import local_path

_ROWS = 1 << 16

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


def write_trig(target: Target, dictionary: Dictionary, graphs: Iterable[tuple[int, Ids, Ids, Ids]]) -> int:
    """Write the triples of graphs as blocks of TriG; otherwise as ``write_nquads``."""
    count = 0
    with opened(target) as stream:
        for g, s, p, o in graphs:
            name = _name(dictionary, g)
            stream.write(f"{name} {{\n".encode() if name else b"")
            count += _write(stream, dictionary, s, p, o)
            stream.write(b"}\n" if name else b"")
    return count


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
    end = pa.scalar(f"{graph} .\n" if graph else ".\n")
    for start in range(0, len(s), _ROWS):
        columns = [dictionary.decode_arrow(column[start : start + _ROWS]) for column in (s, p, o)]
        lines = pc.binary_join_element_wise(*columns, end, " ")
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
