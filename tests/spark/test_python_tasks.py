"""Tasks of Python begin without reading Spark's archives again, and import what they need all the same."""

from __future__ import annotations

import importlib
import sys
import zipfile
from zipimport import zipimporter

import pyarrow as pa

from reasoner.spark.platform.python_tasks import forget_archives_of_spark, mapped


def archives():
    found = {importer.archive for importer in sys.path_importer_cache.values() if isinstance(importer, zipimporter)}
    return sorted(path.rpartition("/")[2] for path in found)


def test_an_archive_that_was_forgotten_is_imported_from_again(tmp_path, monkeypatch):
    names = ("pyspark.zip", "py4j-1.2-src.zip", "theirs.zip")
    for number, name in enumerate(names):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for part in ("first", "second"):
                archive.writestr(f"kept{number}/{part}.py", f"VALUE = '{name} {part}'")
            archive.writestr(f"kept{number}/__init__.py", "")
        monkeypatch.syspath_prepend(str(tmp_path / name))
    for number in range(3):
        importlib.import_module(f"kept{number}.first")
    assert set(names) <= set(archives())

    forget_archives_of_spark()

    assert "theirs.zip" in archives() and not {"pyspark.zip", "py4j-1.2-src.zip"} & set(archives())
    for number, name in enumerate(names):
        imported = importlib.import_module(f"kept{number}.second")
        assert f"{name} second" == imported.VALUE
    for number in range(3):
        for part in ("", ".first", ".second"):
            del sys.modules[f"kept{number}{part}"]


def test_a_process_that_has_done_a_task_knows_no_archive_of_spark(spark):
    def told(batches):
        rows = sum(batch.num_rows for batch in batches)
        known, done = " ".join(archives()), getattr(sys, "done_by_this_test", 0)
        sys.done_by_this_test = done + 1
        yield pa.RecordBatch.from_pydict({"rows": [rows], "archives": [known], "done": [done]})

    schema = "rows bigint, archives string, done bigint"
    found = [row for _ in range(2) for row in mapped(spark.range(0, 40, 1, 4), told, schema).collect()]

    assert [row.rows for row in found] == [10] * 8
    assert any(row.done for row in found)
    assert all("pyspark.zip" not in row.archives for row in found if row.done)
