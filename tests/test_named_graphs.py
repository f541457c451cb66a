"""Named graphs: what they assert, how changes go through them, and how they are read and written."""

from __future__ import annotations

import io

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.terms import from_oxigraph
from reasoner import Reasoner, ReasonerError
from reasoner.state.transaction import Transaction
from tests.graphs_model import (
    GRAPHS,
    SAME,
    G,
    H,
    K,
    iri,
    models,
    quads,
    reasoner_of,
    require_agreement,
    said,
    sayings,
    triple_lists,
    triples,
)
from tests.strategies import RANDOM

FACT = (iri("a"), iri("p"), iri("b"))
OTHER = (iri("b"), iri("q"), iri("c"))
STRATEGIES = ["auto", "auto", "bf", "dred", "rematerialise"]


def tell(change: Transaction, drawn) -> None:
    for comes, graph, told in drawn:
        (change.add if comes else change.remove)(told, graph=graph)


@settings(RANDOM, max_examples=150)
@given(models, st.lists(st.lists(sayings, max_size=4), max_size=4), st.data())
def test_random_transactions_leave_what_a_dictionary_of_sets_holds(model, transactions, data):
    kb = reasoner_of(model)
    require_agreement(kb, model)
    for drawn in transactions:
        after = said(model, drawn)
        before_closure, explicit = set(kb.triples()), [set().union(*each.values()) for each in (model, after)]
        with kb.transaction(strategy=data.draw(st.sampled_from(STRATEGIES))) as change:
            tell(change, drawn)

        delta = change.delta
        require_agreement(kb, after)
        assert set(delta.quads_added) == quads(after) - quads(model)
        assert set(delta.quads_removed) == quads(model) - quads(after)
        assert set(delta.asserted_added) == explicit[1] - explicit[0]
        assert set(delta.asserted_removed) == explicit[0] - explicit[1]
        assert set(delta.iterate("gained")) == set(kb.triples()) - before_closure
        other = reasoner_of(model)
        with other.transaction() as again:
            again.apply_patch(delta.to_patch())
        require_agreement(other, after)
        model = after


@settings(RANDOM, max_examples=60)
@given(models, st.lists(sayings, min_size=1, max_size=4))
def test_a_transaction_that_fails_leaves_every_graph_as_it_was(model, drawn):
    kb = reasoner_of(model)
    kb.materialise()
    state, terms = kb.store.state, len(kb.store.dictionary)

    with pytest.raises(KeyError), kb.transaction() as change:
        tell(change, drawn)
        raise KeyError
    with pytest.MonkeyPatch.context() as patched, pytest.raises(RuntimeError), kb.transaction() as change:
        patched.setattr("reasoner.state.delta.Delta.__init__", _fail)
        tell(change, drawn)

    assert kb.store.state is state and len(kb.store.dictionary) == terms
    require_agreement(kb, model)
    with kb.transaction() as change:
        tell(change, drawn)
    require_agreement(kb, said(model, drawn))


def _fail(*_: object, **__: object) -> None:
    raise RuntimeError


@settings(RANDOM, max_examples=60)
@given(models, triple_lists, triple_lists)
def test_plain_changes_and_sessions_respect_graphs(model, added, removed):
    kb, session_kb = reasoner_of(model), reasoner_of(model)
    removed = [triple for triple in removed if triple not in added]

    with session_kb.dynamic() as session:
        ticket = session.submit(add=added, remove=removed)
    kb.remove(removed)
    kb.add(added)

    kept = said(model, [(False, "*", removed), (True, None, added)])
    require_agreement(kb, kept)
    require_agreement(session_kb, kept)
    assert set(ticket.delta.quads_added) == quads(kept) - quads(model)


@settings(RANDOM, max_examples=60)
@given(models, st.sampled_from(["nquads", "trig"]))
def test_what_is_written_is_read_again(model, format):
    kb, out = reasoner_of(model), io.BytesIO()

    assert kb.write(out, format=format) == len(quads(model))

    syntax = pyoxigraph.RdfFormat.N_QUADS if format == "nquads" else pyoxigraph.RdfFormat.TRIG
    read = {
        (*map(from_oxigraph, quad.triple), None if name == pyoxigraph.DefaultGraph() else from_oxigraph(name))
        for quad in pyoxigraph.parse(out.getvalue(), format=syntax)
        for name in [quad.graph_name]
    }
    assert read == quads(model)


def test_a_triple_stays_explicit_until_the_last_graph_lets_it_go():
    kb = reasoner_of({G: {FACT}, H: {FACT}, None: {FACT, OTHER}})

    for graph in (G, None):
        delta = kb.remove(FACT, graph=graph)
        assert delta.asserted_removed == () and delta.still_explicit == (FACT,) and delta.strategy == "none"
        assert delta.quads_removed == ((*FACT, graph),)
    delta = kb.remove(FACT, graph=H)

    assert delta.asserted_removed == (FACT,) and set(delta.inferred_removed) == {(iri("a"), iri("q"), iri("c"))}
    assert kb.graphs() == {} and not kb.store.state.graphs and not delta.still_explicit


def test_a_graph_asserts_terms_as_they_were_given():
    kb = reasoner_of({G: {FACT}, None: {(iri("a"), SAME, iri("d"))}})

    assert list(kb.triples(graph=G)) == [FACT]
    assert (iri("d"), iri("p"), iri("b")) in set(kb.triples(graph="urn:reasoner:inferred"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("data.nq", "{a} {p} {b} .\n{a} {p} {b} {G} .\n{b} {q} {c} {H} .\n{b} {q} {c} {H} .\n"),
        ("data.trig", "{a} {p} {b} . GRAPH {G} {{ {a} {p} {b} }} {H} {{ {b} {q} {c} . }}"),
        (
            "data.jsonld",
            '[{{"@id": "http://e.org/a", "http://e.org/p": {{"@id": "http://e.org/b"}}}}, '
            '{{"@id": "http://e.org/g", "@graph": [{{"@id": "http://e.org/a", "http://e.org/p": '
            '{{"@id": "http://e.org/b"}}}}]}}, {{"@id": "http://e.org/h", "@graph": '
            '[{{"@id": "http://e.org/b", "http://e.org/q": {{"@id": "http://e.org/c"}}}}]}}]',
        ),
    ],
)
def test_files_of_quads_keep_their_graphs_unless_one_is_named(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text.format(G=G, H=H, **{word: iri(word) for word in "abcpq"}))
    kb, into = Reasoner(profile="none"), Reasoner(profile="none")

    kb.load(path)
    into.load(path, graph="http://e.org/k")

    assert set(kb.quads()) == {(*FACT, None), (*FACT, G), (*OTHER, H)}
    assert set(into.quads()) == {(*FACT, K), (*OTHER, K)}


def test_blank_nodes_may_name_graphs_and_differ_from_file_to_file(tmp_path):
    path = tmp_path / "data.nq"
    path.write_text(f"{' '.join(FACT)} _:g .\n_:g {iri('p')} _:x _:g .\n")
    kb = Reasoner(profile="none")

    kb.load(path)
    kb.load(path)

    names = list(kb.graphs())
    assert len(names) == 2 and all(name.startswith("_:") for name in names)
    assert [subject for subject, _, _, graph in kb.quads() if subject == graph] == sorted(names)


def test_a_name_that_is_none_is_refused(tmp_path):
    kb = Reasoner(profile="none")
    path = tmp_path / "data.nq"
    path.write_text(f"{' '.join(FACT)} <urn:reasoner:asserted> .\n")
    terms = len(kb.store.dictionary)

    for graph, message in [
        ('"g"', "is no name for a graph"),
        ("<http://e.org/a b>", "is not a term"),
        ("urn:reasoner:closure", "can be asked and not changed"),
        ("urn:reasoner:other", "those of this kind are"),
    ]:
        with pytest.raises(ReasonerError, match=message):
            kb.add([FACT], graph=graph)
        with pytest.raises(ReasonerError, match=message), kb.transaction() as change:
            change.remove(FACT, graph=graph)
    with pytest.raises(ReasonerError, match="can be asked and not changed"):
        kb.load(path)
    with pytest.raises(ReasonerError, match="choose one of nt, nq, ttl"):
        kb.write(io.BytesIO(), format="hdt")
    assert not kb.graphs() and len(kb.store.dictionary) == terms


def test_rules_and_ontologies_do_not_see_graphs():
    kb = Reasoner(profile="rdfs")
    sub = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    kb.add([(iri("Cat"), sub, iri("Animal"))], graph=G)
    kb.add([(iri("tom"), kind, iri("Cat"))], graph=H)

    assert (iri("tom"), kind, iri("Animal")) in set(kb.triples())
    kb.remove((iri("Cat"), sub, iri("Animal")), graph=G)
    assert (iri("tom"), kind, iri("Animal")) not in set(kb.triples())


@settings(RANDOM, max_examples=30)
@given(st.lists(st.tuples(triples, st.sampled_from(GRAPHS)), max_size=8))
def test_counts_and_memory_of_a_summary_go_with_graphs(drawn):
    kb = Reasoner(profile="none")
    for triple, graph in drawn:
        kb.add([triple], graph=graph)

    assert kb.summary().explicit == len({triple for triple, _ in drawn})
    assert bool(kb.store.state.graphs.nbytes) == any(graph is not None for _, graph in drawn)
