"""The Spark engine: what is at the driver and what is not, what is released, and what costs no job."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from loaders.dictionary import Dictionary
from reasoner.columnar.factset import FactSet
from reasoner.columnar.kernels import pack
from reasoner.columnar.representatives import Representatives
from reasoner.columnar.table import Table
from reasoner.reasoning.modules import Closure
from reasoner.rules.encode import encode_rule
from reasoner.rules.levels import ObjectSet, SplitSet
from reasoner.spark import components
from reasoner.spark.components import smallest_by_graphframes, smallest_by_stars
from reasoner.spark.engine import SparkEngine
from reasoner.spark.fetched import mentioning, wrapped
from reasoner.spark.platform.jars import has_graphframes
from reasoner.terms.term import RESERVED_TERMS, SAME, TYPE
from tests.notation import facts, rules
from tests.spark.engines import Engines, pairs
from tests.strategies import Program

P, Q = 100, 101


@pytest.fixture
def engine(spark):
    """An engine that keeps nothing at the driver."""
    with_terms = Dictionary()
    with_terms.encode([*RESERVED_TERMS, *(f"<http://e.org/{number}>" for number in range(200))])
    engine = SparkEngine(spark, with_terms, driver_rows=0)
    yield engine
    engine.close_scratch()


def fact_set(*triples: tuple[int, int, int]) -> FactSet:
    import numpy as np

    return FactSet.of_columns(*np.array(triples, dtype=np.int64).reshape(-1, 3).T)


def test_sets_are_united_compared_and_taken_apart(engine):
    left = engine.of_facts(fact_set((1, P, 2), (1, TYPE, 3), (2, Q, 3)))
    right = engine.of_facts(fact_set((1, P, 2), (2, Q, 4)))

    assert left.local is None
    assert pairs(engine.to_facts(engine.union(left, right))) == {TYPE: [(1, 3)], P: [(1, 2)], Q: [(2, 3), (2, 4)]}
    assert pairs(engine.to_facts(engine.difference(left, right))) == {TYPE: [(1, 3)], Q: [(2, 3)]}
    assert pairs(engine.to_facts(engine.common(left, right))) == {P: [(1, 2)]}
    assert engine.difference(left, left).is_provably_empty
    assert pairs(engine.to_facts(engine.renamed(left, {P: Q, Q: Q}))) == {Q: [(1, 2), (2, 3)]}


def test_facts_that_left_a_set_can_come_back(engine):
    whole = engine.of_facts(fact_set(*((s, P, s + 1) for s in range(20))))
    few = engine.of_facts(fact_set((3, P, 4), (5, P, 6)))

    less = engine.difference(whole, few)
    again = engine.extend(less, few)

    assert [engine.size(facts) for facts in (less, again)] == [18, 20]
    assert pairs(engine.to_facts(again)) == pairs(engine.to_facts(whole))
    assert engine.count(less, P) == 18


def test_splits_are_chosen_by_predicate_and_class(engine):
    given = engine.of_facts(fact_set((1, P, 2), (1, TYPE, 3), (1, TYPE, 4), (2, Q, 3)))

    chosen = engine.of_splits(given, SplitSet(frozenset({P}), {TYPE: ObjectSet(frozenset({4}))}))
    others = engine.of_splits(given, SplitSet(frozenset({P}), {TYPE: ObjectSet(frozenset({4}), True)}, True))

    assert pairs(engine.to_facts(chosen)) == {TYPE: [(1, 4)], P: [(1, 2)]}
    assert pairs(engine.to_facts(others)) == {TYPE: [(1, 3)], Q: [(2, 3)]}
    assert pairs(engine.to_facts(engine.covering(given, SplitSet(frozenset(), {TYPE: ObjectSet(frozenset({4}))})))) == {
        TYPE: [(1, 3), (1, 4)]
    }


def test_a_small_set_and_a_large_one_meet_at_the_driver(spark):
    engine = SparkEngine(spark, Dictionary(), driver_rows=3)
    large = engine.of_facts(fact_set(*((s, P, s + 1) for s in range(20))))
    small = engine.of_facts(fact_set((3, P, 4), (50, P, 6)))

    fresh = engine.difference(small, large)

    assert large.local is None
    assert pairs(fresh.local) == {P: [(50, 6)]}
    assert pairs(engine.common(large, small).local) == {P: [(3, 4)]}
    assert engine.size(engine.union(large, small)) == 21
    engine.close_scratch()


def test_what_is_provably_empty_costs_no_job(engine):
    plans = engine.compile(())
    whole = engine.of_facts(fact_set(*((s, P, s + 1) for s in range(20))))
    delta = engine.of_facts(fact_set((1, Q, 2)))
    before = len(list(Path(engine.scratch.folder).iterdir()))

    derived = engine.evaluate_delta(plans, whole, delta, engine.extend(whole, delta))
    fresh = engine.difference(engine.union(derived, engine.close(Closure(7), whole, None)), whole)

    assert engine.is_empty(fresh)
    assert engine.take_equalities(delta)[0] is delta
    assert engine.difference(delta, whole) is delta
    assert len(list(Path(engine.scratch.folder).iterdir())) == before


def test_nothing_stays_that_nobody_refers_to(spark):
    program = Program(
        tuple(rules("?x p ?z :- ?x p ?y, ?y q ?z\n?x same ?y :- ?x s ?z, ?y s ?z")),
        tuple(facts("a p b, b q c, c q d, a s d, c s d")),
    )
    engines = Engines(spark, program, modules=False)
    engine = engines.spark.engine
    state = engines.spark.materialised(engines.explicit)
    engines.assert_agreement(engines.columnar.materialised(engines.explicit), state)

    del state
    gc.collect()
    engine.scratch.release()
    # The table of terms stays for the next rule that asks for texts.
    assert len(list(Path(engine.scratch.folder).iterdir())) <= 1
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()

    folder = engine.scratch.folder
    engine.close_scratch()
    assert not Path(folder).exists()
    assert spark.sql(f"SHOW VIEWS LIKE '{engine.scratch.prefix}*'").collect() == []


@pytest.mark.parametrize("at_driver", [True, False])
def test_a_fact_that_mentions_a_term_twice_is_found_once(engine, at_driver):
    import numpy as np

    given = fact_set((5, P, 5), (5, P, 6), (7, 5, 5), (8, P, 9))
    facts = engine.of_facts(given) if at_driver else engine.place.of_run(engine.scratch.distributed(given))

    found = mentioning(engine, np.array([5, 6]), wrapped(engine, facts))

    assert len(found) == 3
    assert sorted(zip(*(column.tolist() for column in found.columns()), strict=True)) == [
        (5, P, 5),
        (5, P, 6),
        (7, 5, 5),
    ]


def require(engine, routine):
    if routine is smallest_by_graphframes and not has_graphframes(engine.session):
        pytest.skip("GraphFrames is not installed: reasoner spark-setup fetches it")


@pytest.mark.parametrize(
    "edges", [[(1, 2), (2, 3), (5, 4), (6, 7), (7, 3)], [(9, 1), (8, 9), (7, 8), (2, 2)], [(1, 2)]]
)
@pytest.mark.parametrize("by", [smallest_by_stars, smallest_by_graphframes])
def test_components_by_joins_are_those_of_the_driver(engine, edges, by, monkeypatch):
    import numpy as np

    require(engine, by)
    monkeypatch.setattr(components, "has_graphframes", lambda session: by is smallest_by_graphframes)

    left, right = np.array(edges).T
    given = engine.of_facts(FactSet({SAME: Table.of_keys(np.unique(pack(left, right)), by_object=False)}))

    expected, _ = engine.driver.merge(Representatives(), engine.to_facts(given))
    engine.components_from = 0
    found, moved = engine.merge(Representatives(), given)

    assert found.members.tolist() == expected.members.tolist()
    assert found.targets.tolist() == expected.targets.tolist()
    assert set(moved.members.tolist()) <= set(found.members.tolist())


@pytest.mark.parametrize("routine", [smallest_by_stars, smallest_by_graphframes])
def test_a_long_chain_is_one_component(engine, routine):
    require(engine, routine)
    chain = "SELECT id + 1 AS s, 0L AS p, id AS o FROM range(64)"

    found = routine(engine.scratch, chain)

    assert sorted(found.column("s").to_pylist()) == list(range(1, 65))
    assert set(found.column("o").to_pylist()) == {0}


@pytest.mark.parametrize("symmetric", [False, True])
def test_closures_by_joins_are_those_of_the_driver(engine, symmetric):
    given = fact_set((1, P, 2), (2, P, 3), (3, P, 1), (4, P, 5), (5, P, 6), (6, Q, 7))
    closure = Closure(P, symmetric)

    found = engine.close(closure, engine.of_facts(given), None)

    assert engine.closure_rows == 0
    assert pairs(engine.to_facts(found)) == pairs(engine.driver.close(closure, given, None))


def test_multisets_are_added_and_subtracted(engine):
    few, many = fact_set((1, P, 2), (1, TYPE, 3)), fact_set((1, P, 2), (2, Q, 3))
    ours = engine.multiset(engine.of_facts(few), 2).plus(engine.multiset(engine.of_facts(many)))
    theirs = engine.driver.multiset(few, 2).plus(engine.driver.multiset(many))

    assert ours.local is None
    for least, most in ((1, None), (2, 2), (3, None), (0, 0)):
        asked = fact_set((1, P, 2), (1, TYPE, 3), (2, Q, 3), (9, P, 9))
        found = ours.occurring(engine.of_facts(asked), least, most)
        assert pairs(engine.to_facts(found)) == pairs(theirs.occurring(asked, least, most))
    less = ours.minus(engine.multiset(engine.of_facts(few), 2))
    assert pairs(engine.to_facts(less.facts)) == {P: [(1, 2)], Q: [(2, 3)]}
    assert pairs(engine.to_facts(less.without(engine.of_facts(many)).facts)) == {}


def test_a_sample_has_at_least_one_fact_and_is_part_of_the_set(engine):
    given = engine.of_facts(fact_set(*((s, P, s + 1) for s in range(30))))

    some = engine.sample(given, 10)

    assert 1 <= engine.size(some) < 20
    assert engine.is_empty(engine.difference(some, given))


def test_a_frame_is_read_where_it_is_or_written_once(engine):
    frame = engine.session.createDataFrame([(1, P, 2), (1, P, 2), (2, TYPE, 3)], "s long, p long, o long")

    written = engine.of_frame(frame)
    given = engine.of_frame(frame.distinct(), distinct=True)

    assert engine.size(written) == engine.size(given) == 2
    assert engine.is_empty(engine.difference(written, given))
    assert engine.count(given, P) == 1
    assert sorted(map(tuple, engine.to_frame(written).collect())) == [(1, P, 2), (2, TYPE, 3)]


@pytest.mark.parametrize("driver_rows", [0, 3, 100])
def test_a_set_that_changes_often_stays_right(spark, driver_rows):
    """What leaves may be in an early run or in a late one, and may come back before or after others leave."""
    engine = SparkEngine(spark, Dictionary(), driver_rows=driver_rows)
    expected = fact_set(*((s, P, s + 1) for s in range(120)))
    found = engine.of_facts(expected)
    for step in range(12):
        gone = fact_set((step, P, step + 1), (2 * step, P, 2 * step + 1), (200 + step - 1, Q, 1))
        come = fact_set((200 + step, Q, 1), (step // 2, P, step // 2 + 1))
        expected = engine.driver.union(expected.difference(gone), come)
        found = engine.union(engine.difference(found, engine.of_facts(gone)), engine.of_facts(come))

    assert engine.size(found) == len(expected)
    assert pairs(engine.to_facts(found)) == pairs(expected)
    engine.close_scratch()


def test_a_few_bodies_are_found_for_a_head_with_many(engine):
    """Of head (1, P, 2) there are four instances, of (5, P, 2) one."""
    ids = {"<p>": P, "<q>": Q, "<r>": Q + 1}
    (rule,) = rules("?x p ?z :- ?x q ?y, ?y r ?z")
    encoded = encode_rule(rule, ids.__getitem__)
    held = [(1, Q, y) for y in (10, 11, 12, 13)] + [(y, Q + 1, 2) for y in (10, 11, 12, 13, 14)] + [(5, Q, 14)]
    stored, heads = engine.of_facts(fact_set(*held)), engine.of_facts(fact_set((1, P, 2), (5, P, 2)))
    backward = engine.compile_backward([encoded])

    bodies, having_more = (engine.to_facts(part) for part in engine.few_bodies_of(backward, stored, heads, 2))
    assert pairs(having_more) == {P: [(1, 2)]}
    assert len(bodies) == 6
    assert len(bodies.difference(fact_set(*held))) == 0
    bodies, having_more = (engine.to_facts(part) for part in engine.few_bodies_of(backward, stored, heads, 4))
    assert len(having_more) == 0
    assert len(bodies) == len(held)
