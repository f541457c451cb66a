"""What explicit facts say about the names of an ontology, looked up one by one."""

from __future__ import annotations

import numpy as np

from loaders.dictionary import Dictionary
from reasoner.columnar.factset import FactSet


class SchemaLookup:
    """Explicit facts by their terms' texts; terms that no fact mentions get no id."""

    def __init__(self, explicit: FactSet, dictionary: Dictionary) -> None:
        self._explicit = explicit
        self._dictionary = dictionary

    def has(self, subject: str, predicate: str, object: str) -> bool:
        """Tell whether a triple is explicit."""
        s, p, o = map(self._dictionary.lookup, (subject, predicate, object))
        if s is None or p is None or o is None:
            return False
        return bool(self._explicit.table(p).contains(np.array([s]), np.array([o]))[0])

    def values(self, subject: str, predicate: str) -> list[str]:
        """Return the objects of a subject and predicate."""
        s, p = map(self._dictionary.lookup, (subject, predicate))
        if s is None or p is None:
            return []
        return self._dictionary.decode(self._explicit.table(p).objects_of(s))

    def has_object(self, predicate: str, object: str) -> bool:
        """Tell whether some subject has an object."""
        p, o = map(self._dictionary.lookup, (predicate, object))
        return p is not None and o is not None and self._explicit.table(p).subjects_of(o).size > 0

    def has_predicate(self, predicate: str) -> bool:
        """Tell whether there is any fact of a predicate."""
        p = self._dictionary.lookup(predicate)
        return p is not None and self._explicit.table(p).size > 0
