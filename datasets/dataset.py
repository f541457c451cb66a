"""What a generator returns: an ontology, and facts that are made while they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .statements import triples


class DatasetError(ValueError):
    """A data set was asked for by an unknown name, or with parameters that it cannot have."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """An ontology and facts, both as N-Triples text.

    ``facts`` starts the generator anew at each call and always yields the same blocks of whole lines.
    """

    ontology: str
    facts: Callable[[], Iterator[str]]

    def ontology_triples(self) -> Iterator[tuple[str, str, str]]:
        """Yield the axioms as triples of canonical N-Triples texts."""
        return triples([self.ontology])

    def fact_triples(self) -> Iterator[tuple[str, str, str]]:
        """Yield the facts as triples of canonical N-Triples texts; a statement may come more than once."""
        return triples(self.facts())


def at_least(low: int, **parameters: int) -> None:
    """Raise a ``DatasetError`` that names the first of ``parameters`` that is below ``low``."""
    for name, value in parameters.items():
        if value < low:
            raise DatasetError(f"{name} must be at least {low}, not {value}")
