"""Random updates: other libraries leave the same triples, and the closure is that of a store made anew."""

from __future__ import annotations

import pyoxigraph
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.terms import from_oxigraph, from_rdflib, to_oxigraph, to_rdflib
from reasoner import Reasoner, ReasonerError
from reasoner.requests import update
from tests.sparql.strategies import LITERALS, PREDICATES, PREFIXES, RESOURCES, iri
from tests.strategies import RANDOM

NAMES = [f":{name}" for name in RESOURCES[:4]]
OBJECTS = [*NAMES, "1", "2", "'x'"]
VARIABLES = ["?u", "?v", "?w"]


@st.composite
def operations(draw: st.DrawFn, *, one_sided: bool = False) -> str:
    """Draw an operation over few names, without blank nodes; a one-sided one does not both delete and insert."""

    def triples(subjects: list[str], predicates: list[str], objects: list[str], least: int = 0) -> str:
        parts = st.tuples(st.sampled_from(subjects), st.sampled_from(predicates), st.sampled_from(objects))
        return " . ".join(map(" ".join, draw(st.lists(parts, min_size=least, max_size=3))))

    predicates = [f":{name}" for name in PREDICATES]
    open_triples = ([*VARIABLES, *NAMES[:2]], [*predicates, "?w"], [*VARIABLES, *OBJECTS[:2], "1"])
    kind = draw(st.sampled_from(["insert data", "delete data", "delete where", "modify", "modify", "modify", "clear"]))
    if kind.endswith("data"):
        return f"{kind.upper()} {{ {triples(NAMES, predicates, OBJECTS)} }}"
    if kind == "clear":
        # rdflib drops graphs of datasets only.
        return draw(st.sampled_from(["CLEAR DEFAULT", "CLEAR DEFAULT" if one_sided else "DROP ALL"]))
    if kind == "delete where" and not one_sided:
        return f"DELETE WHERE {{ {triples(*open_triples, least=1)} }}"
    delete, insert = triples(*open_triples), triples(*open_triples)
    if one_sided:
        delete, insert = draw(st.sampled_from([(delete, ""), ("", insert)]))
    extra = draw(
        st.sampled_from(
            [
                "",
                "FILTER(isIRI(?v))",
                "OPTIONAL { ?u :q ?w }",
                "BIND(:c AS ?z)",
                "MINUS { ?u :r ?v }",
                "FILTER NOT EXISTS { ?v :p ?u }",
            ]
        )
    )
    return f"DELETE {{ {delete} }} INSERT {{ {insert} }} WHERE {{ {triples(*open_triples, least=1)} {extra} }}"


FACTS = st.lists(
    st.tuples(
        st.sampled_from(RESOURCES[:4]).map(iri),
        st.sampled_from(PREDICATES).map(iri),
        st.one_of(st.sampled_from(RESOURCES[:4]).map(iri), st.sampled_from(LITERALS)),
    ),
    max_size=12,
)


@settings(RANDOM, max_examples=200)
@given(FACTS, st.lists(operations(), min_size=1, max_size=4))
def test_random_updates_leave_what_oxigraph_leaves(facts, drawn):
    text = PREFIXES + " ;\n".join(drawn)
    kb = Reasoner(profile="none", equality="none")
    kb.add(facts)
    other = pyoxigraph.Store()
    other.extend(pyoxigraph.Quad(*map(to_oxigraph, fact)) for fact in facts)

    delta = update(kb, text)
    other.update(text)

    mine = set(kb.store.texts(kb.store.state.explicit))
    assert mine == {tuple(map(from_oxigraph, quad.triple)) for quad in other} == set(kb.triples())
    assert set(delta.asserted_added) == mine - set(facts)
    assert set(delta.asserted_removed) == set(facts) - mine


@settings(RANDOM, max_examples=100)
@given(FACTS, st.lists(operations(one_sided=True), min_size=1, max_size=4))
def test_random_updates_leave_what_rdflib_leaves(facts, drawn):
    """rdflib inserts for one solution before it deletes for the next, so that it is asked for one of both at a time."""
    kb = Reasoner(profile="none", equality="none")
    kb.add(facts)
    graph = rdflib.Graph()
    for fact in facts:
        graph.add(tuple(map(to_rdflib, fact)))

    update(kb, PREFIXES + " ;\n".join(drawn))
    for text in drawn:
        graph.update(PREFIXES + text)
        # It also takes triples that are no RDF.
        for s, p, o in list(graph):
            if isinstance(s, rdflib.Literal) or not isinstance(p, rdflib.URIRef):
                graph.remove((s, p, o))

    assert set(kb.triples()) == {tuple(map(from_rdflib, triple)) for triple in graph}


STRATEGIES = ["auto", "auto", "bf", "dred", "rematerialise", "counting", "dredc"]


@settings(RANDOM, max_examples=80)
@given(FACTS, st.lists(operations(), min_size=1, max_size=4), st.sampled_from(STRATEGIES))
def test_the_closure_follows_random_updates_as_if_made_anew(facts, drawn, strategy):
    """Also if a strategy cannot be used, which some tell only in the middle of a request: then nothing has changed."""
    rules = (
        "?x <http://e.org/q> ?z :- ?x <http://e.org/p> ?y, ?y <http://e.org/q> ?z . "
        "?x <http://www.w3.org/2002/07/owl#sameAs> ?y :- ?x <http://e.org/r> ?y ."
    )
    kb = Reasoner(profile="none", maintenance=strategy if strategy in ("counting", "dredc") else None)
    kb.add(facts)
    kb.add_rules(rules)
    before, delta = set(kb.triples()), None

    try:
        delta = update(kb, PREFIXES + " ;\n".join(drawn), strategy=strategy)
    except ReasonerError as error:
        assert strategy != "auto" and "cannot be used here" in str(error)
        assert set(kb.store.texts(kb.store.state.explicit)) == set(facts) and set(kb.triples()) == before
        update(kb, PREFIXES + " ;\n".join(drawn))

    anew = Reasoner(profile="none")
    anew.add(kb.store.texts(kb.store.state.explicit))
    anew.add_rules(rules)
    after = set(anew.triples())
    assert set(kb.triples()) == after
    if delta is not None:
        assert set(delta.iterate("gained")) == after - before and set(delta.iterate("lost")) == before - after
