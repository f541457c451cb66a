"""What Spark does for a reasoner, counted: jobs, and rows that come to the driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasoner.spark.platform.failures import failures_told

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts since a reasoner was made, or between two moments: the later minus the earlier.

    ``jobs`` are the queries that Spark was given to run; ``rows_fetched`` are the rows of their results at the driver,
    and ``rows_read`` those that the driver has read by itself from files of facts and terms.
    """

    jobs: int = 0
    rows_fetched: int = 0
    rows_read: int = 0

    @property
    def rows_to_driver(self) -> int:
        """All rows that came to the driver."""
        return self.rows_fetched + self.rows_read

    def __sub__(self, earlier: Statistics) -> Statistics:
        return Statistics(
            self.jobs - earlier.jobs,
            self.rows_fetched - earlier.rows_fetched,
            self.rows_read - earlier.rows_read,
        )


class Traffic:
    """Counts for one store, whichever of its engines and queries is at work, and tells who watches."""

    def __init__(self) -> None:
        self._jobs = self._fetched = self._read = 0
        self._watch: Callable[[int], None] | None = None

    @property
    def statistics(self) -> Statistics:
        return Statistics(self._jobs, self._fetched, self._read)

    def job(self) -> None:
        """Note that Spark begins to run a query."""
        self._jobs += 1
        if self._watch is not None:
            self._watch(self._jobs)

    def read(self, rows: int) -> None:
        """Note rows that the driver has read from files."""
        self._read += rows

    @failures_told
    def fetched(self, frame: DataFrame) -> pa.Table:
        """Run a query, and return its rows at the driver: the one way in which results come there."""
        self.job()
        table = frame.toArrow()
        self._fetched += table.num_rows
        return table

    @contextmanager
    def watched(self, progress: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
        """Tell somebody of every job while some work goes on; news of the work itself go through what is yielded."""
        first, last = self._jobs, ""

        def news(text: str) -> None:
            nonlocal last
            last = text
            tell(self._jobs)

        def tell(jobs: int) -> None:
            progress(", ".join(filter(None, (last, f"{jobs - first:,} jobs"))))

        before, self._watch = self._watch, tell
        try:
            yield news
        finally:
            self._watch = before
