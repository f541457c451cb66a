"""Equal terms in answers: every member, as often as the closure has it, and unfolded as late as is right."""

from __future__ import annotations

import pytest

from reasoner import Reasoner
from reasoner.requests import explain_plan, query
from tests.sparql.notation import PREFIX, ask, store, term

TRIO = "a same b, b same c, a p x, c q y, z r a"


def test_every_member_is_an_answer():
    assert ask(store(TRIO), "SELECT ?s { ?s :p :x }") == {("a",): 1, ("b",): 1, ("c",): 1}


def test_a_constant_stands_for_its_class():
    assert ask(store(TRIO), "SELECT ?o { :b :q ?o }") == {("y",): 1}


def test_a_variable_that_is_not_asked_for_still_counts():
    assert ask(store(TRIO), "SELECT ?o { ?s :p ?o }") == {("x",): 3}
    assert ask(store(TRIO), "SELECT ?o { ?s :p ?o . ?t :q ?y }") == {("x",): 9}


def test_a_shared_variable_counts_once():
    assert ask(store(TRIO), "SELECT ?o { ?s :p ?o . ?s :q ?y }") == {("x",): 3}


def test_distinct_forgets_how_often():
    assert ask(store(TRIO), "SELECT DISTINCT ?o { ?s :p ?o }") == {("x",): 1}


def test_a_filter_tells_members_apart():
    assert ask(store(TRIO), "SELECT ?s { ?s :p :x FILTER(?s != :a) }") == {("b",): 1, ("c",): 1}


def test_an_exists_with_a_filter_tells_members_apart():
    text = "SELECT ?s { ?s :p :x FILTER NOT EXISTS { ?s :q ?y FILTER(?s = :a) } }"

    assert ask(store(TRIO), text) == {("b",): 1, ("c",): 1}


def test_minus_of_values_tells_members_apart():
    assert ask(store(TRIO), "SELECT ?s { ?s :p :x MINUS { VALUES ?s { :b } } }") == {("a",): 1, ("c",): 1}


def test_values_give_the_member_that_is_named():
    assert ask(store(TRIO), "SELECT ?s ?y { VALUES ?s { :b } ?s :q ?y }") == {("b", "y"): 1}


def test_equalities_are_answers_but_not_of_a_term_with_itself():
    kb = store("a same b, a p x")

    assert ask(kb, "SELECT ?s ?o { ?s owl:sameAs ?o }") == {("a", "b"): 1, ("b", "a"): 1}
    assert ask(kb, "SELECT ?o { :x owl:sameAs ?o }") == {}
    assert ask(kb, "SELECT ?p { :a ?p :b }") == {("same",): 1}


def test_no_literal_is_ever_a_subject():
    kb = store("a p 1, q same q")
    kb.add_rules("?y <http://e.org/inverse> ?x :- ?x <http://e.org/p> ?y .")

    assert ask(kb, "SELECT * { ?s :inverse ?o }") == {}
    assert ask(kb, "SELECT * { ?s :p ?o . ?o :inverse ?t }") == {}


def test_limit_cuts_within_a_class():
    kb = store("a same b, b same c, a p x, d p x")

    found = ask(kb, "SELECT ?s { ?s :p :x } LIMIT 2")
    rest = ask(kb, "SELECT ?s { ?s :p :x } OFFSET 2")

    assert found.total() == 2
    assert found + rest == {("a",): 1, ("b",): 1, ("c",): 1, ("d",): 1}


def test_order_sees_members():
    result = query(store(TRIO), PREFIX + "SELECT ?s { ?s :p :x } ORDER BY DESC(?s)", terms="text")

    assert [row.s for row in result] == list(map(term, "cba"))


def test_aggregates_count_members():
    kb = store("a same b, a p 1, a p 2, d p 3")

    assert ask(kb, "SELECT (COUNT(*) AS ?n) (SUM(?v) AS ?sum) { ?s :p ?v }") == {("5", "9"): 1}
    assert ask(kb, "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s :p ?v }") == {("3",): 1}
    assert ask(kb, "SELECT (COUNT(DISTINCT *) AS ?n) { ?s :p ?v }") == {("5",): 1}
    assert ask(kb, "SELECT ?s (COUNT(?v) AS ?n) { ?s :p ?v } GROUP BY ?s") == {
        ("a", "2"): 1,
        ("b", "2"): 1,
        ("d", "1"): 1,
    }


def test_a_path_of_length_zero_leads_to_the_term_itself_alone():
    kb = store("a same b, a p x")

    assert ask(kb, "SELECT ?o { :a :p* ?o }") == {("a",): 1, ("x",): 1}
    assert ask(kb, "SELECT ?o { :b :p? ?o }") == {("b",): 1, ("x",): 1}


def test_a_closure_runs_through_classes():
    kb = store("a p b, b same c, c p d")

    assert ask(kb, "SELECT ?o { :a :p+ ?o }") == {("b",): 1, ("c",): 1, ("d",): 1}


def test_equal_predicates_are_all_answers():
    kb = store("p same q, a p b")

    assert ask(kb, "SELECT ?o { :a :q ?o }") == {("b",): 1}
    assert ask(kb, "SELECT ?r { :a ?r :b }") == {("p",): 1, ("q",): 1}
    assert ask(kb, "SELECT ?o { :a !:p ?o }") == {("b",): 1}


def test_another_name_of_equality_is_equality():
    kb = store("eq same same, a same b, a p x")

    assert ask(kb, "SELECT ?s ?o { ?s :eq ?o FILTER(?s = :a) }") == {("a", "b"): 1}
    text = "SELECT ?s ?o { ?s :p :x OPTIONAL { ?s :eq ?o FILTER(?o = :b) } }"
    assert ask(kb, text) == {("a", "b"): 1, ("b", None): 1}
    assert ask(kb, "SELECT ?s { ?s :p :x FILTER EXISTS { ?s :eq :b } }") == {("a",): 1}


def test_representatives_alone_on_request():
    assert ask(store(TRIO), "SELECT ?s { ?s :p :x }", expand=False) == {("a",): 1}
    assert ask(store(TRIO), "SELECT ?o { :c :p ?o }", expand=False) == {("x",): 1}


def test_construct_writes_every_member():
    result = query(store("a same b, a p x"), PREFIX + "CONSTRUCT { ?s :made ?o } WHERE { ?s :p ?o }")

    assert set(result.triples()) == {(term("a"), term("made"), term("x")), (term("b"), term("made"), term("x"))}


def test_describe_tells_what_is_said_of_every_name():
    result = query(store("a same b, a p x"), PREFIX + "DESCRIBE :b")

    assert set(result.triples()) == {(term("b"), term("p"), term("x")), (term("b"), term("same"), term("a"))}


@pytest.fixture(scope="module")
def thousand() -> tuple[Reasoner, Reasoner]:
    """A class of a thousand, and the same closure written out."""
    facts = [f"a same a{number}" for number in range(999)]
    facts += [f"a{number} p y{number % 20}, a{number} q z{number % 20}" for number in range(40)]
    facts += [f"s{number} t a{number}" for number in range(50)]
    kb = store(",".join(facts))
    plain = Reasoner(profile="none", equality="none")
    plain.add(triple for triple in kb.triples() if "sameAs" not in triple[1])
    plain.materialise()
    return kb, plain


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?y ?z { ?x :p ?y . ?x :q ?z }",
        "SELECT ?s ?y { ?s :t ?x . ?x :p ?y }",
        "SELECT ?s ?y { ?s :t/:p ?y }",
        "SELECT (COUNT(*) AS ?n) { ?x :p ?y . ?x :q ?z }",
    ],
)
def test_a_class_of_a_thousand_costs_what_one_term_costs(thousand, text):
    kb, plain = thousand

    assert ask(kb, text) == ask(plain, text)
    # Rows are counted rather than seconds, which a busy machine would make a matter of luck.
    folded, written = (max(step.rows for step in explain_plan(part, PREFIX + text).steps) for part in (kb, plain))
    assert folded * 50 <= written


def test_a_plan_tells_rows_from_solutions(thousand):
    plan = explain_plan(thousand[0], PREFIX + "SELECT ?y { ?x :p ?y }")

    assert "20 rows for 20,000 solutions" in str(plan)
    assert plan.slow == ()
