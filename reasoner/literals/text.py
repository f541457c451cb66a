"""The canonical N-Triples text of a literal, taken apart and put together."""

from __future__ import annotations

import re

from reasoner.rules.term import RDF, XSD

XSD_STRING = XSD + "string"
LANG_STRING = RDF + "langString"

_UNESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPED = str.maketrans(
    {"\t": "\\t", "\b": "\\b", "\n": "\\n", "\r": "\\r", "\f": "\\f", '"': '\\"', "\\": "\\\\"},
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([tbnrf\"'\\]))")


def literal_parts(text: str) -> tuple[str, str, str | None]:
    r"""Take a literal apart into its unescaped lexical form, datatype IRI and language tag.

    Raises ``ValueError`` for a text that is no literal.

    >>> literal_parts('"a\\"b"')
    ('a"b', 'http://www.w3.org/2001/XMLSchema#string', None)
    >>> literal_parts('"chat"@fr')
    ('chat', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString', 'fr')
    """
    # Neither a language tag nor an IRI may hold a quote, so the last quote closes the lexical form.
    end = text.rfind('"')
    if not text.startswith('"') or end == 0:
        raise ValueError(f"not a literal: {text[:80]}")
    lexical = unescape(text[1:end])
    suffix = text[end + 1 :]
    if not suffix:
        return lexical, XSD_STRING, None
    if suffix.startswith("@"):
        return lexical, LANG_STRING, suffix[1:]
    if suffix.startswith("^^<") and suffix.endswith(">"):
        return lexical, suffix[3:-1], None
    raise ValueError(f"not a literal: {text[:80]}")


def literal_text(lexical: str, datatype: str = XSD_STRING, language: str | None = None) -> str:
    r"""Write a literal as its canonical text; ``lexical`` is unescaped, ``language`` wins over ``datatype``.

    >>> literal_text('say "hi"\n')
    '"say \\"hi\\"\\n"'
    >>> literal_text("5", "http://www.w3.org/2001/XMLSchema#integer")
    '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'
    """
    quoted = f'"{escape(lexical)}"'
    if language is not None:
        return f"{quoted}@{language}"
    return quoted if datatype == XSD_STRING else f"{quoted}^^<{datatype}>"


def escape(lexical: str) -> str:
    """Escape the characters that canonical N-Triples escapes, and no others."""
    return lexical.translate(_ESCAPED)


def unescape(body: str) -> str:
    r"""Replace every escape sequence of Turtle strings by the character that it stands for.

    Raises ``ValueError`` for an escape that stands for no Unicode scalar value, and for a backslash that begins none.

    >>> unescape("caf\\u00E9")
    'café'
    """
    if "\\" not in body:
        return body
    pieces: list[str] = []
    position = 0
    while (backslash := body.find("\\", position)) >= 0:
        match = _ESCAPE.match(body, backslash)
        if match is None:
            raise ValueError(f"unknown escape {body[backslash : backslash + 2]}")
        pieces += (body[position:backslash], _character(match))
        position = match.end()
    pieces.append(body[position:])
    return "".join(pieces)


def _character(match: re.Match[str]) -> str:
    if letter := match[3]:
        return _UNESCAPED[letter]
    code = int(match[1] or match[2], 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise ValueError(f"{match[0]} is not a Unicode character")
    return chr(code)
