"""Scratch folders: where they are, and that what executors wrote there is accounted for; see also ``test_faults``."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reasoner import Reasoner, ReasonerError
from reasoner.spark.platform import shared_folder
from reasoner.spark.platform.scratch import Scratch
from reasoner.spark.platform.shared_folder import UnsharedFolderError, parquet_files, require_shared, scratch_beside
from tests.spark.test_reasoner import FACTS, quick  # noqa: F401


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(shared_folder, "_PATIENCE", 0)


def test_the_scratch_folder_is_where_it_is_asked_to_be(quick, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv("REASONER_SCRATCH", str(tmp_path / "environment"))

    named = Reasoner("none", engine="spark", session=quick, scratch=(tmp_path / "a name").as_uri())
    by_environment = Reasoner("none", engine="spark", session=quick)
    named.add(FACTS)
    assert sorted(named.triples()) == sorted(FACTS)

    assert named.store.spark.scratch.folder.parent == tmp_path / "a name"
    assert by_environment.store.spark.scratch.folder.parent == tmp_path / "environment"
    for kb in (named, by_environment):
        kb.store.close()
    assert [list(folder.iterdir()) for folder in tmp_path.iterdir()] == [[], []]


def test_a_store_has_its_scratch_folder_beside_it_on_a_cluster_only(quick, tmp_path, monkeypatch):  # noqa: F811
    assert scratch_beside(tmp_path / "store", quick, None) is None
    assert scratch_beside(tmp_path / "store", quick, "other") == "other"
    monkeypatch.setattr(shared_folder, "is_one_machine", lambda session: False)
    assert scratch_beside(tmp_path / "store", quick, None) == str(tmp_path)
    monkeypatch.setenv("REASONER_SCRATCH", "elsewhere")
    assert scratch_beside(tmp_path / "store", quick, None) is None


def test_a_scratch_folder_that_cannot_be_is_named(quick, tmp_path):  # noqa: F811
    (tmp_path / "file").write_text("")

    with pytest.raises(
        ReasonerError, match=r"the scratch folder .*file cannot be used: .*--scratch or REASONER_SCRATCH"
    ):
        Reasoner("none", engine="spark", session=quick, scratch=tmp_path / "file")
    with pytest.raises(ReasonerError, match="hdfs://host/tmp has the scheme hdfs"):
        Reasoner("none", engine="spark", session=quick, scratch="hdfs://host/tmp")
    with pytest.raises(ReasonerError, match="a scratch folder is for Spark: choose engine='spark'"):
        Reasoner("none", scratch=tmp_path)


def test_a_trial_leaves_nothing_behind_and_is_made_once(quick, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr(shared_folder, "is_one_machine", lambda session: False)
    monkeypatch.setattr(shared_folder, "_TRIED", set())
    require_shared(quick, tmp_path)
    assert list(tmp_path.iterdir()) == []
    tmp_path.rmdir()
    require_shared(quick, tmp_path)
    assert not tmp_path.exists()
    tmp_path.mkdir()


def test_rows_that_the_driver_does_not_see_are_an_error(impatient, tmp_path):
    pq.write_table(pa.table({"s": [1, 2]}), tmp_path / "part-0.parquet")
    (tmp_path / "split=7").mkdir()
    pq.write_table(pa.table({"s": [3]}), tmp_path / "split=7" / "part-1.parquet")
    (tmp_path / "_temporary").mkdir()
    pq.write_table(pa.table({"s": [3]}), tmp_path / "_temporary" / "part-2.parquet")

    assert len(parquet_files(tmp_path, 3)) == 2
    for rows in (2, 4):
        with pytest.raises(UnsharedFolderError, match=f"executors wrote {rows} rows there, and the driver sees 3 in 2"):
            parquet_files(tmp_path, rows)
    (tmp_path / "part-0.parquet").write_bytes(b"torn")
    with pytest.raises(UnsharedFolderError, match="the driver sees 1 in 2 files"):
        parquet_files(tmp_path, 3)


def test_a_run_that_lost_a_file_is_not_read_as_if_it_were_whole(quick):  # noqa: F811
    scratch = Scratch(quick)
    run = scratch.written("SELECT /*+ REPARTITION(2) */ id AS s, 5L AS p, id AS o FROM range(100)")
    assert len(scratch.read(run)) == 100
    files = sorted((scratch.folder / run.name).glob("*.parquet"))
    files[0].unlink()

    with pytest.raises(UnsharedFolderError, match=r"100 facts were written there, and .* are left"):
        scratch.read(run)
    scratch.close()
