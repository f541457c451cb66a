"""The laws of the design on Spark, for random programs and changes: the checks that the columnar engine has to pass.

1. After any updates, (pi, I) is what starting over gives. 2. Expanded, it is the closure of the oracle. 4. Every
inferred fact has a proof that replays. 5. Putting in and taking out again restores the store. 6. A change that is
stopped leaves the state before. The third, that both engines give the same, is in ``test_engines_agree``.
"""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from reasoner import UnstratifiableError
from reasoner.spark.engine import SparkEngine
from tests import oracle
from tests.evolution.ontology_strategies import ontologies
from tests.evolution.script_strategies import steps
from tests.evolution.test_affected import assert_affected_are_those_that_change
from tests.evolution.test_evolve import PROFILES, assert_evolving_is_starting_over, assert_undoing_restores
from tests.maintenance.rule_stepping import ALL
from tests.maintenance.stepping import PLAIN
from tests.maintenance.test_core_closures import draw_changes, draw_program
from tests.maintenance.test_dynamic import assert_as_one_after_the_other
from tests.maintenance.test_dynamic_streams import assert_as_transactions
from tests.maintenance.test_printed_programs import assert_schema_is_data
from tests.maintenance.test_rule_changes import assert_as_the_oracle_says, assert_rules_come_back, check
from tests.maintenance.test_rule_changes_ontology import check_steps
from tests.maintenance.test_strategies import assert_all_agree
from tests.maintenance.test_transactions import (
    assert_put_back,
    assert_survives,
    assert_taken_out_again,
    interrupted_line,
    interrupted_operation,
)
from tests.strategies import RANDOM, programs, updates
from tests.test_agreement import assert_agrees, assert_same_closure, expected, materialised
from tests.test_explain import assert_explained
from tests.test_nonrepetition import assert_none_is_considered_twice

pytestmark = pytest.mark.parametrize("make_reasoner", ["spark"], indirect=True)

KINDS = {
    "equality": {"negation": False},
    "negation": {},
    "variable predicates": {"negation": False, "variable_predicates": True},
    "vocabulary": {"negation": False, "vocabulary": True},
    "comparisons": {"negation": False, "builtins": True},
}
STOPPED_SPARK = partial(interrupted_operation, engine=SparkEngine)


@pytest.mark.parametrize("equality", [True, False])
@settings(RANDOM, max_examples=12)
@given(data=st.data())
def test_every_strategy_gives_what_starting_over_gives(make_reasoner, equality, data):
    program = data.draw(programs(equality=equality, constraints=False))
    changes = data.draw(updates(program.facts, max_steps=3, equality=equality))
    strategies = PLAIN if equality else (*PLAIN, "declarative")
    assert_all_agree(
        program,
        changes,
        strategies,
        equality="rewrite" if equality else "none",
        modules=data.draw(st.booleans()),
        make=make_reasoner,
    )


@settings(RANDOM, max_examples=6)
@given(data=st.data())
def test_closures_whose_terms_are_merged_and_split_are_maintained(make_reasoner, data):
    program = draw_program(data)
    changes = draw_changes(data, list(program.facts), 2)
    assert_all_agree(program, changes, ("bf", "dred"), equality="rewrite", modules=True, make=make_reasoner)


@settings(RANDOM, max_examples=6)
@given(data=st.data())
def test_rules_that_come_and_go_give_what_starting_over_gives(make_reasoner, data):
    check(data, strategies=ALL, make=make_reasoner)


@pytest.mark.parametrize("profile", ["dlp", "owl2rl", "rdfs", "lower", "upper"])
@settings(RANDOM, max_examples=2)
@given(data=st.data())
def test_axioms_that_come_and_go_give_what_starting_over_gives(make_reasoner, profile, data):
    strategy = data.draw(st.sampled_from(["auto", "dred", "fbf", "counting", "dredc"]))
    check_steps(data, profile, strategy, make_reasoner)


@settings(RANDOM, max_examples=3)
@given(triples=ontologies(most=8), drawn=steps(), profile=st.sampled_from(PROFILES))
def test_evolving_is_starting_over_with_what_the_script_leaves(make_reasoner, triples, drawn, profile):
    assert_evolving_is_starting_over(triples, drawn, profile, make_reasoner)


def test_a_printed_maintenance_program_tells_what_changes(make_reasoner):
    assert_schema_is_data("rdfs", make_reasoner)


@settings(RANDOM, max_examples=3)
@given(data=st.data(), profile=st.sampled_from(PROFILES))
def test_the_affected_classes_and_properties_are_those_that_change(make_reasoner, data, profile):
    assert_affected_are_those_that_change(data, profile, make_reasoner)


@settings(RANDOM, max_examples=30)
@given(data=st.data())
def test_interleaved_updates_give_what_one_after_the_other_gives(make_reasoner, data):
    program = data.draw(programs(constraints=False))
    assert_as_one_after_the_other(data, program, data.draw(st.sampled_from(["auto", "dred"])), make=make_reasoner)


@pytest.mark.parametrize("kind", KINDS)
@settings(RANDOM, max_examples=25)
@given(data=st.data())
def test_expanded_rewriting_equals_the_closure_of_the_oracle(make_reasoner, kind, data):
    try:
        assert_agrees(data.draw(programs(**KINDS[kind])), make_reasoner)
    except (oracle.Unstratified, UnstratifiableError):
        reject()


@pytest.mark.parametrize("equality", ["axiomatise", "none"])
@settings(RANDOM, max_examples=10)
@given(data=st.data())
def test_without_rewriting_the_closure_is_that_of_the_oracle(make_reasoner, equality, data):
    axioms = equality == "axiomatise"
    program = data.draw(programs(equality=axioms, negation=not axioms, variable_predicates=axioms))
    closure = expected(program, equality=axioms)
    kb = materialised(program, equality=equality, make=make_reasoner)
    assert_same_closure(kb, closure, set(program.facts), equality=axioms)


@settings(RANDOM, max_examples=10)
@given(data=st.data())
def test_what_follows_after_a_change_of_rules_is_what_the_oracle_says(make_reasoner, data):
    assert_as_the_oracle_says(data, make_reasoner)


@pytest.mark.parametrize("equality", ["rewrite", "none"])
@settings(RANDOM, max_examples=25)
@given(program=programs(constraints=False))
def test_no_rule_instance_is_considered_twice(make_reasoner, equality, program):
    assert_none_is_considered_twice(equality, program, make_reasoner)


@pytest.mark.parametrize("kind", KINDS)
@settings(RANDOM, max_examples=6)
@given(data=st.data())
def test_every_inferred_fact_has_a_proof_whose_steps_replay(make_reasoner, kind, data):
    try:
        assert_explained(data.draw(programs(constraints=False, **KINDS[kind])), make=make_reasoner)
    except UnstratifiableError:
        reject()


@settings(RANDOM, max_examples=15)
@given(data=st.data())
def test_taking_out_what_was_put_in_restores_the_store_bit_for_bit(make_reasoner, data):
    assert_taken_out_again(data, make_reasoner)


@settings(RANDOM, max_examples=15)
@given(data=st.data())
def test_putting_back_what_was_taken_out_restores_the_store_bit_for_bit(make_reasoner, data):
    assert_put_back(data, make_reasoner)


@settings(RANDOM, max_examples=8)
@given(data=st.data())
def test_putting_rules_back_restores_the_store_to_the_bit(make_reasoner, data):
    assert_rules_come_back(data, make_reasoner)


@settings(RANDOM, max_examples=3)
@given(triples=ontologies(most=8), drawn=steps(), profile=st.sampled_from(PROFILES))
def test_undoing_all_steps_restores_the_store_to_the_bit(make_reasoner, triples, drawn, profile):
    assert_undoing_restores(triples, drawn, profile, make_reasoner)


@pytest.mark.parametrize("stopped", [STOPPED_SPARK, interrupted_line], ids=["operation", "line"])
@settings(RANDOM, max_examples=15)
@given(data=st.data())
def test_a_commit_that_is_stopped_leaves_the_old_state(make_reasoner, stopped, data):
    assert_survives(data, data.draw(programs(negation=False)), stopped, make_reasoner)


@pytest.mark.parametrize("kind", ["owl2rl", "rules"])
@settings(RANDOM, max_examples=3)
@given(st.randoms(use_true_random=False))
def test_a_stream_ends_as_the_same_updates_one_after_the_other(make_reasoner, kind, random):
    assert_as_transactions(random, kind, "reject", make=make_reasoner, most=4)
