"""The worked examples of the papers, as golden cases for engine and oracle alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from reasoner import Reasoner
from reasoner.rules.rule import Rule
from tests import oracle
from tests.engines import Make
from tests.notation import Fact, facts, rules


def by_oracle(_: Make, program: Sequence[Rule], explicit: Iterable[Fact], equality: bool = True) -> set[Fact]:
    return oracle.closure(program, explicit, equality)


def by_engine(make: Make, program: Sequence[Rule], explicit: Iterable[Fact], equality: bool = True) -> set[Fact]:
    return set(engine(make, program, explicit, "rewrite" if equality else "none").triples(reflexive=equality))


def engine(
    make: Make, program: Sequence[Rule], explicit: Iterable[Fact], equality: str, modules: bool = False
) -> Reasoner:
    kb = make(profile="none", equality=equality, modules=modules)
    kb.add_rules(program)
    kb.add(explicit)
    kb.materialise()
    return kb


evaluators = pytest.mark.parametrize("evaluate", [by_oracle, by_engine], ids=["oracle", "engine"])

# Motik et al., "Combining Rewriting and Incremental Materialisation Maintenance", 2015, section 3.1: R is bijective.
BIJECTION = rules("""
    ?y1 same ?y2 :- ?y1 R ?x, ?y2 R ?x
    ?y1 same ?y2 :- ?x R ?y1, ?x R ?y2
""")
BIJECTION_FACTS = facts("a R b, c R d, a R d")


@evaluators
def test_the_bijection_has_fourteen_facts(make_reasoner, evaluate):
    expected = facts("""
        a R b, a R d, c R b, c R d
        a same a, a same c, c same a, c same c
        b same b, b same d, d same b, d same d
        R same R, same same same
    """)
    assert len(expected) == 14
    assert evaluate(make_reasoner, BIJECTION, BIJECTION_FACTS) == set(expected)


def test_the_bijection_is_rewritten_to_five_facts():
    representative, stored = oracle.rewriting(oracle.closure(BIJECTION, BIJECTION_FACTS))
    assert stored == set(facts("a R b, a same a, R same R, b same b, same same same"))
    assert {term for term in representative if representative[term] != term} == {"<c>", "<d>"}
    assert (representative["<c>"], representative["<d>"]) == ("<a>", "<b>")


def test_the_engine_stores_the_one_fact_of_the_bijection_that_is_not_reflexive(make_reasoner):
    kb = engine(make_reasoner, BIJECTION, BIJECTION_FACTS, "rewrite")
    assert list(kb.normal_triples()) == facts("a R b")
    assert set(kb.classes()) == {("<a>", "<c>"), ("<b>", "<d>")}


@evaluators
def test_without_the_fact_that_joins_them_the_classes_fall_apart(make_reasoner, evaluate):
    """The paper's I' holds more than its I: a deletion has added facts."""
    remaining = facts("a R b, c R d")
    reflexive = facts("a same a, b same b, c same c, d same d, R same R, same same same")
    assert evaluate(make_reasoner, BIJECTION, remaining) == {*remaining, *reflexive}


# Motik et al., "Maintenance of Datalog Materialisations Revisited", 2019, examples 1 and 2. The figures' facts are
# those that the text of these examples and of the sections on the three algorithms mentions.
STRATA = rules("""
    ?x T ?y :- ?x R ?y, not ?x type A
    ?x T ?y :- ?x S ?y, ?x type A
    ?y type B :- ?x T ?y, ?x type B
""")
STRATA_FACTS = facts("a type B, a T b, b T c, c T d, d T c, e T c, f T g, g T c, b R e, b S f")


@evaluators
def test_negation_by_strata_derives_what_the_first_figure_shows(make_reasoner, evaluate):
    derived = facts("b T e, b type B, c type B, d type B, e type B")
    assert evaluate(make_reasoner, STRATA, STRATA_FACTS, False) == {*STRATA_FACTS, *derived}


@evaluators
def test_adding_a_fact_that_is_read_negatively_takes_facts_away(make_reasoner, evaluate):
    explicit = STRATA_FACTS + facts("b type A")
    derived = facts("b T f, b type B, c type B, d type B, f type B, g type B")
    assert evaluate(make_reasoner, STRATA, explicit, False) == {*explicit, *derived}


def test_the_rules_of_the_example_stand_above_a_rule_for_what_they_negate():
    """B reads T positively, so that it may share the level of T where the paper gives it the next one."""
    assert oracle.stratify([*STRATA, *rules("?x type A :- ?x Q ?x")], equality=False) == [1, 0, 1, 0]


@pytest.mark.parametrize(("added", "count"), [("", 7), ("b type A", 8)])
def test_each_instance_that_fires_in_the_example_is_considered_once(make_reasoner, added, count):
    """Before the update one instance for T(b, e) and six for B, three of them for B(c); then 1 and 7."""
    explicit = STRATA_FACTS + facts(added)
    assert len(oracle.instances(STRATA, oracle.closure(STRATA, explicit, False), False)) == count
    assert engine(make_reasoner, STRATA, explicit, "none").summary().instances == count


# Volz, Staab, Motik, "Incrementally Maintaining Materializations of Ontologies Stored in Logic Databases", 2005,
# example 3: ancestors in the Bach family. (The paper prints the inserted pair once as (jc, jc2); it is (js, jc2).)
ANCESTORS = rules("?x A ?z :- ?x A ?y, ?y A ?z")
FAMILY = facts("j A h, j A c, h A jc1, jc1 A jm, jm A mb, mb A wf, js A wf, ja A js, c A ja")
FAMILY_CLOSURE = FAMILY + facts("""
    j A jc1, j A jm, j A mb, j A wf, j A ja, j A js
    h A jm, h A mb, h A wf, jc1 A mb, jc1 A wf, jm A wf
    ja A wf, c A js, c A wf
""")


@evaluators
def test_ancestors_of_the_bach_family_are_the_transitive_closure(make_reasoner, evaluate):
    assert evaluate(make_reasoner, ANCESTORS, FAMILY, False) == set(FAMILY_CLOSURE)
    assert len(set(FAMILY_CLOSURE)) == 24


@evaluators
def test_the_update_of_the_bach_family_keeps_what_has_another_derivation(make_reasoner, evaluate):
    """Johannes remains an ancestor of Wilhelm Friedemann, through Maria Barbara."""
    explicit = (set(FAMILY) - set(facts("js A wf"))) | set(facts("js A jc2"))
    gone, new = facts("js A wf, ja A wf, c A wf"), facts("js A jc2, ja A jc2, c A jc2, j A jc2")
    assert evaluate(make_reasoner, ANCESTORS, explicit, False) == (set(FAMILY_CLOSURE) - set(gone)) | set(new)


def test_component_methods_find_the_same_ancestors(make_reasoner):
    assert set(engine(make_reasoner, ANCESTORS, FAMILY, "none", modules=True).triples()) == set(FAMILY_CLOSURE)
