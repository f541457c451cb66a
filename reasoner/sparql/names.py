"""The base and the prefixes of a query: IRIs made absolute, prefixed names written out, unknown prefixes told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urljoin

from reasoner.rules.prefixes import PREDECLARED
from reasoner.sparql.tokens import Tokens, nearest

WELL_KNOWN: Mapping[str, str] = {
    **PREDECLARED,
    "foaf": "http://xmlns.com/foaf/0.1/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dcterms": "http://purl.org/dc/terms/",
    "dct": "http://purl.org/dc/terms/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "schema": "https://schema.org/",
    "prov": "http://www.w3.org/ns/prov#",
    "dcat": "http://www.w3.org/ns/dcat#",
    "void": "http://rdfs.org/ns/void#",
    "sh": "http://www.w3.org/ns/shacl#",
    "geo": "http://www.opengis.net/ont/geosparql#",
}

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:")
_LOCAL_ESCAPE = re.compile(r"\\(.)")


class Names:
    """The base and the prefixes that hold where the tokens are; ``declarations`` adds to them."""

    def __init__(self, tokens: Tokens, base: str, prefixes: Mapping[str, str]) -> None:
        self._tokens = tokens
        self.base = base
        self.prefixes = dict(prefixes)

    def declarations(self) -> None:
        """Read BASE and PREFIX, as many as there are."""
        tokens = self._tokens
        while True:
            if tokens.take("BASE"):
                self.base = self._reference()
            elif tokens.take("PREFIX"):
                declared = tokens.value
                if tokens.kind != "name" or not declared.endswith(":") or declared.index(":") != len(declared) - 1:
                    raise tokens.unexpected("a prefix with its colon")
                tokens.advance()
                self.prefixes[declared[:-1]] = self._reference()
            else:
                return

    def iri(self) -> str:
        """Read an IRI or a prefixed name; return its canonical text."""
        tokens = self._tokens
        if tokens.kind != "name":
            return f"<{self._reference()}>"
        prefix, _, local = tokens.value.partition(":")
        if prefix not in self.prefixes:
            raise tokens.error(unknown_prefix(prefix, self.prefixes), tokens.place)
        tokens.advance()
        if "\\" in local:
            local = _LOCAL_ESCAPE.sub(r"\1", local)
        return f"<{self.prefixes[prefix]}{local}>"

    def _reference(self) -> str:
        """Read an IRI in angle brackets, and make it absolute."""
        place = self._tokens.place
        iri = self._tokens.expect("iri")[1:-1]
        if not self.base or _ABSOLUTE.match(iri):
            return iri
        try:
            resolved = urljoin(self.base, iri)
        except ValueError as error:
            raise self._tokens.error(f"<{iri}> cannot be made absolute: {error}", place) from None
        # An empty fragment is a fragment, which the library leaves out.
        return resolved + "#" if iri.endswith("#") and not resolved.endswith("#") else resolved


def unknown_prefix(prefix: str, declared: Mapping[str, str]) -> str:
    """Return a message that names the remedy: the declaration that is missing, or the prefix that was meant.

    >>> unknown_prefix("rdsf", {})
    'unknown prefix rdsf:, did you mean rdfs:? then add PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>'
    >>> unknown_prefix("xyzzy", {})
    'unknown prefix xyzzy:; declare it with PREFIX xyzzy: <...>'
    """
    message = f"unknown prefix {prefix}:"
    if prefix in WELL_KNOWN:
        return f"{message}; add PREFIX {prefix}: <{WELL_KNOWN[prefix]}>"
    near = nearest(prefix, {**declared, **WELL_KNOWN}, declared)
    if near is None:
        return f"{message}; declare it with PREFIX {prefix}: <...>"
    remedy = "" if near in declared else f" then add PREFIX {near}: <{WELL_KNOWN[near]}>"
    return f"{message}, did you mean {near}:?{remedy}"
