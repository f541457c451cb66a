"""Violations about values, reported with the subjects and properties that have these values.

Two constraints of OWL 2 RL match literals alone: dt-not-type finds ``"old" a xsd:integer``, a value outside its
datatype, and dt-diff finds ``1 owl:sameAs 2``, two values that a property with at most one value makes equal. A user
asks which subject has the value, and by which property. So a match is reported once for each subject and property that
the ranges, functional properties and restrictions of the ontology lead from; the literals stand alone only where there
are none.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reasoner.columnar.bindings import Bindings, extend
from reasoner.columnar.engine import ColumnarEngine
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids
from reasoner.columnar.representatives import Representatives
from reasoner.literals.builtins import same_value
from reasoner.rules.encode import EncodedRule, Triple, is_variable
from reasoner.rules.term import OWL, RDFS, XSD
from reasoner.violation import TextTriple
from reasoner.vocabulary import SAME, TYPE

_RULES = {"dt-not-type": TYPE, "dt-diff": SAME}
_RANGE, _ALL, _ON = f"<{RDFS}range>", f"<{OWL}allValuesFrom>", f"<{OWL}onProperty>"
_FUNCTIONAL, _MOST = f"<{OWL}FunctionalProperty>", f"<{OWL}maxCardinality>"
_ONE = f'"1"^^<{XSD}nonNegativeInteger>'
_VALUE, _OTHER, _SUBJECT, _PROPERTY, _RESTRICTION, _NUMBER = -1, -2, -3, -4, -5, -6
_HAS, _HAS_OTHER = (_SUBJECT, _PROPERTY, _VALUE), (_SUBJECT, _PROPERTY, _OTHER)


def is_value_check(rule: EncodedRule) -> bool:
    """Tell whether a constraint matches values alone: one outside its datatype, or two that cannot be equal."""
    return len(rule.body) == 1 and rule.body[0][1] == _RULES.get(rule.origin.name)


class ValueOwners:
    """One state, asked for the subjects and properties of values that violate a constraint."""

    def __init__(self, engine: ColumnarEngine, facts: FactSet, representatives: Representatives) -> None:
        self._engine = engine
        self._facts = facts
        ids = [engine.dictionary.lookup(text) for text in (_RANGE, _ALL, _ON, _FUNCTIONAL, _MOST)]
        self._range, self._all, self._on, self._functional, self._most = (
            -1 if id is None else representatives.of_one(id) for id in ids
        )

    def reported(self, value: int, predicate: int, other: int) -> list[tuple[TextTriple, ...]]:
        """Return the facts behind ``value predicate other``, a row for each subject and property of the value."""
        start = Bindings({_VALUE: np.array([value]), _OTHER: np.array([other])}, 1)
        ways = self._ways_to_datatypes() if predicate == TYPE else self._ways_to_equalities()
        found = [row for way in ways for bindings in self._matches(start, way) for row in self._texts(way, bindings)]
        return sorted(set(found)) or list(self._texts(((_VALUE, predicate, _OTHER),), start))

    def depend_on(self, changed: FactSet) -> bool:
        """Tell whether changed facts are axioms that say which values a property may have."""
        if any(predicate in changed for predicate in (self._range, self._all, self._on, self._most)):
            return True
        if TYPE not in changed:
            return False
        classes = changed.table(TYPE).pairs()[1]
        restrictions = [self._facts.table(p).pairs()[0] for p in (self._all, self._most) if p in self._facts]
        return bool(np.isin(classes, np.concatenate([*restrictions, np.array([self._functional])])).any())

    def touched(self, changed: FactSet) -> Ids:
        """Return the terms that changed facts have as their values, or give types to."""
        parts = [changed.table(predicate).pairs()[0 if predicate == TYPE else 1] for predicate in changed]
        return np.unique(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)

    def _ways_to_datatypes(self) -> tuple[tuple[Triple, ...], ...]:
        restricted = (_RESTRICTION, self._all, _OTHER), (_RESTRICTION, self._on, _PROPERTY)
        return (
            ((_PROPERTY, self._range, _OTHER), _HAS),
            (*restricted, (_SUBJECT, TYPE, _RESTRICTION), _HAS),
        )

    def _ways_to_equalities(self) -> tuple[tuple[Triple, ...], ...]:
        restricted = (_RESTRICTION, self._most, _NUMBER), (_RESTRICTION, self._on, _PROPERTY)
        return (
            ((_PROPERTY, TYPE, self._functional), _HAS, _HAS_OTHER),
            (*restricted, (_SUBJECT, TYPE, _RESTRICTION), _HAS, _HAS_OTHER),
        )

    def _matches(self, start: Bindings, atoms: tuple[Triple, ...]) -> Iterator[Bindings]:
        if not atoms:
            yield start
        elif is_variable(atoms[0][1]) or atoms[0][1] in self._facts:
            for piece in extend(start, atoms[0], self._facts, frozenset()):
                yield from self._matches(piece, atoms[1:])

    def _texts(self, atoms: tuple[Triple, ...], found: Bindings) -> Iterator[tuple[TextTriple, ...]]:
        text = self._engine.dictionary.text
        columns = {term: column.tolist() for term, column in found.columns.items()}
        for row in range(found.size):
            names = {term: text(column[row]) for term, column in columns.items()}
            if _NUMBER in names and not same_value(names[_NUMBER], _ONE):
                continue
            yield tuple((names[s], names.get(p) or text(p), names.get(o) or text(o)) for s, p, o in atoms)
