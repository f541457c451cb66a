"""One Spark session for all tests of a process, small and quiet."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark import SparkContext

from reasoner.spark.platform.session import spark_session
from tests.spark.standalone import BRIEF

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.sql.shuffle.partitions": 2,
    "spark.default.parallelism": 2,
    "spark.driver.memory": "1g",
    # A test works on a few rows, and compiling code for them takes longer than running it.
    "spark.sql.codegen.wholeStage": False,
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": BRIEF,
}


# Files whose tests take the longest together, too long to begin with at the end.
_LONGEST = (
    "test_updates",
    "test_faults",
    "test_delta_frame",
    "test_laws_in_files",
    "test_agreement",
    "test_term_files",
)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Make the session when the first test asks for it, and stop it after the last."""
    session = spark_session(master="local[2]", settings=SETTINGS)
    yield session
    session.stop()


@pytest.fixture(scope="module", autouse=True)
def nothing_stays_cached_by_a_module() -> Iterator[None]:
    """Fail if Spark has something cached that the tests of a module share, after they have ended."""
    before = _cached()
    yield
    assert _left(before) == {}, "cached by Spark, and not released"


@pytest.fixture(autouse=True)
def nothing_stays_cached() -> Iterator[None]:
    """Fail a test after which Spark has a table cached or a set persisted that was not before: it is to be released."""
    before = _cached()
    yield
    assert _left(before) == {}, "cached by Spark, and not released"


def _left(before: dict[int, str]) -> dict[int, str]:
    """Return what is cached and was not before; checkpoints of GraphFrames go when Java collects its garbage."""
    for _ in range(10):
        left = {number: name for number, name in _cached().items() if number not in before}
        if not left:
            break
        gc.collect()
        # Py4J takes up to a second to tell Java that Python let go of what was just looked at.
        time.sleep(1.2)
        SparkContext._active_spark_context._jvm.System.gc()
        time.sleep(0.2)
    return left


def _cached() -> dict[int, str]:
    """Return what Spark holds for later, persisted or seen on its storage page, by number."""
    context = SparkContext._active_spark_context
    if context is None or context._jsc is None:
        return {}
    persisted = {number: str(each) for number, each in dict(context._jsc.getPersistentRDDs()).items()}
    return persisted | {each.id(): str(each) for each in context._jsc.sc().getRDDStorageInfo()}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with these tests, which take long, so that processes that share the work end at about the same time.

    PySpark leaves its connections to Java for the garbage collector to close.
    """
    for item in items:
        if _is_for_spark(item):
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"))
    items.sort(key=lambda item: _LONGEST.index(item.path.stem) if item.path.stem in _LONGEST else len(_LONGEST))
    items.sort(key=lambda item: not _is_for_spark(item))


def _is_for_spark(item: pytest.Item) -> bool:
    return Path(__file__).parent in item.path.parents
