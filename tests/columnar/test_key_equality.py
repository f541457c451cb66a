"""Rules that equate terms by a key take linear work, and say what all their instances say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.load import parse_text
from reasoner import Reasoner
from reasoner.columnar.chaining import keyed_half
from reasoner.columnar.plans import Plan
from reasoner.reasoning.program import ProgramTerms
from reasoner.rules.encode import encode_rule
from reasoner.rules.template import group_into_templates
from tests.maintenance.stepping import PLAIN
from tests.maintenance.test_strategies import assert_all_agree
from tests.notation import Fact, constant, rules
from tests.strategies import RANDOM, Program, drawn

PREFIXES = (
    "@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
)
# Axioms by which all :x0, :x1, ... are equal, with the facts of one of them.
KEYS = {
    "inverse functional": (":key a owl:InverseFunctionalProperty .", ":x{} :key :k ."),
    "functional": (":key a owl:FunctionalProperty .", ":k :key :x{} ."),
    "a key of two": (":C owl:hasKey ( :key :other ) .", ':x{} a :C ; :key :k ; :other "1" .'),
    "at most one": (":k a [ owl:onProperty :key ; owl:maxCardinality 1 ] .", ":k :key :x{} ."),
    "at most one of a class": (
        ":k a [ owl:onProperty :key ; owl:onClass :C ; owl:maxQualifiedCardinality 1 ] .",
        ":k :key :x{} . :x{} a :C .",
    ),
}
SIZE = 200


def turtle(text: str) -> list[Fact]:
    return parse_text(PREFIXES + text, "turtle")


@pytest.mark.parametrize("profile", ["owl2rl", "dlp"])
@pytest.mark.parametrize("kind", KEYS)
def test_terms_that_share_a_key_are_merged_and_taken_apart_in_linear_work(profile, kind):
    axiom, pattern = KEYS[kind]
    facts = [turtle(pattern.replace("{}", str(number))) for number in range(SIZE)]
    kb = Reasoner(profile)
    kb.add([*turtle(axiom), *(fact for some in facts for fact in some)])

    assert [len(members) for members in kb.classes()] == [SIZE]
    assert kb.summary().instances < 12 * SIZE
    with kb.transaction(strategy="bf") as change:
        change.remove(facts[SIZE // 2])
    assert [len(members) for members in kb.classes()] == [SIZE - 1]
    assert change.delta.work.total < 20 * SIZE
    with kb.transaction(strategy="bf") as change:
        change.add(facts[SIZE // 2])
    assert [len(members) for members in kb.classes()] == [SIZE]


@pytest.mark.parametrize(
    ("text", "is_keyed"),
    [
        ("?x same ?y :- ?x p ?k, ?y p ?k", True),
        ("?x same ?y :- ?k p ?x, ?k p ?y, ?k type C", True),
        ("?x same ?y :- ?y p ?k, ?y q ?m, ?x q ?m, ?x p ?k", True),
        ("?x same ?y :- ?p type I, ?x ?p ?k, ?y ?p ?k", True),
        ("?x same ?y :- ?x p a, ?y p a", True),
        ("?x same ?y :- ?x p ?k, ?y q ?k", False),
        ("?x same ?y :- ?x p ?k, ?y p ?m", False),
        ("?x same ?y :- ?x p ?k, ?y p ?k, ?x q ?y", False),
        ("?x same ?y :- ?x p ?k, ?y p ?k, ?x type C", False),
        ("?x same ?y :- ?x p ?k, ?y p ?k, ?x != ?y", False),
        ("?x same ?y :- ?x p ?y", False),
        ("?x same a :- ?x p ?k, a p ?k", False),
        ("?x q ?y :- ?x p ?k, ?y p ?k", False),
    ],
)
def test_a_rule_is_keyed_if_it_reads_the_same_of_both_terms(text, is_keyed):
    ids: dict[str, int] = {}
    names = ProgramTerms(lambda term: ids.setdefault(term, len(ids) + 100), lambda id: "")
    (one,) = rules(text)
    fixed = {constant("same"): 0, constant("type"): 1}
    encoded = encode_rule(one, lambda term: fixed.get(term) if term in fixed else names.id_of(term))
    (template,) = group_into_templates([encoded])

    assert (keyed_half(Plan(template)) is not None) == is_keyed


KEYED_RULES = (
    "?x same ?y :- ?x p ?k, ?y p ?k",
    "?x same ?y :- ?k q ?x, ?k q ?y",
    "?x same ?y :- ?x p ?k, ?y p ?k, ?x q ?m, ?y q ?m",
    "?x same ?y :- ?x p a, ?y p a, b q c",
    "?x same ?y :- ?c type I, ?x ?c ?k, ?y ?c ?k",
    "?x q ?y :- ?y p ?x",
    "?x p ?y :- ?x p ?z, ?z q ?y",
    "?x type C :- ?x p ?y, ?y type C",
)
TERMS = ("a", "b", "c", "d", "e")


def _facts() -> st.SearchStrategy[Fact]:
    subject, object = st.sampled_from(TERMS), st.sampled_from((*TERMS, "1", "2"))
    edges = st.tuples(subject, st.sampled_from(("p", "q")), object)
    declared = st.tuples(st.sampled_from(("p", "q")), st.just("type"), st.just("I"))
    equal = st.tuples(subject, st.just("same"), subject)
    return st.one_of(edges, edges, edges, declared, equal).map(lambda fact: tuple(map(constant, fact)))


@settings(RANDOM, max_examples=drawn(60))
@given(st.data())
def test_strategies_agree_on_keys_of_terms_and_literals(data):
    chosen = data.draw(st.lists(st.sampled_from(KEYED_RULES), min_size=1, max_size=4, unique=True))
    start = tuple(data.draw(st.lists(_facts(), min_size=3, max_size=10, unique=True)))
    explicit, steps = set(start), []
    for _ in range(data.draw(st.integers(1, 4))):
        removed = set(data.draw(st.lists(st.sampled_from(sorted(explicit)), max_size=3))) if explicit else set()
        added = set(data.draw(st.lists(_facts(), max_size=3))) - explicit
        explicit = explicit - removed | added
        steps.append((frozenset(added), frozenset(removed)))
    program = Program(tuple(rules("\n".join(chosen))), start)
    assert_all_agree(program, steps, PLAIN, equality="rewrite", modules=data.draw(st.booleans()))
