"""Tell which axioms of an ontology lie outside a profile, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

import ontologies.axioms as ax
from ontologies.axioms import Ontology
from ontologies.dlp import unread
from ontologies.profile_owl2rl import outside_owl2rl_grammar
from ontologies.swrl import translate_swrl
from ontologies.translate import PROFILES, translate
from ontologies.translation import LeftOut
from ontologies.write_functional import write_functional
from reasoner.errors import ReasonerError

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
