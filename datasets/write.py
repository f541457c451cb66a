"""Write a data set to N-Triples files, plain or compressed by extension."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import BinaryIO, cast

from .dataset import DatasetError
from .registry import generator

SUFFIXES = (".nt", ".nt.gz", ".nt.zst")


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: statements of the facts and of the ontology, and where the ontology is.

    Repeated statements are counted as often as they were written. ``ontology_path`` is None if the ontology went into
    a stream.
    """

    triples: int
    ontology_triples: int
    ontology_path: Path | None


def write(
    name: str,
    out: str | PathLike[str] | BinaryIO,
    *,
    seed: int = 0,
    ontology: str | PathLike[str] | None = None,
    **parameters: int | str,
) -> Written:
    """Write the facts of data set ``name`` to ``out``, and its ontology to the path ``ontology``.

    Without that path, the ontology goes beside the facts (``data-ontology.nt`` for ``data.nt``), or, if ``out`` is a
    binary stream, into the stream before them. If both paths are the same, one file gets both. Files appear under their
    names only when they are complete; the same arguments always give the same bytes.
    """
    dataset = generator(name).build(seed=seed, **parameters)
    axioms = dataset.ontology.count("\n")
    if not isinstance(out, str | PathLike):
        if ontology is None:
            out.write(dataset.ontology.encode())
            return Written(_copy(dataset.facts(), out), axioms, None)
        with _open(Path(ontology)) as stream:
            stream.write(dataset.ontology.encode())
        return Written(_copy(dataset.facts(), out), axioms, Path(ontology))
    path = Path(out)
    ontology_path = _beside(path) if ontology is None else Path(ontology)
    if ontology_path.resolve() == path.resolve():
        with _open(path) as stream:
            stream.write(dataset.ontology.encode())
            return Written(_copy(dataset.facts(), stream), axioms, path)
    with _open(ontology_path) as ontology_stream, _open(path) as stream:
        ontology_stream.write(dataset.ontology.encode())
        return Written(_copy(dataset.facts(), stream), axioms, ontology_path)


def _copy(blocks: Iterable[str], stream: BinaryIO) -> int:
    count = 0
    for block in blocks:
        stream.write(block.encode())
        count += block.count("\n")
    return count


def _suffix(path: Path) -> str:
    for suffix in SUFFIXES:
        if path.name.endswith(suffix):
            return suffix
    raise DatasetError(f"{path}: the name of a data file must end in one of {', '.join(SUFFIXES)}")


def _beside(path: Path) -> Path:
    suffix = _suffix(path)
    return path.with_name(f"{path.name.removesuffix(suffix)}-ontology{suffix}")


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing through the compressor that its name asks for; it takes its name at the end."""
    suffix = _suffix(path)
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("wb") as raw:
            if suffix == ".nt.gz":
                # Neither name nor time go into the header: same data, same bytes.
                with gzip.GzipFile("", "wb", 6, raw, mtime=0) as compressed:
                    yield cast(BinaryIO, compressed)
            elif suffix == ".nt.zst":
                import zstandard

                with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as compressed:
                    yield compressed
            else:
                yield raw
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
