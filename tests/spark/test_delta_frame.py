"""Deltas as frames, compared with the same deltas written out, for both engines."""

from __future__ import annotations

import pytest

from reasoner import Reasoner, ReasonerError
from tests.engines import ENGINES
from tests.spark.pets import SAME, SUBCLASS, TWO_NAMES, E, iri
from tests.spark.quick_session import quickly

FACTS = [
    *TWO_NAMES,
    (iri("ann"), iri("has"), iri("king")),
]

CHANGES = {
    "facts about a class of equals": ([(iri("bob"), iri("has"), iri("rex"))], [(iri("ann"), iri("has"), iri("king"))]),
    "classes that merge": ([(iri("rex"), SAME, iri("fido"))], []),
    "classes that split": ([], [(iri("rex"), SAME, iri("king"))]),
    "an axiom": ([(iri("Animal"), SUBCLASS, iri("Thing"))], []),
    "nothing": ([], []),
}


pytestmark = pytest.mark.parametrize("make_reasoner", ENGINES, indirect=True)


@pytest.fixture(scope="module")
def make(make_reasoner, spark):
    def build() -> Reasoner:
        kb = make_reasoner(profile="dlp")
        kb.add(FACTS)
        kb.materialise()
        return kb

    with quickly(spark):
        yield build


@pytest.mark.parametrize("name", CHANGES)
def test_a_delta_is_a_frame_of_what_was_gained_and_lost(make, spark, name):
    kb, (adding, removing) = make(), CHANGES[name]
    with kb.transaction() as change:
        change.add(adding)
        change.remove(removing)

    frame = change.delta.to_dataframe(terms="text", session=spark)
    found = [tuple(row) for row in frame.collect()]

    wanted = {("added", *triple) for triple in change.delta.iterate("gained")}
    wanted |= {("removed", *triple) for triple in change.delta.iterate("lost")}
    assert frame.columns == ["change", "subject", "predicate", "object"]
    assert set(found) == wanted
    assert len(found) == len(wanted)
    assert wanted or name == "nothing"


def test_terms_are_plain_unless_asked_for_otherwise(make, spark):
    kb = make()
    with kb.transaction() as change:
        change.add([(iri("bob"), iri("has"), iri("ann"))])

    assert [tuple(row) for row in change.delta.to_dataframe(session=spark).collect()] == [
        ("added", E + "bob", E + "has", E + "ann")
    ]
    with pytest.raises(ReasonerError, match="choose one of plain, text, ids"):
        change.delta.to_dataframe(terms="words", session=spark)
