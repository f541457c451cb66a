"""Terms as people read them: with the prefixes that the input declared, and those that everybody knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from reasoner.rules.prefixes import PREDECLARED, shorten
from reasoner.rules.term import RDF_TYPE

COMMON: Mapping[str, str] = {
    **PREDECLARED,
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "prov": "http://www.w3.org/ns/prov#",
    "sh": "http://www.w3.org/ns/shacl#",
    "swrl": "http://www.w3.org/2003/11/swrl#",
    "swrlb": "http://www.w3.org/2003/11/swrlb#",
}

# A quoted string is left as it is, whatever is in it; an IRI behind it is its datatype.
_STRING_OR_IRI = re.compile(r'"(?:[^"\\]|\\.)*"|<[^<>"{}|^`\\\s]+>', re.DOTALL)


class ShortTerms:
    """Writes terms with prefixes: those that are given, then the common ones; or in full, if that is asked for.

    >>> names = ShortTerms({"": "http://e.org/"})
    >>> names.triple(("<http://e.org/tom>", RDF_TYPE, "<http://e.org/Cat>"))
    ':tom a :Cat'
    >>> names.text('DataHasValue(<http://e.org/age> "1"^^<http://www.w3.org/2001/XMLSchema#integer>)')
    'DataHasValue(:age "1"^^xsd:integer)'
    >>> ShortTerms({"": "http://e.org/"}, full=True).term("<http://e.org/tom>")
    '<http://e.org/tom>'
    """

    def __init__(self, prefixes: Mapping[str, str] | None = None, *, full: bool = False) -> None:
        given = dict(prefixes or {})
        common = {
            name: space for name, space in COMMON.items() if name not in given and space not in set(given.values())
        }
        self.prefixes: Mapping[str, str] = {} if full else {**given, **common}
        self.full = full

    def term(self, term: str) -> str:
        """Write a term."""
        return self.text(term)

    def triple(self, triple: Iterable[str]) -> str:
        """Write a triple; rdf:type is ``a``, unless terms are written in full."""
        s, p, o = triple
        return f"{self.term(s)} {'a' if p == RDF_TYPE and not self.full else self.term(p)} {self.term(o)}"

    def text(self, text: str) -> str:
        """Write a text with all IRIs in it shortened that are not inside of quotes."""
        if self.full:
            return text
        return _STRING_OR_IRI.sub(
            lambda found: shorten(found[0], self.prefixes) if found[0].startswith("<") else found[0], text
        )


def declared_in(sample: bytes) -> dict[str, str]:
    """Return the prefixes that the beginning of a document, or of a question, declares."""
    from loaders.prefixes import declared_prefixes

    return declared_prefixes(sample)


def declare(known: dict[str, str], declared: Mapping[str, str]) -> bool:
    """Take over prefixes whose names and namespaces are both free, and tell whether there were any.

    >>> known = {"": "http://a/"}
    >>> declare(known, {"": "http://b/", "a": "http://a/", "c": "http://c/"}), known
    (True, {'': 'http://a/', 'c': 'http://c/'})
    """
    before = len(known)
    for name, namespace in declared.items():
        if name not in known and namespace not in known.values():
            known[name] = namespace
    return len(known) > before
