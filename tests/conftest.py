"""How tests run: random cases are the same every time, but in ``make soak``; a test that takes long says so."""

import os
import sys
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

from reasoner import Reasoner
from tests.engines import Make, SparkMaker

SOAK = os.environ.get("SOAK") == "1"
MOST_SECONDS = 30.0
# A tracer makes Python slower by about as much.
TRACED = 3.0

# No deadline for a case: how long one takes depends on what else the machine does.
settings.register_profile("steady", derandomize=not SOAK, database=None, print_blob=True, deadline=None)
settings.load_profile("steady")


@pytest.fixture(scope="module")
def make_reasoner(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Make reasoners of the engine that a module names, one of ``ENGINES``; columnar ones if it names none.

    Spark takes seconds to start and a tenth of one for each job, so that only modules below ``tests/spark`` name it:
    they import tests and checks from where these are written, and run them on the one session that they share.
    """
    engine = getattr(request, "param", "columnar")
    if engine == "columnar":
        yield Reasoner
        return
    from tests.spark.quick_session import quickly

    with quickly(request.getfixturevalue("spark")) as session:
        maker = SparkMaker(session, in_files=engine == "spark in files")
        yield maker
        maker.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that takes longer than it may, unless it is ``slow``: by the processor's time, not by the clock."""
    began = _processor_seconds()
    result = yield
    spent = _processor_seconds() - began
    most = MOST_SECONDS * (TRACED if sys.gettrace() else 1.0)
    if spent > most and item.get_closest_marker("slow") is None and not SOAK:
        pytest.fail(f"took {spent:.0f} s of processor time, more than {most:.0f}; make it smaller, or mark it slow")
    return result


def _processor_seconds() -> float:
    """Return what this process has used, and those that it has started and that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
