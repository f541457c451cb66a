"""Engine and oracle agree on random programs: closure, representatives, violations and rule instances."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import event, given, reject, settings
from hypothesis import strategies as st

from reasoner import Reasoner
from reasoner.rules.errors import UnstratifiableError
from reasoner.terms.term import SAME_AS
from tests import oracle
from tests.engines import Make
from tests.notation import Fact, facts, rules
from tests.strategies import RANDOM, Program, drawn, minimised, programs


def materialised(program: Program, equality: str = "rewrite", modules: bool = True, make: Make = Reasoner) -> Reasoner:
    kb = make(profile="none", equality=equality, modules=modules)
    kb.add_rules(program.rules)
    kb.add(program.facts)
    kb.materialise()
    return kb


def expected(program: Program, equality: bool = True) -> set[Fact]:
    """Return the oracle's closure; programs that it finds too large, or that make owl:sameAs equal, are drawn again."""
    try:
        closure = oracle.closure(program.rules, program.facts, equality, limit=20_000)
    except oracle.TooLarge:
        reject()
    if equality and any(SAME_AS in members for members in oracle.classes(closure)):
        reject()
    return closure


def assert_same_closure(kb: Reasoner, closure: set[Fact], explicit: set[Fact], equality: bool = True) -> None:
    everything = list(kb.triples(reflexive=equality))
    repeated = [fact for fact, count in Counter(everything).items() if count > 1]
    assert oracle.visible(everything, reflexive=equality) == oracle.visible(closure, reflexive=equality)
    assert repeated == []
    assert set(everything) == oracle.visible(everything)
    triples = oracle.shown(closure, explicit) if equality else oracle.visible(closure)
    assert set(kb.triples()) == triples
    assert set(kb.triples(inferred_only=True)) == triples - explicit
    assert kb.summary().expanded == len(triples)
    assert kb.summary().inferred == len(triples - explicit)


def assert_same_rewriting(kb: Reasoner, closure: set[Fact]) -> None:
    """Compare (π, I) with the oracle's under the representatives that the engine chose."""
    classes = kb.classes()
    assert {frozenset(members) for members in classes} == oracle.classes(closure)
    assert all(len(members) == len(set(members)) for members in classes)
    representative = {member: members[0] for members in classes for member in members}
    normal = {oracle.normal(fact, representative) for fact in closure}
    stored = list(kb.normal_triples())
    assert oracle.visible(stored) == oracle.visible(normal, reflexive=False)
    assert len(stored) == len(set(stored))


def assert_same_violations(kb: Reasoner, program: Program, closure: set[Fact], equality: bool = True) -> None:
    """Compare over representatives; a violation need not repeat that a term is equal to itself."""
    representative = oracle.rewriting(closure)[0] if equality else {}

    def comparable(found: tuple[Fact, ...]) -> frozenset[Fact]:
        return frozenset(oracle.visible((oracle.normal(fact, representative) for fact in found), False))

    wanted = {(name, comparable(found)) for name, found in oracle.violations(program.rules, closure, equality)}
    assert {(violation.rule, comparable(violation.triples)) for violation in kb.violations()} == wanted


def assert_agrees(program: Program, make: Make = Reasoner) -> None:
    closure = expected(program)
    kb = materialised(program, make=make)
    assert_same_closure(kb, closure, set(program.facts))
    assert_same_rewriting(kb, closure)
    assert_same_violations(kb, program, closure)


@settings(RANDOM, max_examples=drawn(900))
@given(programs(negation=False))
@minimised
def test_expanded_rewriting_equals_the_closure_of_programs_with_equality(program):
    assert_agrees(program)


@settings(RANDOM, max_examples=drawn(500))
@given(programs(objects=True))
@minimised
def test_expanded_rewriting_equals_the_closure_of_programs_with_negation(program):
    """Predicates that become equal may leave a stratified program without strata: then both must refuse it."""
    try:
        expected(program)
    except oracle.Unstratified:
        event("unstratified by equality")
        with pytest.raises(UnstratifiableError):
            materialised(program)
    else:
        assert_agrees(program)


@settings(RANDOM, max_examples=drawn(350))
@given(programs(negation=False, variable_predicates=True))
@minimised
def test_expanded_rewriting_equals_the_closure_of_programs_with_variable_predicates(program):
    assert_agrees(program)


@settings(RANDOM, max_examples=drawn(200))
@given(programs(negation=False, vocabulary=True))
@minimised
def test_expanded_rewriting_equals_the_closure_of_programs_about_the_vocabulary(program):
    assert_agrees(program)


@settings(RANDOM, max_examples=drawn(350))
@given(programs(negation=False, builtins=True))
@minimised
def test_expanded_rewriting_equals_the_closure_of_programs_with_comparisons_and_literals(program):
    try:
        expected(program)
    except oracle.Unstratified:
        reject()
    assert_agrees(program)


@settings(RANDOM, max_examples=drawn(150))
@given(st.one_of(programs(negation=False, variable_predicates=True), programs(negation=False, vocabulary=True)))
@minimised
def test_axiomatised_equality_gives_the_same_closure(program):
    closure = expected(program)
    kb = materialised(program, equality="axiomatise")
    assert_same_closure(kb, closure, set(program.facts))
    assert_same_violations(kb, program, closure)


@settings(RANDOM, max_examples=drawn(200))
@given(programs(equality=False, variable_predicates=True, builtins=True))
@minimised
def test_without_equality_the_closure_is_plain_datalog(program):
    closure = expected(program, equality=False)
    kb = materialised(program, equality="none")
    assert_same_closure(kb, closure, set(program.facts), equality=False)
    assert_same_violations(kb, program, closure, equality=False)
    assert kb.classes() == []


@settings(RANDOM, max_examples=drawn(100))
@given(programs(negation=False, constraints=False))
@minimised
def test_modules_change_nothing_but_the_work(program):
    with_modules, without = materialised(program), materialised(program, modules=False)
    assert set(with_modules.triples(reflexive=True)) == set(without.triples(reflexive=True))
    assert with_modules.classes() == without.classes()


@settings(RANDOM, max_examples=drawn(250))
@given(programs(equality=False, variable_predicates=True, builtins=True, constraints=False))
@minimised
def test_every_rule_instance_is_considered_exactly_once(program):
    """Rules without a body have no instances to repeat, and may be counted either way: they are left out."""
    program = Program(tuple(rule for rule in program.rules if rule.body), program.facts)
    closure = expected(program, equality=False)
    kb = materialised(program, equality="none", modules=False)
    assert kb.summary().instances == len(oracle.instances(program.rules, closure, equality=False))


@settings(RANDOM, max_examples=drawn(250))
@given(programs(negation=False, constraints=False))
@minimised
def test_rewriting_considers_no_more_rule_instances_than_hold_in_the_expanded_closure(program):
    """A rule whose constants became equal to others is a new rule, so such programs prove nothing."""
    program = Program(tuple(rule for rule in program.rules if rule.body), program.facts)
    closure = expected(program)
    if frozenset.union(frozenset(), *oracle.classes(closure)) & {
        name for rule in program.rules for name in rule.constants
    }:
        reject()
    kb = materialised(program, modules=False)
    assert kb.summary().instances <= len(oracle.instances(program.rules, closure))


def test_negation_reads_a_class_together_with_the_one_that_it_is_equal_to(make_reasoner):
    """By names, A is finished before B is derived; as B is A, the negation has to wait for B."""
    program = Program(
        tuple(
            rules("""?x type E :- ?x type D, not ?x type A
                       ?x type B :- ?x p ?y, not ?x q ?y""")
        ),
        tuple(facts("A same B, a p b, a type D, c type D, c q c")),
    )
    assert_agrees(program, make_reasoner)
    holds = set(materialised(program, make=make_reasoner).triples())
    assert facts("c type E")[0] in holds
    assert facts("a type E")[0] not in holds


def test_negation_that_equality_turns_on_itself_is_refused(make_reasoner):
    program = Program(tuple(rules("?x type B :- ?x type D, not ?x type A")), tuple(facts("a type D, A same B")))
    with pytest.raises(oracle.Unstratified):
        oracle.closure(program.rules, program.facts)
    with pytest.raises(UnstratifiableError):
        materialised(program, make=make_reasoner)


@pytest.mark.parametrize(
    ("program", "data"),
    [
        # One rule starts to feed another because their predicates became equal.
        (
            "?x same ?y :- ?x type A, ?y type A\n?x type ?y :- ?x s ?y\n?y p ?x :- ?x p ?y",
            "q type A, s type A, p same q, c p b",
        ),
        # A variable of one rule stands where the other has a constant.
        ("?x type A :- ?x p ?y\n?x type A :- ?x p a", "a p b"),
        # A term occurs in nothing but an equality with itself.
        ("C same A :- ?x s d\nB same B :- ?x s a", "c s a"),
        # Two constraints become one rule, with two names.
        ("false :- c same c\nfalse :- a same c", "c same a"),
        # A class is written by a rule for any class, and read by a negation.
        ("?x type ?y :- ?x p ?y\n?x type E :- ?x type C, not ?x type D", "a p C, b p D, b type C"),
    ],
)
def test_a_program_that_once_went_wrong_agrees(make_reasoner, program, data):
    assert_agrees(Program(tuple(rules(program)), tuple(facts(data))), make_reasoner)


@pytest.mark.parametrize(
    ("program", "data"),
    [
        # A rule that no fact could match until its two constants became equal; the term occurred before.
        (
            """?x type A :- ?x same a
               a same d :- b type A, a type A
               c r ?x :- ?x type A
               c r a :- c r ?z
               b type C :- b same a""",
            "d same b, d type A",
        ),
        # Two predicates become equal, and a rule below reads what one above derives.
        (
            """?x type A :- ?x same a
               p same q :- a type A
               c r a :- c s ?z
               ?x u ?y :- ?x p ?y
               ?x q ?y :- ?x v ?y, ?x w ?y""",
            "c s c, a0 v b0, a0 w b0",
        ),
    ],
)
def test_what_becomes_equal_when_a_term_first_occurs_above_reaches_every_rule(make_reasoner, program, data):
    assert_agrees(Program(tuple(rules(program)), tuple(facts(data))), make_reasoner)
