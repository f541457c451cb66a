"""The session of the test run with settings for jobs of a few rows, where planning is all that takes time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {"spark.sql.shuffle.partitions": "1", "spark.sql.adaptive.enabled": "false"}


@contextmanager
def quickly(session: SparkSession) -> Iterator[SparkSession]:
    """Lend the session with other settings, and give it back as it was."""
    before = {name: session.conf.get(name) for name in SETTINGS}
    for name, value in SETTINGS.items():
        session.conf.set(name, value)
    try:
        yield session
    finally:
        for name, old in before.items():
            session.conf.set(name, old or "")
