"""Documents that LOAD names: local files, by their path or by a file IRI."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from loaders.dictionary import Dictionary
from reasoner.errors import ReasonerError
from reasoner.sparql.errors import UnsupportedQueryError
from reasoner.violation import TextTriple

# One letter is the drive of a path rather than the scheme of an IRI.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")


def document_triples(iri: str, dictionary: Dictionary) -> list[TextTriple]:
    """Return the triples of a local file in any RDF syntax, with blank nodes that are new to the dictionary."""
    from loaders.load import load

    loaded = load([_file_of(iri)], dictionary)
    columns = (dictionary.decode(ids) for ids in (loaded.s, loaded.p, loaded.o))
    return list(zip(*columns, strict=True))


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
