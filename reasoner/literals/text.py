"""The canonical text of a literal, taken apart and put together the way that values need it."""

from __future__ import annotations

from loaders import terms
from loaders.terms import LANG_STRING, XSD_STRING, escape, lone_surrogate, unescape

__all__ = [
    "LANG_STRING",
    "XSD_STRING",
    "escape",
    "literal_parts",
    "literal_text",
    "lone_surrogate",
    "unescape",
]


def literal_parts(text: str) -> tuple[str, str, str | None]:
    r"""Take a literal apart into its unescaped lexical form, datatype IRI and language tag.

    Raises ``ValueError`` for a text that is no literal.

    >>> literal_parts('"a\\"b"')
    ('a"b', 'http://www.w3.org/2001/XMLSchema#string', None)
    >>> literal_parts('"chat"@fr')
    ('chat', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString', 'fr')
    """
    parts = terms.literal_parts(text)
    return parts.lexical, parts.datatype, parts.language


def literal_text(lexical: str, datatype: str = XSD_STRING, language: str | None = None) -> str:
    r"""Write a literal as its canonical text; ``lexical`` is unescaped, ``language`` wins over ``datatype``.

    >>> literal_text('say "hi"\n')
    '"say \\"hi\\"\\n"'
    >>> literal_text("5", "http://www.w3.org/2001/XMLSchema#integer")
    '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'
    """
    return terms.literal_text(lexical, language, datatype)
