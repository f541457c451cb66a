"""How tests run: random cases are the same every time, but in ``make soak``; a test that takes long says so."""

import os
import sys
from collections.abc import Generator

import pytest
from hypothesis import settings

SOAK = os.environ.get("SOAK") == "1"
MOST_SECONDS = 30.0
# A tracer makes Python slower by about as much.
TRACED = 3.0

settings.register_profile("steady", derandomize=not SOAK, database=None, print_blob=True)
settings.load_profile("steady")


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
