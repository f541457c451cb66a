"""Queries that are wrong, or ask for too much: what is said, and where."""

from __future__ import annotations

import pytest

from reasoner.requests import query
from reasoner.rules.errors import ReasonerError
from reasoner.sparql.errors import QuerySyntaxError, QueryTimeoutError, QueryTooLargeError, UnsupportedQueryError
from reasoner.sparql.translate import translate
from tests.sparql.notation import PREFIX, ask, store


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("SELECT ?x WHERE { ?x <p> ?y .\n  OPTIONAL { ?y <q> ?z\n  FILTER (?z = 3 }\n}", 3, 18, "unexpected '}'"),
        ("SELECT ?x { ?x <p> ?y", 1, 22, "unexpected end of the query"),
        ("PREFIX foaf: <http://x/>\nSELECT ?x { ?x foa:name ?y }", 2, 16, "did you mean foaf:?"),
        ("SELECT ?x { ?x a owl:Thing }", 1, 18, "add PREFIX owl: <http://www.w3.org/2002/07/owl#>"),
        ("SELECT ?x { ?x a rdsf:Class }", 1, 18, "did you mean rdfs:? then add PREFIX rdfs: <http://www.w3.org/2000/"),
        ("SELECT ?x { ?x a foaff:Person }", 1, 18, "did you mean foaf:?"),
        ("SELECT ?x { ?x a FOAF:Person }", 1, 18, "did you mean foaf:?"),
        ("SELECT ?x { ?x a skos:Concept }", 1, 18, "add PREFIX skos: <http://www.w3.org/2004/02/skos/core#>"),
        ("PREFIX own: <http://x/>\nSELECT ?x { ?x a oww:Thing }", 2, 18, "did you mean own:?"),
        ("SELECT ?x { ?x a wrong:Thing }", 1, 18, "declare it with PREFIX wrong: <...>"),
        ("SELECT ?x { ?x <p> _:b . OPTIONAL { ?x <q> _:b } }", 1, 44, "use a variable to connect them"),
        ("SELECT ?x ?y { ?x <p> ?y } GROUP BY ?x", 1, 11, "?y is neither grouped nor aggregated"),
        ("SELECT * { ?x <p> ?y } GROUP BY ?x", 1, 8, "SELECT * cannot be used with GROUP BY"),
        ("SELECT ?x { ?x <p> ?y BIND(1 AS ?y) }", 1, 33, "?y is bound already"),
        ("SELECT * { VALUES (?x ?y) { (1) } }", 1, 12, "1 values for 2 variables"),
        ("SELECT ?x { ?x <p> '\\uD800' }", 1, 21, "is not a Unicode character"),
    ],
)
def test_an_error_shows_its_place_and_the_remedy(text, line, column, message):
    with pytest.raises(QuerySyntaxError) as caught:
        translate(text)

    error = caught.value
    shown = str(error).splitlines()
    assert (error.line, error.column) == (line, column)
    assert message in error.message
    assert shown[1].strip() == text.splitlines()[line - 1].strip()
    assert shown[2].index("^") == column + 1


def test_an_error_leaves_the_parser_as_it_was():
    with pytest.raises(QuerySyntaxError):
        translate("SELECT")

    assert ask(store("a p b"), "SELECT ?x { :a :p ?x }") == {("b",): 1}


def test_a_query_may_be_long():
    kb = store("a p a")
    chain = " . ".join(f"?x{number} :p ?x{number + 1}" for number in range(300))
    choice = " || ".join(f"?x0 = :a{number}" for number in range(300))

    assert len(query(kb, f"{PREFIX}SELECT ?x0 {{ {chain} }}")) == 1
    assert len(query(kb, f"{PREFIX}SELECT ?x0 {{ ?x0 :p ?x1 FILTER({choice} || ?x0 = :a) }}")) == 1
    with pytest.raises(QuerySyntaxError, match="unexpected end"):
        translate(f"{PREFIX}SELECT ?x0 {{ {chain}")


def test_a_number_keeps_its_sign():
    kb = store(
        'a p "-1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>, a q "-1.0e6"^^<http://www.w3.org/2001/XMLSchema#double>'
    )

    assert sum(ask(kb, "SELECT ?x { ?x :p -1.50 ; :q -1.0e6 FILTER(-1.5 < -1.4) }").values()) == 1


def test_a_number_keeps_its_digits():
    kb = store('a p "01"^^<http://www.w3.org/2001/XMLSchema#integer>')

    assert ask(kb, "SELECT ?x { ?x :p 01 }") == {("a",): 1}
    assert ask(kb, "SELECT ?x { ?x :p 1 }") == {}


def test_graphs_that_nobody_gave_are_refused_by_name_and_those_that_a_store_has_not_are_empty():
    kb = store("a p b")

    assert ask(kb, "SELECT * { GRAPH ?g { ?s ?p ?o } }") == {}
    assert ask(kb, "SELECT * { GRAPH :g {} }") == {}
    assert ask(kb, "SELECT * FROM :g { ?s ?p ?o }") == {}
    with pytest.raises(ReasonerError, match="those of this kind are"):
        query(kb, PREFIX + "SELECT * { GRAPH <urn:reasoner:infered> { ?s ?p ?o } }")
    with pytest.raises(UnsupportedQueryError, match=r"there is no graph <http://e\.org/h>"):
        query(kb, PREFIX + "SELECT * FROM :h { ?s ?p ?o }", graphs={"http://e.org/g": []})


@pytest.mark.parametrize("prefix", ["x", "ex", "my", "abc", "xyzzy", "wrong", "people"])
def test_nothing_is_suggested_for_a_prefix_like_no_other(prefix):
    with pytest.raises(QuerySyntaxError, match=f"declare it with PREFIX {prefix}: <...>"):
        translate(f"ASK {{ ?x a {prefix}:Thing }}")


def test_a_silent_service_gives_one_solution_that_binds_nothing():
    kb = store("a p b, c p d")

    assert ask(kb, "SELECT * { SERVICE SILENT :x { ?s :p ?o } }") == {(None, None): 1}
    assert ask(kb, "SELECT ?s ?x { ?s :p :b SERVICE SILENT ?e { ?s :q ?x } }") == {("a", None): 1}
    assert ask(kb, "SELECT ?s { ?s :p ?o SERVICE SILENT :x { :a :q :b } }") == {("a",): 1, ("c",): 1}


def test_service_is_refused():
    with pytest.raises(UnsupportedQueryError, match=r"SERVICE <http://e\.org/x>"):
        query(store("a p b"), PREFIX + "SELECT * { SERVICE :x { ?s ?p ?o } }")


PRODUCT = "SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?c :p ?d . ?e :p ?f . FILTER(STR(?a) != STR(?d)) }"


def test_a_product_is_stopped_before_it_is_made():
    kb = store(",".join(f"a{number} p b{number}" for number in range(400)))

    with pytest.raises(QueryTooLargeError, match="gives 64,000,000 rows, more than the 50,000,000 allowed"):
        query(kb, PREFIX + PRODUCT)
    with pytest.raises(QueryTooLargeError, match="raise most_rows"):
        query(kb, PREFIX + PRODUCT, most_rows=100_000)


@pytest.mark.parametrize("text", [PRODUCT, "SELECT (COUNT(*) AS ?n) { ?a (:p|^:p)* ?b }"])
def test_a_query_is_stopped_at_its_time_limit(text):
    kb = store(",".join(f"a{number} p a{number * 7 % 300}" for number in range(300)))

    with pytest.raises(QueryTimeoutError, match=r"time limit of 0\.001 s"):
        query(kb, PREFIX + text, timeout=0.001)
