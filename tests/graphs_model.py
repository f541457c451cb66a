"""Graphs as a dictionary of sets, random quads and changes of them, and how a reasoner is compared with it."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.terms.quads import EVERYWHERE

Triple = tuple[str, str, str]
Graph = str | None
Model = dict[Graph, set[Triple]]

G, H, K = (f"<http://e.org/{name}>" for name in "ghk")
GRAPHS: tuple[Graph, ...] = (None, G, H, K)
SAME = "<http://www.w3.org/2002/07/owl#sameAs>"
RULES = (
    "?x <http://e.org/q> ?z :- ?x <http://e.org/p> ?y, ?y <http://e.org/q> ?z . "
    "?x <http://www.w3.org/2002/07/owl#sameAs> ?y :- ?x <http://e.org/r> ?y ."
)


def iri(name: str) -> str:
    """Return the text of a name of ours."""
    return f"<http://e.org/{name}>"


names = st.sampled_from("abc").map(iri)
triples = st.tuples(names, st.sampled_from([*map(iri, "pqr"), SAME]), st.one_of(names, st.just('"1"')))
triple_lists = st.lists(triples, max_size=4)
graphs = st.sampled_from(GRAPHS)
models = st.dictionaries(graphs, st.sets(triples, max_size=5))

# One thing that is said in a transaction: whether triples come, to or from which graph, and which.
sayings = st.one_of(
    st.tuples(st.just(True), graphs, triple_lists),
    st.tuples(st.just(False), graphs, triple_lists),
    st.tuples(st.just(False), st.just(EVERYWHERE), triple_lists),
)


def said(model: Model, sayings: Iterable[tuple[bool, Graph, list[Triple]]]) -> Model:
    """Return the model after what was said, one thing after another."""
    after: Model = {graph: set(model.get(graph, ())) for graph in {*GRAPHS, *model}}
    for comes, graph, triples in sayings:
        for each in after if graph == EVERYWHERE else [graph]:
            after[each] = after[each] | set(triples) if comes else after[each] - set(triples)
    return after


def quads(model: Model) -> set[tuple[str, str, str, Graph]]:
    """Return the quads of a model."""
    return {(*triple, graph) for graph, held in model.items() for triple in held}


def reasoner_of(model: Model, **settings: str) -> Reasoner:
    """Return a reasoner with some rules, and with the graphs of a model."""
    kb = Reasoner(profile="none", **settings)
    kb.add_rules(RULES)
    for graph, held in model.items():
        kb.add(sorted(held), graph=graph)
    return kb


def require_agreement(kb: Reasoner, model: Model) -> None:
    """Assert that a reasoner asserts what the model does, graph by graph, and that its closure is as if made anew."""
    assert set(kb.quads()) == quads(model)
    assert kb.graphs() == {graph: len(held) for graph, held in model.items() if graph is not None and held}
    for graph, held in model.items():
        assert set(kb.triples(graph=graph or "urn:reasoner:default")) == held
    everything = set().union(*model.values())
    assert set(kb.triples(graph="urn:reasoner:asserted")) == everything
    anew = reasoner_of({None: everything})
    assert set(kb.triples()) == set(anew.triples()) == set(kb.triples(graph="urn:reasoner:closure"))
    assert set(kb.triples(graph="urn:reasoner:inferred")) == set(anew.triples(inferred_only=True))
