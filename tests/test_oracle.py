"""The oracle itself, on cases small enough to check by hand; the papers' examples are in ``test_papers``."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasoner.terms.term import SAME_AS
from tests import oracle
from tests.notation import fact, facts, integer, rule, rules, write_fact, write_rule
from tests.strategies import RANDOM, programs, updates


def derived(program: str, data: str, equality: bool = True) -> set[str]:
    """Return the facts that rules and axioms add, in short notation, without reflexive equalities."""
    explicit = facts(data)
    closure = oracle.closure(rules(program), explicit, equality)
    return set(map(write_fact, oracle.visible(closure - set(explicit), reflexive=False)))


def test_transitivity_reaches_the_end_of_a_chain():
    assert derived("?x p ?z :- ?x p ?y, ?y p ?z", "a p b, b p c, c p d") == {"a p c", "b p d", "a p d"}


def test_a_repeated_variable_matches_equal_terms_only():
    assert derived("?x type A :- ?x p ?x", "a p a, a p b") == {"a type A"}


def test_a_rule_without_body_is_a_fact():
    assert derived("a p b :-", "a q a") == {"a p b"}


def test_a_variable_predicate_reads_every_fact_even_reflexive_equalities():
    assert derived("?p type A :- ?x ?p ?y", "a p b", equality=False) == {"p type A", "type type A"}
    assert derived("?p type A :- ?x ?p ?y", "a p b") == {"p type A", "type type A", "same type A"}


def test_equality_is_reflexive_for_every_term_in_every_position():
    closure = oracle.closure([], facts("a p b"))
    assert closure == set(facts("a p b, a same a, p same p, b same b, same same same"))


def test_equality_replaces_in_all_three_positions():
    assert derived("", "a p b, a same c, p same q, b same d") == {
        *(f"{s} {p} {o}" for s in "ac" for p in "pq" for o in "bd" if (s, p, o) != ("a", "p", "b")),
        *("c same a", "q same p", "d same b"),
    }


def test_symmetry_and_transitivity_of_equality_follow_from_replacement():
    assert derived("", "a same b, b same c") == {"b same a", "c same b", "a same c", "c same a"}


def test_without_equality_same_as_is_a_predicate_like_any_other():
    assert derived("?x q ?y :- ?x same ?y", "a same b, a p c", equality=False) == {"a q b"}


def test_constants_of_rules_that_become_equal_to_others_match_them():
    program = "b same c :- ?x p ?y\n?x type A :- ?x q c"
    assert {"a type A", "a q c"} <= derived(program, "a q b, a p a")


def test_predicates_that_become_equal_share_their_rules():
    assert "b type A" in derived("?y type A :- ?x q ?y", "a p b, p same q")


def test_a_literal_is_never_replaced_and_replaces_nothing():
    program = "?y same ?z :- ?x n ?y, ?x n ?z"
    closure = oracle.closure(rules(program), facts("a n 1, a n 2, b n 1"))
    assert (integer(1), SAME_AS, integer(2)) in closure
    assert fact("b n 2") not in closure
    assert oracle.classes(closure) == set()
    assert all(not s.startswith('"') for s, _, _ in oracle.visible(closure))


def test_an_equality_between_a_resource_and_a_literal_is_an_ordinary_fact():
    assert derived("", "a same 1, a p b, a same c") == {"c same 1", "c p b", "c same a"}


def test_negation_reads_what_the_strata_below_have_finished():
    program = """
        ?x type D :- ?x type A, not ?x type B
        ?x type B :- ?x p ?y
        ?x type E :- ?x type A, not ?x type D
    """
    assert derived(program, "a type A, b type A, a p b") == {"a type B", "b type D", "a type E"}


def test_negation_waits_for_equality():
    program = "?x u ?y :- ?x p ?y, not ?x q ?y"
    assert derived(program, "a p b, c p b, d q b") == {"a u b", "c u b"}
    assert derived(program, "a p b, c p b, d q b, a same d") >= {"c u b", "a q b"}
    assert "a u b" not in derived(program, "a p b, c p b, d q b, a same d")


def test_unequal_resources_are_those_that_no_equality_joins():
    program = "?x u ?y :- ?x p ?y, ?x != ?y\nb same a :- a type A"
    assert derived(program, "a p b, a p c") == {"a u b", "a u c"}
    assert "a u b" not in derived(program, "a p b, a p c, a type A")
    assert {"a u c", "b u c"} <= derived(program, "a p b, a p c, a type A")


def test_an_equation_of_resources_holds_as_soon_as_they_are_equal():
    program = "?x type A :- ?x p ?y, ?x = ?y\nb same a :- ?x q ?x"
    assert derived(program, "a p b") == set()
    assert {"a type A", "b type A"} <= derived(program, "a p b, c q c")


@pytest.mark.parametrize(
    ("comparison", "holding"),
    [("< 2", "a"), ("<= 2", "ab"), ("> 2", "c"), (">= 2", "bc"), ("= 2", "b"), ("!= 2", "ac")],
)
def test_integers_are_compared_by_value(comparison, holding):
    program = f"?x type A :- ?x n ?v, ?v {comparison}"
    assert derived(program, "a n 1, b n 2, c n 10") == {f"{name} type A" for name in holding}


def test_integers_of_different_spelling_are_equal_by_value():
    closure = oracle.closure(
        rules("?x type A :- ?x n ?v, ?v = 7"), [("<a>", "<n>", '"007"^^<http://www.w3.org/2001/XMLSchema#integer>')]
    )
    assert fact("a type A") in closure


@pytest.mark.parametrize("comparison", ["<", "<=", ">", ">="])
def test_resources_have_no_order(comparison):
    assert derived(f"?x type A :- ?x p ?y, ?x {comparison} ?y", "a p b, a p a") == set()


@pytest.mark.parametrize(
    "program",
    [
        "?x type A :- ?x p ?y, not ?x type A",
        "?x type A :- ?x p ?y, not ?x type B\n?x type B :- ?x p ?y, not ?x type A",
        "?x p ?y :- ?x ?q ?y, not ?x r ?y\n?x r ?y :- ?x p ?y",
        "?x p ?y :- ?x q ?y, not ?x type ?y\n?x type A :- ?x p ?x",
    ],
)
def test_negation_in_a_cycle_is_refused(program):
    for equality in (True, False):
        with pytest.raises(oracle.Unstratified):
            oracle.stratify(rules(program), equality)


@pytest.mark.parametrize(
    "program",
    ["?x same ?y :- ?x p ?y, not ?x q ?y", "?x p ?y :- ?x q ?y, ?x != ?y\n?x same ?y :- ?x p ?y"],
)
def test_nothing_that_is_not_monotone_may_feed_equality(program):
    with pytest.raises(oracle.Unstratified):
        oracle.stratify(rules(program))
    oracle.stratify(rules(program), equality=False)


def test_classes_are_predicates_of_their_own_in_stratification():
    program = rules("?x type B :- ?x p ?y, not ?x type A\n?x type A :- ?x q ?y\n?x type C :- ?x type B")
    assert oracle.stratify(program, equality=False) == [1, 0, 1]
    assert oracle.stratify(program) == [1, 0, 1]


def test_splits_merge_when_predicates_or_classes_of_rules_become_equal():
    program = rules("?x p ?y :- ?x q ?y\n?x type A :- ?x type B")
    for data, merged in [("p same q", True), ("A same B", True), ("p same r", False), ("a same b", False)]:
        assert oracle.merges_splits(program, oracle.closure(program, facts(data))) is merged, data


def test_instances_are_pairs_of_rule_and_substitution():
    program = rules("?x p ?z :- ?x p ?y, ?y p ?z\n?x type A :- ?x p ?y, not ?y p ?x, ?x != c")
    closure = oracle.closure(program, facts("a p b, b p c"), equality=False)
    found = sorted((item.name, tuple(sorted(values))) for item, values in oracle.instances(program, closure, False))
    assert found == [
        ("rule-1", (("x", "<a>"), ("y", "<b>"), ("z", "<c>"))),
        ("rule-2", (("x", "<a>"), ("y", "<b>"))),
        ("rule-2", (("x", "<a>"), ("y", "<c>"))),
        ("rule-2", (("x", "<b>"), ("y", "<c>"))),
    ]


def test_violations_name_the_constraint_and_the_facts():
    program = [rule("false :- ?x type A, ?x type B, not ?x p ?x", "disjoint"), rule("?x type B :- ?x q ?y", "domain")]
    closure = oracle.closure(program, facts("a type A, a q b, b type A, c type A, c type B, c p c"))
    assert oracle.violations(program, closure) == {("disjoint", tuple(facts("a type A, a type B")))}


def test_a_rewriting_takes_the_smallest_member_in_the_given_order():
    closure = oracle.closure([], facts("a p b, b same c"))
    assert oracle.rewriting(closure)[0]["<c>"] == "<b>"
    representative, stored = oracle.rewriting(closure, order=lambda term: (term != "<c>", term))
    assert representative["<b>"] == "<c>"
    assert stored == set(facts("a p c, a same a, p same p, c same c, same same same"))


def test_what_is_too_large_is_given_up():
    with pytest.raises(oracle.TooLarge):
        oracle.closure(rules("?x p ?y :- ?x p ?z, ?w p ?y"), facts("a p b, b p c, c p d"), limit=5)


@settings(RANDOM, max_examples=100)
@given(programs(variable_predicates=True, builtins=True))
def test_expanding_the_rewriting_of_a_closure_restores_it(program):
    """The law I^π = J of the paper, which holds for sets that are closed under the axioms."""
    try:
        closure = oracle.closure(program.rules, program.facts, limit=20_000)
    except (oracle.TooLarge, oracle.Unstratified):
        return
    representative, stored = oracle.rewriting(closure)
    members = {term: [other for other in representative if representative[other] == term] for term in representative}
    expanded = {(s, p, o) for f in stored for s in members[f[0]] for p in members[f[1]] for o in members[f[2]]}
    assert expanded == closure
    assert oracle.closure([], closure) == closure


@settings(RANDOM, max_examples=100)
@given(programs(variable_predicates=True, builtins=True))
def test_the_notation_reads_what_it_writes(program):
    assert [rule(write_rule(item), item.name) for item in program.rules] == list(program.rules)
    assert [fact(write_fact(item)) for item in program.facts] == list(program.facts)


@settings(RANDOM, max_examples=100)
@given(st.data())
def test_updates_remove_what_is_explicit_and_add_what_is_not(data):
    explicit = set(data.draw(programs()).facts)
    for added, removed in data.draw(updates(sorted(explicit))):
        assert removed <= explicit
        assert not added & explicit
        explicit = (explicit - removed) | added
