"""What scans of files of facts have read, as Spark itself has counted it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Scan:
    """How many files a scan opened, and how many rows it took from the row groups that it read."""

    files: int
    rows: int


def scans_of(session: SparkSession, work: Callable[[], object]) -> list[Scan]:
    """Do some work, and return the scans of facts that Spark did for it; those of terms are left out."""
    java: Any = session._jsparkSession
    status = java.sharedState().statusStore()
    before = status.executionsCount()
    work()
    java.sparkContext().listenerBus().waitUntilEmpty()
    found: list[Scan] = []
    for at in range(before, status.executionsCount()):
        execution = status.executionsList().apply(at).executionId()
        values = status.executionMetrics(execution)
        for node in _each(status.planGraph(execution).allNodes()):
            if node.name().startswith("Scan parquet") and "text#" not in node.desc():
                counted = {each.name(): values.get(each.accumulatorId()) for each in _each(node.metrics())}
                found.append(Scan(_number(counted["number of files read"]), _number(counted["number of output rows"])))
    return found


def _each(java: Any) -> Iterator[Any]:
    iterator = java.iterator()
    while iterator.hasNext():
        yield iterator.next()


def _number(text: Any) -> int:
    return int(text.get().replace(",", "")) if text.isDefined() else 0
