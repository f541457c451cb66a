"""Update steps by every strategy, each against starting over and the oracle, counted: a part of ``make soak``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.maintenance.stepping import PLAIN
from tests.maintenance.test_strategies import assert_all_agree
from tests.strategies import programs, updates


def run_steps(number: int, count: int) -> Counter[str]:
    """Apply updates to random programs of a seed by every strategy; return how many steps agreed.

    Raise ``AssertionError`` at the first that leads to something else than starting over does. A step is one update
    by one strategy; every strategy goes on from its own state.
    """

    def run(data: st.DataObject) -> int:
        # The axioms take twice the time of rewriting, and are no part of what people use.
        equality = data.draw(st.sampled_from(("rewrite", "rewrite", "rewrite", "rewrite", "axiomatise", "none")))
        program = data.draw(programs(negation=False, constraints=False))
        steps = [step for _ in range(4) for step in data.draw(updates(program.facts, max_steps=6))]
        assert_all_agree(program, steps, PLAIN, equality=equality, modules=data.draw(st.booleans()))
        return len(steps) * len(PLAIN)

    return _drawn(number, count, run)


def run_spark_steps(number: int, count: int) -> Counter[str]:
    """Apply updates to random programs of a seed on Spark as on the columnar engine; return how many steps agreed."""
    from reasoner.spark.engine import DRIVER_ROWS
    from tests.spark.quick_session import quickly
    from tests.spark.test_updates import STRATEGIES, assert_agrees

    with quickly(spark_of_campaigns()) as session:

        def run(data: st.DataObject) -> int:
            program = data.draw(programs(constraints=False))
            steps = data.draw(updates(program.facts, max_steps=3))
            rows, strategy = data.draw(st.sampled_from([0, 4, DRIVER_ROWS])), data.draw(st.sampled_from(STRATEGIES))
            assert_agrees(session, program, strategy, steps, driver_rows=rows)
            return len(steps)

        return _drawn(number, count, run)


@cache
def spark_of_campaigns() -> Any:
    """Return the session that a campaign works in, with the settings of the tests."""
    from reasoner.spark.platform.session import spark_session
    from tests.spark.conftest import SETTINGS

    return spark_session(master="local[2]", settings=SETTINGS)


def _drawn(number: int, count: int, run: Callable[[st.DataObject], int]) -> Counter[str]:
    """Run so many examples of a seed, and add up the steps of each."""
    counts: Counter[str] = Counter()

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def draw(data: st.DataObject) -> None:
        counts["steps"] += run(data)

    draw()
    return counts
