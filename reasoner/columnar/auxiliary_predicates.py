"""Which predicates of facts are auxiliary classes, told by the text of each predicate once."""

from __future__ import annotations

from collections.abc import Iterable

from loaders.dictionary import Dictionary
from reasoner.columnar.factset import FactSet
from reasoner.rules.auxiliary import is_auxiliary
from reasoner.vocabulary import OCCURS


class AuxiliaryPredicates:
    """The predicates of a dictionary that are auxiliary classes: facts with them are never shown."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._known: dict[int, bool] = {OCCURS: False}
        self._truncations = dictionary.truncations

    def __contains__(self, predicate: int) -> bool:
        if self._truncations != self._dictionary.truncations:
            # Ids may have been given to other terms since.
            self._known, self._truncations = {OCCURS: False}, self._dictionary.truncations
        known = self._known.get(predicate)
        if known is None:
            known = self._known[predicate] = is_auxiliary(self._dictionary.text(predicate))
        return known

    def among(self, predicates: Iterable[int]) -> frozenset[int]:
        """Return those of some predicates that are auxiliary classes."""
        return frozenset(predicate for predicate in predicates if predicate in self)


def shown_facts(facts: FactSet, auxiliary: AuxiliaryPredicates) -> FactSet:
    """Return the facts that are neither notes that terms occur nor about auxiliary classes."""
    return facts.only(predicate for predicate in facts if predicate != OCCURS and predicate not in auxiliary)


class Unranged:
    """The predicates that a variable predicate does not range over: some, and all auxiliary classes."""

    def __init__(self, predicates: frozenset[int], auxiliary: AuxiliaryPredicates) -> None:
        self._predicates = predicates
        self._auxiliary = auxiliary

    def __contains__(self, predicate: int) -> bool:
        return predicate in self._predicates or predicate in self._auxiliary

    def among(self, predicates: Iterable[int]) -> frozenset[int]:
        """Return those of some predicates, and the others that are known beforehand."""
        return self._predicates | self._auxiliary.among(predicates)
