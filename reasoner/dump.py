"""What a reasoner holds as a file, in any syntax: all that follows, only what was inferred, or what was asserted."""

from __future__ import annotations

import tempfile
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from reasoner.errors import ReasonerError

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner

PARTS = ("closure", "inferred", "asserted")
FORMATS = ("nt", "nq", "ttl", "trig", "rdf", "jsonld")
_WITH_GRAPHS = {"nq": "nquads", "trig": "trig"}


def dump(kb: Reasoner, target: str | PathLike[str] | BinaryIO, *, format: str = "nt", part: str = "closure") -> int:
    """Write a part of what a reasoner holds and return how many triples that is.

    N-Quads and TriG tell in which graphs triples are asserted, so that they are for the asserted part only. A file is
    compressed by its extension, and written whole or not at all.
    """
    for value, known, what in ((format, FORMATS, "format"), (part, PARTS, "part")):
        if value not in known:
            raise ReasonerError(f"unknown {what} {value!r}: choose one of {', '.join(known)}")
    if format in _WITH_GRAPHS:
        if part != "asserted":
            raise ReasonerError(f"{format} tells graphs, which only asserted triples are in; choose asserted, or nt")
        return kb.write(target, format=_WITH_GRAPHS[format])
    if format == "nt":
        return _write_lines(kb, target, part)
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "triples.nt"
        count = _write_lines(kb, lines, part)
        _convert(lines, target, format)
        return count


def _write_lines(kb: Reasoner, target: str | PathLike[str] | BinaryIO, part: str) -> int:
    if part != "asserted":
        return kb.write(target, inferred_only=part == "inferred")
    from loaders.write import write_ntriples

    store = kb.store
    return write_ntriples(target, store.dictionary, *store.state.explicit.columns())


def _convert(lines: Path, target: str | PathLike[str] | BinaryIO, format: str) -> None:
    from pyoxigraph import RdfFormat, parse, serialize

    from loaders.write import opened

    syntax = {"ttl": RdfFormat.TURTLE, "rdf": RdfFormat.RDF_XML, "jsonld": RdfFormat.JSON_LD}[format]
    # Relative IRIs in data that were made by hand are not this file's business.
    quads = parse(path=str(lines), format=RdfFormat.N_TRIPLES, lenient=True)
    with opened(target) as stream:
        try:
            serialize((quad.triple for quad in quads), stream, syntax)
        except ValueError as error:
            raise ReasonerError(f"a triple cannot be said in {format}: {error}; use nt") from error
