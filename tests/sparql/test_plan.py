"""What a plan shows of a query."""

from __future__ import annotations

from reasoner.requests import explain_plan
from tests.sparql.notation import PREFIX, store

FACTS = "a p b, b p c, c q a, a r d, a same e"


def plan(text: str) -> list[str]:
    """Return the steps of a query without their figures."""
    lines = str(explain_plan(store(FACTS), PREFIX + text)).splitlines()
    return [line.partition("  [")[0].replace("http://e.org/", "") for line in lines]


def figures(text: str) -> list[tuple[str, int]]:
    return [(step.name, step.rows) for step in explain_plan(store(FACTS), PREFIX + text).steps]


def test_a_plan_shows_both_sides_of_an_optional_that_is_joined_by_index():
    assert plan("SELECT ?x { ?x :p ?y OPTIONAL { ?y :p/^:q* ?z . ?z !(:p|^:q) ?w } }") == [
        "Project ?x",
        "  LeftJoin",
        "    Bgp ?x <p> ?y",
        "    Bgp ?y <p>/^(<q>*) ?z . ?z !(<p>|^<q>) ?w",
    ]


def test_a_plan_shows_what_is_asked_of_each_solution():
    assert plan("SELECT ?x { ?x :p ?y FILTER NOT EXISTS { ?y (:p|:q)+ ?z OPTIONAL { ?z :q? ?w } } }") == [
        "Project ?x",
        "  Filter 1 condition",
        "    Bgp ?x <p> ?y",
        "    Exists NOT",
        "      LeftJoin",
        "        Bgp ?y (<p>|<q>)+ ?z",
        "        Bgp ?z <q>? ?w",
    ]


def test_a_step_of_an_exists_tells_how_many_solutions_have_one():
    assert figures("SELECT ?x { ?x :p ?y FILTER EXISTS { ?y :p ?z } }")[-2:] == [("Exists", 1), ("Bgp", 1)]


def test_the_text_of_a_filter_may_be_found_by_value():
    steps = explain_plan(store(FACTS), PREFIX + 'SELECT ?x { ?x :p ?y FILTER(REGEX(STR(?x), "a")) }').slow

    assert {way for step in steps for way in step.ways} == {"once for each distinct value"}
