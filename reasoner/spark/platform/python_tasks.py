"""Functions of Arrow batches in the Python processes of executors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING
from zipimport import zipimporter

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

# Spark's Python, the library that it talks to Java by, and a part of its Java that is on the path as well.
_ARCHIVES = ("pyspark.zip", "py4j-", "spark-core_")

Batches = Callable[[Iterable["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]


def mapped(frame: DataFrame, work: Batches, schema: str | StructType) -> DataFrame:
    """Return what a function makes of the batches of a frame, task by task."""

    def lightly(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            yield from work(batches)
        finally:
            forget_archives_of_spark()

    return frame.mapInArrow(lightly, schema)


def forget_archives_of_spark() -> None:
    """Let Python not read the lists of files in Spark's own archives again before the next task of this process.

    Before every task a process invalidates what it knows of places to import from, which for an archive means to read
    its list anew, for each of its packages that something was imported from: 0.12 s, more than most tasks take. What is
    forgotten here is found again when something is imported that was not yet, from the list that was read before.
    """
    for path, importer in list(sys.path_importer_cache.items()):
        if isinstance(importer, zipimporter) and PurePath(importer.archive).name.startswith(_ARCHIVES):
            sys.path_importer_cache.pop(path, None)
