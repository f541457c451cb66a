"""SPARQL 1.1 Update over named graphs: every form, and agreement with another library on random requests."""

from __future__ import annotations

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.terms import from_oxigraph, to_oxigraph
from reasoner import Reasoner, ReasonerError
from reasoner.requests import update
from reasoner.sparql.errors import QuerySyntaxError
from tests.graphs_model import RULES, Model, models, reasoner_of, require_agreement
from tests.sparql.notation import PREFIX, short, term
from tests.sparql.strategies import PREFIXES
from tests.strategies import RANDOM


def graphs_of(text: str) -> Model:
    """Read graphs: ``a p b, g: c p d`` is a triple of the default graph, and one of g."""
    model: Model = {}
    for quad in filter(None, map(str.strip, text.split(","))):
        graph, _, triple = quad.rpartition(":")
        model.setdefault(term(graph) if graph else None, set()).add(tuple(map(term, triple.split())))
    return model


def store(text: str) -> Reasoner:
    kb = Reasoner(profile="none")
    for graph, triples in graphs_of(text).items():
        kb.add(triples, graph=graph)
    return kb


def shown(kb: Reasoner) -> set[str]:
    return {f"{'' if g is None else short(g) + ': '}{' '.join(map(short, (s, p, o)))}" for s, p, o, g in kb.quads()}


def expected(text: str) -> set[str]:
    return {quad.strip() for quad in text.split(",") if quad.strip()}


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("", "INSERT DATA { :a :p :b GRAPH :g { :a :p :b . :c :p :d } :e :p :f }",
         "a p b, e p f, g: a p b, g: c p d"),
        ("a p b, g: a p b", "DELETE DATA { GRAPH :g { :a :p :b } }", "a p b"),
        ("a p b, g: a p b", "DELETE DATA { :a :p :b }", "g: a p b"),
        ("g: a p b, h: a p b", "DELETE WHERE { GRAPH ?g { :a :p ?x } }", ""),
        ("a p b, g: a p b, g: b p c", "DELETE WHERE { ?x :p ?y GRAPH :g { ?y :p ?z } }", "g: a p b"),
        ("g: a p b, h: c p d", "INSERT { ?x :in ?g } WHERE { GRAPH ?g { ?x :p ?y } }",
         "g: a p b, h: c p d, a in g, c in h"),
        ("a p g, b p h", "INSERT { GRAPH ?y { ?x :q ?x } } WHERE { ?x :p ?y }", "a p g, b p h, g: a q a, h: b q b"),
        ("a p 1", "INSERT { GRAPH ?y { ?x :q ?x } GRAPH ?no { ?x :q ?x } } WHERE { ?x :p ?y }", "a p 1"),
        ("a p b, g: c p d", "WITH :g DELETE { ?x :p ?y } INSERT { ?y :p ?x } WHERE { ?x :p ?y }", "a p b, g: d p c"),
        ("g: a p b, h: c p d", "WITH :g INSERT { ?x :q ?y GRAPH :k { ?x :q ?y } } USING :h WHERE { ?x :p ?y }",
         "g: a p b, h: c p d, g: c q d, k: c q d"),
        ("a p b, g: c p d, h: e p f", "INSERT { ?x :q ?g } USING NAMED :h WHERE { GRAPH ?g { ?x :p ?y } }",
         "a p b, g: c p d, h: e p f, e q h"),
        ("g: a p b, h: c p d", "INSERT { ?x :q ?y } USING :g USING :h WHERE { ?x :p ?y }",
         "g: a p b, h: c p d, a q b, c q d"),
        ("a p b, g: a p b, h: c p d", "CLEAR GRAPH :g", "a p b, h: c p d"),
        ("a p b, g: a p b, h: c p d", "DROP DEFAULT", "g: a p b, h: c p d"),
        ("a p b, g: a p b, h: c p d", "CLEAR NAMED", "a p b"),
        ("a p b, g: a p b, h: c p d", "DROP ALL", ""),
        ("a p b", "CLEAR GRAPH :none ; DROP GRAPH :none ; CREATE GRAPH :new", "a p b"),
        ("a p b, g: c p d", "COPY DEFAULT TO :g", "a p b, g: a p b"),
        ("a p b, g: c p d", "COPY :g TO DEFAULT", "c p d, g: c p d"),
        ("g: c p d, h: e p f", "MOVE GRAPH :g TO GRAPH :h", "h: c p d"),
        ("g: c p d, h: e p f", "ADD :g TO :h", "g: c p d, h: e p f, h: c p d"),
        ("a p b", "MOVE DEFAULT TO :g ; MOVE :g TO :h", "h: a p b"),
        ("g: c p d", "COPY :g TO :g ; MOVE :g TO :g ; ADD :g TO :g", "g: c p d"),
        ("g: c p d", "COPY SILENT :none TO :g ; CREATE SILENT GRAPH :g", "g: c p d"),
        ("", "INSERT DATA { GRAPH :g { :a :p :b } } ; MOVE :g TO DEFAULT ; INSERT DATA { :c :p :d } ; CLEAR NAMED",
         "a p b, c p d"),
        ("g: a p b", "DELETE DATA { GRAPH :g { :a :p :b } } ; ADD SILENT :g TO :h ; CREATE GRAPH :g", ""),
        ("", "INSERT DATA { GRAPH :g { :a :p :b } } ; CLEAR NAMED ; INSERT DATA { GRAPH :h { :a :p :b } }", "h: a p b"),
        ("g: a p b", "CLEAR SILENT GRAPH <urn:reasoner:closure> ; DROP SILENT GRAPH :g", ""),
        ("a p b, g: c p d", "INSERT { ?x :q ?y } USING <urn:reasoner:default> WHERE { ?x :p ?y }",
         "a p b, g: c p d, a q b"),
    ],
)  # fmt: skip
def test_a_form_does_what_the_standard_says(before, text, after):
    kb = store(before)

    update(kb, PREFIX + text)

    assert shown(kb) == expected(after)
    assert set(kb.triples()) == {(s, p, o) for s, p, o, _ in kb.quads()}


NAMES = [":a", ":b", ":c"]
GRAPHS = [":g", ":h", ":k"]


@st.composite
def operations(draw: st.DrawFn) -> str:
    """Draw an operation whose WHERE reads graphs by name, because our default graph is more than that of others."""

    def triples(subjects: list[str], predicates: list[str], objects: list[str]) -> str:
        parts = st.tuples(st.sampled_from(subjects), st.sampled_from(predicates), st.sampled_from(objects))
        return " . ".join(map(" ".join, draw(st.lists(parts, min_size=1, max_size=2))))

    def quads(*choices: list[str], graphs: list[str]) -> str:
        parts = []
        for _ in range(draw(st.integers(0, 2))):
            inside = triples(*choices)
            graph = draw(st.sampled_from([*graphs, ""]))
            parts.append(f"GRAPH {graph} {{ {inside} }}" if graph else f"{inside} .")
        return " ".join(parts)

    data = (NAMES, [":p", ":q", ":r"], [*NAMES, "1"])
    template = (["?u", "?v", ":a"], [":p", ":q", "?x"], ["?u", "?v", ":b"])
    kind = draw(st.sampled_from(["INSERT DATA", "DELETE DATA", "WHERE", "modify", "modify", "modify", "clear", "move"]))
    if kind.endswith("DATA"):
        return f"{kind} {{ {quads(*data, graphs=GRAPHS)} }}"
    if kind == "clear":
        target = draw(st.sampled_from([*(f"GRAPH {graph}" for graph in GRAPHS), "DEFAULT", "NAMED", "ALL"]))
        return f"{draw(st.sampled_from(['CLEAR', 'DROP']))} SILENT {target}"
    if kind == "move":
        ends = st.sampled_from([*GRAPHS, "DEFAULT"])
        return f"{draw(st.sampled_from(['ADD', 'COPY', 'MOVE']))} {draw(ends)} TO {draw(ends)}"
    where = " ".join(
        f"GRAPH {draw(st.sampled_from([*GRAPHS, '?g', '?g']))} {{ {triples(*template)} }}"
        for _ in range(draw(st.integers(1, 2)))
    )
    if kind == "WHERE":
        return f"DELETE WHERE {{ {where} }}"
    delete, insert = (quads(*template, graphs=[*GRAPHS, "?g"]) for _ in range(2))
    clause, using = draw(
        st.sampled_from(
            [
                ("", ""),
                ("WITH :g", ""),
                ("", "USING :h USING NAMED :g"),
                ("WITH :k", "USING :g USING :h"),
                ("WITH :g", ""),
            ]
        )
    )
    if clause or using:
        where = f"{triples(*template)} . {where}" if draw(st.booleans()) else triples(*template)
    return f"{clause} DELETE {{ {delete} }} INSERT {{ {insert} }} {using} WHERE {{ {where} }}"


@settings(RANDOM, max_examples=400)
@given(models, st.lists(operations(), min_size=1, max_size=4))
def test_random_requests_leave_what_oxigraph_leaves(model, drawn):
    text = PREFIXES + " ;\n".join(drawn)
    kb = reasoner_of(model)
    other = pyoxigraph.Store()
    for graph, triples in model.items():
        name = pyoxigraph.DefaultGraph() if graph is None else to_oxigraph(graph)
        other.extend(pyoxigraph.Quad(*map(to_oxigraph, triple), name) for triple in triples)

    before = set(kb.quads())
    try:
        other.update(text)
    except (RuntimeError, OSError):
        assert any(word in text for word in ("ADD", "COPY", "MOVE"))
        return
    try:
        delta = update(kb, text)
    except ReasonerError as error:
        # An empty graph is one that is not there, and cannot be moved.
        assert "there is no graph" in str(error)
        assert set(kb.quads()) == before
        return

    after: Model = {graph: set() for graph in model}
    for quad in other:
        graph = None if quad.graph_name == pyoxigraph.DefaultGraph() else from_oxigraph(quad.graph_name)
        after.setdefault(graph, set()).add(tuple(map(from_oxigraph, quad.triple)))
    require_agreement(kb, after)
    assert set(delta.quads_added) == set(kb.quads()) - before
    assert set(delta.quads_removed) == before - set(kb.quads())


def test_where_reads_everything_that_holds_and_delete_the_graph_that_it_names():
    kb = reasoner_of(graphs_of("g: a p b, h: b q c"))

    delta = update(kb, PREFIX + "DELETE { ?x :q ?y } INSERT { GRAPH :k { ?x :seen ?y } } WHERE { ?x :q ?y }")

    assert RULES and shown(kb) == expected("g: a p b, h: b q c, k: a seen c, k: b seen c")
    assert [" ".join(map(short, triple)) for triple in delta.still_explicit] == ["b q c"]
    assert [" ".join(map(short, triple)) for triple in delta.not_explicit] == ["a q c"]


@pytest.mark.parametrize(
    ("failing", "message"),
    [
        ("COPY :none TO :g", "COPY: there is no graph <http://e.org/none>"),
        ("CREATE GRAPH :g", "CREATE: the graph <http://e.org/g> is there already"),
        ("INSERT DATA { GRAPH <urn:reasoner:inferred> { :a :p :b } }", "can be asked and not changed"),
        ("INSERT { GRAPH ?g { :a :p :b } } WHERE { BIND(<urn:reasoner:asserted> AS ?g) }", "can be asked and not"),
        ("WITH <urn:reasoner:closure> DELETE { ?x :p ?y } WHERE { ?x :p ?y }", "can be asked and not changed"),
        ("INSERT { ?x :q ?y } USING <urn:reasoner:none> WHERE { ?x :p ?y }", "those of this kind are"),
        ("LOAD <missing.nq> INTO GRAPH :g", "there is no file missing.nq"),
    ],
)
def test_a_request_that_fails_leaves_every_graph_as_it_was(failing, message):
    kb = store("a p b, g: a p b, h: c p d")
    kb.materialise()
    state, terms = kb.store.state, len(kb.store.dictionary)

    with pytest.raises(ReasonerError, match=message):
        update(
            kb,
            f"{PREFIX}INSERT DATA {{ GRAPH :g {{ :x :p :new }} }} ; MOVE :h TO :other ; "
            f"DELETE {{ GRAPH ?g {{ ?x ?p ?y }} }} WHERE {{ GRAPH ?g {{ ?x ?p ?y }} FILTER(?x = :a) }} ; {failing}",
        )

    assert kb.store.state is state and len(kb.store.dictionary) == terms
    assert shown(kb) == expected("a p b, g: a p b, h: c p d")


def test_mistakes_in_graphs_are_shown_with_their_place():
    for text, message in [
        ("DELETE DATA { GRAPH ?g { <a> <p> <b> } }", "?g cannot stand in DELETE DATA"),
        ("DELETE { GRAPH ?g { ?x <p> _:b } } WHERE { ?x <p> ?g }", "a blank node cannot be deleted by its label"),
    ]:
        with pytest.raises(QuerySyntaxError) as caught:
            update(store(""), text)
        assert message in caught.value.message


def test_documents_are_loaded_into_the_graphs_that_they_name_or_into_one(tmp_path):
    quads, triples = tmp_path / "data.nq", tmp_path / "data.ttl"
    quads.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> <http://e.org/g> .\n"
                     "<http://e.org/c> <http://e.org/p> <http://e.org/d> .\n")  # fmt: skip
    triples.write_text("<http://e.org/e> <http://e.org/p> <http://e.org/f> .")
    kb = store("")

    update(kb, PREFIX + f"LOAD <{quads.as_uri()}> ; LOAD <{triples.as_uri()}> INTO GRAPH :h")
    update(kb, PREFIX + f"LOAD <{quads.as_uri()}> INTO GRAPH :k")

    assert shown(kb) == expected("g: a p b, c p d, h: e p f, k: a p b, k: c p d")


def test_blank_nodes_of_a_template_are_the_same_in_all_its_graphs():
    kb = store("a p b")

    update(kb, PREFIX + "INSERT { _:n :q ?x GRAPH :g { _:n :q ?y } } WHERE { ?x :p ?y }")
    update(kb, PREFIX + "INSERT DATA { _:m :r :a GRAPH :g { _:m :r :b } }")

    for predicate in ("q", "r"):
        subjects = {s for s, p, _, _ in kb.quads() if p == term(predicate)}
        assert len(subjects) == 1 and subjects.pop().startswith("_:")
