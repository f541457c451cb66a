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
    before = _last(status.executionsList())
    work()
    java.sparkContext().listenerBus().waitUntilEmpty()
    executions = status.executionsList()
    found: list[Scan] = []
    # Spark keeps the last thousand, so that their number alone tells nothing.
    for at in reversed(range(executions.size())):
        execution = executions.apply(at).executionId()
        if execution <= before:
            break
        values = status.executionMetrics(execution)
        for node in _each(status.planGraph(execution).allNodes()):
            if node.name().startswith("Scan parquet") and "text#" not in node.desc():
                counted = {each.name(): values.get(each.accumulatorId()) for each in _each(node.metrics())}
                found.append(Scan(_number(counted["number of files read"]), _number(counted["number of output rows"])))
    return found


def _last(executions: Any) -> int:
    return int(executions.last().executionId()) if executions.size() else -1


def _each(java: Any) -> Iterator[Any]:
    iterator = java.iterator()
    while iterator.hasNext():
        yield iterator.next()


def _number(text: Any) -> int:
    return int(text.get().replace(",", "")) if text.isDefined() else 0
