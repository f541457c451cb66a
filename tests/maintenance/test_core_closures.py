"""Transitive predicates in the core of equality: their module gives what joins give, whatever is merged or split."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.columnar import chaining
from reasoner.maintenance import backward_forward
from reasoner.state.delta import Delta
from tests.maintenance.stepping import PLAIN, assert_same_state
from tests.maintenance.test_strategies import assert_all_agree
from tests.notation import Fact, constant, fact, facts, rules
from tests.strategies import RANDOM, Program, drawn

NAMES = ("a", "b", "c", "d", "e", "f")
PREDICATES = ("p", "q")
# T are the transitive predicates, S the symmetric ones, i stands for owl:inverseOf, F are the functional ones.
DECLARED = (
    "?x ?p ?z :- ?p type T, ?x ?p ?y, ?y ?p ?z",
    "?x ?p ?z :- ?y ?p ?z, ?p type U, ?x ?p ?y",
    "?y ?p ?x :- ?p type S, ?x ?p ?y",
    "?y ?q ?x :- ?p i ?q, ?x ?p ?y",
    "?y ?p ?x :- ?p i ?q, ?x ?q ?y",
    "?y same ?z :- ?p type F, ?x ?p ?y, ?x ?p ?z",
    "?x same ?y :- ?p type G, ?x ?p ?z, ?y ?p ?z",
    "?x ?q ?y :- ?p sub ?q, ?x ?p ?y",
)
FIXED = (
    "?x p ?z :- ?x p ?y, ?y p ?z",
    "?x q ?z :- ?y q ?z, ?x q ?y",
    "?y p ?x :- ?x p ?y",
    "?y q ?x :- ?x p ?y",
    "?y p ?x :- ?x q ?y",
    "?x same ?y :- ?x p ?y, ?y p ?x",
    "?x same ?y :- ?x type A, ?y type A",
    "?y type A :- ?x p ?y, ?x type A",
    "?x p a :- ?x type A",
    "p type T :- ?x q ?y, ?x type A",
    "p same q :- ?x type B",
    "?x p ?y :- ?x same ?y, ?x type A",
)


def closure_facts() -> st.SearchStrategy[Fact]:
    """Draw facts of which most are steps of transitive predicates, and some merge their terms."""
    name, predicate = st.sampled_from(NAMES), st.sampled_from(PREDICATES)
    steps = st.tuples(name, st.sampled_from(("p", "p", "q")), name)
    declared = st.tuples(predicate, st.just("type"), st.sampled_from(("T", "T", "T", "U", "S", "F", "G")))
    related = st.tuples(predicate, st.sampled_from(("i", "sub")), predicate)
    equal = st.tuples(name, st.just("same"), name)
    words = st.sampled_from(["p same q", "T same U", "T same S", "type type T", "r same p", "a same p"]).map(str.split)
    types = st.tuples(name, st.just("type"), st.sampled_from(("A", "B")))
    kinds = st.one_of(steps, steps, steps, steps, declared, related, equal, equal, types, words.map(tuple))
    return kinds.map(lambda drawn: tuple(map(constant, drawn)))


def draw_changes(data, start: list[Fact], most: int) -> list[tuple[frozenset[Fact], frozenset[Fact]]]:
    explicit, steps = set(start), []
    for _ in range(data.draw(st.integers(1, most))):
        removed = set(data.draw(st.lists(st.sampled_from(sorted(explicit)), max_size=4))) if explicit else set()
        added = set(data.draw(st.lists(closure_facts(), max_size=3))) - explicit
        explicit = explicit - removed | added
        steps.append((frozenset(added), frozenset(removed)))
    return steps


def draw_program(data) -> Program:
    chosen = data.draw(st.lists(st.sampled_from(DECLARED), min_size=1, max_size=4, unique=True))
    chosen += data.draw(st.lists(st.sampled_from(FIXED), max_size=3, unique=True))
    # An equality that no rule derives leaves every predicate above the core.
    chosen.append("?x same ?y :- ?x ?p ?y, ?p type Equal")
    start = [fact("p type T")] * data.draw(st.booleans())
    start += data.draw(st.lists(closure_facts(), min_size=5, max_size=16, unique=True))
    return Program(tuple(rules("\n".join(chosen))), tuple(dict.fromkeys(start)))


@settings(RANDOM, max_examples=drawn(120))
@given(st.data())
def test_strategies_agree_on_closures_whose_terms_are_merged_and_split(data):
    program = draw_program(data)
    steps = draw_changes(data, list(program.facts), 4)
    assert_all_agree(program, steps, PLAIN, equality="rewrite", modules=True)


@settings(RANDOM, max_examples=drawn(40))
@given(st.data())
def test_strategies_agree_on_closures_if_only_one_instance_of_a_fact_is_tried(data):
    program = draw_program(data)
    steps = draw_changes(data, list(program.facts), 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backward_forward, "_FEW", 1)
        patch.setattr(chaining, "_SAMPLED", 1)
        assert_all_agree(program, steps, ("bf", "auto"), equality="rewrite", modules=True)


def change(kb: Reasoner, strategy: str, added: Iterable[Fact] = (), removed: Iterable[Fact] = ()) -> Delta:
    with kb.transaction(strategy=strategy) as transaction:
        transaction.remove(list(removed))
        transaction.add(list(added))
    return transaction.delta


OWL = {
    "T": "TransitiveProperty",
    "U": "TransitiveProperty",
    "S": "SymmetricProperty",
    "F": "FunctionalProperty",
    "G": "InverseFunctionalProperty",
    "i": "inverseOf",
}
WORDS = {constant(short): f"<http://www.w3.org/2002/07/owl#{long}>" for short, long in OWL.items()}
WORDS[constant("sub")] = "<http://www.w3.org/2000/01/rdf-schema#subPropertyOf>"


@pytest.mark.slow
@settings(RANDOM, max_examples=drawn(50))
@given(st.data())
def test_the_default_profile_maintains_closures_as_joins_close_them(data):
    def in_owl(triples):
        return [tuple(WORDS.get(term, term) for term in triple) for triple in triples]

    start = data.draw(st.lists(closure_facts(), min_size=6, max_size=16, unique=True))
    steps = draw_changes(data, start, 3)
    anew = Reasoner(modules=False)
    anew.add(in_owl([fact("p type T"), *start]))
    by = {name: Reasoner() for name in ("bf", "dred", "auto")}
    for kb in by.values():
        kb.add(in_owl([fact("p type T"), *start]))
        kb.materialise()
    for added, removed in steps:
        removed = set(in_owl(removed)) - set(in_owl(added))
        change(anew, "rematerialise", in_owl(added), removed)
        expected = set(anew.triples())
        for name, kb in by.items():
            change(kb, name, in_owl(added), removed)
            assert set(kb.triples()) == expected, name


CHAIN = "?x ?p ?z :- ?p type T, ?x ?p ?y, ?y ?p ?z\n?x same ?y :- ?x ?p ?y, ?p type Equal\n"
INVERSE = "?y ?q ?x :- ?p i ?q, ?x ?p ?y\n?y ?p ?x :- ?p i ?q, ?x ?q ?y"


@pytest.mark.parametrize("strategy", ["bf", "dred"])
@pytest.mark.parametrize("kind", ["declared", "by a rule", "with an inverse", "symmetric", "merged"])
def test_cutting_a_chain_considers_no_more_instances_than_it_has_facts(make_reasoner, kind, strategy):
    """A chain of 60 has 34,220 instances of transitivity, half of which are lost with its middle."""
    kb = make_reasoner(profile="none")
    written = "?x p ?z :- ?x p ?y, ?y p ?z\n?x same ?y :- ?x ?p ?y, ?p type Equal\n" if kind == "by a rule" else CHAIN
    written += {"with an inverse": INVERSE, "symmetric": "?y ?p ?x :- ?p type S, ?x ?p ?y"}.get(kind, "")
    kb.add_rules(rules(written))
    kb.add([fact(f"n{i} p n{i + 1}") for i in range(60)])
    kb.add(facts("p type T, p i q"))
    if kind == "symmetric":
        kb.add(facts("p type S"))
    if kind == "merged":
        kb.add([fact(f"n{i} same m{i}") for i in range(0, 60, 7)])
    kb.materialise()
    before, size = kb.store.state, len(list(kb.triples()))
    cut = facts("n30 p n31")

    removed = change(kb, strategy, removed=cut)

    assert removed.strategy == strategy
    assert removed.work.total <= 4 * size
    assert not set(kb.triples()) & set(facts("n0 p n60, n30 p n31, n3 p n40"))
    added = change(kb, strategy, added=cut)
    assert added.work.total <= 2 * size
    assert_same_state(kb.store.state, before)


def test_a_class_of_a_chain_that_falls_apart_takes_only_its_own_steps_along(make_reasoner):
    kb = make_reasoner(profile="none")
    kb.add_rules(rules(CHAIN))
    kb.add(facts("p type T, a p b, c p d, b same c, d p e"))
    kb.materialise()
    assert fact("a p e") in set(kb.triples())

    change(kb, "bf", removed=facts("b same c"))

    steps = {triple for triple in kb.triples() if triple[1] == constant("p")}
    assert steps == set(facts("a p b, c p d, c p e, d p e"))
