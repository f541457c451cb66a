"""Read an ontology from wherever it is: a file in any RDF syntax, OWL/XML or functional-style syntax, or owlready2."""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace
from hashlib import sha256
from typing import Any

from loaders.errors import nesting_refused
from loaders.formats import SAMPLE_SIZE
from loaders.prefixes import declared_prefixes
from loaders.sources import Source, expand_sources
from ontologies.axioms import Ontology, Triple
from ontologies.read_functional import read_functional
from ontologies.read_owlxml import read_owlxml
from ontologies.read_rdf import ontology_of_triples
from reasoner.errors import ParseError

FUNCTIONAL, OWLXML = "functional", "owlxml"
OWL_EXTENSIONS = (".ofn", ".owx")
_NAMES = {
    "ofn": FUNCTIONAL,
    "functional": FUNCTIONAL,
    "owl-functional": FUNCTIONAL,
    "text/owl-functional": FUNCTIONAL,
    "owx": OWLXML,
    "owlxml": OWLXML,
    "owl/xml": OWLXML,
    "application/owl+xml": OWLXML,
}
_FUNCTIONAL_START = re.compile(rb"(?:\s|#[^\n]*\n)*(?:Prefix|Ontology)\s*\(")
_OWLXML_START = re.compile(
    rb"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*<(?:[\w.-]+:)?Ontology[\s>]", re.DOTALL
)


def read_ontology(source: Any, *, format: str | None = None, base: str | None = None) -> Ontology:
    """Read an ontology from a path, a binary stream, ``-`` for standard input, or an owlready2 world or ontology.

    The syntax is told by content and extension unless ``format`` names it: ``functional``, ``owlxml``, or any that
    ``loaders`` know. Imports are not followed: ``ontologies.imports`` does that. Blank nodes of different documents get
    different labels.
    """
    if not isinstance(source, (str, os.PathLike)) and not callable(getattr(source, "read", None)):
        from ontologies.read_owlready import read_owlready

        return read_owlready(source)
    documents = [_read(one, format, base) for one in expand_sources(source)]
    return documents[0] if len(documents) == 1 else _union(documents)


def read_document(path: os.PathLike[str], *, base: str | None = None) -> tuple[tuple[Triple, ...], dict[str, str]]:
    """Read the triples and the prefixes of one document, as ``read_ontology`` has them, without looking for axioms."""
    (source,) = expand_sources(path)
    with source.open() as opened:
        content = opened.stream.read()
    if _sniff(source.name, content) is None:
        from loaders.load import read_triples

        return tuple(read_triples(path, base=base, blank_prefix=blank_prefix(content))), _prefixes(content)
    with nesting_refused(f"an expression of {source.name}"):
        return tuple(_read_content(source, content, None, base).triples), _prefixes(content)


def blank_prefix(content: bytes) -> str:
    """Return a prefix that keeps the blank nodes of a document apart from those of any other."""
    return f"o{sha256(content).hexdigest()[:10]}_"


def _read(source: Source, format: str | None, base: str | None) -> Ontology:
    with source.open() as opened:
        content = opened.stream.read()
    with nesting_refused(f"an expression of {source.name}"):
        ontology = _read_content(source, content, format, base)
    return replace(ontology, prefixes=tuple(_prefixes(content).items()))


def _read_content(source: Source, content: bytes, format: str | None, base: str | None) -> Ontology:
    chosen = _NAMES.get(format.lower().lstrip("."), format) if format else _sniff(source.name, content)
    prefix = blank_prefix(content)
    if chosen == FUNCTIONAL:
        return read_functional(_decode(content, source.name), file=source.name, base=base, blank_prefix=prefix)
    if chosen == OWLXML:
        return read_owlxml(content, file=source.name, base=base, blank_prefix=prefix)
    # Loaded late: RDF syntaxes need parsers that the other two can do without.
    from loaders.load import read_triples

    again = source.path if source.path is not None else io.BytesIO(content)
    return ontology_of_triples(read_triples(again, format=chosen, base=base, blank_prefix=prefix))


def _prefixes(content: bytes) -> dict[str, str]:
    return declared_prefixes(content[:SAMPLE_SIZE])


def _sniff(name: str, content: bytes) -> str | None:
    """Tell the syntaxes of OWL by content; None leaves the decision among RDF syntaxes to the loaders."""
    if name.lower().endswith(".ofn") or _FUNCTIONAL_START.match(content):
        return FUNCTIONAL
    if name.lower().endswith(".owx") or _OWLXML_START.match(content):
        return OWLXML
    return None


def _decode(content: bytes, name: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise ParseError("the text is not UTF-8", file=name, line=line, column=column) from None


def _union(documents: list[Ontology]) -> Ontology:
    """Put documents together; the first that has a name gives it."""
    named = next((document for document in documents if document.iri), documents[0])
    return Ontology(
        axioms=tuple(dict.fromkeys(axiom for document in documents for axiom in document.axioms)),
        triples=tuple(dict.fromkeys(triple for document in documents for triple in document.triples)),
        iri=named.iri,
        version=named.version,
        imports=tuple(dict.fromkeys(name for document in documents for name in document.imports)),
        unread=tuple(triple for document in documents for triple in document.unread),
        annotations=tuple(remark for document in documents for remark in document.annotations),
        axiom_annotations=tuple(remark for document in documents for remark in document.axiom_annotations),
        # The first document that declares a prefix counts.
        prefixes=tuple(dict(pair for document in reversed(documents) for pair in document.prefixes).items()),
    )
