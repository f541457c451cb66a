"""Strata by levels: where rules go, what counts as recursive, and what is rejected."""

from time import process_time

import pytest

from reasoner.rules.errors import UnstratifiableError
from reasoner.rules.parser import parse_rules
from reasoner.rules.rule import Atom, Rule
from reasoner.rules.stratify import REST, TYPE_REST, Program, Split, stratify
from reasoner.terms.term import RDF_TYPE, SAME_AS, Variable

PREFIX = "PREFIX : <http://example.org/>\n"


def program_of(text: str, *, equality: bool = False) -> Program:
    return stratify(parse_rules(PREFIX + text), equality=equality)


def names(program: Program) -> list[tuple[list[str], list[str]]]:
    return [([rule.name for rule in s.nonrecursive], [rule.name for rule in s.recursive]) for s in program.strata]


def split(predicate: str) -> Split:
    return Split(f"<http://example.org/{predicate}>")


def type_split(name: str) -> Split:
    return Split(RDF_TYPE, f"<http://example.org/{name}>")


def test_example_1_of_the_paper_has_its_three_strata():
    program = program_of("""
        [r7] ?x :T ?y :- ?x :R ?y .
        [r8] ?x :T ?y :- ?x :S ?y .
        [r9] ?y a :B :- ?x a :B, ?x :T ?y .
        [r9a] ?x a :B :- ?x a :A .
    """)

    assert names(program) == [([], []), (["r7", "r8"], []), (["r9a"], ["r9"])]
    assert [program.levels[s] for s in (split("R"), type_split("A"), split("T"), type_split("B"))] == [0, 0, 1, 2]


def test_levels_are_longest_paths():
    program = program_of(
        "[ab] ?x a :B :- ?x a :A . [bc] ?x a :C :- ?x a :B . [ac] ?x a :C :- ?x a :A . [d] ?x a :D :- ?x a :A ."
    )

    assert names(program) == [([], []), (["ab", "d"], []), (["bc", "ac"], [])]


def test_mutual_recursion_shares_a_level_and_entry_rules_are_nonrecursive():
    program = program_of("""
        [in] ?x a :P :- ?x a :Base .
        [pq] ?x a :Q :- ?x a :P, ?x a :Base .
        [qp] ?x a :P :- ?x a :Q .
    """)

    assert names(program) == [([], []), (["in"], ["pq", "qp"])]


def test_facts_are_nonrecursive_rules_at_the_level_of_their_head():
    program = program_of(
        "[f] :a :p :b . [t] ?x :p ?z :- ?x :p ?y, ?y :p ?z . [g] :a :q :b . [qp] ?x :p ?y :- ?x :q ?y ."
    )

    assert names(program) == [(["g"], []), (["f", "qp"], ["t"])]


def test_negation_puts_a_rule_above_what_it_negates():
    program = program_of(
        "[n] ?x a :Lone :- ?x a :Node, not ?x :path ?x . [t] ?x :path ?z :- ?x :path ?y, ?y :path ?z ."
    )

    assert names(program) == [([], ["t"]), (["n"], [])]


def test_constraints_are_set_apart_and_may_negate_anything():
    program = program_of("[c] false :- ?x a :A, not ?x a :B . [r] ?x a :B :- ?x a :A .", equality=True)

    assert [rule.name for rule in program.constraints] == ["c"]
    assert [rule.name for rule in program.rules] == ["r"]


def test_a_body_that_reads_any_predicate_reads_its_own_head():
    program = program_of("[any] ?x a :Thing :- ?x ?p ?y . [low] ?x :p ?y :- ?x :q ?y . [up] ?x :r ?x :- ?x a :Thing .")

    assert names(program) == [([], []), (["low"], []), ([], ["any", "up"])]


def test_reading_any_class_does_not_touch_other_predicates():
    program = program_of("[k] ?x :kind ?c :- ?x a ?c . [t] ?x a :B :- ?x a :A . [low] ?x a :A :- ?x :p ?y .")

    assert names(program) == [([], []), (["low"], []), (["t"], []), (["k"], [])]


def test_any_predicate_of_a_known_object_reads_only_that_class():
    program = program_of("[r] ?x a :Mentions :- ?x ?p :topic .")

    assert names(program) == [([], []), (["r"], [])]


def test_a_head_that_writes_any_predicate_joins_everything():
    program = program_of(
        "[sub] ?x ?q ?y :- ?p :under ?q, ?x ?p ?y . [r] ?x a :A :- ?x a :B . [s] ?x :p ?y :- ?x :q ?y ."
    )

    assert names(program) == [([], ["sub", "r", "s"])]
    assert set(program.levels.values()) == {0}


def test_a_head_that_writes_any_class_joins_the_types_alone():
    program = program_of(
        "[c] ?x a ?d :- ?c :under ?d, ?x a ?c . [in] ?x a :A :- ?x :p ?y . [k] ?x :kind ?y :- ?x a :A, ?x :p ?y ."
    )

    assert names(program) == [([], []), (["in"], ["c"]), (["k"], [])]
    assert program.levels[TYPE_REST] == program.levels[type_split("A")] == 1
    assert program.levels[REST] == 0


def test_without_equality_same_as_is_a_predicate_like_any_other():
    program = program_of("[s] ?x owl:sameAs ?y :- ?x :key ?k, ?y :key ?k, ?x != ?y .")

    assert names(program) == [([], []), (["s"], [])]


def test_equality_feeds_every_split_and_is_recursive_with_what_feeds_it():
    program = program_of("""
        [s] ?x owl:sameAs ?y :- ?x :key ?k, ?y :key ?k .
        [k] ?x :key ?y :- ?x :code ?y .
        [b] ?x a :B :- ?x a :A, not ?x :key ?x .
        """, equality=True)  # fmt: skip

    assert names(program) == [([], ["s", "k"]), ([], []), (["b"], [])]
    assert program.levels[Split(SAME_AS)] == program.levels[split("code")] == 0
    assert program.levels[type_split("A")] == 1


def test_equality_in_the_data_alone_leaves_rules_nonrecursive():
    program = program_of("[r] ?x a :B :- ?x a :A, ?x != :me .", equality=True)

    assert names(program) == [([], []), ([], []), (["r"], [])]


@pytest.mark.parametrize(
    ("text", "equality", "cycle"),
    [
        ("?x a :P :- ?x a :Q, not ?x a :P .", False, ("type(P)", "not type(P)")),
        (
            "?x a :P :- ?x a :Q, not ?x :r ?x . ?x :s ?x :- ?x a :P . ?x :r ?y :- ?x :s ?y .",
            False,
            ("type(P)", "not r", "s", "type(P)"),
        ),
        ("?x :p ?y :- ?x :q ?y, not ?y ?x ?x .", False, ("p", "not any predicate", "p")),
        (
            "?x a ?y :- ?x :kind ?y . ?x :kind ?y :- ?x :p ?y, not ?x a :C .",
            False,
            ("kind", "not type(C)", "type(any class)", "kind"),
        ),
        (
            "?x owl:sameAs ?y :- ?x :key ?k, ?y :key ?k . ?x :key ?y :- ?x :code ?y, not ?x :hidden ?y .",
            True,
            ("key", "not hidden", "owl:sameAs", "key"),
        ),
        (
            "?x owl:sameAs ?y :- ?x :key ?k, ?y :key ?k, ?x != ?y .",
            True,
            ("owl:sameAs", "not owl:sameAs (by !=)"),
        ),
        (
            "?x <http://a/p> ?y :- ?x <http://b/p> ?y, not ?x <http://c/q> ?y ."
            "?x <http://c/q> ?y :- ?x <http://b/p> ?y . ?x <http://b/p> ?y :- ?x <http://a/p> ?y .",
            False,
            ("<http://a/p>", "not <http://c/q>", "<http://b/p>", "<http://a/p>"),
        ),
    ],
)
def test_negation_in_a_cycle_is_rejected_with_the_cycle(text, equality, cycle):
    with pytest.raises(UnstratifiableError) as caught:
        program_of(text, equality=equality)

    assert caught.value.cycle == cycle
    assert " <- ".join(cycle) in str(caught.value)


def test_constant_objects_tell_splits_apart_where_a_negation_needs_it():
    program = program_of("[r] ?x :p :b :- ?x :q ?y, not ?x :p :a . [s] ?x a :S :- ?x :p ?y, ?x :q :c .", equality=False)

    p, a, b = (f"<http://example.org/{name}>" for name in "pab")
    assert names(program) == [([], []), (["r"], []), (["s"], [])]
    assert program.vocabulary.objects == {p: {a, b}}
    assert [program.levels[s] for s in (Split(p, a), Split(p), Split(p, b), type_split("S"))] == [0, 0, 1, 2]


def test_constant_objects_make_no_splits_where_strata_are_there_without_them():
    program = program_of("?x :p :b :- ?x :q :c, not ?x :q :a .", equality=False)

    assert program.vocabulary.objects == {}


@pytest.mark.parametrize(
    ("text", "cycle"),
    [
        ("?x :p :a :- ?x :q ?y, not ?x :p :a .", ("p(a)", "not p(a)")),
        (
            "?x :p :a :- ?x :q ?y, not ?x :p :b . ?x :p ?y :- ?x :p :a, ?x :q ?y .",
            ("p(a)", "not p(b)", "p(any object)", "p(a)"),
        ),
    ],
)
def test_a_cycle_through_objects_names_them(text, cycle):
    with pytest.raises(UnstratifiableError) as caught:
        program_of(text, equality=False)

    assert caught.value.cycle == cycle


def test_literals_may_be_told_apart_where_terms_may_not():
    program = program_of("[s] ?x owl:sameAs ?y :- ?x :key ?k, ?y :key ?k, differentValue(?k, 0) .", equality=True)

    assert names(program) == [([], ["s"]), ([], [])]


def test_no_rules_have_no_strata_with_rules():
    program = stratify([])

    assert program.rules == () == program.constraints


def test_twenty_thousand_rules_take_well_under_a_second():
    x, y = Variable("x"), Variable("y")
    rules = [
        Rule("sub", Atom(x, RDF_TYPE, f"<C{n // 3}>"), (Atom(x, RDF_TYPE, f"<C{n}>"), Atom(x, f"<p{n % 500}>", y)))
        for n in range(19_990)
    ]
    rules += [Rule("any", Atom(x, "<seen>", y), (Atom(x, RDF_TYPE, y),)) for _ in range(10)]

    start = process_time()
    program = stratify(rules)
    elapsed = process_time() - start

    assert len(program.rules) == 20_000
    assert elapsed < 1.0
