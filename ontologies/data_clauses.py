"""Turn data ranges into conditions. Membership is decidable, so a range in a head is its complement in the body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeAlias

import ontologies.expressions as ex
from ontologies.vocabulary import LITERAL, lexical_form, literal, xsd
from ontologies.write_functional import write_functional
from reasoner.literals.datatypes import SUPPORTED
from reasoner.literals.pattern import compile_pattern
from reasoner.rules.rule import Builtin
from reasoner.rules.term import Term

_ORDER = {
    xsd("minInclusive"): (">=", "<"),
    xsd("minExclusive"): (">", "<="),
    xsd("maxInclusive"): ("<=", ">"),
    xsd("maxExclusive"): ("<", ">="),
}


@dataclass(frozen=True, slots=True)
class DataTask:
    """A data range still to be turned into conditions, in the head or in the body of a clause."""

    in_head: bool
    range: ex.DataRange
    term: Term


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A sub-expression that has no rule, and why."""

    expression: Any
    reason: str

    @property
    def text(self) -> str:
        return f"{write_functional(self.expression)} {self.reason}"


Alternatives: TypeAlias = list[tuple[Builtin, ...]]


def data_conditions(task: DataTask, definitions: Mapping[str, ex.DataRange]) -> Alternatives | Unsupported:
    """Return the ways for a literal to be in a range (for a task of the head: to be outside it).

    No alternative means never, the empty alternative means always.
    """
    try:
        return _conditions(task, definitions, frozenset())
    except _UnsupportedRangeError as error:
        return Unsupported(error.range, error.reason)


class _UnsupportedRangeError(Exception):
    def __init__(self, data_range: ex.DataRange, reason: str) -> None:
        self.range = data_range
        self.reason = reason
        super().__init__(reason)


def _conditions(task: DataTask, definitions: Mapping[str, ex.DataRange], seen: frozenset[str]) -> Alternatives:
    outside, y = task.in_head, task.term
    match task.range:
        case str():
            return _named(task, task.range, definitions, seen)
        case ex.DataComplementOf(operand):
            return _conditions(DataTask(not outside, operand, y), definitions, seen)
        case ex.DataIntersectionOf(operands) | ex.DataUnionOf(operands):
            parts = [_conditions(replace(task, range=operand), definitions, seen) for operand in operands]
            if isinstance(task.range, ex.DataUnionOf) != outside:
                return [conditions for part in parts for conditions in part]
            return _all_of(parts)
        case ex.DataOneOf(literals) if outside:
            return [tuple(Builtin("differentValue", (y, value)) for value in literals)]
        case ex.DataOneOf(literals):
            return [(Builtin("sameValue", (y, value)),) for value in literals]
        case ex.DatatypeRestriction(datatype, facets):
            inside = _conditions(DataTask(False, datatype, y), definitions, seen)
            if not outside:
                satisfied: Alternatives = [tuple(_facet(task.range, facet, y, False) for facet in facets)]
                return _all_of([inside, satisfied])
            failed: list[Alternatives] = [[(_facet(task.range, facet, y, True),)] for facet in facets]
            within = [conditions for part in failed for conditions in _all_of([inside, part])]
            return [*_conditions(DataTask(True, datatype, y), definitions, seen), *within]
    raise AssertionError(f"no conditions for {task.range}")


def _named(task: DataTask, name: str, definitions: Mapping[str, ex.DataRange], seen: frozenset[str]) -> Alternatives:
    if name == LITERAL:
        return [] if task.in_head else [()]
    if name in definitions and name not in seen:
        return _conditions(replace(task, range=definitions[name]), definitions, seen | {name})
    if name[1:-1] not in SUPPORTED:
        raise _UnsupportedRangeError(name, "is a datatype whose values are not known")
    return [(Builtin("notInValueSpace" if task.in_head else "inValueSpace", (task.term, name)),)]


def _all_of(parts: list[Alternatives]) -> Alternatives:
    return [tuple(condition for choice in choices for condition in choice) for choices in product(*parts)]


def _facet(restriction: ex.DataRange, facet: ex.Facet, y: Term, outside: bool) -> Builtin:
    if facet.facet in _ORDER:
        return Builtin(_ORDER[facet.facet][outside], (y, facet.value))
    if facet.facet == xsd("pattern") and not outside:
        pattern = compile_pattern(lexical_form(facet.value))
        if pattern is not None:
            return Builtin("matches", (y, literal(rf"\A(?:{pattern.pattern})\Z")))
    place = "on the right-hand side " if outside else ""
    raise _UnsupportedRangeError(
        restriction, f"{place}has the facet {write_functional(facet.facet)}, which has no builtin"
    )
