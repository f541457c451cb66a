"""Answering a query in the media type that its client wants, within limits.

The RDF syntaxes that graphs are sent and received in, by media type.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

import pyoxigraph
from pyoxigraph import RdfFormat
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from loaders.load import parse_text
from reasoner.requests import query
from reasoner.server.backend.message import negotiated
from reasoner.server.backend.refusal import BAD_REQUEST, NOT_ACCEPTABLE, TOO_MANY_ROWS, RefusalError
from reasoner.sparql.algebra import Query
from reasoner.sparql.budget import Budget

if TYPE_CHECKING:
    from reasoner.reasoner import Reasoner

# What rows are written as, the preferred one first; a truth value has no CSV and no TSV.
ROW_TYPES: Mapping[str, str] = {
    "application/sparql-results+json": "json",
    "application/sparql-results+xml": "xml",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "application/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
}
TRUTH_TYPES: Mapping[str, str] = {media: name for media, name in ROW_TYPES.items() if name in ("json", "xml")}

# Bytes of a file that are sent at a time.
_PORTION = 1 << 18


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a query, written; a large one that another process wrote is in a file, which is read once."""

    media: str
    body: bytes
    file: BinaryIO | None = None

    def response(self) -> Response:
        """Return what is sent; a file is sent in portions, so that only a few of these are in memory."""
        headers = {"Vary": "Accept"}
        if self.file is None:
            return Response(self.body, media_type=self.media, headers=headers)
        headers["Content-Length"] = str(self.file.seek(0, os.SEEK_END))
        self.file.seek(0)
        return _FromFile(self.file, self.media, headers)


def answered(kb: Reasoner, budget: Budget, *, asked: Query, accept: str, most_rows: int) -> Answer:
    """Answer a query, or raise what keeps it from being answered; what cannot be written is not evaluated."""
    if asked.form in ("CONSTRUCT", "DESCRIBE"):
        media = negotiated(accept, tuple(GRAPH_TYPES), f"the graph of {asked.form}")
    else:
        offers = TRUTH_TYPES if asked.form == "ASK" else ROW_TYPES
        media = negotiated(accept, tuple(offers), f"the answer to {asked.form}")
    result = query(kb, asked, budget=budget, terms="text")
    if (size := len(result)) > most_rows:
        raise RefusalError(
            TOO_MANY_ROWS,
            f"the answer has {size:,} rows, more than the {most_rows:,} that this server gives; add LIMIT and OFFSET",
        )
    data = result.serialize(format="nt" if media in GRAPH_TYPES else ROW_TYPES[media])
    assert data is not None
    return Answer(media, written(data, media, dict(asked.prefixes)) if media in GRAPH_TYPES else data)


class _FromFile(StreamingResponse):
    """A response whose body is in a file, which is closed whether or not the client takes all of it."""

    def __init__(self, file: BinaryIO, media: str, headers: Mapping[str, str]) -> None:
        super().__init__(iter(partial(file.read, _PORTION), b""), media_type=media, headers=headers)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._file:
            await super().__call__(scope, receive, send)


TURTLE = "text/turtle"
N_TRIPLES = "application/n-triples"

# What can be written, the preferred one first.
GRAPH_TYPES: Mapping[str, RdfFormat] = {
    TURTLE: RdfFormat.TURTLE,
    N_TRIPLES: RdfFormat.N_TRIPLES,
    "application/rdf+xml": RdfFormat.RDF_XML,
    "application/ld+json": RdfFormat.JSON_LD,
    "text/n3": RdfFormat.N3,
    "application/n-quads": RdfFormat.N_QUADS,
    "application/trig": RdfFormat.TRIG,
}

# What can be read, by the name that the loaders know it under. A document that may name graphs of its own is none of a
# single graph, JSON-LD excepted, which may and seldom does.
DOCUMENT_TYPES: Mapping[str, str] = {
    TURTLE: "turtle",
    N_TRIPLES: "ntriples",
    "text/plain": "ntriples",
    "application/rdf+xml": "rdfxml",
    "application/ld+json": "jsonld",
}


def written(triples: bytes, media: str, prefixes: Mapping[str, str] | None = None) -> bytes:
    """Write a graph, given as N-Triples, in another syntax; ``prefixes`` shorten its names."""
    if media == N_TRIPLES:
        return triples
    parsed = (quad.triple for quad in pyoxigraph.parse(triples, RdfFormat.N_TRIPLES, lenient=True))
    try:
        data = pyoxigraph.serialize(parsed, format=GRAPH_TYPES[media], prefixes=dict(prefixes or {}))
    except ValueError as error:
        raise RefusalError(
            NOT_ACCEPTABLE, f"the graph cannot be written as {media}: {error}; Accept {TURTLE} or {N_TRIPLES}"
        ) from error
    assert data is not None
    return data


def read(body: bytes, media: str, base: str) -> bytes:
    """Read a document of one graph and return it as N-Triples; what is malformed is an error that tells its place."""
    triples = parse_text(body, DOCUMENT_TYPES[media], base)
    if DOCUMENT_TYPES[media] == "jsonld":
        _require_one_graph(body, base)
    return "".join(f"{s} {p} {o} .\n" for s, p, o in triples).encode()


def _require_one_graph(body: bytes, base: str) -> None:
    # What is malformed, or more than the limits of a document allow, has been told by the parser before.
    with suppress(SyntaxError, ValueError):
        for quad in pyoxigraph.parse(body, RdfFormat.JSON_LD, base_iri=base):
            if not isinstance(quad.graph_name, pyoxigraph.DefaultGraph):
                raise RefusalError(
                    BAD_REQUEST, f"the document has a graph {quad.graph_name} of its own; send its triples alone"
                )
