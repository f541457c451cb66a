"""Random set algebra on Spark, wherever sets are, against sets of Python."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaders.dictionary import Dictionary
from reasoner import Reasoner
from reasoner.columnar.factset import FactSet
from reasoner.rules.levels import SplitSet
from reasoner.spark.engine import SparkEngine
from reasoner.spark.facts import DRIVER_ROWS
from reasoner.terms.term import RESERVED_TERMS, SAME, TYPE
from tests.spark.test_reasoner import on_spark, quick  # noqa: F401
from tests.strategies import RANDOM, drawn

Triple = tuple[int, int, int]

PREDICATES = (SAME, TYPE, 100, 101)
TRIPLES = st.tuples(st.integers(102, 107), st.sampled_from(PREDICATES), st.integers(102, 107))
# Those that let facts leave a run, or that take such a set in, come more often than others.
OPERATIONS = ("union", *["extend", "difference"] * 3, "common", "irreflexive", "of_splits", "renamed")


@st.composite
def some_sets(draw: st.DrawFn) -> list[set[Triple]]:
    """Draw a large set and two small ones, which share facts with it: a few may leave a run, many are written anew."""
    large = draw(st.sets(TRIPLES, min_size=16, max_size=24))
    shared = st.sets(st.sampled_from(sorted(large)), min_size=1, max_size=3)
    return [large, draw(shared), draw(shared) | draw(st.sets(TRIPLES, max_size=2))]


def placed(engine: SparkEngine, triples: set[Triple]):
    import numpy as np

    return engine.of_facts(FactSet.of_columns(*np.array(sorted(triples), dtype=np.int64).reshape(-1, 3).T))


def found(engine: SparkEngine, facts) -> set[Triple]:
    columns = [column.tolist() for column in engine.to_facts(facts).columns()]
    rows = list(zip(*columns, strict=True))
    assert len(rows) == len(set(rows)) == engine.size(facts), "a fact is counted twice, or not at all"
    return set(rows)


def applied(engine: SparkEngine, operation: str, left, right):
    """Return what an operation makes of two pairs of a set of Spark and the same set of Python."""
    (ours, known), (others, given) = left, right
    match operation:
        case "union":
            return engine.union(ours, others), known | given
        case "extend":
            return engine.extend(ours, engine.difference(others, ours)), known | given
        case "difference":
            return engine.difference(ours, others), known - given
        case "common":
            return engine.common(ours, others), known & given
        case "irreflexive":
            return engine.irreflexive(ours), {(s, p, o) for s, p, o in known if p != SAME or s != o}
        case "of_splits":
            return engine.of_splits(ours, SplitSet(frozenset({TYPE, 100}), {})), {
                t for t in known if t[1] in (TYPE, 100)
            }
    return engine.renamed(ours, {100: 101, 101: 101}), {(s, 101, o) for s, p, o in known if p in (100, 101)}


@pytest.mark.parametrize("driver_rows", [0, 3, DRIVER_ROWS])
def test_random_operations_agree_with_sets_of_python(quick, driver_rows):  # noqa: F811
    """Sets with many facts that left one of their runs are operands of every operation."""
    terms = Dictionary()
    terms.encode([*RESERVED_TERMS, *(f"<http://e.org/{number}>" for number in range(110))])
    engine = SparkEngine(quick, terms, driver_rows=driver_rows)

    @settings(RANDOM, max_examples=drawn(10 if driver_rows < DRIVER_ROWS else 40))
    @given(
        some_sets(),
        st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=6),
    )
    def agree(sets, steps):
        known = [(placed(engine, triples), triples) for triples in sets]
        for operation, left, right in steps:
            known.append(applied(engine, operation, known[left % len(known)], known[right % len(known)]))
        for ours, expected in known[len(sets) :]:
            assert found(engine, ours) == expected

    agree()
    engine.close_scratch()


def test_what_left_one_set_does_not_leave_another_that_it_extends(quick):  # noqa: F811
    engine = SparkEngine(quick, Dictionary(), driver_rows=0)
    whole = {(s, 100, s) for s in range(102, 122)}
    few = placed(engine, {(102, 100, 102), (103, 100, 103)})
    less = engine.difference(placed(engine, whole), few)

    assert not less.is_union
    assert found(engine, engine.extend(few, less)) == whole
    assert found(engine, engine.union(few, less)) == whole
    engine.close_scratch()


@pytest.mark.slow
def test_subjects_that_a_key_makes_equal_keep_their_explicit_facts(quick):  # noqa: F811
    e, a = "http://e.org/", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    given = [
        (f"<{e}prop>", a, "<http://www.w3.org/2002/07/owl#InverseFunctionalProperty>"),
        (f"<{e}s1>", f"<{e}prop>", f"<{e}o>"),
        (f"<{e}s2>", f"<{e}prop>", f"<{e}o>"),
    ]
    expected, ours = Reasoner("owl2rl"), on_spark(quick, driver_rows=0, profile="owl2rl")
    for kb in (expected, ours):
        kb.add(given)
        kb.materialise()

    assert set(given) <= set(ours.triples())
    assert sorted(ours.triples()) == sorted(expected.triples())
    ours.store.close()
