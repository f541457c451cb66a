"""Where statements come from: files, globs, folders and standard input, plain or compressed.

How much a document may ask of whoever reads it: bounds against input made to exhaust memory or time.

Each bound has a default that no ordinary data comes near, and a variable of the environment that sets another one.
"""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import BinaryIO, cast

from loaders.errors import LoadError
from loaders.formats import SAMPLE_SIZE, format_of_name, promises_rdf
from loaders.local_path import local_name

PathOrText = str | os.PathLike[str]
Sources = PathOrText | BinaryIO | Sequence["PathOrText | BinaryIO | Source"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_READ_SIZE = 1 << 18

# Zstandard is unpacked in pieces of this many packed bytes, since each may become thousands of times as many.
_ZSTANDARD_PIECE = 1 << 12

# What a compressed file may unpack to, whatever its size.
_ALWAYS_UNPACKED = 1 << 26


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read. ``path``, ``data`` or ``stream`` says where it is; a ``stream`` can be read only once.

    ``address`` is the URL of what ``path`` is a copy of.
    """

    name: str
    path: Path | None = None
    data: bytes | None = None
    stream: BinaryIO | None = field(default=None, compare=False)
    address: str | None = None

    @property
    def size(self) -> int | None:
        """The bytes to read, compressed as they are, if that is known."""
        if self.path is not None:
            return self.path.stat().st_size if self.path.is_file() else None
        return None if self.data is None else len(self.data)

    @property
    def base(self) -> str | None:
        """The IRI that relative IRIs are resolved against unless told otherwise."""
        return self.address or (None if self.path is None else self.path.resolve().as_uri())

    def open(self) -> OpenSource:
        """Open for reading from the beginning."""
        try:
            if self.path is not None:
                return OpenSource(cast(BinaryIO, self.path.open("rb", buffering=0)))
        except OSError as error:
            raise LoadError(f"cannot read {self.name}: {error.strerror or error}") from error
        if self.data is not None:
            return OpenSource(io.BytesIO(self.data))
        return OpenSource(cast(BinaryIO, self.stream), close=False)

    def rereadable(self, stream: BinaryIO) -> Source:
        """Return a source that can be opened again; ``stream`` is this one, opened and not yet read."""
        # A path may be a named pipe.
        again = self.data is not None or (self.path is not None and self.path.is_file())
        return self if again else Source(self.name, data=stream.read())


class OpenSource:
    """A source being read: ``stream`` gives decompressed bytes, without a byte order mark."""

    def __init__(self, raw: BinaryIO, close: bool = True) -> None:
        self._raw = raw
        self._close = close
        self._counted = _Counted(raw)
        try:
            self.stream = self._decompressed(io.BufferedReader(self._counted, _READ_SIZE))
            if self.stream.peek(3).startswith(_BYTE_ORDER_MARK):
                self.stream.read(3)
        except BaseException:
            self.__exit__()
            raise

    @property
    def bytes_read(self) -> int:
        """How much of the source, compressed as it is, has been consumed."""
        return self._counted.count

    def _decompressed(self, packed: io.BufferedReader) -> io.BufferedReader:
        """Undo the compression that the first bytes tell of; extensions may lie."""
        unpacked = _unpacked(packed)
        return packed if unpacked is None else io.BufferedReader(_Bounded(unpacked, self._counted), SAMPLE_SIZE)

    def __enter__(self) -> OpenSource:
        return self

    def __exit__(self, *_: object) -> None:
        if self._close:
            self._raw.close()


def expand_sources(sources: Sources, passed_over: list[str] | None = None) -> list[Source]:
    """List what ``sources`` stand for, each file once, folders and globs in order of their names.

    A folder stands for the files in it, at any depth, whose extension is that of an RDF syntax, and which show RDF
    where an extension is that of other things as well; the others are named in ``passed_over``. ``-`` is standard
    input. Raise ``LoadError`` for whatever stands for nothing.
    """
    single = isinstance(sources, (str, os.PathLike)) or hasattr(sources, "read")
    listed = [sources] if single else sources
    expanded: dict[object, Source] = {}
    for item in cast("Sequence[PathOrText | BinaryIO | Source]", listed):
        for source in _expand(item, [] if passed_over is None else passed_over):
            expanded.setdefault(source.name if source.path is None else source.path.resolve(), source)
    return list(expanded.values())


def _expand(item: PathOrText | BinaryIO | Source, passed_over: list[str]) -> list[Source]:
    if isinstance(item, Source):
        return [item]
    if not isinstance(item, (str, os.PathLike)):
        return [Source(str(getattr(item, "name", f"<stream {id(item):x}>")), stream=item)]
    text = os.fspath(item)
    if text == "-":
        return [Source("<stdin>", stream=sys.stdin.buffer)]
    text = local_name(text)
    path = Path(text)
    if path.is_dir():
        return _files_in(path, passed_over)
    if path.exists():
        return [Source(text, path)]
    if not glob.has_magic(text):
        raise LoadError(f"no such file: {text}")
    matches = [Path(match) for match in sorted(glob.glob(text, recursive=True))]  # noqa: PTH207
    found = [Source(str(match), match) for match in matches if match.is_file()]
    if not found:
        raise LoadError(f"no file matches {text}")
    return found


def _files_in(folder: Path, passed_over: list[str]) -> list[Source]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    visible = [path for path in paths if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    found = [Source(str(path), path) for path in visible if promises_rdf(path.name, b"") or _shows_rdf(path)]
    if not found:
        raise LoadError(f"the folder {folder} holds no file with the extension of an RDF syntax")
    taken = {source.path for source in found}
    passed_over += [str(path) for path in visible if path not in taken]
    return found


def _shows_rdf(path: Path) -> bool:
    """Look into a file whose name may be that of RDF; one that cannot be read is left to its reader to refuse."""
    if format_of_name(path.name) is None:
        return False
    try:
        with Source(str(path), path).open() as opened:
            return promises_rdf(path.name, opened.stream.peek(SAMPLE_SIZE))
    except (OSError, EOFError, LoadError):
        return True


def _unpacked(packed: io.BufferedReader) -> io.RawIOBase | None:
    magic = packed.peek(4)[:4]
    if magic.startswith(b"\x1f\x8b"):
        return cast(io.RawIOBase, gzip.GzipFile(fileobj=packed))
    if magic.startswith(b"BZh"):
        return cast(io.RawIOBase, bz2.BZ2File(packed))
    if magic == b"\x28\xb5\x2f\xfd":
        return _ZstandardReader(packed)
    return None


class _Counted(io.RawIOBase):
    """A stream that counts what is read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if isinstance(self._stream, (io.RawIOBase, io.BufferedIOBase)):
            count = self._stream.readinto(buffer) or 0
        else:
            data = self._stream.read(len(buffer))
            count = len(data)
            buffer[:count] = data
        self.count += count
        return count


class _Bounded(io.RawIOBase):
    """What a compressed stream unpacks to, as long as it is not made to unpack to far more than anyone would pack."""

    def __init__(self, unpacked: io.RawIOBase, packed: _Counted) -> None:
        self._unpacked = unpacked
        self._packed = packed
        self._ratio = Limit.UNPACKED_RATIO.get()
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = self._unpacked.readinto(buffer) or 0
        self._count += count
        if self._count > max(_ALWAYS_UNPACKED, self._ratio * self._packed.count):
            raise OSError(
                f"{self._packed.count:,} bytes unpack to more than {self._count:,}, which is how archives are made "
                f"that fill a disk or memory; as a ratio {Limit.UNPACKED_RATIO.remedy()}"
            )
        return count


class _ZstandardReader(io.RawIOBase):
    """Zstandard frames, read with an eye on the end: the library's own reader is silent about a cut-off file."""

    def __init__(self, stream: io.BufferedReader) -> None:
        import zstandard

        self._stream = stream
        self._factory = zstandard.ZstdDecompressor()
        self._frame = self._factory.decompressobj()
        self._in_frame = False
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            compressed = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._frame = self._factory.decompressobj()
                self._in_frame = False
            compressed = compressed or self._stream.read(_ZSTANDARD_PIECE)
            if not compressed:
                if self._in_frame:
                    raise EOFError("compressed data ends before its end-of-frame marker")
                return 0
            self._in_frame = True
            self._ready = memoryview(self._frame.decompress(compressed))
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count


class Limit(Enum):
    """A bound: the variable that sets it, and its value if nobody does."""

    LINE_BYTES = ("REASONER_MAX_LINE_BYTES", 64 << 20)
    """The longest line of N-Triples and N-Quads."""

    UNPACKED_RATIO = ("REASONER_MAX_UNPACKED_RATIO", 200)
    """How many times its size a compressed file may unpack to, once it has unpacked to 64 MiB."""

    NESTING = ("REASONER_MAX_NESTING", 256)
    """How deep the objects and arrays of JSON-LD may lie in each other."""

    ENTITY_CHARACTERS = ("REASONER_MAX_ENTITY_CHARACTERS", 4096)
    """What one entity of XML may stand for, all entities in it replaced."""

    ENTITY_RATIO = ("REASONER_MAX_ENTITY_RATIO", 32)
    """How many times its size a document of XML may grow to by its entities, once that is 1 MiB."""

    @property
    def variable(self) -> str:
        """The variable of the environment that sets the bound."""
        return self.value[0]

    def get(self) -> int:
        """Return the bound in force."""
        text = os.environ.get(self.variable)
        if text is None:
            return self.value[1]
        if not text.isdecimal() or int(text) < 1:
            raise LoadError(f"{self.variable} is {text!r}; set it to a whole number of at least 1")
        return int(text)

    def remedy(self) -> str:
        """Say what the bound is and how to set another one, for the end of an error message."""
        return f"the limit is {self.get():,}; set {self.variable} to allow more if you trust the source"
