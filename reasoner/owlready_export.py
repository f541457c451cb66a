"""Write what a reasoner has inferred into an owlready2 world; a mixin of ``Reasoner``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from reasoner.errors import ReasonerError
from reasoner.violation import TextTriple

if TYPE_CHECKING:
    from ontologies.write_owlready import WriteBack
    from reasoner.delta import Delta

INFERRED = "http://inferred.owl#"


class OwlreadyExport:
    """The way back into the world that an ontology came from."""

    if TYPE_CHECKING:

        def triples(self, *, inferred_only: bool = False, reflexive: bool = False) -> Iterator[TextTriple]: ...

        def select(self, patterns: str, variables: list[str] | None = None) -> list[dict[str, str]]: ...

    def write_to_owlready(
        self, place: Any, *, name: str = INFERRED, annotations: bool = False, delta: Delta | None = None
    ) -> WriteBack:
        """Write the inferred facts into an ontology of an owlready2 world, where its Python objects show them.

        ``place`` is a world, in which the ontology is called ``name``, or an ontology that is to hold inferences and
        nothing else. Written are types, values of properties, equalities, and the hierarchy of named classes and of
        properties; classes that are subclasses of one another are written as equivalent. What is there and no longer
        inferred goes, so that writing twice changes nothing. With the ``delta`` of a transaction only what it changed
        is looked at. Values of annotation properties, which equality spreads, are written with ``annotations`` only.
        """
        from ontologies.write_owlready import OwlreadyTarget, is_shown, turned

        target = OwlreadyTarget(place, name)
        left_alone = frozenset() if annotations else self._annotation_properties()
        if delta is None:
            inferred = {triple for triple in self.triples(inferred_only=True) if is_shown(triple, left_alone)}
            both = {triple for triple in inferred if (other := turned(triple)) and self._holds(other)}
            return target.replace(inferred - both)
        changed = {
            triple
            for part in ("inferred_added", "inferred_removed", "asserted_added", "asserted_removed")
            for triple in getattr(delta, part)
            if is_shown(triple, left_alone)
        }
        changed |= {other for triple in changed if (other := turned(triple)) and is_shown(other, left_alone)}
        return target.change(sorted(changed), self._is_written)

    def _is_written(self, triple: TextTriple) -> bool:
        from ontologies.write_owlready import turned

        other = turned(triple)
        return self._holds(triple) and not self._is_explicit(triple) and not (other and self._holds(other))

    def _annotation_properties(self) -> frozenset[str]:
        found = self.select("?p a <http://www.w3.org/2002/07/owl#AnnotationProperty>")
        return frozenset(row["p"] for row in found)

    def _holds(self, triple: TextTriple) -> bool:
        known = self.store.dictionary.lookup  # type: ignore[attr-defined]
        return all(known(term) is not None for term in triple) and bool(self.select(" ".join(triple)))

    def _is_explicit(self, triple: TextTriple) -> bool:
        store = self.store  # type: ignore[attr-defined]
        return bool(store.are_explicit([triple], store.state)[0])


def refuse_worlds(sources: Iterable[object]) -> None:
    """Raise an error that names the way in if one of the sources of a load is a world or an ontology of owlready2."""
    for source in sources:
        if callable(getattr(source, "save", None)) and hasattr(source, "graph"):
            kind = type(source).__name__
            raise ReasonerError(
                f"load reads files and streams, and not a {kind} of owlready2; use load_ontology for it"
            )
