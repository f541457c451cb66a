"""The prefixes that a document declares at its beginning, in whatever syntax it is; for output that people read.

Declarations are looked for as text and not by a parser, because the parsers of RDF/XML and of OWL's own syntaxes do not
tell them, and because what comes of a mistake is only a prefix too many or too few.
"""

from __future__ import annotations

import re

_NAME = r"(?:[A-Za-z_][\w.-]*)?"
_NAMESPACE = r"[A-Za-z][A-Za-z0-9+.-]*:[^<>\s\"'{}|^`\\&]*"
# One way a syntax: Turtle and SPARQL, functional syntax, RDF/XML, OWL/XML.
_TURTLE = re.compile(rf"(?:^|\.)\s*@?prefix\s+({_NAME}):\s*<({_NAMESPACE})>", re.MULTILINE | re.IGNORECASE)
_FUNCTIONAL = re.compile(rf"^\s*Prefix\s*\(\s*({_NAME}):\s*=\s*<({_NAMESPACE})>\s*\)", re.MULTILINE)
_RDFXML = re.compile(rf"\sxmlns:({_NAME})\s*=\s*[\"']({_NAMESPACE})[\"']")
_OWLXML = re.compile(rf"<(?:\w+:)?Prefix\s+name\s*=\s*[\"']({_NAME}):?[\"']\s+IRI\s*=\s*[\"']({_NAMESPACE})[\"']")
# A term of a JSON-LD context is a prefix if its IRI ends in a mark that is not a letter.
_CONTEXT = re.compile(r'"@context"\s*:\s*\{([^{}]*)')
_JSONLD = re.compile(rf'"({_NAME})"\s*:\s*"({_NAMESPACE}[#/:?])"')


def declared_prefixes(sample: bytes) -> dict[str, str]:
    """Return the prefixes that the beginning of a document declares, with their namespaces.

    >>> declared_prefixes(b"@prefix : <http://e.org/> . @prefix x: <urn:x:> . :a x:p :b .")
    {'': 'http://e.org/', 'x': 'urn:x:'}
    """
    text = sample.decode(errors="replace")
    found: dict[str, str] = {}
    for name, namespace in (
        *_TURTLE.findall(text),
        *_FUNCTIONAL.findall(text),
        *_RDFXML.findall(text),
        *_OWLXML.findall(text),
        *(pair for context in _CONTEXT.findall(text) for pair in _JSONLD.findall(context)),
    ):
        found.setdefault(name, namespace)
    return found
