"""Ontologies into a reasoner, with what they import if that is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasoner.rules.term import OWL
from reasoner.short_terms import declare
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    import pyarrow as pa

    from reasoner.columnar.store import ColumnarStore
    from reasoner.quads import GraphName

Folder = str | PathLike[str]

_IMPORTS, _VERSION, _ONTOLOGY = (f"<{OWL}{name}>" for name in ("imports", "versionIRI", "Ontology"))


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of the imports of an ontology: the files that were read, and the terms that nothing was found for.

    Without folders to look in, every import is among the missing that is not loaded already. ``prefixes`` are those
    that the files declare.
    """

    followed: tuple[Path, ...] = ()
    missing: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)


def folders_of(sources: Iterable[object]) -> list[Path]:
    """Return the folders of sources that are files or folders, for the catalogs that may be there."""
    paths = [Path(source) for source in sources if isinstance(source, (str, os.PathLike)) and source != "-"]
    return list(dict.fromkeys(path if path.is_dir() else path.parent for path in paths))


class OntologyLoading:
    """What a reasoner does with an ontology that is handed to it."""

    store: ColumnarStore
    prefixes: dict[str, str]

    if TYPE_CHECKING:

        def add(self, triples: Any, *, graph: GraphName = None) -> int: ...

        def _add_terms(self, terms: Sequence[str] | pa.Array, graph: GraphName) -> int: ...

    def load_ontology(
        self,
        source: Folder | object,
        *,
        format: str | None = None,
        base: str | None = None,
        graph: str | None = None,
        imports: Iterable[Folder] = (),
    ) -> ImportReport:
        """Add an ontology: any RDF syntax, OWL/XML, functional syntax, a graph of rdflib, or an owlready2 world.

        Its triples are explicit facts of ``graph`` like any other; its rules follow from them by the profile. What it
        imports comes with it if it is found in the folders ``imports``, or by a ``catalog-v001.xml`` there or beside
        it, and so does what that imports. Nothing is fetched from elsewhere, and nothing is added if a document is
        malformed.
        """
        from ontologies.read import read_ontology
        from reasoner.triple_text import checked_triples, is_rdflib_graph

        if is_rdflib_graph(source):
            given: Any = source
            self.add(given, graph=graph)
            return self.follow_imports(imports, graph=graph)
        ontology = read_ontology(source, format=format, base=base)
        report = self._add_with_imports(checked_triples(ontology.triples), imports, folders_of([source]), graph)
        # Those of the ontology itself come before those of what it imports.
        declare(self.prefixes, dict(ontology.prefixes))
        declare(self.prefixes, report.prefixes)
        return report

    def follow_imports(
        self, folders: Iterable[Folder], *, beside: Iterable[Folder] = (), graph: str | None = None
    ) -> ImportReport:
        """Add what the ontologies in the store import and is not there yet, as ``load_ontology`` finds it.

        ``beside`` are further folders whose catalogs count, such as that of the importing file.
        """
        report = self._add_with_imports([], folders, beside, graph)
        declare(self.prefixes, report.prefixes)
        return report

    def _add_with_imports(
        self, read: list[TextTriple], folders: Iterable[Folder], beside: Iterable[Folder], graph: str | None
    ) -> ImportReport:
        """Add triples, and the documents that they and the store import, all or nothing."""
        from ontologies.imports import Imported, imports_of, names_of, read_imports
        from reasoner.quads import checked_graph
        from reasoner.triple_text import checked_triples

        name = checked_graph(graph)
        header = [
            *read,
            *self.store.explicit_of((_IMPORTS, _VERSION), frozenset()),
            *self.store.explicit_types((_ONTOLOGY,), frozenset()),
        ]
        known = names_of(header)
        wanted = [term for term in imports_of(header) if term not in known]
        places = list(folders)
        found = read_imports(wanted, places, known=known, beside=beside) if places else Imported((), tuple(wanted))
        triples = [*read, *checked_triples(found.triples)]
        if triples:
            self._add_terms([term for triple in triples for term in triple], name)
        return ImportReport(tuple(path for path, _ in found.documents), found.missing, dict(found.prefixes))
