"""What a change did to the closure."""

from __future__ import annotations

from dataclasses import dataclass

from reasoner.columnar.store import ColumnarStore, Snapshot
from reasoner.violation import TextTriple


@dataclass(frozen=True, slots=True)
class Delta:
    """The facts that a change added and removed, the asserted and the inferred apart."""

    asserted_added: tuple[TextTriple, ...]
    asserted_removed: tuple[TextTriple, ...]
    inferred_added: tuple[TextTriple, ...]
    inferred_removed: tuple[TextTriple, ...]


def difference(store: ColumnarStore, before: Snapshot, after: Snapshot) -> Delta:
    """Compare two states of a store fact by fact."""
    asserted_added, asserted_removed = store.compare_explicit(before, after)
    added, removed = store.compare_closures(before, after)
    explicit_before, explicit_after = set(asserted_removed), set(asserted_added)
    return Delta(
        tuple(asserted_added),
        tuple(asserted_removed),
        tuple(triple for triple in added if triple not in explicit_after),
        tuple(triple for triple in removed if triple not in explicit_before),
    )
