"""Both engines give the same (pi, I) after updates, by every strategy and wherever the facts are kept."""

from __future__ import annotations

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from reasoner import UnstratifiableError
from reasoner.maintenance.core import NotMaintainableError
from reasoner.spark.facts import DRIVER_ROWS
from tests.notation import fact, facts, rules
from tests.spark.engines import Engines
from tests.spark.quick_session import quickly
from tests.strategies import RANDOM, Program, programs, updates

STRATEGIES = ("bf", "dred", "fbf-1", "counting", "dredc")


@pytest.fixture(scope="module")
def quick(spark):
    with quickly(spark) as session:
        yield session


def assert_agrees(spark, program: Program, strategy: str, steps, *, driver_rows: int) -> None:
    """Apply updates one after the other; those that only starting over can follow are drawn again."""
    engines = Engines(spark, program, driver_rows=driver_rows)
    try:
        try:
            expected = engines.columnar.materialised(engines.explicit)
        except UnstratifiableError:
            reject()
        found = engines.spark.materialised(engines.explicit)
        for added, removed in steps:
            come, gone = engines.facts(added), engines.facts(removed)
            try:
                expected = engines.columnar.updated(expected, strategy, come, gone)
            except NotMaintainableError:
                reject()
            found = engines.spark.updated(found, strategy, come, gone)
            engines.assert_agreement(expected, found)
    finally:
        engines.close()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_random_updates_agree(quick, strategy):
    @settings(RANDOM, max_examples=2)
    @given(st.data())
    def agree(data):
        program = data.draw(programs(constraints=False))
        steps = data.draw(updates(program.facts, max_steps=1))
        assert_agrees(quick, program, strategy, steps, driver_rows=data.draw(st.sampled_from([0, 4])))

    agree()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_random_updates_agree_where_everything_is_at_the_driver(quick, strategy):
    @settings(RANDOM, max_examples=15)
    @given(st.data())
    def agree(data):
        program = data.draw(programs(constraints=False))
        steps = data.draw(updates(program.facts, max_steps=3))
        assert_agrees(quick, program, strategy, steps, driver_rows=DRIVER_ROWS)

    agree()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_update_of_each_kind_agrees(quick, strategy):
    """An equality goes, a recursive fact loses one of two proofs, and a negated one comes back."""
    program = Program(
        tuple(
            rules("""?x same ?y :- ?x s ?z, ?y s ?z
                     ?x p ?z :- ?x p ?y, ?y q ?z
                     ?x type E :- ?x p ?y, not ?x type D""")
        ),
        tuple(facts("a s d, b s d, a p b, a q c, c q b, c p a, c type D")),
    )
    step = frozenset(facts("a type D, d q a")), frozenset(facts("b s d, c type D, c q b"))
    assert_agrees(quick, program, strategy, [step], driver_rows=0)


@pytest.mark.parametrize("strategy", ["bf", "fbf-1"])
def test_what_follows_through_an_equality_outlives_its_other_proof_in_files(quick, strategy):
    """Read as an equality, the atom with the variable predicate is none of the rule's own stratum."""
    program = Program(
        tuple(rules("?x related ?y :- ?x ?u ?y, ?x type Doc")), tuple(facts("a type Doc, a same b, a cites b"))
    )
    step = frozenset(), frozenset(facts("a cites b"))
    assert_agrees(quick, program, strategy, [step], driver_rows=0)


def test_counting_looks_ahead_in_files(quick):
    """Between the two twigs that go, and after them, lie rounds in which nothing differs."""
    chain = [fact(f"n{i} p n{i + 1}") for i in range(9)]
    program = Program(tuple(rules("?y type B :- ?x type B, ?x p ?y")), (*chain, *facts("n0 type B, n0 p m, n6 p k")))
    step = frozenset(), frozenset(facts("n0 p m, n6 p k"))
    assert_agrees(quick, program, "counting", [step], driver_rows=0)
