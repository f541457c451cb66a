"""The prefixes that a store of rdflib keeps, on disk if the store is there: a file beside its versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from reasoner.store.namespaces import FILE, read_namespaces, write_namespaces

if TYPE_CHECKING:
    from rdflib.term import URIRef

    from reasoner.reasoner import Reasoner


class Namespaces:
    """Prefixes and namespaces, one to one, as rdflib's own stores have them; a mixin of our store."""

    _prefix_of: dict[URIRef, str]
    _namespace_of: dict[str, URIRef]
    _has_new_prefixes = False

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix to a namespace; without ``override`` only if both are free."""
        if self._namespace_of.get(prefix) == namespace:
            return
        if not override and (prefix in self._namespace_of or namespace in self._prefix_of):
            return
        if (prefix_before := self._prefix_of.pop(namespace, None)) is not None:
            del self._namespace_of[prefix_before]
        if (namespace_before := self._namespace_of.pop(prefix, None)) is not None:
            del self._prefix_of[namespace_before]
        self._prefix_of[namespace] = prefix
        self._namespace_of[prefix] = namespace
        self._has_new_prefixes = True

    def prefix(self, namespace: URIRef) -> str | None:
        """Return the prefix of a namespace."""
        return self._prefix_of.get(namespace)

    def namespace(self, prefix: str) -> URIRef | None:
        """Return the namespace of a prefix."""
        return self._namespace_of.get(prefix)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """Yield prefixes with their namespaces."""
        yield from list(self._namespace_of.items())

    def _recall_namespaces(self, kb: Reasoner) -> None:
        """Bind what was kept with a store on disk, in the place of what is bound otherwise."""
        from rdflib.term import URIRef

        if kb._home is None or not (kb._home.folder / FILE).exists():
            return
        kept = read_namespaces(kb._home.folder)
        for prefix, namespace in kept.items():
            self.bind(prefix, URIRef(namespace))
        self._has_new_prefixes = len(self._namespace_of) > len(kept)

    def _keep_namespaces(self, kb: Reasoner) -> None:
        """Write the prefixes to the folder of a store on disk, if there are others than it has."""
        home = kb._home
        if self._has_new_prefixes and home is not None and home.lock is not None:
            write_namespaces(home.folder, {prefix: str(namespace) for prefix, namespace in self.namespaces()})
            self._has_new_prefixes = False

    def _forget_namespaces(self, kb: Reasoner) -> None:
        """Remove what was kept with a store on disk."""
        if kb._home is not None:
            (kb._home.folder / FILE).unlink(missing_ok=True)
        self._has_new_prefixes = True
