"""Prefixes: the names that are always known, and the shortest way to write an IRI with given ones.

Terms as people read them: with the prefixes that the input declared, and those that everybody knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from reasoner.terms.term import OWL, RDF, RDF_TYPE, RDFS, XSD

PREDECLARED: Mapping[str, str] = {"rdf": RDF, "rdfs": RDFS, "owl": OWL, "xsd": XSD}

# A local name that every reader of prefixed names takes without escapes.
_PLAIN_LOCAL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_NAMESPACE = re.compile(r"(.+[/#:])([^/#:]+)")


def shorten(constant: str, prefixes: Mapping[str, str]) -> str:
    """Write an IRI constant as a prefixed name if one of the prefixes allows it, else leave it as it is.

    >>> shorten("<http://www.w3.org/2002/07/owl#sameAs>", PREDECLARED)
    'owl:sameAs'
    >>> shorten("<http://example.org/a>", PREDECLARED)
    '<http://example.org/a>'
    """
    if not constant.startswith("<"):
        return constant
    text = constant[1:-1]
    best = ""
    for prefix, namespace in prefixes.items():
        if text.startswith(namespace) and _PLAIN_LOCAL.fullmatch(text, len(namespace)):
            short = f"{prefix}:{text[len(namespace) :]}"
            best = min(best or short, short, key=lambda name: (len(name), name))
    return best or constant


def readable_name(constant: str, prefixes: Mapping[str, str] = PREDECLARED) -> str:
    """Return a name for people: prefixed if possible, else the last part of the IRI, else the constant as it is.

    >>> readable_name("<http://example.org/people#Parent>")
    'Parent'
    """
    short = shorten(constant, prefixes)
    if short != constant or not constant.startswith("<"):
        return short
    match = _NAMESPACE.fullmatch(constant[1:-1])
    return match[2] if match else constant


def choose_prefixes(constants: Iterable[str], declared: Mapping[str, str] | None = None) -> dict[str, str]:
    """Choose a prefix for every namespace that two or more of the IRI constants share, in a fixed order.

    The predeclared prefixes come first, then the ``declared`` ones that shorten a constant. For any other the name is
    the last word of the namespace if it has one, numbered where that is taken.
    """
    chosen = dict(PREDECLARED)
    counts: dict[str, int] = {}
    distinct = sorted(set(constants))
    for name, namespace in (declared or {}).items():
        if name not in chosen and namespace not in chosen.values():
            alone = {name: namespace}
            if any(shorten(constant, alone) != constant for constant in distinct):
                chosen[name] = namespace
    for constant in distinct:
        match = _NAMESPACE.fullmatch(constant[1:-1]) if constant.startswith("<") else None
        if match and _PLAIN_LOCAL.fullmatch(match[2]):
            counts[match[1]] = counts.get(match[1], 0) + 1
    for namespace, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if count > 1 and namespace not in chosen.values():
            chosen[_unused_prefix(namespace, chosen)] = namespace
    return chosen


def _unused_prefix(namespace: str, taken: Mapping[str, str]) -> str:
    words = [word.lower() for word in re.findall(r"[A-Za-z]+", namespace.partition("://")[2] or namespace)]
    word = next((word for word in reversed(words) if 1 < len(word) <= 12 and word not in ("owl", "rdf")), "ns")
    return (
        word
        if word not in taken
        else next(name for number in range(1, len(taken) + 2) if (name := f"{word}{number}") not in taken)
    )


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

# Literals that Turtle can write without quotes and datatype.
_ABBREVIATED = re.compile(
    rf'"([+-]?[0-9]+)"\^\^<{XSD}integer>|"([+-]?[0-9]*\.[0-9]+)"\^\^<{XSD}decimal>|"(true|false)"\^\^<{XSD}boolean>'
    rf'|"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+)"\^\^<{XSD}double>'
)


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

    def cell(self, term: str) -> str:
        """Write a term for a table: a number or boolean as Turtle abbreviates it, unless terms are written in full.

        >>> ShortTerms().cell('"24"^^<http://www.w3.org/2001/XMLSchema#integer>')
        '24'
        """
        found = None if self.full else _ABBREVIATED.fullmatch(term)
        return next(filter(None, found.groups())) if found else self.term(term)

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
    from loaders.formats import declared_prefixes

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
