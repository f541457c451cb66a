"""Axioms of OWL 2 and SWRL rules, named as in the structural specification, and the ``Ontology`` that holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ontologies.expressions import (
    AnnotationProperty,
    ClassExpression,
    DataProperty,
    DataRange,
    Datatype,
    Individual,
    Literal,
    NamedClass,
    ObjectPropertyExpression,
    SubObjectProperty,
)
from reasoner.terms.term import Variable

Triple: TypeAlias = tuple[str, str, str]
Entity: TypeAlias = str


@dataclass(frozen=True, slots=True)
class Axiom:
    """The base of all axioms."""


@dataclass(frozen=True, slots=True)
class Declaration(Axiom):
    """``kind`` is Class, Datatype, ObjectProperty, DataProperty, AnnotationProperty or NamedIndividual."""

    kind: str
    entity: Entity


@dataclass(frozen=True, slots=True)
class SubClassOf(Axiom):
    sub: ClassExpression
    super: ClassExpression


@dataclass(frozen=True, slots=True)
class EquivalentClasses(Axiom):
    classes: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class DisjointClasses(Axiom):
    classes: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class DisjointUnion(Axiom):
    name: NamedClass
    classes: tuple[ClassExpression, ...]


@dataclass(frozen=True, slots=True)
class SubObjectPropertyOf(Axiom):
    sub: SubObjectProperty
    super: ObjectPropertyExpression


@dataclass(frozen=True, slots=True)
class EquivalentObjectProperties(Axiom):
    properties: tuple[ObjectPropertyExpression, ...]


@dataclass(frozen=True, slots=True)
class DisjointObjectProperties(Axiom):
    properties: tuple[ObjectPropertyExpression, ...]


@dataclass(frozen=True, slots=True)
class InverseObjectProperties(Axiom):
    first: ObjectPropertyExpression
    second: ObjectPropertyExpression


@dataclass(frozen=True, slots=True)
class ObjectPropertyDomain(Axiom):
    property: ObjectPropertyExpression
    domain: ClassExpression


@dataclass(frozen=True, slots=True)
class ObjectPropertyRange(Axiom):
    property: ObjectPropertyExpression
    range: ClassExpression


@dataclass(frozen=True, slots=True)
class ObjectPropertyCharacteristic(Axiom):
    """The base of the axioms that say one thing of one object property."""

    property: ObjectPropertyExpression


@dataclass(frozen=True, slots=True)
class FunctionalObjectProperty(ObjectPropertyCharacteristic): ...


@dataclass(frozen=True, slots=True)
class InverseFunctionalObjectProperty(ObjectPropertyCharacteristic): ...


@dataclass(frozen=True, slots=True)
class ReflexiveObjectProperty(ObjectPropertyCharacteristic): ...


@dataclass(frozen=True, slots=True)
class IrreflexiveObjectProperty(ObjectPropertyCharacteristic): ...


@dataclass(frozen=True, slots=True)
class SymmetricObjectProperty(ObjectPropertyCharacteristic): ...


@dataclass(frozen=True, slots=True)
class AsymmetricObjectProperty(ObjectPropertyCharacteristic): ...


@dataclass(frozen=True, slots=True)
class TransitiveObjectProperty(ObjectPropertyCharacteristic): ...


@dataclass(frozen=True, slots=True)
class SubDataPropertyOf(Axiom):
    sub: DataProperty
    super: DataProperty


@dataclass(frozen=True, slots=True)
class EquivalentDataProperties(Axiom):
    properties: tuple[DataProperty, ...]


@dataclass(frozen=True, slots=True)
class DisjointDataProperties(Axiom):
    properties: tuple[DataProperty, ...]


@dataclass(frozen=True, slots=True)
class DataPropertyDomain(Axiom):
    property: DataProperty
    domain: ClassExpression


@dataclass(frozen=True, slots=True)
class DataPropertyRange(Axiom):
    property: DataProperty
    range: DataRange


@dataclass(frozen=True, slots=True)
class FunctionalDataProperty(Axiom):
    property: DataProperty


@dataclass(frozen=True, slots=True)
class DatatypeDefinition(Axiom):
    datatype: Datatype
    range: DataRange


@dataclass(frozen=True, slots=True)
class HasKey(Axiom):
    expression: ClassExpression
    object_properties: tuple[ObjectPropertyExpression, ...]
    data_properties: tuple[DataProperty, ...]


@dataclass(frozen=True, slots=True)
class SameIndividual(Axiom):
    individuals: tuple[Individual, ...]


@dataclass(frozen=True, slots=True)
class DifferentIndividuals(Axiom):
    individuals: tuple[Individual, ...]


@dataclass(frozen=True, slots=True)
class ClassAssertion(Axiom):
    expression: ClassExpression
    individual: Individual


@dataclass(frozen=True, slots=True)
class ObjectPropertyAssertion(Axiom):
    property: ObjectPropertyExpression
    source: Individual
    target: Individual


@dataclass(frozen=True, slots=True)
class NegativeObjectPropertyAssertion(Axiom):
    property: ObjectPropertyExpression
    source: Individual
    target: Individual


@dataclass(frozen=True, slots=True)
class DataPropertyAssertion(Axiom):
    property: DataProperty
    source: Individual
    target: Literal


@dataclass(frozen=True, slots=True)
class NegativeDataPropertyAssertion(Axiom):
    property: DataProperty
    source: Individual
    target: Literal


@dataclass(frozen=True, slots=True)
class AnnotationAssertion(Axiom):
    """A remark about an entity or an anonymous individual; it has no logical meaning."""

    property: AnnotationProperty
    subject: Entity
    value: str


@dataclass(frozen=True, slots=True)
class SubAnnotationPropertyOf(Axiom):
    sub: AnnotationProperty
    super: AnnotationProperty


@dataclass(frozen=True, slots=True)
class AnnotationPropertyDomain(Axiom):
    property: AnnotationProperty
    domain: Entity


@dataclass(frozen=True, slots=True)
class AnnotationPropertyRange(Axiom):
    property: AnnotationProperty
    range: Entity


RuleTerm: TypeAlias = Variable | str


@dataclass(frozen=True, slots=True)
class ClassAtom:
    expression: ClassExpression
    argument: RuleTerm


@dataclass(frozen=True, slots=True)
class DataRangeAtom:
    range: DataRange
    argument: RuleTerm


@dataclass(frozen=True, slots=True)
class ObjectPropertyAtom:
    property: ObjectPropertyExpression
    first: RuleTerm
    second: RuleTerm


@dataclass(frozen=True, slots=True)
class DataPropertyAtom:
    property: DataProperty
    first: RuleTerm
    second: RuleTerm


@dataclass(frozen=True, slots=True)
class BuiltInAtom:
    name: Entity
    arguments: tuple[RuleTerm, ...]


@dataclass(frozen=True, slots=True)
class SameIndividualAtom:
    first: RuleTerm
    second: RuleTerm


@dataclass(frozen=True, slots=True)
class DifferentIndividualsAtom:
    first: RuleTerm
    second: RuleTerm


RuleAtom: TypeAlias = (
    ClassAtom
    | DataRangeAtom
    | ObjectPropertyAtom
    | DataPropertyAtom
    | BuiltInAtom
    | SameIndividualAtom
    | DifferentIndividualsAtom
)


@dataclass(frozen=True, slots=True)
class DLSafeRule(Axiom):
    """A SWRL rule; the name of a variable is the IRI or the label that the document gives it."""

    body: tuple[RuleAtom, ...]
    head: tuple[RuleAtom, ...]


@dataclass(frozen=True, slots=True)
class Annotation:
    """A remark, itself perhaps annotated."""

    property: AnnotationProperty
    value: str
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class AxiomAnnotation:
    """The remarks about one axiom, kept apart from it so that equal axioms are equal."""

    axiom: Axiom
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class Ontology:
    """What a document says: as axioms, and as triples for the translators that work on those.

    ``unread`` are the triples that fit no axiom. Axiom annotations and remarks about the ontology itself stand apart
    from the axioms; ``imports`` are named, not followed; ``prefixes`` are those that the document declares.
    """

    axioms: tuple[Axiom, ...]
    triples: tuple[Triple, ...] = ()
    iri: str | None = None
    version: str | None = None
    imports: tuple[str, ...] = ()
    unread: tuple[Triple, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    axiom_annotations: tuple[AxiomAnnotation, ...] = ()
    prefixes: tuple[tuple[str, str], ...] = ()


ANNOTATION_AXIOMS = (AnnotationAssertion, SubAnnotationPropertyOf, AnnotationPropertyDomain, AnnotationPropertyRange)
