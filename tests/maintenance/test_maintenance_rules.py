"""Maintenance programs are those of the paper: its examples 2, 4 and 5, and the sizes that section 4.4 tells.

Volz, Staab, Motik: Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases, 2005.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontologies.dlp import translate_dlp
from ontologies.translate import translate_rdfs
from reasoner.maintenance.maintenance_rules import (
    MaintenanceRules,
    after_evaluation,
    before_evaluation,
    maintenance_program,
    theta,
)
from reasoner.maintenance.unfolding import Variant, VariantKind, VariantRule, all_choices, predicate_of, unfold
from reasoner.rules.parser import parse_rules
from reasoner.rules.printer import print_rules
from reasoner.rules.rule import Rule
from reasoner.terms.term import RDF_TYPE
from tests.notation import rule, rules, write_term
from tests.ontologies.reading import functional
from tests.strategies import RANDOM, programs

ANCESTORS = rules("?x A ?z :- ?x A ?y, ?y A ?z")
DYNASTY = rule("?x I ?y :- ?x A ?y", "dynasty")

EXAMPLE_2 = """
    A_edb^New(x, y) :- A_edb(x, y), not A_edb^Del(x, y)
    A_edb^New(x, y) :- A_edb^Ins(x, y)
    A^Del(x, y) :- A_edb^Del(x, y)
    A^Red(x, y) :- A^Del(x, y), A_edb^New(x, y)
    A^Ins(x, y) :- A_edb^Ins(x, y)
    A^New(x, y) :- A(x, y), not A^Del(x, y)
    A^New(x, y) :- A^Red(x, y)
    A^New(x, y) :- A^Ins(x, y)
    A^Del(x, z) :- A^Del(x, y), A(y, z)
    A^Del(x, z) :- A(x, y), A^Del(y, z)
    A^Red(x, z) :- A^Del(x, z), A^New(x, y), A^New(y, z)
    A^Ins(x, z) :- A^Ins(x, y), A^New(y, z)
    A^Ins(x, z) :- A^New(x, y), A^Ins(y, z)
"""
DIFFERENTIALS = """
    A^Plus(x, y) :- A^Ins(x, y), not A(x, y)
    A^Minus(x, y) :- A^Del(x, y), not A^Ins(x, y), not A^Red(x, y)
"""
EXAMPLE_4 = """
    I^Red(x, y) :- I^Del(x, y), A^New(x, y)
    I^Plus(x, y) :- I^Ins(x, y), not I(x, y)
    I^Minus(x, y) :- I^Del(x, y), not I^Ins(x, y), not I^Red(x, y)
    I^New(x, y) :- A^New(x, y)
    I^Ins(x, y) :- I^New(x, y)
    I^Del(x, y) :- I(x, y)
"""
# What example 4 leaves out, because nobody asserts anything of I there.
ASSERTIONS_OF_I = """
    I^Red(x, y) :- I^Del(x, y), I_edb^New(x, y)
    I^New(x, y) :- I_edb^New(x, y)
    I_edb^New(x, y) :- I_edb(x, y), not I_edb^Del(x, y)
    I_edb^New(x, y) :- I_edb^Ins(x, y)
"""
EXAMPLE_5_REMOVED = """
    I^New(x, y) :- A^New(x, y)
    I^New(x, y) :- I_edb^New(x, y)
    I^Ins(x, y) :- I^New(x, y)
    I^Del(x, y) :- I(x, y)
"""
EXAMPLE_5_ADDED = """
    I^New(x, y) :- I(x, y), not I^Del(x, y)
    I^New(x, y) :- I^Red(x, y)
    I^New(x, y) :- I^Ins(x, y)
    I^Ins(x, y) :- A^Ins(x, y)
    I^Ins(x, y) :- I_edb^Ins(x, y)
    I^Del(x, y) :- A^Del(x, y)
    I^Del(x, y) :- I_edb^Del(x, y)
"""


def paper_rule(clause: VariantRule) -> str:
    """Write a maintenance rule as the paper does."""

    def literal(variant: Variant) -> str:
        atom = variant.atom
        of_class = atom.predicate == RDF_TYPE
        name = write_term(atom.object if of_class else atom.predicate)
        name += ("_edb" if variant.asserted else "") + (f"^{variant.kind.capitalize()}" if variant.kind else "")
        terms = [atom.subject] if of_class else [atom.subject, atom.object]
        return f"{name}({', '.join(write_term(term).removeprefix('?') for term in terms)})"

    body = [*map(literal, clause.body), *("not " + literal(variant) for variant in clause.negative)]
    return f"{literal(clause.head)} :- {', '.join(body)}"


def with_numbered_variables(text: str) -> str:
    """Name variables by first occurrence, because names of variables mean nothing."""
    numbers: dict[str, str] = {}
    return re.sub(r"\b[s-z]\b|\bo\b", lambda match: numbers.setdefault(match[0], str(len(numbers))), text)


def paper_rules(text: str) -> set[str]:
    return {with_numbered_variables(line.strip()) for line in text.splitlines() if line.strip()}


def shown(program: MaintenanceRules) -> set[str]:
    found = {with_numbered_variables(paper_rule(clause)) for clause in program.clauses}
    assert len(found) == len(program.clauses)
    return found


def theta_of(axiom_rules: tuple[Rule, ...]) -> int:
    """Count the rewritings of rules, those of assertions apart."""
    return sum(
        len(theta(clause))
        for clauses in maintenance_program(axiom_rules).source.clauses.values()
        for clause in clauses
        if not any(variant.asserted for variant in clause.body)
    )


def test_example_2_is_rewritten_as_in_the_paper():
    assert shown(maintenance_program(ANCESTORS)) == paper_rules(EXAMPLE_2 + DIFFERENTIALS)


def test_example_4_adds_the_rules_of_the_paper_for_a_new_rule():
    before = maintenance_program(ANCESTORS)

    during = before_evaluation(before, [DYNASTY], [])

    assert shown(during) - shown(before) == paper_rules(EXAMPLE_4 + ASSERTIONS_OF_I)
    assert shown(before) <= shown(during)
    assert len(paper_rules(EXAMPLE_4)) == 6


def test_example_5_changes_the_rules_back_to_those_for_facts():
    during = before_evaluation(maintenance_program(ANCESTORS), [DYNASTY], [])

    after = after_evaluation(during)

    assert shown(during) - shown(after) == paper_rules(EXAMPLE_5_REMOVED)
    assert shown(after) - shown(during) == paper_rules(EXAMPLE_5_ADDED)
    assert shown(after) == shown(maintenance_program([*ANCESTORS, DYNASTY]))


def test_a_rule_that_goes_derives_nothing_again():
    """As printed, algorithm 5.1 keeps I^Red :- I^Del, A^New as long as another rule for I stays."""
    other = rule("?y I ?x :- ?x B ?y", "other")

    during = before_evaluation(maintenance_program([*ANCESTORS, DYNASTY, other]), [], [DYNASTY])

    assert not paper_rules("I^Red(x, y) :- I^Del(x, y), A^New(x, y)") & shown(during)
    assert paper_rules("I^Red(x, y) :- I^Del(x, y), B^New(y, x)") <= shown(during)


def test_what_no_rule_mentions_any_more_is_told_before_it_leaves_the_program():
    """As printed, algorithm 5.1 takes out the rule for I^- with the last rule for I."""
    during = before_evaluation(maintenance_program([*ANCESTORS, DYNASTY]), [], [DYNASTY])

    assert paper_rules("I^Minus(x, y) :- I^Del(x, y), not I^Ins(x, y), not I^Red(x, y)") <= shown(during)
    assert shown(after_evaluation(during)) == shown(maintenance_program(ANCESTORS))


def test_a_rule_that_comes_and_goes_at_once_changes_nothing():
    before = maintenance_program([*ANCESTORS, DYNASTY])

    assert shown(before_evaluation(before, [DYNASTY], [DYNASTY])) == shown(before)


@pytest.mark.parametrize(
    ("axiom", "size"),
    [
        ("SubClassOf(:C :D)", 3),
        ("SubClassOf(ObjectIntersectionOf(:C1 :C2) :D)", 2 * 2 + 1),
        ("SubClassOf(ObjectIntersectionOf(:C1 :C2 :C3 :C4) :D)", 2 * 4 + 1),
        ("SubClassOf(:C ObjectIntersectionOf(:D1 :D2 :D3))", 3 * 3),
        ("SubClassOf(ObjectUnionOf(:D1 :D2 :D3) :E)", 3 * 3),
        ("SubClassOf(:C ObjectAllValuesFrom(:r :D))", 5),
        ("SubClassOf(ObjectSomeValuesFrom(:r :C) :D)", 5),
        ("TransitiveObjectProperty(:p)", 5),
        ("SymmetricObjectProperty(:p)", 3),
        ("SubObjectPropertyOf(:p :q)", 3),
        ("ObjectPropertyDomain(:p :C)", 3),
        ("ObjectPropertyRange(:p :C)", 3),
        ("InverseObjectProperties(:p :q)", 2 * 3),
        ("EquivalentObjectProperties(:p :q)", 2 * 3),
    ],
)
def test_axioms_are_rewritten_to_as_many_rules_as_section_4_4_1_says(axiom, size):
    assert theta_of(translate_dlp(functional(axiom)).rules) == size


def test_rdfs_is_rewritten_to_the_sixty_rules_of_section_4_4_2():
    """The section counts 12 rules with 19 body atoms; figure 2 has 13 with 20, so that one of one atom is too many."""
    thirteen = translate_rdfs(()).rules
    twelve = [rule for rule in thirteen if rule.name != "rdf1"]
    assert (len(twelve), sum(len(rule.body) for rule in twelve)) == (12, 19)

    program = maintenance_program(twelve)

    kinds = [(clause.head.kind, clause.name.split("/")[1]) for clause in program.clauses if not clause.head.asserted]
    of_rules = [kind for kind, name in kinds if name.startswith("rdfs")]
    assert [of_rules.count(kind) for kind in (VariantKind.INS, VariantKind.DEL, VariantKind.RED)] == [19, 19, 12]
    assert sum(name == "t" for _, name in kinds) == 5
    assert len(program.clauses) - len(of_rules) - 5 == 5
    assert len(program.clauses) == 60
    assert len(maintenance_program(thirteen).clauses) == 63


def test_variable_predicates_stand_for_all_predicates_that_there_are():
    generic, predicates = rules("?x ?q ?y :- ?p sub ?q, ?x ?p ?y"), ["<sub>", "<p>", "<q>"]

    unfolded = unfold(generic, all_choices(generic, predicates))
    written = maintenance_program(unfolded, map(predicate_of, predicates)).rules()

    assert len(unfolded) == 9
    assert len(written) == 5 * 9 + 10 * 3
    assert not any(name for rule in written for atom in rule.body for name in atom.variables if name in "pq")


def test_a_class_is_a_predicate_unless_some_rule_asks_for_any_class():
    by_class = maintenance_program(rules("?x type B :- ?x type A"))
    as_one = maintenance_program([*rules("?x type B :- ?x type A"), rule("?x p ?y :- ?x type ?y")])

    assert len(by_class.source.clauses) == 2
    assert len(as_one.source.clauses) == 2
    assert set(by_class.names(VariantKind.DEL).values()) == set(by_class.names(VariantKind.OLD)) == {RDF_TYPE}
    assert len(by_class.names(VariantKind.DEL)) == 2
    assert len(by_class.names(VariantKind.DEL, asserted=True)) == 1


@settings(RANDOM, max_examples=60)
@given(programs(equality=False, constraints=False, builtins=True))
def test_the_printed_program_is_read_back_as_it_was(program):
    written = maintenance_program(program.rules).rules()

    assert tuple(parse_rules(print_rules(written))) == written


@settings(RANDOM, max_examples=100)
@given(st.data())
def test_after_a_change_of_rules_the_program_is_that_of_the_new_rules(data):
    flags = {"equality": False, "constraints": False, "variable_predicates": True}
    before, other = data.draw(programs(**flags)), data.draw(programs(**flags))
    removed = data.draw(st.lists(st.sampled_from(before.rules), unique=True))
    added = data.draw(st.lists(st.sampled_from(other.rules), unique=True))
    rules_after = [rule for rule in before.rules if rule not in removed or rule in added]
    rules_after += [rule for rule in added if rule not in removed]

    program = after_evaluation(before_evaluation(maintenance_program(before.rules), added, removed))

    assert set(program.clauses) == set(maintenance_program(rules_after).clauses)
