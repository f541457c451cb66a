"""What a reasoner holds as a file, in any syntax: all that follows, only what was inferred, or what was asserted."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

from reasoner.rules.errors import ReasonerError

if TYPE_CHECKING:
    from reasoner.state.session import KnowledgeBase

PARTS = ("closure", "inferred", "asserted")
FORMATS = ("nt", "nq", "ttl", "trig", "rdf", "jsonld")
_WITH_GRAPHS = ("nq", "trig")
_SYNTAXES = {"ttl": "turtle", "trig": "trig", "rdf": "rdfxml", "jsonld": "jsonld"}
_ALIASES = {
    **{name: name for name in FORMATS},
    "ntriples": "nt",
    "n-triples": "nt",
    "nquads": "nq",
    "n-quads": "nq",
    "turtle": "ttl",
    "rdfxml": "rdf",
    "rdf-xml": "rdf",
    "rdf/xml": "rdf",
    "xml": "rdf",
    "json-ld": "jsonld",
    "json": "jsonld",
}
_ENDINGS = {
    **{f".{name}": name for name in FORMATS},
    ".xml": "rdf",
    ".owl": "rdf",
    ".rdfs": "rdf",
    ".turtle": "ttl",
    ".n3": "ttl",
    ".json": "jsonld",
    ".ntriples": "nt",
    ".nquads": "nq",
}
_COMPRESSED = (".gz", ".bz2", ".zst")


def format_named(name: str) -> str:
    """Return the format that a user means by a name.

    >>> format_named("turtle"), format_named("nquads")
    ('ttl', 'nq')
    """
    try:
        return _ALIASES[name.strip().lower().lstrip(".")]
    except KeyError:
        raise ReasonerError(f"cannot write {name!r}: choose one of {', '.join(FORMATS)}") from None


def format_of_name(target: object, otherwise: str = "nt") -> str:
    """Return the format that the name of a file asks for, compression aside.

    >>> format_of_name("closure.ttl.gz"), format_of_name("closure")
    ('ttl', 'nt')
    """
    if not isinstance(target, (str, PathLike)):
        return otherwise
    endings = [ending.lower() for ending in PurePath(target).suffixes]
    if endings and endings[-1] in _COMPRESSED:
        endings.pop()
    return _ENDINGS.get(endings[-1], otherwise) if endings else otherwise


def dump(
    kb: KnowledgeBase,
    target: str | PathLike[str] | BinaryIO,
    *,
    format: str = "nt",
    part: str = "closure",
    reflexive: bool = False,
) -> int:
    """Write a part of what a reasoner holds and return how many triples, or quads, that is.

    N-Quads and TriG tell in which graphs triples are asserted; what was inferred belongs to none, and stands in their
    default graph. Turtle, TriG, RDF/XML and JSON-LD have the prefixes of the input. A file is compressed by its
    extension, and written whole or not at all.
    """
    chosen = format_named(format)
    if part not in PARTS:
        raise ReasonerError(f"unknown part {part!r}: choose one of {', '.join(PARTS)}")
    from loaders.write import write_nquads, write_ntriples, write_syntax
    from reasoner.documents.remote_files import sent

    store = kb.store
    if chosen == "nt":
        if part == "asserted":
            return write_ntriples(target, store.dictionary, *store.state.explicit.columns())
        kb.session.settle()
        with sent(target) as file:
            return kb.answering.write(file, inferred_only=part == "inferred", reflexive=reflexive)
    if part != "asserted":
        # The names of terms may be others from here on, where answers give literals by value.
        kb.session.settle()
        store = kb.answering
    graphs = _graphs(kb, part, reflexive, with_graphs=chosen in _WITH_GRAPHS)
    if chosen == "nq":
        return write_nquads(target, store.dictionary, graphs)
    try:
        return write_syntax(target, store.dictionary, graphs, _SYNTAXES[chosen], _written(kb.prefixes))
    except ValueError as error:
        raise ReasonerError(f"a triple cannot be said in {chosen}: {error}; use nt") from error


def _graphs(kb: KnowledgeBase, part: str, reflexive: bool, *, with_graphs: bool) -> Iterator[tuple[int, Any, Any, Any]]:
    """Yield what to write by graph: the columns of ids, -1 being the default graph."""
    state = kb.store.state
    if part == "asserted" or (with_graphs and part == "closure"):
        if with_graphs:
            yield from ((id, *facts.columns()) for id, facts in state.graphs.by_graph(state.explicit))
        else:
            yield (-1, *state.explicit.columns())
    if part != "asserted":
        # What is asserted is in its graphs already.
        only = part == "inferred" or with_graphs
        for s, p, o in kb.answering.columns(inferred_only=only, reflexive=reflexive):
            yield -1, s, p, o


def _written(prefixes: dict[str, str]) -> dict[str, str]:
    """Return the prefixes to declare, with the usual four where their names are free."""
    from reasoner.rules.prefixes import PREDECLARED

    usual = {name: space for name, space in PREDECLARED.items() if name not in prefixes}
    return {**prefixes, **{name: space for name, space in usual.items() if space not in prefixes.values()}}
