"""Failures of Spark are told in one line with the remedy, and keep the error that they come from."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from reasoner import Reasoner, ReasonerError
from reasoner.spark.platform.failures import SparkFailure, failures_told
from reasoner.spark.platform.python_tasks import mapped
from reasoner.spark.platform.scratch import Scratch
from tests.spark.test_reasoner import quick  # noqa: F401

counted = failures_told(lambda session, work: mapped(session.range(1), work, "id long").count())


def raise_an_error(batches):
    raise ValueError("this batch is odd")
    yield from batches


def end_the_process(batches):
    os.kill(os.getpid(), signal.SIGKILL)
    yield from batches


def test_an_error_of_python_in_an_executor_is_told_by_its_last_line(quick):  # noqa: F811
    with pytest.raises(
        SparkFailure, match="Spark has failed: an executor raised ValueError: this batch is odd; "
    ) as told:
        counted(quick, raise_an_error)

    assert type(told.value.__cause__).__module__.startswith("pyspark")
    assert "\n" not in str(told.value)


def test_a_python_process_that_dies_is_told(quick):  # noqa: F811
    with pytest.raises(SparkFailure, match=r"has ended by itself, .* raise spark\.executor\.memoryOverhead") as told:
        counted(quick, end_the_process)

    assert "\n" not in str(told.value)


def test_a_package_that_executors_lack_is_named(quick, tmp_path, monkeypatch):  # noqa: F811
    (tmp_path / "only_at_the_driver.py").write_text("def work(batches):\n    yield from batches\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    from only_at_the_driver import work  # type: ignore[import-not-found]

    with pytest.raises(SparkFailure, match=r"install reasoner with all .* \(No module named 'only_at_the_driver'\)"):
        counted(quick, work)


def test_a_file_that_executors_do_not_see_is_named(quick):  # noqa: F811
    scratch = Scratch(quick)
    run = scratch.written("SELECT id AS s, 5L AS p, id AS o FROM range(9)")
    assert scratch.rows(f"SELECT count(*) AS n FROM {run.view}")["n"].to_pylist() == [9]
    for path in (scratch.folder / run.name).glob("*.parquet"):
        path.unlink()

    quick.conf.set("spark.sql.files.ignoreMissingFiles", "true")
    try:
        with pytest.raises(SparkFailure, match=rf"an executor does not see a file; .*REASONER_SCRATCH.*{run.name}"):
            scratch.rows(f"SELECT s FROM {run.view}")
    finally:
        quick.conf.unset("spark.sql.files.ignoreMissingFiles")
    scratch.close()


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("gs://bucket/x.nt", r"add its library by spark\.jars\.packages.*No FileSystem for scheme \"gs\""),
        ("s3a://bucket/x.nt", r"lacks the library of that file system.*S3AFileSystem not found"),
        ("http://127.0.0.1:9/x.nt", "cannot list files of that scheme; fetch them"),
        ("hdfs://127.0.0.1:9/x.nt", "does not answer; look at the address"),
    ],
)
def test_a_file_system_that_cannot_be_read_is_told_with_the_remedy(quick, address, told):  # noqa: F811
    with pytest.raises(ReasonerError, match=told):
        Reasoner("none", engine="spark", session=quick).load(address)


def test_a_query_that_fails_keeps_the_error_of_spark(quick):  # noqa: F811
    scratch = Scratch(quick)

    with pytest.raises(SparkFailure, match="UNRESOLVED_COLUMN") as told:
        scratch.rows("SELECT nothing FROM range(1)")

    assert type(told.value.__cause__).__name__ == "AnalysisException"
    scratch.close()


def test_errors_of_others_pass():
    with pytest.raises(ConnectionError, match="elsewhere"):
        failures_told(lambda: (_ for _ in ()).throw(ConnectionError("elsewhere")))()
