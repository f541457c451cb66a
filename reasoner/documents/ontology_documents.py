"""Ontologies into a reasoner, with what they import, and inferences back into the world that they came from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaders.local_path import local_path, scheme_of
from reasoner.documents.assertions import triples_in
from reasoner.rules.prefixes import declare
from reasoner.terms.quads import INFERRED
from reasoner.terms.term import OWL, TextTriple

if TYPE_CHECKING:
    from ontologies.write_owlready import WriteBack
    from reasoner.documents.assertions import Assertions
    from reasoner.state.delta import Delta
    from reasoner.state.session import KnowledgeBase

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
    """Return the folders of sources that are files or folders of this machine, for the catalogs that may be there."""
    named = [source for source in sources if isinstance(source, (str, os.PathLike)) and source != "-"]
    paths = [local_path(source) for source in named if scheme_of(source) in (None, "file")]
    return list(dict.fromkeys(path if path.is_dir() else path.parent for path in paths))


def load_ontology(
    assertions: Assertions,
    source: Folder | object,
    *,
    format: str | None,
    base: str | None,
    graph: str | None,
    imports: Iterable[Folder],
) -> ImportReport:
    """Add an ontology, with what it imports; see ``Reasoner.load_ontology``."""
    from ontologies.read import read_ontology
    from reasoner.documents.remote_files import fetched
    from reasoner.terms.triple_text import checked_triples, is_rdflib_graph

    if is_rdflib_graph(source):
        given: Any = source
        assertions.add(given, graph)
        return follow_imports(assertions, imports, (), graph)
    with fetched([source]) as found:
        ontology = read_ontology(source if found == [source] else found, format=format, base=base)
    report = add_with_imports(assertions, checked_triples(ontology.triples), imports, folders_of([source]), graph)
    # Those of the ontology itself come before those of what it imports.
    declare(assertions.prefixes, dict(ontology.prefixes))
    declare(assertions.prefixes, report.prefixes)
    return report


def follow_imports(
    assertions: Assertions, folders: Iterable[Folder], beside: Iterable[Folder], graph: str | None
) -> ImportReport:
    """Add what the ontologies in the store import and is not there yet; see ``Reasoner.follow_imports``."""
    report = add_with_imports(assertions, [], folders, beside, graph)
    declare(assertions.prefixes, report.prefixes)
    return report


def add_with_imports(
    assertions: Assertions,
    read: list[TextTriple],
    folders: Iterable[Folder],
    beside: Iterable[Folder],
    graph: str | None,
) -> ImportReport:
    """Add checked triples, and the documents that they and the store import, all or nothing."""
    from ontologies.imports import Imported, imports_of, names_of, read_imports
    from reasoner.terms.quads import checked_graph
    from reasoner.terms.triple_text import checked_triples

    name, store = checked_graph(graph), assertions.store
    header = [
        *read,
        *store.explicit_of((_IMPORTS, _VERSION), frozenset()),
        *store.explicit_types((_ONTOLOGY,), frozenset()),
    ]
    known = names_of(header)
    wanted = [term for term in imports_of(header) if term not in known]
    places = list(folders)
    found = read_imports(wanted, places, known=known, beside=beside) if places else Imported((), tuple(wanted))
    triples = [*read, *checked_triples(found.triples)]
    if triples:
        assertions.add_terms([term for triple in triples for term in triple], name)
    return ImportReport(tuple(path for path, _ in found.documents), found.missing, dict(found.prefixes))


def write_to_owlready(kb: KnowledgeBase, place: Any, name: str, *, annotations: bool, delta: Delta | None) -> WriteBack:
    """Write the inferred facts of a reasoner into an ontology of an owlready2 world; see ``Reasoner``."""
    from ontologies.write_owlready import OwlreadyTarget, is_shown, turned

    target, shown = OwlreadyTarget(place, name), _Shown(kb)
    left_alone = frozenset() if annotations else shown.annotation_properties()
    if delta is None:
        inferred = {triple for triple in triples_in(kb, INFERRED) if is_shown(triple, left_alone)}
        both = {triple for triple in inferred if (other := turned(triple)) and shown.holds(other)}
        return target.replace(inferred - both)
    changed = {
        triple
        for part in ("inferred_added", "inferred_removed", "asserted_added", "asserted_removed")
        for triple in getattr(delta, part)
        if is_shown(triple, left_alone)
    }
    changed |= {other for triple in changed if (other := turned(triple)) and is_shown(other, left_alone)}
    return target.change(sorted(changed), shown.is_written)


class _Shown:
    """What a world shows of a reasoner."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb

    def is_written(self, triple: TextTriple) -> bool:
        """Tell whether a fact is inferred, and not said by an equivalence."""
        from ontologies.write_owlready import turned

        store, other = self._kb.store, turned(triple)
        is_explicit = store.are_explicit([triple], store.state)[0]
        return self.holds(triple) and not is_explicit and not (other and self.holds(other))

    def annotation_properties(self) -> frozenset[str]:
        found = self._select("?p a <http://www.w3.org/2002/07/owl#AnnotationProperty>")
        return frozenset(row["p"] for row in found)

    def _select(self, patterns: str) -> list[dict[str, str]]:
        from reasoner.state.rule_patterns import select

        self._kb.session.settle()
        return select(self._kb.answering, patterns)

    def holds(self, triple: TextTriple) -> bool:
        known = self._kb.store.dictionary.lookup
        return all(known(term) is not None for term in triple) and bool(self._select(" ".join(triple)))
