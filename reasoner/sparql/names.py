"""IRIs, prefixed names and literals of a parse tree to canonical texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from loaders.terms import from_rdflib, literal_text
from reasoner.sparql.errors import QuerySyntaxError
from reasoner.sparql.unknown_prefix import unknown_prefix

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_LOCAL_ESCAPE = re.compile(r"\\(.)")


class Names:
    """The base and the prefixes of one query."""

    def __init__(self, text: str, prologue: Any, base: str, prefixes: Mapping[str, str]) -> None:
        self.text = text
        self.base = base
        self.prefixes = dict(prefixes)
        for declaration in prologue:
            if declaration.name == "Base":
                self.base = self.resolve(str(declaration.iri))
            else:
                self.prefixes[declaration.prefix or ""] = self.resolve(str(declaration.iri))

    def resolve(self, iri: str) -> str:
        """Make an IRI absolute."""
        if not self.base or _ABSOLUTE.match(iri):
            return iri
        resolved = urljoin(self.base, iri)
        # An empty fragment is a fragment, which the library leaves out.
        return resolved + "#" if iri.endswith("#") and not resolved.endswith("#") else resolved

    def text_of(self, term: Any) -> str:
        """Return the canonical text of a constant of the parse tree."""
        kind = getattr(term, "name", None)
        if kind == "pname":
            return f"<{self._expanded(term.prefix or '', term.localname or '')}>"
        if kind == "literal":
            datatype = None if term.datatype is None else self.text_of(term.datatype)[1:-1]
            return literal_text(str(term.string), term.lang, datatype)
        text = from_rdflib(term)
        return f"<{self.resolve(text[1:-1])}>" if text.startswith("<") else text

    def _expanded(self, prefix: str, local: str) -> str:
        if prefix not in self.prefixes:
            raise self._unknown_prefix(prefix, local)
        return self.prefixes[prefix] + _LOCAL_ESCAPE.sub(r"\1", local)

    def _unknown_prefix(self, prefix: str, local: str) -> QuerySyntaxError:
        place = re.search(rf"(?<![\w.-]){re.escape(f'{prefix}:{local}')}", self.text)
        return QuerySyntaxError(unknown_prefix(prefix, self.prefixes), self.text, place.start() if place else 0)
