"""The documents that an ontology imports, found in folders of this machine; nothing is fetched from elsewhere.

An imported IRI is looked up, in this order,

1  in the catalog beside the document that imports it,
2  in the catalogs of the folders that were named,
3  as the address of a file,
4  among the documents of these folders whose ontology IRI or version IRI it is.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from loaders.errors import LoadError, ReasonerError
from loaders.formats import format_of_name
from ontologies.axioms import Triple
from ontologies.catalog import NAME, Catalog, file_of, read_catalog
from ontologies.read import OWL_EXTENSIONS, read_document
from ontologies.vocabulary import owl
from reasoner.rules.term import RDF_TYPE

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
