"""Queries over frames: the same answers as the columnar evaluator, as bags, and a plan that says who does what."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings

from loaders.load import parse_text
from reasoner import Reasoner
from reasoner.requests import query
from reasoner.sparql.errors import QueryTimeoutError, UnsupportedQueryError
from tests.conformance.suite import harness
from tests.spark.query_source import source_of
from tests.spark.quick_session import quickly
from tests.sparql.strategies import PREFIXES, data, queries
from tests.sparql.suite import cases, text_of
from tests.strategies import RANDOM

E = "http://e.org/"
INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"


def iri(name: str) -> str:
    return f"<{E}{name}>"


def facts(text: str) -> list[tuple[str, str, str]]:
    names = {"same": "<http://www.w3.org/2002/07/owl#sameAs>"}
    terms = (
        [names.get(word, word if word[0] == '"' else iri(word)) for word in line.split()] for line in text.split(",")
    )
    return [(s, p, o) for s, p, o in terms]


# Two classes, one of three and one with a predicate; numbers; a cycle and a chain.
DATA = f"""a same b, b same c, p same pp, a p x, c q y, z r a, x q x, y q z, d p "1"{INTEGER}, d p "2"{INTEGER},
e p "10"{INTEGER}, e q f, f q g, g q e, d r e, b r "t" """

QUERIES = [
    "SELECT * { ?s :p ?o }",
    "SELECT ?o { ?s :p ?o . ?s :q ?y }",
    "SELECT ?o { ?s :p ?o . ?t :q ?y }",
    "SELECT DISTINCT ?o { ?s :p ?o . ?t :q ?y }",
    "SELECT * { ?s ?p ?o }",
    "SELECT * { ?s owl:sameAs ?o }",
    "SELECT ?p { :a ?p :b }",
    "SELECT * { ?p ?p ?o }",
    "SELECT * { ?s :q ?s }",
    "SELECT * { ?s :p ?o OPTIONAL { ?s :q ?y } }",
    "SELECT * { ?s :p ?o OPTIONAL { ?s :r ?y FILTER(?o > 1) } }",
    "SELECT * { { ?s :p ?o } UNION { ?o :q ?s } UNION { ?s :r ?z } }",
    "SELECT * { ?s :p ?o MINUS { ?s :q ?y } }",
    "SELECT * { ?s :p ?o MINUS { VALUES ?s { :b } } }",
    "SELECT * { ?s :p ?o FILTER(?s != :a && ?o != 2) }",
    "SELECT * { ?s :p ?o FILTER(?o >= 2 || ?s = :c) }",
    "SELECT * { ?s :p ?o FILTER NOT EXISTS { ?s :q ?y FILTER(?s = :a) } }",
    "SELECT * { ?s ?p ?o FILTER EXISTS { ?o :q ?z } }",
    "SELECT * { ?s :p ?o BIND(STR(?s) AS ?t) BIND(?o + 1 AS ?n) }",
    "SELECT * { ?s :p ?o OPTIONAL { ?s :q ?y } FILTER(!BOUND(?y)) }",
    "SELECT ?s (COUNT(*) AS ?n) (COUNT(DISTINCT ?o) AS ?d) { ?s :p ?o } GROUP BY ?s HAVING (COUNT(*) > 0)",
    "SELECT (SUM(?o) AS ?n) (AVG(?o) AS ?a) (MIN(?o) AS ?l) (MAX(?o) AS ?m) { :d :p ?o }",
    "SELECT (COUNT(*) AS ?n) { ?s :nothing ?o }",
    "SELECT ?n { VALUES (?s ?n) { (:b 1) (UNDEF 2) (:nobody 3) } ?s :p ?o }",
    "SELECT * { ?s :q+ ?o }",
    "SELECT * { :e :q* ?o }",
    "SELECT * { ?s (:q|:r)+ :x }",
    "SELECT * { ?s :q? ?o }",
    "SELECT * { ?s !(:p|:q) ?o }",
    "SELECT * { ?s ^:r/:p ?o }",
    "SELECT * { :nobody :q* ?o }",
    "SELECT ?s ?m { ?s :p ?o { SELECT ?s (MAX(?v) AS ?m) { ?s :p ?v } GROUP BY ?s } }",
]  # fmt: skip


@pytest.fixture(scope="module")
def kb() -> Reasoner:
    made = Reasoner(profile="none")
    made.add(facts(DATA.strip()))
    made.materialise()
    return made


@pytest.fixture(scope="module")
def source(spark, kb):
    with quickly(spark):
        made = source_of(spark, kb)
        yield made
        made.close()


def bag(result) -> Counter:
    return Counter(tuple(sorted(zip(result.variables, row, strict=True))) for row in result.texts())


def ask(source, text: str, **options):
    from reasoner.spark.query.answer import query as query_frames

    return query_frames(source, f"{PREFIXES}{text}", terms="text", **options)


@pytest.mark.parametrize("text", QUERIES)
def test_answers_are_those_of_the_columnar_evaluator(source, kb, text):
    assert bag(ask(source, text)) == bag(query(kb, PREFIXES + text, terms="text"))


def test_representatives_alone_answer_if_asked(source, kb):
    for text in ("SELECT * { ?s ?p ?o }", "SELECT * { ?s :p ?o }"):
        expected = query(kb, PREFIXES + text, terms="text", expand=False)
        assert bag(ask(source, text, expand=False)) == bag(expected)


def test_answers_come_in_order_and_in_slices(source, kb):
    for text in (
        "SELECT ?s ?o { ?s :p ?o } ORDER BY DESC(?o) ?s",
        "SELECT DISTINCT ?o { ?s :p ?o } ORDER BY ?o",
        "SELECT ?s ?o { ?s :p ?o } ORDER BY ?o ?s LIMIT 3 OFFSET 1",
    ):
        assert list(ask(source, text).texts()) == list(query(kb, PREFIXES + text, terms="text").texts())


def test_the_other_forms_are_answered(source, kb):
    assert ask(source, "ASK { :b :p :x }").askAnswer is True
    assert ask(source, "ASK { :x :p :b }").askAnswer is False
    for text in ("CONSTRUCT { ?o :of ?s } { ?s :p ?o }", "DESCRIBE :b"):
        assert set(ask(source, text).triples()) == set(query(kb, PREFIXES + text, terms="text").triples())


def test_a_frame_has_a_column_for_each_variable(source):
    from reasoner.spark.query.answer import frame

    rows = frame(source, PREFIXES + "SELECT ?s ?o { ?s :p ?o FILTER(isIRI(?o)) }")

    assert rows.columns == ["s", "o"]
    assert {tuple(row) for row in rows.collect()} == {(iri(name), iri("x")) for name in "abc"}
    assert {type(row.s) for row in frame(source, PREFIXES + "SELECT ?s { ?s :p ?o }", ids=True).collect()} == {int}


def test_what_gives_another_value_each_time_is_evaluated_at_the_driver_and_the_plan_says_so(source):
    from reasoner.spark.query.answer import explain_plan

    text = "SELECT ?s (STRUUID() AS ?u) { ?s :p ?o }"
    found = ask(source, text)
    plan = explain_plan(source, PREFIXES + text)

    assert len({row[1] for row in found.texts()}) == len(found) == 6
    assert [step.name for step in plan.at_driver] == ["Extend"]
    assert "at the driver, on collected solutions" in str(plan)
    assert explain_plan(source, PREFIXES + "SELECT * { ?s :p ?o FILTER(?s = :a) }").slow == ()
    assert "Scan" in plan.spark or "Exchange" in plan.spark or "RDD" in plan.spark


def test_what_no_store_can_answer_is_refused(source):
    with pytest.raises(UnsupportedQueryError, match="SERVICE"):
        ask(source, "SELECT * { SERVICE <http://e.org/sparql> { ?s ?p ?o } }")
    with pytest.raises(UnsupportedQueryError, match="unknown function"):
        ask(source, "SELECT (<http://e.org/f>(?s) AS ?x) { ?s :p ?o }")


def test_a_query_ends_when_its_time_is_up(source):
    with pytest.raises(QueryTimeoutError, match=r"0\.001 s"):
        ask(source, "SELECT * { ?s :q+ ?o . ?o :q+ ?z }", timeout=0.001)


def test_terms_are_looked_up_in_the_table_where_the_driver_has_no_dictionary(spark, kb, tmp_path):
    with quickly(spark):
        source = source_of(spark, kb, str(tmp_path), at_driver=False)
        for text in ("SELECT * { ?s ?p ?o }", "SELECT ?o { :b :q ?o }", 'SELECT * { ?s :r "t" . ?s :nobody ?o }'):
            assert bag(ask(source, text)) == bag(query(kb, PREFIXES + text, terms="text"))
        source.close()


def test_named_graphs_are_asked_as_they_were_asserted(spark):
    from reasoner.spark.query.source import source_of as source_of_store

    kb = Reasoner(profile="none")
    kb.add(facts("a p x, a same b"))
    kb.add(facts("a p y, c p x"), graph=E + "g")
    kb.add(facts("a p x"), graph=E + "h")
    kb.materialise()
    with quickly(spark):
        source = source_of_store(kb.store, spark)
        for text in (
            "SELECT * { GRAPH :g { ?s :p ?o } }",
            "SELECT * { GRAPH ?g { ?s :p ?o } }",
            "SELECT * FROM :g FROM :h { ?s ?p ?o }",
            "SELECT * FROM <urn:reasoner:default> { ?s ?p ?o }",
            "SELECT * FROM <urn:reasoner:asserted> { ?s ?p ?o }",
            "SELECT * { GRAPH :nothing { ?s :p ?o } }",
        ):
            assert bag(ask(source, text)) == bag(query(kb, PREFIXES + text, terms="text")), text
        source.close()


@pytest.mark.slow
@settings(RANDOM, max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(data(), queries())
def test_random_queries_are_answered_as_by_the_columnar_evaluator(spark, facts, text):
    kb = Reasoner(profile="none")
    kb.add(facts)
    with quickly(spark):
        source = source_of(spark, kb)
        from reasoner.spark.query.answer import query as query_frames

        assert bag(query_frames(source, text, terms="text")) == bag(query(kb, text, terms="text")), text
        source.close()


EVALUATION = [
    case
    for case in cases()
    if case["type"] == "QueryEval"
    and case["group"] != "entailment"
    and not case["graphs"]
    and "service" not in case["id"]
]


@pytest.mark.slow
@pytest.mark.parametrize("case", EVALUATION[5::16], ids=lambda case: case["id"])
def test_a_sample_of_the_suite_of_the_w3c_is_answered(spark, case):
    kb = Reasoner(profile="none", equality="none")
    kb.add(parse_text(case["data"], "ntriples"))
    with quickly(spark):
        from reasoner.spark.query.answer import query as query_frames

        source = source_of(spark, kb)
        result = query_frames(source, text_of(case))
        written = result.serialize(format="nt" if result.type in ("CONSTRUCT", "DESCRIBE") else "json").decode()
        source.close()

    assert harness("sparql", "run_sparql.py").compare(case["expected"], written, True), written[:2000]
