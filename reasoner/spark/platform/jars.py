"""The Java libraries beyond Spark's own: fetched once by Spark's own resolver, then taken from a folder."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from loaders.errors import install_command
from reasoner.rules.errors import ReasonerError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The library of graphs on data frames, for Spark 4 and its Scala; its version is that of the Python package.
GRAPHFRAMES = "io.graphframes:graphframes-spark4_2.13"

# Spark resolves packages when it starts, and only then, so a process of its own starts it.
_RESOLVE = """
import sys
from reasoner.spark.platform.session import spark_session
packages, folder, repositories = sys.argv[1:]
settings = {"spark.jars.packages": packages, "spark.jars.ivy": folder}
if repositories:
    settings["spark.jars.repositories"] = repositories
spark_session(master="local[1]", settings=settings)
"""
_TELLING = re.compile(r"unresolved dependency|not found|server access error|Exception", re.IGNORECASE)

_log = logging.getLogger(__name__)


def cache_folder(*parts: str) -> Path:
    """Return a folder for what can be made again: below REASONER_CACHE, else below the system's folder for this."""
    root = os.environ.get("REASONER_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root).joinpath("reasoner", *parts)


def installed_jars() -> list[Path]:
    """Return the libraries that have been fetched for the installed versions, in order of their names."""
    return sorted(_jar_folder().glob("*.jar"))


def wanted_packages() -> list[str]:
    """Return the coordinates of what there is to fetch."""
    return [f"{GRAPHFRAMES}:{_graphframes_version()}"]


def fetch_jars(*, repository: str | None = None) -> list[Path]:
    """Fetch the libraries with Spark's own resolver, unless they are there, and return them.

    The resolver looks where Spark is set up to look; ``repository`` adds the address of another repository, such as
    a mirror. Raise ``ReasonerError`` with what the resolver said if it does not find them.
    """
    if found := installed_jars():
        return found
    folder = cache_folder("ivy")
    command = [sys.executable, "-c", _RESOLVE, ",".join(wanted_packages()), str(folder), repository or ""]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    fetched = sorted((folder / "jars").glob("*.jar"))
    if done.returncode or not fetched:
        said = [line.strip(" :\t") for line in done.stderr.splitlines() if _TELLING.search(line)]
        said.sort(key=lambda line: not line.startswith("unresolved"))
        raise ReasonerError(
            f"Spark could not fetch {', '.join(wanted_packages())}: {(said or ['it did not say why'])[0]}; connect to "
            f"a network, name a mirror with --repository, or put the jar files into {_jar_folder()} "
            "(everything but GraphFrames works without them)"
        )
    target = _jar_folder()
    target.mkdir(parents=True, exist_ok=True)
    for jar in fetched:
        shutil.copyfile(jar, target / jar.name)
    return installed_jars()


def has_graphframes(session: SparkSession) -> bool:
    """Tell whether a session can run the algorithms of GraphFrames; say once in the log if it cannot."""
    found = _finds_graphframes(session)
    if not found:
        _tell_once()
    return found


def _finds_graphframes(session: SparkSession) -> bool:
    try:
        import graphframes  # noqa: F401
    except ImportError:
        return False
    return has_class(session, "org.graphframes.GraphFrame")


def has_class(session: SparkSession, name: str) -> bool:
    """Tell whether a session can load a class of Java, also from jars that were added to it."""
    from pyspark.errors import AnalysisException
    from pyspark.logger import PySparkLogger

    # PySpark logs the refusal as an error, which it is not here.
    log = PySparkLogger.getLogger("SQLQueryContextLogger")
    was_disabled, log.disabled = log.disabled, True
    try:
        session.sql(f"SELECT reflect('{name}', 'thereIsNoSuchMethod')")
    except AnalysisException as refusal:
        # Spark looks for the class first, and for the method in it.
        return str(refusal.getCondition()).endswith("UNEXPECTED_STATIC_METHOD")
    finally:
        log.disabled = was_disabled
    return True


@cache
def _tell_once() -> None:
    _log.warning("GraphFrames is not there, so Spark does without it; `reasoner spark-setup` fetches it")


def _graphframes_version() -> str:
    try:
        return version("graphframes-py")
    except PackageNotFoundError:
        raise ReasonerError(f"GraphFrames for Python is not installed; {install_command('spark')} brings it") from None


def _jar_folder() -> Path:
    """Return the folder of the jars that match the installed packages: one of its own for every version."""
    try:
        return cache_folder("jars", f"graphframes-{version('graphframes-py')}")
    except PackageNotFoundError:
        return cache_folder("jars", "none")
