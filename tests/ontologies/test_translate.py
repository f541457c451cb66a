from __future__ import annotations

import pytest

from ontologies.translate import PROFILES, translate
from reasoner.rules.errors import ReasonerError
from tests.ontologies.reading import functional

ONTOLOGY = functional(
    "SubClassOf(:A ObjectUnionOf(:B :C))",
    "SubClassOf(:A :D)",
    "DLSafeRule(Body(ClassAtom(:A Variable(:x))) Head(ClassAtom(:E Variable(:x))))",
)


@pytest.mark.parametrize("profile", PROFILES)
def test_rules_of_the_ontology_are_in_every_profile_but_none(profile: str) -> None:
    names = [rule.name for rule in translate(ONTOLOGY, profile).rules]
    assert ("DLSafeRule" in names) == (profile != "none")
    assert (names == []) == (profile == "none")


def test_bounds_differ_in_what_they_do_with_a_disjunction() -> None:
    lower, upper = translate(ONTOLOGY, "lower"), translate(ONTOLOGY, "upper")
    assert len(upper.rules) == len(lower.rules) + 2
    assert (len(lower.left_out), len(upper.left_out)) == (1, 0)


def test_an_unknown_profile_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ReasonerError, match="owl2rl, dlp, rdfs, lower, upper, none"):
        translate(ONTOLOGY, "rl")
