"""The documents that an ontology imports, found in folders of this machine; nothing is fetched from elsewhere.

An imported IRI is looked up, in this order,

1  in the catalog beside the document that imports it,
2  in the catalogs of the folders that were named,
3  as the address of a file,
4  among the documents of these folders whose ontology IRI or version IRI it is.

XML catalogs, by which a folder says where documents are: ``catalog-v001.xml``, as Protégé writes it.

Of OASIS XML Catalogs 1.1 the entries about URIs are read: ``uri``, ``rewriteURI``, ``nextCatalog``, in groups or not,
with ``xml:base``. An entry that leads to another place than a file of this machine leads nowhere: nothing is fetched.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree

from loaders.errors import LoadError, ReasonerError
from loaders.formats import format_of_name
from ontologies.axioms import Triple
from ontologies.read import OWL_EXTENSIONS, read_document
from ontologies.vocabulary import owl
from reasoner.terms.term import RDF_TYPE

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
                catalog.places.setdefault(element.attrib["name"], _joined(base, element.get("uri", "")))
            elif kind == "rewriteURI" and "uriStartString" in element.attrib:
                start = element.attrib["uriStartString"]
                catalog.beginnings.setdefault(start, _joined(base, element.get("rewritePrefix", "")))
            elif kind == "nextCatalog" and (following := file_of(_joined(base, element.get("catalog", "")))):
                waiting.append(following)
    return catalog


def file_of(place: str) -> Path | None:
    """Return the file that an address names, None if it names none of this machine.

    >>> file_of("file:///tmp/a%20b.ttl").as_posix(), file_of("http://e.org/a")
    ('/tmp/a b.ttl', None)
    """
    try:
        parts = urlsplit(place)
    except ValueError:
        return None
    return Path(unquote(parts.path)) if parts.scheme == "file" and parts.netloc in ("", "localhost") else None


def _joined(base: str, reference: str) -> str:
    """Resolve a reference; what has a host that is none stays as it is, and names no file."""
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def _entries(element: ElementTree.Element, base: str) -> Iterator[tuple[ElementTree.Element, str]]:
    base = _joined(base, element.get(_BASE, ""))
    for child in element:
        if child.tag == f"{_NAMESPACE}group":
            yield from _entries(child, base)
        else:
            yield child, _joined(base, child.get(_BASE, ""))


_IMPORTS, _VERSION, _ONTOLOGY = owl("imports"), owl("versionIRI"), owl("Ontology")


@dataclass(frozen=True, slots=True)
class Imported:
    """The documents that were found, in the order of their discovery, and the IRIs that nothing was found for.

    ``prefixes`` are those that the documents declare.
    """

    documents: tuple[tuple[Path, tuple[Triple, ...]], ...]
    missing: tuple[str, ...]
    prefixes: tuple[tuple[str, str], ...] = ()

    @property
    def triples(self) -> tuple[Triple, ...]:
        """What the documents say, all of it."""
        return tuple(triple for _, triples in self.documents for triple in triples)


def imports_of(triples: Iterable[Triple]) -> list[str]:
    """Return the terms of the ontologies that some triples import, each once."""
    return list(dict.fromkeys(o for _, p, o in triples if p == _IMPORTS and o.startswith("<")))


def names_of(triples: Iterable[Triple]) -> set[str]:
    """Return the terms that documents with these triples are imported by: ontology IRIs and version IRIs."""
    found: set[str] = set()
    for s, p, o in triples:
        if p == RDF_TYPE and o == _ONTOLOGY:
            found.add(s)
        elif p == _VERSION:
            found |= {s, o}
    return {name for name in found if name.startswith("<")}


def _own_names(triples: Sequence[Triple]) -> set[str]:
    """Return the names of one document; that of an import may be declared beside it."""
    return names_of(triples) - set(imports_of(triples))


def read_imports(
    wanted: Iterable[str],
    folders: Sequence[str | os.PathLike[str]],
    *,
    known: Collection[str] = (),
    beside: Iterable[str | os.PathLike[str]] = (),
) -> Imported:
    """Read all that some ontologies import, and what that imports in turn, each document once.

    ``wanted`` are terms such as ``<http://e.org/units>``; ``known`` are those that need not be read any more, and
    ``beside`` are the folders of the documents that import them. Cycles end where they began.
    """
    finder = _Finder([_folder(folder) for folder in folders])
    places = tuple(dict.fromkeys(Path(folder) for folder in beside))
    waiting = deque((term, places) for term in dict.fromkeys(wanted))
    read, asked, seen = set(known), set[str](), set[Path]()
    documents: list[tuple[Path, tuple[Triple, ...]]] = []
    missing: dict[str, None] = {}
    prefixes: dict[str, str] = {}
    while waiting:
        term, near = waiting.popleft()
        if term in read or term in asked:
            continue
        asked.add(term)
        path = finder.find(term[1:-1], near)
        if path is None:
            missing[term] = None
            continue
        if path in seen:
            continue
        seen.add(path)
        triples, declared = read_document(path)
        prefixes = {**declared, **prefixes}
        documents.append((path, triples))
        # A catalog may give a document another name than its own, under which others import it.
        read |= _own_names(triples)
        waiting.extend((one, (path.parent,)) for one in imports_of(triples))
    return Imported(tuple(documents), tuple(name for name in missing if name not in read), tuple(prefixes.items()))


class _Finder:
    """Finds documents by IRI; the folders are searched only if no catalog knows."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._named: dict[str, Path] | None = None
        self._catalog = cache(_catalog_in)
        # Those nearer to the top come first.
        found = (catalog.parent for folder in folders for catalog in folder.rglob(NAME))
        self._with_catalogs = sorted(found, key=lambda path: (len(path.parts), path))

    def find(self, iri: str, near: Sequence[Path]) -> Path | None:
        for folder in (*near, *self._with_catalogs):  # 1, 2
            if path := self._catalog(folder).find(iri):
                return path.resolve()
        if (path := file_of(iri)) is not None and path.is_file():  # 3
            return path.resolve()
        return self._documents().get(_bare(iri))  # 4

    def _documents(self) -> dict[str, Path]:
        if self._named is None:
            self._named = {}
            for folder in self._folders:
                for path in sorted(folder.rglob("*")):
                    if path.is_file() and _may_be_ontology(path):
                        for name in sorted(_names_in(path)):
                            self._named.setdefault(_bare(name[1:-1]), path.resolve())
        return self._named


def _folder(folder: str | os.PathLike[str]) -> Path:
    path = Path(folder)
    if not path.is_dir():
        raise LoadError(f"imports are looked for in folders, and {path} is none; name the folder of the documents")
    return path


def _catalog_in(folder: Path) -> Catalog:
    path = folder / NAME
    return read_catalog(path) if path.is_file() else Catalog()


def _may_be_ontology(path: Path) -> bool:
    is_named_so = format_of_name(path.name) is not None or path.suffix.lower() in OWL_EXTENSIONS
    return is_named_so and path.name != NAME and not path.name.startswith(".")


def _names_in(path: Path) -> set[str]:
    """Return the names of a document; one that cannot be read is nobody's import."""
    try:
        return _own_names(read_document(path)[0])
    except ReasonerError:
        return set()


def _bare(iri: str) -> str:
    """Return an IRI without the mark at its end that some write and others leave out."""
    return iri.rstrip("#/")
