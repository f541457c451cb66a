"""Whether a rule body can match at all, told by predicates and classes alone, before anything is joined.

A change wakes up every rule with a variable predicate, and most find nothing: ``?p rdfs:domain ?c, ?x ?p ?y`` matches
a new fact only if its predicate is the subject of some rdfs:domain. The names of a small set, and the terms that a
small table has at either end, are few and kept, so that comparing them costs a hundredth of what planning a join does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import Ids
from reasoner.rules.encode import EncodedTerm, Triple, is_variable
from reasoner.terms.term import SAME, TYPE

# Sets with more facts of rdf:type than this have their classes looked up one by one.
_FEW_TYPES = 256

# Sets with more predicates than this are not compared with the ends of a table.
_FEW_PREDICATES = 64

# Parameters with more values than this are left to the join.
_FEW_VALUES = 4096


@dataclass(frozen=True, slots=True)
class _Link:
    """The names that atom ``at`` reads, predicates or classes, are the subjects or objects of what ``other`` reads."""

    at: int
    are_classes: bool
    other: int
    predicate: int
    as_subject: bool


@dataclass(frozen=True, slots=True)
class Prospect:
    """What the sets that a body reads must hold for it to match: ``constants`` are predicates and classes of atoms (a
    class below zero is any), ``ends`` constant subjects or objects of other atoms, ``values`` the names that parameters
    allow in an atom, ``links`` names in common."""

    constants: tuple[tuple[int, int, int], ...]
    ends: tuple[tuple[int, int, tuple[int], bool], ...]
    values: tuple[tuple[int, bool, frozenset[int]], ...]
    links: tuple[_Link, ...]

    @classmethod
    def of_body(cls, body: Sequence[Triple], parameters: Mapping[EncodedTerm, Ids]) -> Prospect:
        """Return what a body needs, given the values of its parameters."""
        constants: list[tuple[int, int, int]] = []
        ends: list[tuple[int, int, tuple[int], bool]] = []
        values: list[tuple[int, bool, frozenset[int]]] = []
        links: list[_Link] = []
        for at, (subject, predicate, obj) in enumerate(body):
            if not is_variable(predicate):
                constants.append((at, predicate, obj if predicate == TYPE and not is_variable(obj) else -1))
                if not is_variable(subject):
                    ends.append((at, predicate, (subject,), True))
                if not is_variable(obj) and predicate != TYPE:
                    ends.append((at, predicate, (obj,), False))
            name = predicate if is_variable(predicate) else obj
            are_classes = predicate == TYPE
            if not is_variable(name) or not (is_variable(predicate) or are_classes):
                continue
            if name in parameters and parameters[name].size <= _FEW_VALUES:
                values.append((at, are_classes, frozenset(parameters[name].tolist())))
            for other, (left, table, right) in enumerate(body):
                if other != at and not is_variable(table) and table not in (TYPE, SAME) and name in (left, right):
                    links.append(_Link(at, are_classes, other, table, name == left))
        return cls(tuple(constants), tuple(ends), tuple(values), tuple(links))

    def may_match(self, sources: Sequence[FactSet]) -> bool:
        """Tell whether the body may have a match, each atom in its own set of facts; if not, it has none."""
        for at, predicate, class_id in self.constants:
            if predicate not in sources[at] or (class_id >= 0 and not sources[at].has_class(class_id)):
                return False
        for at, predicate, term, is_subject in self.ends:
            if sources[at].table(predicate).lacks(term, subjects=is_subject):
                return False
        for at, are_classes, allowed in self.values:
            names = _names(sources[at], are_classes)
            if names is not None and allowed.isdisjoint(names):
                return False
        for link in self.links:
            names = _names(sources[link.at], link.are_classes)
            if names is not None and sources[link.other].table(link.predicate).lacks(names, subjects=link.as_subject):
                return False
        return True


def _names(facts: FactSet, are_classes: bool) -> Collection[int] | None:
    """Return the predicates or the classes of facts, None if they are many."""
    if are_classes:
        return facts.classes() if facts.table(TYPE).size <= _FEW_TYPES else None
    return facts.predicates() if len(facts.predicates()) <= _FEW_PREDICATES else None
