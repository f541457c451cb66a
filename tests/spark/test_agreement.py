"""Both engines give the same (pi, I) for random programs, wherever the facts are kept."""

from __future__ import annotations

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from reasoner import UnstratifiableError
from reasoner.spark.facts import DRIVER_ROWS
from tests.notation import facts, rules
from tests.spark.engines import Engines
from tests.spark.quick_session import quickly
from tests.strategies import RANDOM, Program, programs

# Nothing at the driver; some sets at the driver and some not.
PLACES = (0, 0, 3)

KINDS = {
    "equality": {"negation": False},
    "negation": {},
    "variable predicates": {"negation": False, "variable_predicates": True},
    "comparisons": {"negation": False, "builtins": True},
    "no equality": {"equality": False, "variable_predicates": True, "builtins": True},
}


@pytest.fixture(scope="module")
def quick(spark):
    with quickly(spark) as session:
        yield session


def assert_agrees(spark, program: Program, *, driver_rows: int, equality: bool = True, modules: bool = True) -> None:
    engines = Engines(spark, program, equality=equality, modules=modules, driver_rows=driver_rows)
    try:
        try:
            expected = engines.columnar.materialised(engines.explicit)
        except UnstratifiableError:
            reject()
        engines.assert_agreement(expected, engines.spark.materialised(engines.explicit))
    finally:
        engines.close()


@pytest.mark.parametrize("kind", KINDS)
def test_materialisations_agree(quick, kind):
    flags = KINDS[kind]

    @settings(RANDOM, max_examples=3)
    @given(program=programs(constraints=False, **flags), driver_rows=st.sampled_from(PLACES), modules=st.booleans())
    def agree(program, driver_rows, modules):
        assert_agrees(quick, program, driver_rows=driver_rows, equality=flags.get("equality", True), modules=modules)

    agree()


def test_materialisations_agree_where_everything_is_at_the_driver(quick):
    @settings(RANDOM, max_examples=40)
    @given(programs(constraints=False))
    def agree(program):
        assert_agrees(quick, program, driver_rows=DRIVER_ROWS)

    agree()


@pytest.mark.parametrize("driver_rows", [0, 3])
@pytest.mark.parametrize(
    ("program", "data"),
    [
        # Recursion, with a class that is read and written.
        (
            "?x type B :- ?x type A\n?x p ?z :- ?x p ?y, ?y q ?z\n?x type C :- ?x p ?y, ?y type B",
            "a type A, a p b, b q c",
        ),
        # Equal terms, a rule constant among them.
        ("?x same ?y :- ?z p ?x, ?z p ?y\n?x type C :- ?x q b", "a p c, a p b, d q c"),
        # Negation, of an equality as well.
        ("?x type E :- ?x p ?y, not ?x type C\n?x u ?y :- ?x p ?y, not ?x same ?y", "a p b, b p b, a type C, b q d"),
        # Comparisons, and literals of one value.
        ("?x type E :- ?x n ?y, ?y >= 2\n?x u ?y :- ?x n ?v, ?y n ?w, ?v != ?w", "a n 1, b n 2, c n 3, c q d"),
        # Symmetric and transitive predicates.
        ("?x p ?z :- ?x p ?y, ?y p ?z\n?y p ?x :- ?x p ?y\n?x q ?z :- ?x q ?y, ?y q ?z", "a p b, b p c, a q b, b q c"),
        # Several rules of one shape, and a rule without a body.
        ("?x type B :- ?x type A\n?x type C :- ?x type B\n?x type D :- ?x type C\na type A :- ", "b type B, c p d"),
    ],
)
def test_a_program_of_each_kind_agrees(quick, driver_rows, program, data):
    written = Program(tuple(rules(program)), tuple(facts(data)))
    engines = Engines(quick, written, driver_rows=driver_rows)
    expected = engines.columnar.materialised(engines.explicit)

    found = engines.spark.materialised(engines.explicit)

    engines.assert_agreement(expected, found)
    assert (found.facts.local is None) == (engines.spark.engine.size(found.facts) > driver_rows)
    engines.close()
