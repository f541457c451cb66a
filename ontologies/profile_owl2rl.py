"""The grammar of the OWL 2 RL profile (W3C, OWL 2 Profiles, section 4.2): where each kind of expression may stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import ontologies.axioms as ax
import ontologies.expressions as ex
from ontologies.vocabulary import RL_DATATYPES, THING
from ontologies.write_functional import write_functional

SUB, SUPER, EQUIVALENT = "as a subclass", "as a superclass", "in an equivalence of classes"


def outside_owl2rl_grammar(axiom: ax.Axiom) -> Iterator[str]:
    """Yield why an axiom is not one of OWL 2 RL: each offending sub-expression with its position."""
    match axiom:
        case ax.SubClassOf(sub, super_class):
            yield from _sub(sub)
            yield from _super(super_class)
        case ax.EquivalentClasses(classes):
            yield from _each(_equivalent, classes)
        case ax.DisjointClasses(classes):
            yield from _each(_sub, classes)
        case ax.DisjointUnion() | ax.ReflexiveObjectProperty():
            yield f"OWL 2 RL has no {type(axiom).__name__}"
        case ax.ObjectPropertyDomain(_, target) | ax.DataPropertyDomain(_, target) | ax.ObjectPropertyRange(_, target):
            yield from _super(target)
        case ax.ClassAssertion(target, _):
            # Every individual is an owl:Thing: the assertion is a harmless fact.
            yield from () if target == THING else _super(target)
        case ax.HasKey(target, _, _):
            yield from _sub(target)
        case ax.DataPropertyRange(_, target) | ax.DatatypeDefinition(_, target):
            yield from _data_range(target)


def _each(check: object, parts: Iterable[ex.ClassExpression]) -> Iterator[str]:
    assert callable(check)
    for part in parts:
        yield from check(part)


def _refuse(expression: ex.ClassExpression, position: str) -> str:
    return f"{write_functional(expression)} is not allowed {position}"


def _sub(expression: ex.ClassExpression) -> Iterator[str]:
    match expression:
        case str() if expression != THING:
            return
        case ex.ObjectIntersectionOf(operands) | ex.ObjectUnionOf(operands):
            yield from _each(_sub, operands)
        case ex.ObjectSomeValuesFrom(_, filler):
            yield from () if filler == THING else _sub(filler)
        case ex.DataSomeValuesFrom((_,), filler):
            yield from _data_range(filler)
        case ex.ObjectOneOf() | ex.ObjectHasValue() | ex.DataHasValue():
            return
        case _:
            yield _refuse(expression, SUB)


def _super(expression: ex.ClassExpression) -> Iterator[str]:
    match expression:
        case str() if expression != THING:
            return
        case ex.ObjectIntersectionOf(operands):
            yield from _each(_super, operands)
        case ex.ObjectComplementOf(operand):
            yield from _sub(operand)
        case ex.ObjectAllValuesFrom(_, filler):
            yield from _super(filler)
        case ex.DataAllValuesFrom((_,), filler):
            yield from _data_range(filler)
        case ex.ObjectHasValue() | ex.DataHasValue():
            return
        case ex.ObjectMaxCardinality(0 | 1, _, filler):
            yield from () if filler == THING else _sub(filler)
        case ex.DataMaxCardinality(0 | 1, _, filler):
            yield from _data_range(filler)
        case ex.ObjectMaxCardinality() | ex.DataMaxCardinality():
            yield f"{_refuse(expression, SUPER)}: the number must be 0 or 1"
        case _:
            yield _refuse(expression, SUPER)


def _equivalent(expression: ex.ClassExpression) -> Iterator[str]:
    match expression:
        case str() if expression != THING:
            return
        case ex.ObjectIntersectionOf(operands):
            yield from _each(_equivalent, operands)
        case ex.ObjectHasValue() | ex.DataHasValue():
            return
        case _:
            yield _refuse(expression, EQUIVALENT)


def _data_range(data_range: ex.DataRange) -> Iterator[str]:
    match data_range:
        case ex.DataIntersectionOf(operands):
            for operand in operands:
                yield from _data_range(operand)
        case str() if data_range in RL_DATATYPES:
            return
        case str():
            yield f"{write_functional(data_range)} is not a datatype of OWL 2 RL"
        case _:
            yield f"{write_functional(data_range)} is not a data range of OWL 2 RL"
