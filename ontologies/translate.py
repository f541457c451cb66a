"""Translate an ontology into rules, by the profile that is asked for."""

from __future__ import annotations

from collections.abc import Callable

from loaders.errors import nesting_refused
from ontologies.axioms import Ontology
from ontologies.translation import Translation
from reasoner.errors import ReasonerError

PROFILES = ("owl2rl", "dlp", "rdfs", "lower", "upper", "none")


@nesting_refused("an expression of the ontology")
def translate(ontology: Ontology, profile: str) -> Translation:
    """Return the rules of an ontology under a profile, its SWRL rules included; ``none`` stands for no rules at all.

    >>> from ontologies.read_functional import read_functional
    >>> len(translate(read_functional("Ontology(SubClassOf(<urn:A> <urn:B>))"), "dlp").rules)
    1
    """
    if profile not in PROFILES:
        raise ReasonerError(f"unknown profile {profile!r}; choose one of {', '.join(PROFILES)}")
    if profile == "none":
        return Translation(())
    # Loaded late, so that one profile does not pay for the others.
    from ontologies.swrl import translate_swrl

    axioms, rules = _translator(profile)(ontology), translate_swrl(ontology)
    return Translation(
        (*axioms.rules, *rules.rules), (*axioms.left_out, *rules.left_out), value_equality=axioms.value_equality
    )


def _translator(profile: str) -> Callable[[Ontology], Translation]:
    if profile == "owl2rl":
        from ontologies.owl2rl import translate_owl2rl

        return lambda ontology: translate_owl2rl(ontology.triples)
    if profile == "rdfs":
        from ontologies.rdfs import translate_rdfs

        return lambda ontology: translate_rdfs(ontology.triples)
    if profile == "dlp":
        from ontologies.dlp import translate_dlp

        return translate_dlp
    from ontologies.bounds import lower_bound, upper_bound

    return lower_bound if profile == "lower" else upper_bound
