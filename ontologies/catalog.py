"""XML catalogs, by which a folder says where documents are: ``catalog-v001.xml``, as Protégé writes it.

Of OASIS XML Catalogs 1.1 the entries about URIs are read: ``uri``, ``rewriteURI``, ``nextCatalog``, in groups or not,
with ``xml:base``. An entry that leads to another place than a file of this machine leads nowhere: nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree

from loaders.errors import LoadError

NAME = "catalog-v001.xml"
_NAMESPACE = "{urn:oasis:names:tc:entity:xmlns:xml:catalog}"
_BASE = "{http://www.w3.org/XML/1998/namespace}base"


@dataclass(frozen=True, slots=True)
class Catalog:
    """Where documents are by their IRIs: whole ones, and beginnings that are replaced by others."""

    places: dict[str, str] = field(default_factory=dict)
    beginnings: dict[str, str] = field(default_factory=dict)

    def find(self, iri: str) -> Path | None:
        """Return the file that an IRI stands for, if it is there."""
        candidates = [self.places[iri]] if iri in self.places else []
        # The longest beginning counts, as the standard has it.
        fitting = sorted((start for start in self.beginnings if iri.startswith(start)), key=len, reverse=True)
        candidates += [self.beginnings[start] + iri[len(start) :] for start in fitting[:1]]
        return next((path for place in candidates if (path := file_of(place)) is not None and path.is_file()), None)


def read_catalog(path: Path) -> Catalog:
    """Read a catalog and those that it names, each once; the entries that come first count."""
    catalog = Catalog()
    waiting, seen = [path], set[Path]()
    while waiting:
        one = waiting.pop(0).resolve()
        if one in seen or (seen and not one.is_file()):
            continue
        seen.add(one)
        try:
            root = ElementTree.parse(one).getroot()
        except (ElementTree.ParseError, OSError) as error:
            raise LoadError(f"{one} is no catalog that can be read: {error}; mend it, or remove it") from error
        for element, base in _entries(root, one.as_uri()):
            kind = element.tag.removeprefix(_NAMESPACE)
            if kind == "uri" and "name" in element.attrib:
                catalog.places.setdefault(element.attrib["name"], urljoin(base, element.get("uri", "")))
            elif kind == "rewriteURI" and "uriStartString" in element.attrib:
                start = element.attrib["uriStartString"]
                catalog.beginnings.setdefault(start, urljoin(base, element.get("rewritePrefix", "")))
            elif kind == "nextCatalog" and (following := file_of(urljoin(base, element.get("catalog", "")))):
                waiting.append(following)
    return catalog


def file_of(place: str) -> Path | None:
    """Return the file that an address names, None if it names none of this machine.

    >>> file_of("file:///tmp/a%20b.ttl").as_posix(), file_of("http://e.org/a")
    ('/tmp/a b.ttl', None)
    """
    parts = urlsplit(place)
    return Path(unquote(parts.path)) if parts.scheme == "file" and parts.netloc in ("", "localhost") else None


def _entries(element: ElementTree.Element, base: str) -> Iterator[tuple[ElementTree.Element, str]]:
    base = urljoin(base, element.get(_BASE, ""))
    for child in element:
        if child.tag == f"{_NAMESPACE}group":
            yield from _entries(child, base)
        else:
            yield child, urljoin(base, child.get(_BASE, ""))
