"""What each part of the language means, on data small enough to check by eye."""

from __future__ import annotations

import pytest

from reasoner.requests import query
from tests.sparql.notation import PREFIX, ask, store

DATA = "a p b, a p c, b q c, b q 1, c q 2, d p 3"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT ?x { ?x :p ?y . ?y :q ?z }", {("a",): 3}),
        ("SELECT ?y ?z { :a :p ?y OPTIONAL { ?y :q ?z FILTER(?z = 1) } }", {("b", "1"): 1, ("c", None): 1}),
        ("SELECT ?x { { ?x :p :b } UNION { ?x :p :c } }", {("a",): 2}),
        ("SELECT ?x { ?x :p ?y MINUS { ?x :p :b } }", {("d",): 1}),
        ("SELECT ?x { ?x :p ?y MINUS { ?v :q :c } }", {("a",): 2, ("d",): 1}),
        ("SELECT ?x { ?x :p ?y FILTER EXISTS { ?y :q 1 } }", {("a",): 1}),
        ("SELECT ?x { ?x :p ?y FILTER NOT EXISTS { ?y :q 1 } }", {("a",): 1, ("d",): 1}),
        ("SELECT ?n { :d :p ?y BIND(?y + 1 AS ?n) }", {("4",): 1}),
        ("SELECT ?n { :a :p ?y BIND(?y + 1 AS ?n) }", {(None,): 2}),
        (
            "SELECT ?x ?y { VALUES (?x ?y) { (:a UNDEF) (:d 3) } ?x :p ?y }",
            {("a", "b"): 1, ("a", "c"): 1, ("d", "3"): 1},
        ),
        ("SELECT ?y { { SELECT DISTINCT ?y { ?x :q ?y } } FILTER(isLiteral(?y)) }", {("1",): 1, ("2",): 1}),
        ("SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y } GROUP BY ?x HAVING(COUNT(?y) > 1)", {("a", "2"): 1}),
        ("SELECT (MIN(?y) AS ?least) (MAX(?y) AS ?most) (AVG(?y) AS ?mean) { ?x :q ?y FILTER(isNumeric(?y)) }", {}),
        ("SELECT (COUNT(*) AS ?n) { ?x :none ?y }", {("0",): 1}),
        ("SELECT ?x (COUNT(*) AS ?n) { ?x :none ?y } GROUP BY ?x", {}),
        ("SELECT (COUNT(*) AS ?n) { ?x ?y ?z } GROUP BY (isIRI(?z) AS ?k)", {("3",): 2}),
        ("SELECT ?o { :a :p/:q ?o }", {("c",): 1, ("1",): 1, ("2",): 1}),
        ("SELECT ?o { :b (:q|:q) ?o }", {("c",): 2, ("1",): 2}),
        ("SELECT ?s { 2 ^:q/^:p ?s }", {("a",): 1}),
        ("SELECT ?o { :a (:p|:q)+ ?o }", {("b",): 1, ("c",): 1, ("1",): 1, ("2",): 1}),
        ("SELECT ?o { :a !(:q|^:p) ?o }", {("b",): 1, ("c",): 1}),
        ("SELECT ?o { :c !(:q|^:q) ?o }", {("a",): 1}),
        ("SELECT ?x { ?x ?x ?y }", {}),
        # A relation that leaves a variable open is joined before the pattern that binds it.
        ("SELECT ?u { ?v :p ?u { ?v :p :b OPTIONAL { ?u :none ?u } } FILTER(?u = :b) }", {("b",): 1}),
        ("SELECT * { [] :q [] }", {(): 3}),
        ("SELECT (:none AS ?x) (1 AS ?y) {}", {("none", "1"): 1}),
        ("SELECT ?s ?t { ?s :p ?x . ?t :q ?x FILTER(?s != ?t) }", {("a", "b"): 1}),
    ],
)
def test_answers_are_as_the_specification_has_them(text, expected):
    if "?mean" in text:
        expected = {("1", "2", '"1.5"^^<http://www.w3.org/2001/XMLSchema#decimal'): 1}

    assert ask(store(DATA), text) == expected


def test_ask_is_true_or_false():
    kb = store(DATA)

    assert bool(query(kb, PREFIX + "ASK { :a :p :b }")) is True
    assert query(kb, PREFIX + "ASK { :a :p :d }").askAnswer is False


def test_construct_makes_a_blank_node_for_every_solution():
    result = query(store(DATA), PREFIX + "CONSTRUCT { [] :of ?x ; :to ?y } WHERE { ?x :p ?y }")

    assert len(result) == 6
    assert len({s for s, _, _ in result.triples()}) == 3


def test_construct_leaves_out_what_is_no_triple():
    result = query(store(DATA), PREFIX + "CONSTRUCT { ?y :of ?x . ?x ?y ?z } WHERE { ?x :p ?y OPTIONAL { ?y :r ?z } }")

    assert len(result) == 2


def test_describe_follows_blank_nodes():
    result = query(store("a p _:x, _:x q 1, b p a"), PREFIX + "DESCRIBE :a")

    assert len(result) == 2


def test_computed_terms_never_enter_the_store():
    kb = store(DATA)
    before = len(kb.store.dictionary)

    assert ask(kb, 'SELECT ?z { ?x :p ?y BIND(CONCAT("new ", STR(?y)) AS ?z) }').total() == 3
    assert len(kb.store.dictionary) == before


def test_named_graphs_are_given_beside_the_store():
    kb = store("a p b")
    graphs = {"http://e.org/g": [("<http://e.org/c>", "<http://e.org/p>", "<http://e.org/d>")], "http://e.org/h": []}

    assert ask(kb, "SELECT ?g ?s { GRAPH ?g { ?s :p ?o } }", graphs=graphs) == {("g", "c"): 1}
    assert ask(kb, "SELECT ?s { ?s :p ?o }", graphs=graphs) == {("a",): 1}
    assert ask(kb, "SELECT ?s FROM :g { ?s :p ?o }", graphs=graphs) == {("c",): 1}


def test_bnode_of_one_label_is_one_node_in_a_solution_and_another_in_the_next():
    result = query(
        store(DATA), PREFIX + 'SELECT (BNODE("x") AS ?m) (BNODE("x") AS ?n) { ?s :p ?o }', terms="text"
    ).rows()

    assert all(row.m == row.n for row in result)
    assert len({row.m for row in result}) == 3


def test_uuids_differ_and_now_does_not():
    rows = query(store(DATA), PREFIX + "SELECT (UUID() AS ?u) (NOW() AS ?t) { ?s :p ?o }", terms="text").rows()

    assert len({row.u for row in rows}) == 3
    assert len({row.t for row in rows}) == 1


def test_sorting_puts_unbound_then_blank_nodes_then_iris_then_literals():
    kb = store('a p 10, b p 9, c p "x", d p e, f p _:n, g q h')
    text = "SELECT ?o { { ?s :p ?o } UNION { ?s :q ?t } } ORDER BY ?o"

    found = [row.o for row in query(kb, PREFIX + text, terms="text")]

    assert [None if text is None else text[:2] for text in found] == [None, "_:", "<h", '"9', '"1', '"x']


def test_an_empty_template_constructs_nothing():
    kb = store("a p b")

    assert query(kb, PREFIX + "CONSTRUCT {} { ?x :p ?y }").rows() == []
    assert query(kb, "CONSTRUCT {} {}").rows() == []
    assert len(query(kb, PREFIX + "CONSTRUCT WHERE { ?x :p ?y }").rows()) == 1
