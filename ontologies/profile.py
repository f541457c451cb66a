"""Tell which axioms of an ontology lie outside a profile, and why.

The grammar of the OWL 2 RL profile (W3C, OWL 2 Profiles, section 4.2): where each kind of expression may stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

import ontologies.axioms as ax
import ontologies.expressions as ex
from loaders.errors import ReasonerError
from ontologies.axioms import Ontology
from ontologies.collector import LeftOut
from ontologies.dlp import unread
from ontologies.swrl import translate_swrl
from ontologies.translate import PROFILES, translate
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


_RDFS_AXIOMS = (
    *(ax.SubClassOf, ax.SubObjectPropertyOf, ax.ObjectPropertyDomain, ax.ObjectPropertyRange),
    *(ax.DataPropertyDomain, ax.DataPropertyRange, ax.ClassAssertion, ax.ObjectPropertyAssertion),
)


def check_profile(ontology: Ontology, profile: str) -> list[LeftOut]:
    """List what lies outside a profile: axioms with the offending part and its position, rules, unread triples.

    ``owl2rl`` is the grammar of the W3C profile; ``rdfs`` the axioms that RDF Schema can say; ``dlp``, ``lower`` and
    ``upper`` are what their translations leave out. In ``none`` nothing is inside, so nothing is listed.

    >>> from ontologies.read_functional import read_functional
    >>> text = "Ontology(SubClassOf(<urn:A> ObjectUnionOf(<urn:B> <urn:C>)))"
    >>> check_profile(read_functional(text), "owl2rl")[0].reason
    'ObjectUnionOf(<urn:B> <urn:C>) is not allowed as a superclass'
    """
    if profile not in PROFILES:
        raise ReasonerError(f"unknown profile {profile!r}; choose one of {', '.join(PROFILES)}")
    if profile == "none":
        return []
    if profile not in ("owl2rl", "rdfs"):
        return list(translate(ontology, profile).left_out)
    problems = outside_owl2rl_grammar if profile == "owl2rl" else _outside_rdfs
    found = {LeftOut(write_functional(axiom), reason): None for axiom in ontology.axioms for reason in problems(axiom)}
    return [*found, *_wrong_kinds(ontology), *translate_swrl(ontology).left_out, *unread(ontology)]


def axioms_outside(found: Iterable[LeftOut]) -> int:
    """Count the axioms that ``check_profile`` has found something about, each once."""
    return len({part.axiom_text for part in found})


def _outside_rdfs(axiom: ax.Axiom) -> Iterator[str]:
    parts: tuple[object, ...]
    match axiom:
        case ax.Declaration() | ax.DLSafeRule() | ax.SubDataPropertyOf() | ax.DataPropertyAssertion():
            return
        case _ if isinstance(axiom, _RDFS_AXIOMS):
            parts = tuple(getattr(axiom, field.name) for field in fields(axiom))
        case _ if isinstance(axiom, ax.ANNOTATION_AXIOMS):
            return
        case _:
            yield f"RDF Schema has no {type(axiom).__name__}"
            return
    for part in parts:
        if not isinstance(part, str):
            yield f"RDF Schema has no expression {write_functional(part)}, only names"


def _wrong_kinds(ontology: Ontology) -> Iterator[LeftOut]:
    """Report axioms about object properties whose property is declared as a data property only."""
    declared: dict[str, set[str]] = {}
    for axiom in ontology.axioms:
        if isinstance(axiom, ax.Declaration):
            declared.setdefault(axiom.entity, set()).add(axiom.kind)
    for axiom in ontology.axioms:
        if isinstance(axiom, ax.ObjectPropertyCharacteristic) and isinstance(axiom.property, str):
            kinds = declared.get(axiom.property, set())
            if "DataProperty" in kinds and "ObjectProperty" not in kinds:
                reason = f"{write_functional(axiom.property)} is a data property where an object property is needed"
                yield LeftOut(write_functional(axiom), reason)
