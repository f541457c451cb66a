"""What Spark's failures mean to users: the cause in one sentence, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from reasoner.errors import ReasonerError

Given = ParamSpec("Given")
Result = TypeVar("Result")

# Behind the line that only tells which call has failed comes the first cause; what caused that follows.
_CAUSE = re.compile(r"^\s*(?:Caused by)?: (?:[\w.$]+: )?(.*)$", re.MULTILINE)
# What the text of a failure has in it, and what that means.
_KNOWN = {
    "No space left on device": (
        "there is no space left for what Spark writes on the way; free some, or name a larger disk by TMPDIR and "
        "the setting spark.local.dir"
    ),
    "Disk quota exceeded": (
        "the quota of the disk is used up for what Spark writes on the way; raise it, or name another disk by TMPDIR "
        "and the setting spark.local.dir"
    ),
    "File too large": (
        "a file that Spark writes on the way is larger than this process may make; raise that limit (ulimit -f), or "
        "cut the data into more parts by spark.sql.shuffle.partitions"
    ),
    "no snappyjava in java.library.path": (
        "Java cannot unpack the library that Spark compresses files with; make room where temporary files go, or name "
        "another folder by -Djava.io.tmpdir in spark.driver.extraJavaOptions and spark.executor.extraJavaOptions"
    ),
    "could not verify page integrity": (
        "a file of the store was damaged after it was opened: a page has the wrong checksum; open the store again, "
        "which names the file, and restore it from a copy, or open an earlier version (version=N)"
    ),
    "OutOfMemoryError": (
        "a process of Spark has run out of memory; raise spark.driver.memory or spark.executor.memory, or cut the "
        "data into more parts by spark.sql.shuffle.partitions"
    ),
    "stopped SparkContext": "the session of Spark was stopped; make a new one, and open the store in it",
    "ModuleNotFoundError": (
        "the executors lack a Python package; install reasoner with all that it needs wherever executors run"
    ),
}


class SparkFailure(ReasonerError):
    """A job of Spark that failed; nothing of what it was to do has taken effect."""


def failures_told(work: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let a function that may work by Spark raise ``SparkFailure`` where Spark fails; other errors pass."""

    @wraps(work)
    def told(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            return work(*args, **kwargs)
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j"):
                raise
            raise SparkFailure(f"Spark has failed: {meaning(str(error))}; the store is as it was") from error

    return told


def meaning(text: str) -> str:
    """Return what the text of a failure means: what is known about it, or its innermost cause.

    >>> meaning("Job aborted\\nCaused by: java.io.IOException: Stream closed\\n  at x")
    'Stream closed'
    >>> meaning("An error occurred while calling o1.load.\\n: java.io.IOException: No such scheme\\n  at y")
    'No such scheme'
    >>> meaning("task 3: No space left on device")[:26]
    'there is no space left for'
    """
    for sign, known in _KNOWN.items():
        if sign in text:
            return known
    causes = [cause.strip() for cause in _CAUSE.findall(text) if cause.strip()]
    first = next((line.strip() for line in text.splitlines() if line.strip()), "it did not say why")
    return (causes[-1] if causes else first).rstrip(".")
