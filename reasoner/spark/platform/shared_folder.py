"""A folder that driver and executors share: where it is, a trial of it before the first write, and counts afterwards.

Executors write files that the driver moves, lists and reads. On a machine that has another folder of the same name all
of that goes on without an error, and what it wrote is not there. So a session whose executors are other processes tries
a folder before it is first written to, and every file that executors wrote is accounted for by its rows.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from loaders.local_path import local_path
from reasoner.rules.errors import ReasonerError
from reasoner.spark.platform.failures import SparkFailure, failures_told
from reasoner.spark.platform.python_tasks import mapped
from reasoner.spark.platform.session import is_connect, parallelism
from reasoner.store.file_system import Address, Place, file_system, resolved

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

VARIABLE = "REASONER_SCRATCH"
_REMEDY = (
    "name a folder on a file system that driver and executors share under the same path: scratch=..., --scratch or "
    f"{VARIABLE} for what is written on the way, and another place for a store"
)

# A network file system may show for some seconds what a folder held before; one that is new, hardly so.
_PATIENCE = 5.0
_TRIAL_PATIENCE = 2.0
_PAUSE = 0.25

# A task of the trial takes so long that no executor does the work of all of them.
_TRIAL_SECONDS = 0.1
_TRIALS_A_CORE = 2
_TRIED: set[tuple[str, str]] = set()


class UnsharedFolderError(SparkFailure):
    """A folder that is not the same one on every machine of a session."""

    def __init__(self, folder: Place, detail: str) -> None:
        super().__init__(f"not every machine sees the same {folder}: {detail}; {_REMEDY}")


def spark_name(place: Place) -> str:
    """Return the name by which Spark knows a file or folder; S3 has another one there."""
    text = str(resolved(place))
    return "s3a" + text.removeprefix("s3") if isinstance(place, Address) and place.scheme == "s3" else text


def is_one_machine(session: SparkSession) -> bool:
    """Tell whether executors and driver are one process, which at once sees all that it writes."""
    return not is_connect(session) and str(session.sparkContext.master).startswith("local")


def scratch_folder(place: str | os.PathLike[str] | None = None) -> Path:
    """Make a new folder for what is written on the way, below a place that is named here or by the environment.

    Without either it is a temporary folder of this machine.
    """
    named = place or os.environ.get(VARIABLE)
    parent = None if named is None else local_path(named).absolute()
    try:
        if parent is not None:
            parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="reasoner-spark-", dir=parent))
    except OSError as error:
        raise ReasonerError(
            f"the scratch folder {parent or tempfile.gettempdir()} cannot be used: {error.strerror or error}; name "
            f"another one by scratch=..., --scratch or {VARIABLE}"
        ) from error


def scratch_beside(store: Place, session: SparkSession, place: str | os.PathLike[str] | None) -> str | None:
    """Return the scratch place for a store on disk: what is named, or on a cluster the folder that the store is in.

    The store has to be on a shared file system anyway; on one machine temporary files go where others do, and beside a
    store that is not on a file system of this machine they cannot go.
    """
    if place is not None or VARIABLE in os.environ or is_one_machine(session) or isinstance(store, Address):
        return None if place is None else os.fspath(place)
    parent = store.absolute().parent
    return str(parent) if os.access(parent, os.W_OK) else None


@failures_told
def require_shared(session: SparkSession, folder: Place) -> None:
    """Raise ``UnsharedFolderError`` if driver and executors do not see one another's files in a folder.

    The driver writes a small file that every task reads, and every task writes one that the driver reads; a job, once
    for a folder and a session, and none where executors and driver are one process, or where a URL names the place.
    """
    if isinstance(folder, Address) or is_one_machine(session):
        return
    known: Any = session
    name = known.session_id if is_connect(session) else known.sparkContext.applicationId
    key = str(name), str(folder)
    if key in _TRIED:
        return
    trial = folder / f".trial-{uuid4().hex}"
    try:
        trial.mkdir(parents=True)
    except OSError as error:
        raise ReasonerError(f"{folder} cannot be written to: {error.strerror or error}; {_REMEDY}") from error
    try:
        token = uuid4().hex
        (trial / "driver").write_text(token)
        tasks = _TRIALS_A_CORE * max(2, parallelism(session))
        told = mapped(
            session.range(0, tasks, 1, tasks), _Trial(str(trial), token), "host string, name string"
        ).collect()
        blind = sorted({row.host for row in told if row.name is None})
        if blind:
            raise UnsharedFolderError(
                folder, f"executors on {', '.join(blind)} do not see what the driver writes there"
            )
        deadline = time.monotonic() + _TRIAL_PATIENCE
        missing = [row for row in told if not _is_seen(trial / row.name, token, deadline)]
        if missing:
            hosts = ", ".join(sorted({row.host for row in missing}))
            raise UnsharedFolderError(
                folder,
                f"the driver sees {len(told) - len(missing)} of {len(told)} files that executors wrote ({hosts})",
            )
    finally:
        shutil.rmtree(trial, ignore_errors=True)
    _TRIED.add(key)


class _Trial:
    """What a task of the trial does: reads what the driver wrote, and writes a file of its own."""

    def __init__(self, folder: str, token: str) -> None:
        self._folder = folder
        self._token = token

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            names = [self._tried(f"task-{number}") for number in batch.column(0).to_pylist()]
            hosts = [socket.gethostname()] * len(names)
            yield pa.RecordBatch.from_arrays(
                [pa.array(hosts, pa.string()), pa.array(names, pa.string())], ["host", "name"]
            )

    def _tried(self, name: str) -> str | None:
        """Return the name of the file that was written; None if the folder is not that of the driver."""
        time.sleep(_TRIAL_SECONDS)
        folder = Path(self._folder)
        if not _is_seen(folder / "driver", self._token, time.monotonic() + _TRIAL_PATIENCE):
            return None
        try:
            (folder / name).write_text(self._token)
        except OSError:
            return None
        return name


def _is_seen(path: Path, token: str, deadline: float) -> bool:
    while True:
        try:
            if path.read_text() == token:
                return True
        except OSError:
            pass
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE)


def existing_folder(path: Path) -> Path:
    """Return the folder that a path lies in, as far as it is there already."""
    return next(parent for parent in path.absolute().parents if parent.is_dir())


def parquet_files(folder: Place, rows: int) -> list[Place]:
    """Return the files that executors have written below a folder, which must have so many rows together.

    Raise ``UnsharedFolderError`` if the driver does not see all of them, also after some seconds.
    """
    deadline = time.monotonic() + _PATIENCE
    while True:
        names = file_system(folder).files(folder)
        files = sorted(folder / name for name in names if name.endswith(".parquet") and not _is_hidden(Path(name)))
        seen = sum(map(_rows_of, files))
        if seen == rows:
            return files
        if seen > rows or time.monotonic() > deadline:
            detail = f"executors wrote {rows:,} rows there, and the driver sees {seen:,} in {len(files):,} files"
            raise UnsharedFolderError(folder, detail)
        time.sleep(_PAUSE)


def with_row_count(frame: DataFrame) -> tuple[DataFrame, Any]:
    """Return a frame, and what tells how many rows of it tasks have written once it is written."""
    from pyspark.sql import Observation
    from pyspark.sql.functions import count, lit

    seen = Observation()

    def rows() -> int:
        # A session of Spark Connect may have nothing to tell when its server is busy.
        told = seen.get
        return int(told["rows"]) if told else int(frame.count())

    return frame.observe(seen, count(lit(1)).alias("rows")), rows


def _is_hidden(path: Path) -> bool:
    """Tell whether a file is left of a task that has not been committed."""
    return any(part.startswith(("_", ".")) for part in path.parts)


def _rows_of(path: Place) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with file_system(path).open(path) as file:
            return int(pq.read_metadata(file).num_rows)
    except (OSError, pa.ArrowException):
        return 0
