"""The prefixes that a store of rdflib keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rdflib.term import URIRef


class Namespaces:
    """Prefixes and namespaces, one to one, as rdflib's own stores have them."""

    _prefix_of: dict[URIRef, str]
    _namespace_of: dict[str, URIRef]

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix to a namespace; without ``override`` only if both are free."""
        if not override and (prefix in self._namespace_of or namespace in self._prefix_of):
            return
        if (prefix_before := self._prefix_of.pop(namespace, None)) is not None:
            del self._namespace_of[prefix_before]
        if (namespace_before := self._namespace_of.pop(prefix, None)) is not None:
            del self._prefix_of[namespace_before]
        self._prefix_of[namespace] = prefix
        self._namespace_of[prefix] = namespace

    def prefix(self, namespace: URIRef) -> str | None:
        """Return the prefix of a namespace."""
        return self._prefix_of.get(namespace)

    def namespace(self, prefix: str) -> URIRef | None:
        """Return the namespace of a prefix."""
        return self._namespace_of.get(prefix)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """Yield prefixes with their namespaces."""
        yield from list(self._namespace_of.items())
