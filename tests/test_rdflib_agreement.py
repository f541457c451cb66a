"""The store for rdflib agrees with rdflib's Memory store without rules, and with the oracle with them."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, XSD, BNode, Graph, Literal, URIRef
from rdflib.plugins.stores.memory import Memory

from loaders.terms import to_rdflib
from reasoner import Reasoner
from reasoner.interop.rdflib_store import ReasonerStore
from tests import oracle
from tests.strategies import RANDOM, Program, minimised, programs
from tests.test_agreement import expected
from tests.test_rdflib_store import E, plain


@settings(RANDOM, max_examples=200)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([E.x, E.y, E.z]), st.booleans()), max_size=8))
def test_a_prefix_has_one_namespace_and_a_namespace_one_prefix(steps):
    ours, theirs = ReasonerStore(), Memory()
    for prefix, namespace, override in steps:
        # Memory loses its way where both are bound and neither may change.
        if override or theirs.prefix(namespace) is None or theirs.namespace(prefix) is None:
            ours.bind(prefix, namespace, override)
            theirs.bind(prefix, namespace, override)

    assert dict(ours.namespaces()) == dict(theirs.namespaces())
    assert {ours.prefix(namespace): namespace for _, namespace in ours.namespaces()} == dict(ours.namespaces())


SUBJECTS = [E.a, E.b, BNode("b1"), URIRef("http://e.org/ü")]
PREDICATES = [E.p, RDF.type, OWL.sameAs]
OBJECTS = [
    *SUBJECTS,
    Literal('say "hi"\n\\'),
    Literal("a", lang="en"),
    Literal("a", lang="EN"),
    Literal("a"),
    Literal("01", datatype=XSD.integer, normalize=False),
    Literal(1),
]
TRIPLES = st.tuples(*map(st.sampled_from, (SUBJECTS, PREDICATES, OBJECTS)))
PATTERNS = st.tuples(*(st.sampled_from([None, None, *terms]) for terms in (SUBJECTS, PREDICATES, OBJECTS)))
STEPS = st.one_of(
    st.tuples(st.just("add"), TRIPLES),
    st.tuples(st.just("add"), TRIPLES),
    st.tuples(st.just("remove"), PATTERNS),
    st.tuples(st.just("ask"), PATTERNS),
)


@settings(RANDOM, max_examples=300)
@given(st.lists(STEPS, min_size=5, max_size=25))
def test_without_rules_the_store_does_what_rdflibs_own_does(steps):
    ours, theirs = plain(), Graph()
    for kind, triple in steps:
        if kind == "ask":
            found = list(ours.triples(triple))
            assert len(found) == len(set(found))
            assert set(found) == set(theirs.triples(triple))
            assert len(ours) == len(theirs)
        else:
            for graph in (ours, theirs):
                getattr(graph, kind)(triple)

    assert set(ours) == set(theirs)
    assert all(set(ours.triples(triple)) == {triple} for triple in theirs)


def test_facts_that_are_only_marked_as_gone_are_found_no_more():
    """A table from which a few facts of many go keeps them, and remembers which they are."""
    ours, theirs = plain(), Graph()
    for graph in (ours, theirs):
        graph += [(E[f"s{n}"], E.p, E[f"o{n % 7}"]) for n in range(400)]
        assert len(graph) == 400
        graph.remove((E.s5, None, None)).remove((None, None, E.s5)).remove((E.s12, E.p, E.o5))

    assert len(ours) == len(theirs) == 398
    columns = ours.store.kb.store
    assert columns.state.facts.table(columns.id_of(f"<{E.p}>")).dead.size == 2
    for pattern in product((None, E.s5, E.s12, E.s19), (None, E.p), (None, E.o5)):
        assert set(ours.triples(pattern)) == set(theirs.triples(pattern)), pattern


@settings(RANDOM, max_examples=100)
@given(st.lists(STEPS, max_size=10), st.lists(STEPS, max_size=10))
def test_rollback_restores_what_was_there_at_the_commit(before, after):
    graph = plain(equality="rewrite")
    _run(graph, before)
    graph.commit()
    closure, explicit = set(graph), set(graph.store.kb.store.texts(graph.store.kb.store.state.explicit))

    _run(graph, after)
    graph.rollback()

    assert set(graph) == closure
    assert set(graph.store.kb.store.texts(graph.store.kb.store.state.explicit)) == explicit


@settings(RANDOM, max_examples=250)
@given(programs(negation=False, variable_predicates=True, builtins=True))
@minimised
def test_every_pattern_finds_what_the_oracle_derives_with_equality(program):
    assert_patterns_agree(program, "rewrite")


@settings(RANDOM, max_examples=60)
@given(programs(negation=False, variable_predicates=True))
@minimised
def test_every_pattern_finds_what_the_oracle_derives_with_the_axioms_of_equality(program):
    assert_patterns_agree(program, "axiomatise")


def assert_patterns_agree(program: Program, equality: str) -> None:
    """Ask every pattern over the terms of a few facts, and compare with a scan of the oracle's closure."""
    closure = {tuple(map(to_rdflib, fact)) for fact in oracle.shown(expected(program), program.facts)}
    kb = Reasoner(profile="none", equality=equality)
    kb.add_rules(program.rules)
    graph = Graph(store=ReasonerStore(kb=kb))
    for fact in program.facts:
        graph.add(tuple(map(to_rdflib, fact)))

    assert len(graph) == len(closure)
    for s, p, o in sorted(closure)[::7] or [(E.s, E.p, E.o)]:
        for pattern in product((None, s, o), (None, p, s), (None, o, s)):
            found = list(graph.store.triples(pattern))
            assert len(found) == len({triple for triple, _ in found}), pattern
            assert {triple for triple, _ in found} == {triple for triple in closure if _fits(triple, pattern)}, pattern


def _fits(triple, pattern) -> bool:
    return all(wanted is None or wanted == term for term, wanted in zip(triple, pattern, strict=True))


def _run(graph: Graph, steps) -> None:
    for kind, triple in steps:
        if kind == "ask":
            assert set(graph.triples(triple)) <= set(graph)
        else:
            getattr(graph, kind)(triple)
