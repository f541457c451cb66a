"""Class expressions, data ranges and property expressions of OWL 2, named as in its structural specification.

Named classes, datatypes, properties, individuals and literals are constants: their canonical N-Triples text. The names
of the field types tell readers and printers what an argument is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ontologies.vocabulary import LITERAL, THING

DataProperty: TypeAlias = str
AnnotationProperty: TypeAlias = str
Individual: TypeAlias = str
Literal: TypeAlias = str
Datatype: TypeAlias = str
NamedClass: TypeAlias = str
NamedObjectProperty: TypeAlias = str


@dataclass(frozen=True, slots=True)
class ObjectInverseOf:
    property: NamedObjectProperty


@dataclass(frozen=True, slots=True)
class ObjectPropertyChain:
    properties: tuple[ObjectPropertyExpression, ...]


ObjectPropertyExpression: TypeAlias = str | ObjectInverseOf
SubObjectProperty: TypeAlias = str | ObjectInverseOf | ObjectPropertyChain


@dataclass(frozen=True, slots=True)
class DataIntersectionOf:
    operands: tuple[DataRange, ...]


@dataclass(frozen=True, slots=True)
class DataUnionOf:
    operands: tuple[DataRange, ...]


@dataclass(frozen=True, slots=True)
class DataComplementOf:
    operand: DataRange


@dataclass(frozen=True, slots=True)
class DataOneOf:
    literals: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Facet:
    """One facet of a datatype restriction, such as ``xsd:minInclusive`` with its value."""

    facet: str
    value: Literal


@dataclass(frozen=True, slots=True)
class DatatypeRestriction:
    datatype: Datatype
    facets: tuple[Facet, ...]


DataRange: TypeAlias = str | DataIntersectionOf | DataUnionOf | DataComplementOf | DataOneOf | DatatypeRestriction


@dataclass(frozen=True, slots=True)
class ObjectIntersectionOf:
    operands: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class ObjectUnionOf:
    operands: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class ObjectComplementOf:
    operand: ClassExpression


@dataclass(frozen=True, slots=True)
class ObjectOneOf:
    individuals: tuple[Individual, ...]


@dataclass(frozen=True, slots=True)
class ObjectSomeValuesFrom:
    property: ObjectPropertyExpression
    filler: ClassExpression


@dataclass(frozen=True, slots=True)
class ObjectAllValuesFrom:
    property: ObjectPropertyExpression
    filler: ClassExpression


@dataclass(frozen=True, slots=True)
class ObjectHasValue:
    property: ObjectPropertyExpression
    individual: Individual


@dataclass(frozen=True, slots=True)
class ObjectHasSelf:
    property: ObjectPropertyExpression


@dataclass(frozen=True, slots=True)
class ObjectMinCardinality:
    number: int
    property: ObjectPropertyExpression
    filler: ClassExpression = THING


@dataclass(frozen=True, slots=True)
class ObjectMaxCardinality:
    number: int
    property: ObjectPropertyExpression
    filler: ClassExpression = THING


@dataclass(frozen=True, slots=True)
class ObjectExactCardinality:
    number: int
    property: ObjectPropertyExpression
    filler: ClassExpression = THING


@dataclass(frozen=True, slots=True)
class DataSomeValuesFrom:
    properties: tuple[DataProperty, ...]
    filler: DataRange


@dataclass(frozen=True, slots=True)
class DataAllValuesFrom:
    properties: tuple[DataProperty, ...]
    filler: DataRange


@dataclass(frozen=True, slots=True)
class DataHasValue:
    property: DataProperty
    value: Literal


@dataclass(frozen=True, slots=True)
class DataMinCardinality:
    number: int
    property: DataProperty
    filler: DataRange = LITERAL


@dataclass(frozen=True, slots=True)
class DataMaxCardinality:
    number: int
    property: DataProperty
    filler: DataRange = LITERAL


@dataclass(frozen=True, slots=True)
class DataExactCardinality:
    number: int
    property: DataProperty
    filler: DataRange = LITERAL


ClassExpression: TypeAlias = (
    str
    | ObjectIntersectionOf
    | ObjectUnionOf
    | ObjectComplementOf
    | ObjectOneOf
    | ObjectSomeValuesFrom
    | ObjectAllValuesFrom
    | ObjectHasValue
    | ObjectHasSelf
    | ObjectMinCardinality
    | ObjectMaxCardinality
    | ObjectExactCardinality
    | DataSomeValuesFrom
    | DataAllValuesFrom
    | DataHasValue
    | DataMinCardinality
    | DataMaxCardinality
    | DataExactCardinality
)

OBJECT_CARDINALITIES = (ObjectMinCardinality, ObjectMaxCardinality, ObjectExactCardinality)
DATA_CARDINALITIES = (DataMinCardinality, DataMaxCardinality, DataExactCardinality)
