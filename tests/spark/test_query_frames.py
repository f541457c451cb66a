"""The closure as frames: what a user of tables gets in one line, from a store of Spark and from one of columns."""

from __future__ import annotations

import datetime

import pytest

from reasoner import ReasonerError
from tests.engines import ENGINES
from tests.spark.pets import TWO_NAMES, E, iri
from tests.spark.quick_session import quickly

XSD = "http://www.w3.org/2001/XMLSchema#"

FACTS = [
    *TWO_NAMES,
    (iri("rex"), iri("age"), f'"7"^^<{XSD}integer>'),
    (iri("rex"), iri("born"), f'"2019-04-01"^^<{XSD}date>'),
    (iri("rex"), iri("name"), '"Rex \\"the\\\\king\\"\\n"@en'),
    (iri("rex"), iri("likes"), iri("bones")),
    (iri("rex"), iri("likes"), '"food"'),
]


pytestmark = pytest.mark.parametrize("make_reasoner", ENGINES, indirect=True)


@pytest.fixture(scope="module")
def kb(make_reasoner, spark):
    with quickly(spark):
        made = make_reasoner(profile="dlp")
        made.add(FACTS)
        made.materialise()
        yield made


def rows(frame) -> set[tuple]:
    return {tuple(row) for row in frame.collect()}


def test_all_triples_are_a_frame_in_one_line(kb):
    frame = kb.dataframe("?s ?p ?o", terms="text")

    assert frame.columns == ["subject", "predicate", "object"]
    assert rows(frame) == set(kb.triples())


def test_plain_terms_have_no_brackets_quotes_or_escapes(kb):
    found = rows(kb.dataframe())

    assert (E + "king", E + "age", "7") in found
    assert (E + "rex", E + "name", 'Rex "the\\king"\n') in found
    assert not any(value.startswith(("<", '"')) for row in found for value in row)


def test_details_tell_what_an_object_is(kb):
    frame = kb.dataframe(property=E + "likes", details=True)

    assert frame.columns == ["subject", "object", "object_type", "object_lang", "object_datatype"]
    assert (E + "king", "food", "literal", None, XSD + "string") in rows(frame)
    assert (E + "rex", E + "bones", "iri", None, None) in rows(frame)
    assert {row[3] for row in rows(kb.dataframe(property=E + "name", details=True))} == {"en"}


def test_a_class_is_a_column_of_its_members(kb):
    assert rows(kb.dataframe(cls=E + "Animal")) == {(E + "rex",), (E + "king",)}


def test_a_property_has_values_of_the_datatype_that_all_its_literals_have(kb):
    assert rows(kb.dataframe(property=E + "age")) == {(E + "rex", 7), (E + "king", 7)}
    assert (E + "rex", datetime.date(2019, 4, 1)) in rows(kb.dataframe(property=E + "born"))
    assert dict(kb.dataframe(property=E + "likes").dtypes)["object"] == "string"
    assert rows(kb.dataframe(property=E + "age", typed=False)) == {(E + "rex", "7"), (E + "king", "7")}


def test_ids_are_those_of_the_dictionary(kb):
    (one,) = {row[1] for row in rows(kb.dataframe(property=E + "age", terms="ids"))}

    assert kb.store.dictionary.text(one) == f'"7"^^<{XSD}integer>'


def test_patterns_and_queries_have_a_column_for_each_variable(kb):
    prefixes = {"e": E}
    assert rows(kb.dataframe("?x a e:Dog . ?x e:age ?n", prefixes=prefixes)) == {(E + "rex", "7"), (E + "king", "7")}
    frame = kb.dataframe("SELECT ?n (COUNT(*) AS ?c) { ?x e:age ?n } GROUP BY ?n", prefixes=prefixes)
    assert (frame.columns, rows(frame)) == (["n", "c"], {("7", "2")})


def test_a_frame_of_nothing_that_there_is_is_refused(kb):
    with pytest.raises(ReasonerError, match="class or of a property"):
        kb.dataframe(cls=E + "Dog", property=E + "age")
    with pytest.raises(ReasonerError, match="plain, text, ids"):
        kb.dataframe(terms="python")


def test_queries_are_answered_where_the_facts_are(kb, request):
    assert getattr(kb.store, "is_distributed", False) == ("spark in files" in request.node.name)

    found = kb.query("SELECT ?x { ?x a <http://e.org/Animal> }", terms="text")

    assert {row.x for row in found} == {iri("rex"), iri("king")}
