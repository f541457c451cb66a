"""Documents that LOAD names: local files, by their path or by a file IRI."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from loaders.dictionary import Dictionary
from reasoner.errors import ReasonerError
from reasoner.quads import checked_graph
from reasoner.sparql.errors import UnsupportedQueryError
from reasoner.violation import TextTriple

# One letter is the drive of a path rather than the scheme of an IRI.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")


def document_quads(iri: str, dictionary: Dictionary) -> dict[str | None, list[TextTriple]]:
    """Return the triples of a local file by graph, in any RDF syntax, with blank nodes new to the dictionary."""
    from loaders.load import load

    loaded = load([_file_of(iri)], dictionary)
    triples = list(zip(*(dictionary.decode(ids) for ids in (loaded.s, loaded.p, loaded.o)), strict=True))
    if loaded.g is None:
        return {None: triples}
    by_graph: dict[str | None, list[TextTriple]] = {}
    for triple, graph in zip(triples, loaded.g.tolist(), strict=True):
        by_graph.setdefault(checked_graph(None if graph < 0 else dictionary.text(graph)), []).append(triple)
    return by_graph


def _file_of(iri: str) -> Path:
    scheme = _SCHEME.match(iri)
    if scheme is None:
        path = Path(iri)
    elif scheme[1].lower() == "file":
        parts = urlsplit(iri)
        if parts.netloc not in ("", "localhost"):
            raise UnsupportedQueryError(f"LOAD <{iri}> names a file of another machine; copy it here and load the copy")
        path = Path(url2pathname(parts.path))
    else:
        raise UnsupportedQueryError(
            f"LOAD <{iri}> would fetch a document, and only local files are read; save it and load the file"
        )
    if not path.is_file():
        raise ReasonerError(f"cannot load <{iri}>: there is no file {path}")
    # As it stands, the name - would be standard input.
    return path.absolute()
