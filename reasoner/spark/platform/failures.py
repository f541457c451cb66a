"""What Spark's failures mean to users: the cause in one sentence, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from reasoner.rules.errors import ReasonerError

Given = ParamSpec("Given")
Result = TypeVar("Result")

# What Python says last when it fails in an executor.
_RAISED = re.compile(r"^(?:[A-Za-z_][\w.]*\.)?([A-Z]\w*(?:Error|Exception|Interrupt)): (.+)$", re.MULTILINE)
_FILE = re.compile(r"(?:FileNotFoundException: File |reading file |File )(\S+?)(?: does not exist|\. )")
_LONGEST = 400

# Behind the line that only tells which call has failed comes the first cause; what caused that follows.
_CAUSE = re.compile(r"^\s*(?:Caused by)?: (?:[\w.$]+: )?(.*)$", re.MULTILINE)
# What the text of a failure has in it, and what that means; the first counts.
_JAVA_ENDED = "Answer from Java side is empty"
_NO_JAVA = (
    "the Java process of the driver has ended, mostly because it ran out of memory; raise spark.driver.memory, and "
    "begin with a new Python process"
)
_KNOWN = {
    _JAVA_ENDED: _NO_JAVA,
    # PySpark asks Java what kind of failure it had, and Java ends before it answers.
    "py4j.reflection.TypeUtil.isInstanceOf": _NO_JAVA,
    "maxResultSize": (
        "a result is larger than the driver takes; raise spark.driver.maxResultSize, or leave "
        "the rows to Spark: kb.dataframe(...), or kb.write with a slash at the end of the name"
    ),
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
    "MemoryError": (
        "a Python process of an executor has run out of memory; raise spark.executor.memoryOverhead, or cut the data "
        "into more parts by spark.sql.shuffle.partitions"
    ),
    "Python worker exited unexpectedly": (
        "a Python process of an executor has ended by itself, mostly because the machine had no memory left; raise "
        "spark.executor.memoryOverhead, or give executors fewer cores"
    ),
    "ExecutorLostFailure": (
        "executors were lost again and again, mostly because they ran out of memory or their machines went away; raise "
        "spark.executor.memory and spark.executor.memoryOverhead, and look into the logs of the executors"
    ),
    "All masters are unresponsive": "no master of the cluster answers; look at its address (master=...), and start it",
    "Could not parse Master URL": "the master has no address that Spark knows; write local[4] or spark://host:7077",
    "PYTHON_VERSION_MISMATCH": (
        "executors run another version of Python than the driver; name the same one for all by PYSPARK_PYTHON"
    ),
    "No FileSystem for scheme": (
        "Spark knows no file system of that scheme; add its library by spark.jars.packages, or copy the files to this "
        "machine"
    ),
    "FileSystem not found": (
        "Spark lacks the library of that file system; add it by spark.jars.packages (org.apache.hadoop:hadoop-aws for "
        "s3a), or copy the files to this machine"
    ),
    "UNSUPPORTED_FILE_SYSTEM": "Spark cannot list files of that scheme; fetch them, and load the copies",
    "stopped SparkContext": "the session of Spark was stopped; make a new one, and open the store in it",
    "ModuleNotFoundError": (
        "the executors lack a Python package; install reasoner with all that it needs wherever executors run"
    ),
    "FILE_NOT_EXIST": (
        "an executor does not see a file; put the store and the scratch folder (scratch=..., REASONER_SCRATCH) on a "
        "file system that all machines share under the same path"
    ),
    "FileNotFoundException": (
        "an executor does not see a file; put the store and the scratch folder (scratch=..., REASONER_SCRATCH) on a "
        "file system that all machines share under the same path"
    ),
    "Connection refused": "a server that Spark was to reach does not answer; look at the address, and start it",
}


_ROOMS = ("pyspark", "py4j", "grpc")
_NO_CLASS = "does not exist in the JVM"


class SparkFailure(ReasonerError):
    """A job of Spark that failed; nothing of what it was to do has taken effect."""


def failures_told(work: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let a function that may work by Spark raise ``SparkFailure`` where Spark fails; other errors pass."""

    @wraps(work)
    def told(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            return work(*args, **kwargs)
        except Exception as error:
            if not is_of_spark(error):
                raise
            is_cut_off = type(error).__name__ == "Py4JNetworkError" or _room(type(error).__module__) not in _ROOMS
            # Asked about a class, a Java process that is ending says that there is none.
            is_cut_off = is_cut_off or str(error).endswith(_NO_CLASS)
            text = _JAVA_ENDED if is_cut_off else str(error)
            raise SparkFailure(f"Spark has failed: {meaning(text)}; the store is as it was") from error

    return told


def is_of_spark(error: BaseException) -> bool:
    """Tell whether an error is one of Spark's, or of the connection to it."""
    if _room(type(error).__module__) in _ROOMS:
        return True
    if not isinstance(error, ConnectionError | EOFError):
        return False
    trace, last = error.__traceback__, ""
    while trace is not None:
        room = _room(str(trace.tb_frame.f_globals.get("__name__")))
        last, trace = room if room != "socket" else last, trace.tb_next
    return last in _ROOMS


def _room(module: str) -> str:
    return module.partition(".")[0]


def meaning(text: str) -> str:
    """Return what the text of a failure means in one line: what is known about it, or its innermost cause.

    >>> meaning("Job aborted\\nCaused by: java.io.IOException: Stream closed\\n  at x")
    'Stream closed'
    >>> meaning("An error occurred while calling o1.load.\\n: java.io.IOException: No such scheme\\n  at y")
    'No such scheme'
    >>> meaning("task 3: No space left on device")[:26]
    'there is no space left for'
    >>> meaning("Traceback (most recent call last):\\n  File x\\nModuleNotFoundError: No module named 'loaders'\\n")
    "the executors lack a Python package; install reasoner with all that it needs wherever executors run (No module \
named 'loaders')"
    """
    raised = _RAISED.findall(text)
    for sign, known in _KNOWN.items():
        if sign in text:
            detail = next((said for name, said in raised if name == sign), None) or _shown(text, sign)
            return f"{known} ({detail})" if detail else known
    if raised:
        name, said = raised[-1]
        return _one_line(f"an executor raised {name}: {said}")
    causes = [cause.strip() for cause in _CAUSE.findall(text) if cause.strip()]
    first = next((line.strip() for line in text.splitlines() if line.strip()), "it did not say why")
    return _one_line(causes[-1] if causes else first)


def _shown(text: str, sign: str) -> str | None:
    """Return the file that a failure to find one names, or the file system that is not there."""
    if sign in ("FILE_NOT_EXIST", "FileNotFoundException"):
        found = _FILE.search(text)
        return None if found is None else found[1]
    if "FileSystem" in sign:
        return next((cause.strip() for cause in _CAUSE.findall(text) if sign in cause), None)
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST].rstrip(".")
