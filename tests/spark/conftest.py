"""One Spark session for all tests of a process, small and quiet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reasoner.spark.session import spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.sql.shuffle.partitions": 2,
    "spark.default.parallelism": 2,
    "spark.driver.memory": "1g",
    # A test works on a few rows, and compiling code for them takes longer than running it.
    "spark.sql.codegen.wholeStage": False,
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Make the session when the first test asks for it, and stop it after the last."""
    session = spark_session(master="local[2]", settings=SETTINGS)
    yield session
    session.stop()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with these tests, which take long, so that processes that share the work end at about the same time.

    PySpark leaves its connections to Java for the garbage collector to close.
    """
    for item in items:
        if _is_for_spark(item):
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"))
    items.sort(key=lambda item: not _is_for_spark(item))


def _is_for_spark(item: pytest.Item) -> bool:
    return Path(__file__).parent in item.path.parents
