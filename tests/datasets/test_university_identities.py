"""Messy identities: a naive closure of the equality rules finds exactly the identities that were put in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pytest

from datasets.dataset import DatasetError
from datasets.lubm_ontology import term
from datasets.statements import (
    FUNCTIONAL_PROPERTY,
    INVERSE_FUNCTIONAL_PROPERTY,
    SAME_AS,
    SYMMETRIC_PROPERTY,
    TRANSITIVE_PROPERTY,
    TYPE,
)
from datasets.university_identities import generate, true_identities
from datasets.university_identities_ontology import (
    HAS_HEAD,
    HAS_IDENTIFIER,
    IS_FRIEND_OF,
    IS_MARRIED_TO,
    MAIN_ADVISOR,
    PERSONAL_EMAIL,
    SAME_HOME_TOWN,
    SOCIAL_SECURITY_NUMBER,
)

Triple = tuple[str, str, str]
FUNCTIONAL = {MAIN_ADVISOR, HAS_HEAD, IS_MARRIED_TO}
INVERSE_FUNCTIONAL = {HAS_IDENTIFIER, PERSONAL_EMAIL, SOCIAL_SECURITY_NUMBER}


def equality_classes(facts: Iterable[Triple]) -> set[frozenset[str]]:
    """Apply sameAs, functional, inverse-functional and key axioms until nothing changes, one pair at a time."""
    facts = set(facts)
    facts |= {(o, p, s) for s, p, o in facts if p == IS_MARRIED_TO}
    facts |= {(o, HAS_HEAD, s) for s, p, o in facts if p == term("headOf")}
    members: dict[str, set[str]] = {name: {name} for s, _, o in facts for name in (s, o)}
    changed = True
    while changed:
        changed = False
        seen: dict[tuple[str, str, str], str] = {}
        for s, p, o in sorted(facts):
            pairs = []
            if p == SAME_AS:
                pairs.append((s, o))
            if p in FUNCTIONAL:
                pairs.append((seen.setdefault(("values", p, min(members[s])), o), o))
            if p in INVERSE_FUNCTIONAL:
                pairs.append((seen.setdefault(("owners", p, min(members[o])), s), s))
            for one, other in pairs:
                if members[one] is not members[other]:
                    members[one] |= members[other]
                    for name in members[other]:
                        members[name] = members[one]
                    changed = True
    return {frozenset(names) for names in members.values() if len(names) > 1}


@pytest.mark.parametrize("seed", range(5))
def test_the_axioms_lead_to_the_true_identities_and_no_others(seed):
    arguments = {"departments": 2, "seed": seed, "big_classes": 6, "big_class_members": 20}

    found = equality_classes(generate(**arguments).fact_triples())

    assert found == {frozenset(names) for names in true_identities(**arguments)}


def test_some_names_are_equal_only_because_others_are():
    """Without functional properties fewer names fall together, so there are chains of consequences to follow."""
    facts = set(generate(departments=2).fact_triples())

    plain = equality_classes(fact for fact in facts if fact[1] not in FUNCTIONAL and fact[1] != term("headOf"))

    assert len(equality_classes(facts)) > len(plain)


def test_the_demonstration_has_a_few_thousand_triples():
    count = sum(1 for _ in generate(departments=2, seed=0).fact_triples())

    assert 2000 <= count <= 5000


def test_every_property_of_the_extension_occurs():
    properties = {p for _, p, _ in generate(departments=2).fact_triples()}

    assert properties >= FUNCTIONAL | INVERSE_FUNCTIONAL | {SAME_AS, IS_FRIEND_OF, SAME_HOME_TOWN}


def test_the_ontology_says_what_the_properties_are():
    axioms = set(generate(departments=1).ontology_triples())

    for property, *kinds in (
        (HAS_IDENTIFIER, INVERSE_FUNCTIONAL_PROPERTY),
        (PERSONAL_EMAIL, INVERSE_FUNCTIONAL_PROPERTY),
        (MAIN_ADVISOR, FUNCTIONAL_PROPERTY),
        (HAS_HEAD, FUNCTIONAL_PROPERTY),
        (IS_MARRIED_TO, FUNCTIONAL_PROPERTY, SYMMETRIC_PROPERTY),
        (IS_FRIEND_OF, SYMMETRIC_PROPERTY),
        (SAME_HOME_TOWN, SYMMETRIC_PROPERTY, TRANSITIVE_PROPERTY),
        (term("subOrganizationOf"), TRANSITIVE_PROPERTY),
    ):
        assert all((property, TYPE, kind) in axioms for kind in kinds), property


def test_big_classes_have_the_size_asked_for():
    sizes = sorted(len(names) for names in true_identities(departments=1, big_classes=3, big_class_members=70))

    assert sizes[-3:] == [70, 70, 70]
    assert sizes[-4] <= 5


def test_names_come_from_other_departments_too():
    facts = generate(departments=3).fact_triples()

    guests = {s for s, _, _ in facts if "/Guest" in s}

    assert guests
    assert any(
        name in guests and person.split(".")[1] != name.split(".")[1]
        for person, *others in true_identities(departments=3)
        for name in others
    )


def test_home_towns_stay_small():
    """The property is transitive: a town of n has n * n facts for each pair of names."""
    neighbours: defaultdict[str, set[str]] = defaultdict(set)
    representative = {name: min(names) for names in true_identities(departments=1) for name in names}
    for s, p, o in generate(departments=1).fact_triples():
        if p == SAME_HOME_TOWN:
            one, other = representative.get(s, s), representative.get(o, o)
            town = neighbours[one] | neighbours[other] | {one, other}
            neighbours.update(dict.fromkeys(town, town))

    assert max(map(len, neighbours.values())) == 8


def test_without_aliases_only_the_heads_have_several_names():
    classes = list(true_identities(departments=2, aliased_percent=0, big_classes=0))

    assert len(classes) == 2
    assert all("FullProfessor" in names[0] for names in classes)


def test_the_same_seed_gives_the_same_text_and_another_seed_another():
    first = "".join(generate(departments=1, seed=5).facts())

    assert first == "".join(generate(departments=1, seed=5).facts())
    assert first != "".join(generate(departments=1, seed=6).facts())


def test_more_than_all_people_cannot_be_aliased():
    with pytest.raises(DatasetError, match="aliased_percent must be at most 100, not 101"):
        generate(aliased_percent=101)
