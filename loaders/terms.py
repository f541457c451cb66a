"""Terms as their canonical N-Triples text: writing them, taking them apart, and crossing over to other libraries.

Equal terms are equal strings: ``xsd:string`` is never written, and only ``\\t \\b \\n \\r \\f \\" \\\\`` are escaped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyoxigraph

XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"
LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"

_ESCAPES = {"\t": "\\t", "\b": "\\b", "\n": "\\n", "\r": "\\r", "\f": "\\f", '"': '\\"', "\\": "\\\\"}
_ESCAPE_TABLE = str.maketrans(_ESCAPES)
_UNESCAPES = {escape[1]: character for character, escape in _ESCAPES.items()} | {"'": "'"}
_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))", re.DOTALL)

_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')


@dataclass(frozen=True, slots=True)
class LiteralParts:
    """What a literal consists of; ``language`` is None for all but language-tagged strings."""

    lexical: str
    language: str | None
    datatype: str


def escape(lexical: str) -> str:
    r"""Escape a lexical form the canonical way.

    >>> print(escape('a"b\n'))
    a\"b\n
    """
    return lexical.translate(_ESCAPE_TABLE)


def unescape(text: str) -> str:
    r"""Resolve every escape of ``text``; raise ``ValueError`` for one that stands for no character.

    >>> unescape(r"caf\u00E9")
    'café'
    """
    return _ESCAPED.sub(_unescaped, text) if "\\" in text else text


def unescaped_iri(text: str) -> str:
    r"""Resolve the escapes of an IRI without its brackets; raise ``ValueError`` for what an IRI cannot hold.

    >>> unescaped_iri(r"http://e.org/caf\u00E9")
    'http://e.org/café'
    """
    if "\\" not in text:
        return text
    iri = unescape(text)
    if found := _NOT_IN_IRI.search(iri):
        raise ValueError(f"an IRI cannot hold {found[0]!r}, not even as an escape")
    return iri


def lone_surrogate(text: str) -> int | None:
    r"""Return where a text holds half of a surrogate pair, which Python takes for a character and Unicode does not.

    >>> lone_surrogate("caf\u00e9"), lone_surrogate("a\ud800")
    (None, 1)
    """
    if text.isascii():
        return None
    return next((place for place, character in enumerate(text) if "\ud800" <= character <= "\udfff"), None)


def iri_text(iri: str) -> str:
    """Write an absolute IRI as a term."""
    return f"<{iri}>"


def literal_text(lexical: str, language: str | None = None, datatype: str | None = None) -> str:
    """Write a literal as a term; a ``language`` makes ``datatype`` irrelevant.

    >>> literal_text("1", datatype="http://www.w3.org/2001/XMLSchema#integer")
    '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    """
    quoted = f'"{escape(lexical)}"'
    if language:
        return f"{quoted}@{language}"
    if datatype is None or datatype == XSD_STRING:
        return quoted
    return f"{quoted}^^<{datatype}>"


def literal_parts(text: str) -> LiteralParts:
    """Take the text of a literal apart; raise ``ValueError`` if it is not one.

    >>> literal_parts('"chat"@fr').language
    'fr'
    """
    # Neither a language tag nor an IRI may hold a quote, so the last quote closes the lexical form.
    end = text.rfind('"')
    suffix = text[end + 1 :]
    if text.startswith('"') and end > 0:
        lexical = unescape(text[1:end])
        if not suffix:
            return LiteralParts(lexical, None, XSD_STRING)
        if suffix.startswith("@"):
            return LiteralParts(lexical, suffix[1:], LANG_STRING)
        if suffix.startswith("^^<") and suffix.endswith(">"):
            return LiteralParts(lexical, None, suffix[3:-1])
    raise ValueError(f"not a literal: {text[:80]}")


def from_oxigraph(term: pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal) -> str:
    """Write a term of pyoxigraph as its canonical text."""
    kind = type(term).__name__
    if kind == "NamedNode":
        return f"<{term.value}>"
    if kind == "BlankNode":
        return f"_:{term.value}"
    literal: Any = term
    return literal_text(literal.value, literal.language, literal.datatype.value)


def to_oxigraph(text: str) -> pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal:
    """Make the pyoxigraph term of a canonical text; pyoxigraph brings language tags to lower case."""
    import pyoxigraph

    if text.startswith("<"):
        return pyoxigraph.NamedNode(text[1:-1])
    if text.startswith("_:"):
        return pyoxigraph.BlankNode(text[2:])
    parts = literal_parts(text)
    if parts.language is not None:
        return pyoxigraph.Literal(parts.lexical, language=parts.language)
    return pyoxigraph.Literal(parts.lexical, datatype=pyoxigraph.NamedNode(parts.datatype))


def from_rdflib(term: Any) -> str:
    """Write a term of rdflib (URIRef, BNode or Literal) as its canonical text."""
    import rdflib

    if isinstance(term, rdflib.URIRef):
        return f"<{term}>"
    if isinstance(term, rdflib.BNode):
        return f"_:{term}"
    if isinstance(term, rdflib.Literal):
        return literal_text(str(term), term.language, None if term.datatype is None else str(term.datatype))
    raise TypeError(f"not an RDF term: {term!r}; expected URIRef, BNode or Literal")


def to_rdflib(text: str) -> Any:
    """Make the rdflib term of a canonical text, with its lexical form untouched."""
    import rdflib

    if text.startswith("<"):
        return rdflib.URIRef(text[1:-1])
    if text.startswith("_:"):
        return rdflib.BNode(text[2:])
    parts = literal_parts(text)
    if parts.language is not None:
        return rdflib.Literal(parts.lexical, lang=parts.language)
    # rdflib distinguishes a plain literal from an xsd:string; RDF 1.1 does not.
    datatype = None if parts.datatype == XSD_STRING else rdflib.URIRef(parts.datatype)
    return rdflib.Literal(parts.lexical, datatype=datatype, normalize=False)


def _unescaped(match: re.Match[str]) -> str:
    short, long, single = match.groups()
    if single is not None:
        if single not in _UNESCAPES:
            raise ValueError(f"unknown escape \\{single}")
        return _UNESCAPES[single]
    number = int(short or long, 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise ValueError(f"{match[0]} is not a Unicode character")
    return chr(number)
