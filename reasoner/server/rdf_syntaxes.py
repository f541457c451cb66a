"""The RDF syntaxes that graphs are sent and received in, by media type."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import pyoxigraph
from pyoxigraph import RdfFormat

from loaders.load import parse_text
from reasoner.server.refusal import BAD_REQUEST, NOT_ACCEPTABLE, RefusalError

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
