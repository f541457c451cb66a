"""The laws of the design where every fact is in a file of Spark and every round is a job: one case of each kind."""

from __future__ import annotations

from functools import partial

import pytest

from reasoner import Reasoner
from reasoner.explanation.check import check_proof
from reasoner.spark.engine import SparkEngine
from tests import oracle
from tests.engines import Make
from tests.maintenance.rule_stepping import started_over
from tests.maintenance.stepping import assert_same_state
from tests.maintenance.test_object_splits import test_literal_objects_tell_splits_apart  # noqa: F401
from tests.maintenance.test_transactions import answers, bits, change, interrupted_operation
from tests.notation import facts, rules
from tests.ontologies.test_structural import test_variable_predicates_do_not_range_over_auxiliary_classes  # noqa: F401
from tests.strategies import Program
from tests.test_agreement import assert_same_closure, assert_same_rewriting

pytestmark = pytest.mark.parametrize("make_reasoner", ["spark in files"], indirect=True)

# Equality that a rule derives, recursion, and negation above both.
PROGRAM = Program(
    tuple(
        rules("""?x same ?y :- ?x key ?k, ?y key ?k
                 ?x p ?z :- ?x p ?y, ?y q ?z
                 ?x type E :- ?x p ?y, not ?x type D""")
    ),
    tuple(facts("a key k, b key k, b p c, c q d, d p a, d type D")),
)
ADDED, REMOVED = facts("d key k, c type D"), facts("a key k, d type D")


# A class of two and what a rule says about it.
SMALL = Program(PROGRAM.rules[:1], tuple(facts("a key k, b key k, b p c")))


def filled(make: Make, program: Program = PROGRAM) -> Reasoner:
    kb = make(profile="none")
    kb.add_rules(program.rules)
    kb.add(program.facts)
    kb.materialise()
    return kb


@pytest.fixture(scope="module")
def closure() -> set:
    return oracle.closure(PROGRAM.rules, PROGRAM.facts)


def test_expanded_rewriting_is_the_closure_of_the_oracle_and_every_fact_has_a_proof(make_reasoner, closure):
    kb = filled(make_reasoner)

    assert kb.store.is_distributed
    assert_same_closure(kb, closure, set(PROGRAM.facts))
    assert_same_rewriting(kb, closure)
    inferred = sorted(kb.triples(inferred_only=True))
    assert inferred
    for triple in inferred:
        proof = kb.explain(triple)
        assert proof is not None, triple
        assert check_proof(proof, kb.rules(), set(PROGRAM.facts).__contains__, closure.__contains__) == [], str(proof)


@pytest.mark.parametrize("strategy", ["bf", "dred", "fbf"])
def test_an_update_gives_what_starting_over_and_the_oracle_give(make_reasoner, strategy):
    kb = filled(make_reasoner)

    delta = change(kb, ADDED, REMOVED, strategy)

    explicit = (set(PROGRAM.facts) - set(REMOVED)) | set(ADDED)
    assert delta.strategy == strategy
    assert_same_closure(kb, oracle.closure(PROGRAM.rules, explicit), explicit)
    assert_same_state(kb.store.state, started_over(kb).store.state)


def test_what_goes_out_and_comes_back_in_restores_the_store_bit_for_bit(make_reasoner):
    """Facts first, then a rule."""
    kb = filled(make_reasoner, SMALL)
    before = bits(kb)

    change(kb, ADDED, ())
    between = bits(kb)
    change(kb, (), ADDED)

    assert bits(kb) == before != between
    kb.remove_rules(SMALL.rules)
    assert kb.classes() == []
    with kb.transaction() as back:
        back.add_rules(SMALL.rules)
    assert bits(kb) == before


def test_a_commit_that_is_stopped_leaves_the_old_state(make_reasoner):
    kb = filled(make_reasoner)
    before, shown = bits(kb), answers(kb)
    stopped = partial(interrupted_operation, engine=SparkEngine)

    # By a strategy that no neighbourhood at the driver will do for.
    with pytest.raises(KeyboardInterrupt), stopped(3, KeyboardInterrupt):
        change(kb, ADDED, REMOVED, "rematerialise")

    assert bits(kb) == before
    assert answers(kb) == shown
