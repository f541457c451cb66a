"""Answering a query in the media type that its client wants, within limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasoner.server.negotiation import negotiated
from reasoner.server.rdf_syntaxes import GRAPH_TYPES, written
from reasoner.server.refusal import TOO_MANY_ROWS, RefusalError
from reasoner.sparql import query
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


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a query, written."""

    media: str
    body: bytes


def answered(kb: Reasoner, asked: Query, accept: str, *, budget: Budget, most_rows: int) -> Answer:
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
