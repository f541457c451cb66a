"""The Spark session that everything here works in: the one that is given, the active one, or a new one."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reasoner.distribution import install_command
from reasoner.errors import ReasonerError
from reasoner.spark.failures import failures_told
from reasoner.spark.jars import installed_jars
from reasoner.spark.java import java_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
_NOT_CONNECT = (
    "the reasoner works where the driver of Spark is, whose files and memory it shares: give it a session of that "
    "process (SparkSession.builder.master(...), as in spark-submit), without spark.remote and SPARK_REMOTE"
)
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
    if wanted.get("spark.master", "").startswith("sc://"):
        raise ReasonerError(f"{wanted['spark.master']} is a server of Spark Connect; {_NOT_CONNECT}")
    found = session if session is not None else active_session()
    if found is None:
        return _new_session(wanted)
    _refuse_connect(found)
    for key, value in wanted.items():
        _change(found, key, value)
    return found


def _refuse_connect(session: Any) -> None:
    """Refuse a session of Spark Connect, before any job runs."""
    if any(room in type(session).__module__ for room in ("pyspark.sql.connect", "databricks.connect")):
        raise ReasonerError(f"the session is one of Spark Connect; {_NOT_CONNECT}")


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
