"""Queries over named graphs: GRAPH, FROM, the graphs of our own, and agreement with another library."""

from __future__ import annotations

import gc
import weakref

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.terms import from_oxigraph, to_oxigraph
from reasoner import Reasoner
from reasoner.requests import explain_plan, query
from reasoner.terms.quads import PSEUDO_GRAPHS
from tests.graphs_model import GRAPHS, Model, models, reasoner_of
from tests.sparql.naive import Bag, bag
from tests.sparql.notation import PREFIX, ask, term
from tests.sparql.strategies import PREFIXES
from tests.strategies import RANDOM


def oxigraph_bag(default, named, text: str) -> Bag:
    """Let pyoxigraph answer a SELECT over a dataset."""
    store = pyoxigraph.Store()
    store.extend(pyoxigraph.Quad(*map(to_oxigraph, triple)) for triple in default)
    for name, triples in named.items():
        store.extend(pyoxigraph.Quad(*map(to_oxigraph, (*triple, name))) for triple in triples)
    solutions = store.query(text)
    names = [variable.value for variable in solutions.variables]
    return bag(
        {name: None if solution[name] is None else from_oxigraph(solution[name]) for name in names}
        for solution in solutions
    )


def ours(kb: Reasoner, text: str) -> Bag:
    result = query(kb, text, terms="text")
    return bag(dict(zip(result.variables, row, strict=True)) for row in result)


@st.composite
def bodies(draw: st.DrawFn, graphs: tuple[str, ...]) -> str:
    """Draw a group with parts in graphs, in the default graph, and in both."""

    def triples() -> str:
        terms = st.sampled_from(["?u", "?v", "?w", "?u", "?v", ":a"])
        predicates = st.sampled_from([":p", ":q", ":p", "?x", "owl:sameAs", ":p/:q", ":p+"])
        drawn = draw(st.lists(st.tuples(terms, predicates, terms), min_size=1, max_size=2))
        return " . ".join(" ".join(each) for each in drawn)

    def inside() -> str:
        graph = draw(st.sampled_from(graphs))
        extra = draw(
            st.sampled_from(
                [
                    "",
                    "FILTER(isIRI(?u))",
                    "OPTIONAL { ?u :q ?w }",
                    "FILTER NOT EXISTS { ?u :p ?v }",
                    "BIND(STR(?u) AS ?y)",
                ]
            )
        )
        return f"GRAPH {graph} {{ {triples()} {extra} }}"

    parts = [draw(st.sampled_from([triples(), inside(), inside()]))]
    for _ in range(draw(st.integers(0, 2))):
        form = draw(st.sampled_from(["%s", "%s", "OPTIONAL { %s }", "MINUS { %s }", "FILTER EXISTS { %s }", "{ %s }"]))
        parts.append(form % draw(st.sampled_from([triples(), inside(), inside()])))
    text = " . ".join(parts)
    return f"{{ {text} }}{draw(st.sampled_from(['', ' GROUP BY ?u']))}"


def select(body: str, clauses: str = "") -> str:
    asked = "?u (COUNT(*) AS ?n)" if "GROUP BY" in body else "*"
    return f"{PREFIXES}SELECT {asked} {clauses} {body}"


@settings(RANDOM, max_examples=400)
@given(models, bodies((":g", ":h", "?g", "?g", "?v")))
def test_graphs_hold_what_was_asserted_and_the_default_graph_everything(model, body):
    kb = reasoner_of(model)
    named = {graph: triples for graph, triples in model.items() if graph is not None}

    assert ours(kb, select(body)) == oxigraph_bag(kb.triples(), named, select(body))


@settings(RANDOM, max_examples=200)
@given(
    models,
    bodies((":g", "?g", "<urn:reasoner:inferred>")),
    st.lists(st.sampled_from([":g", ":h", *PSEUDO_GRAPHS]), max_size=2, unique=True),
    st.lists(st.sampled_from([":g", ":k", *PSEUDO_GRAPHS]), max_size=2, unique=True),
)
def test_from_chooses_among_all_graphs_and_those_of_our_own(model, body, default, named):
    kb = reasoner_of(model)
    default = default if default or named else ["<urn:reasoner:closure>"]
    clauses = " ".join([*(f"FROM {name}" for name in default), *(f"FROM NAMED {name}" for name in named)])

    def held(name: str) -> set[tuple[str, ...]]:
        return set(kb.triples(graph=name if name.startswith("<") else term(name[1:])))

    merged = set().union(*map(held, default))
    chosen = {name if name.startswith("<") else term(name[1:]): held(name) for name in named}
    assert ours(kb, select(body, clauses)) == oxigraph_bag(merged, chosen, select(body))


@settings(RANDOM, max_examples=60)
@given(models)
def test_the_graphs_of_our_own_are_what_their_names_say(model: Model):
    kb = reasoner_of(model)
    closure, explicit = set(kb.triples()), set().union(*model.values())

    def held(graph: str) -> set[tuple[str, ...]]:
        return set(query(kb, f"SELECT * {{ GRAPH <urn:reasoner:{graph}> {{ ?s ?p ?o }} }}", terms="text").rows())

    assert held("closure") == closure and held("asserted") == explicit
    # An equality of a term with itself is explicit, and no part of the closure that is shown.
    assert held("inferred") == closure - explicit and held("default") == model.get(None, set())
    listed = query(kb, "SELECT DISTINCT ?g { GRAPH ?g {} }", terms="text").rows()
    assert {name for (name,) in listed} == {graph for graph in GRAPHS[1:] if model.get(graph)}


def test_graph_patterns_see_no_equality_unless_it_is_asserted_there():
    kb = Reasoner(profile="none")
    kb.add([(term("a"), term("same"), term("b"))])
    kb.add([(term("a"), term("p"), term("x"))], graph=term("g"))

    assert ask(kb, "SELECT ?x { GRAPH :g { ?x :p ?y } }") == {("a",): 1}
    assert ask(kb, "SELECT ?x { ?x :p ?y }") == {("a",): 1, ("b",): 1}
    assert ask(kb, "SELECT ?g { GRAPH ?g { :b :p ?y } }") == {}
    assert ask(kb, "SELECT ?x { ?x owl:sameAs :b . GRAPH :g { ?x :p ?y } }") == {("a",): 1}
    assert ask(kb, "SELECT ?x { ?x owl:sameAs :a . GRAPH :g { ?x :p ?y } }") == {}


def test_answers_follow_changes_of_graphs_that_change_no_fact():
    kb = Reasoner(profile="none")
    kb.add([(term("a"), term("p"), term("x"))])
    asked = "SELECT ?g { GRAPH ?g { :a :p ?y } }"

    assert ask(kb, asked) == {}
    with kb.transaction() as change:
        change.add((term("a"), term("p"), term("x")), graph=term("g"))
    assert ask(kb, asked) == {("g",): 1}
    kb.remove((term("a"), term("p"), term("x")), graph=term("g"))
    assert ask(kb, asked) == {} and ask(kb, "SELECT ?x { ?x :p ?y }") == {("a",): 1}


def test_graphs_that_lack_a_predicate_are_not_searched():
    kb = Reasoner(profile="none")
    for number in range(50):
        kb.add([(term("a"), term(f"p{number}"), term("x"))], graph=term(f"g{number}"))

    plan = explain_plan(kb, PREFIX + "SELECT * { GRAPH ?g { ?s :p7 ?o } }")

    assert sum(step.name == "Bgp" for step in plan.steps) == 1
    assert ask(kb, "SELECT ?g { GRAPH ?g { ?s :p7 ?o } }") == {("g7",): 1}


def test_a_store_that_was_asked_is_let_go():
    kb = Reasoner(profile="none")
    kb.add([(term("a"), term("p"), term("x"))], graph=term("g"))
    assert ask(kb, "SELECT ?x { GRAPH <urn:reasoner:inferred> { ?x ?p ?y } }") == {}
    store = weakref.ref(kb.store)

    del kb
    gc.collect()

    assert store() is None


@pytest.mark.parametrize("form", ["CONSTRUCT { ?s ?p ?o } { GRAPH :g { ?s ?p ?o } }", "DESCRIBE :a FROM :g"])
def test_other_forms_read_graphs_too(form):
    kb = Reasoner(profile="none")
    kb.add([(term("a"), term("p"), term("x"))], graph=term("g"))
    kb.add([(term("a"), term("p"), term("y"))])

    assert list(query(kb, PREFIX + form, terms="text").triples()) == [(term("a"), term("p"), term("x"))]
