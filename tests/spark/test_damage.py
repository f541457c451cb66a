"""Damage to a store is found by whoever opens it, whichever engine wrote it: an error that names the file."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

from reasoner import Reasoner, ReasonerError, StoreError
from reasoner.columnar import persisted
from reasoner.spark import store_home
from reasoner.spark.store import SparkStore
from reasoner.store.folder import read_manifest
from reasoner.store.manifest import with_predicate
from reasoner.store.segment import BASE, write_segment
from reasoner.terms.term import TYPE
from tests.spark.test_reasoner import quick  # noqa: F401

E = "http://e.org/"
A = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
RULE = f"?x a <{E}Person> :- ?x <{E}knows> ?y ."
FACTS = [(f"<{E}n{n}>", f"<{E}knows>", f"<{E}n{n + 1}>") for n in range(40)]
CHANGE = (f"<{E}n0>", f"<{E}likes>", f"<{E}n1>")


@pytest.fixture(scope="module", params=["columnar", "spark"])
def written(request, quick, tmp_path_factory):  # noqa: F811
    """Write a store of three versions, whose predicates have files of their own."""
    folder = tmp_path_factory.mktemp("written") / "kb"
    place = {"engine": "spark", "session": quick} if request.param == "spark" else {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(persisted, "_FEWEST", 2)
        patch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 0)
        with Reasoner.open(folder, create=True, profile="none", **place) as kb:
            kb.add_rules(RULE)
            kb.add(FACTS)
            kb.materialise()
            with kb.transaction() as change:
                change.add([CHANGE])
            assert kb.version == 3
    return folder


@pytest.fixture
def folder(written, tmp_path):
    return shutil.copytree(written, tmp_path / "kb")


@pytest.fixture
def opened(quick, folder, monkeypatch):  # noqa: F811
    """Open the store with Spark, which leaves all facts in their files."""
    monkeypatch.setitem(SparkStore.__init__.__kwdefaults__, "driver_rows", 0)

    def open_it(**settings):
        return Reasoner.open(folder, engine="spark", session=quick, read_only=True, **settings)

    return open_it


def large_file(folder, table="facts", predicate=TYPE):
    segment = next(each for each in read_manifest(folder).segments(table) if each.predicate == predicate)
    return folder / segment.path


def test_a_whole_store_is_opened(opened, monkeypatch):
    monkeypatch.setattr(store_home, "DRIVER_BYTES", -1)

    assert len(set(opened().triples())) == 2 * len(FACTS) + 1


def test_a_torn_file_is_named(folder, opened):
    path = large_file(folder)
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])

    with pytest.raises(StoreError, match=f"{path.name} is torn: it has {len(whole) - 7:,} of {len(whole):,} bytes"):
        opened()


def test_a_missing_file_is_named_and_earlier_versions_can_be_read(folder, opened):
    path = large_file(folder)
    path.unlink()

    with pytest.raises(StoreError, match=f"{path.name} is missing; restore the file from a copy, or open an earlier"):
        opened()
    assert len(opened(version=1).store.state.explicit) == 0


@pytest.mark.parametrize("where", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("table", "most"), [("explicit", store_home.DRIVER_BYTES), ("facts", -1)])
def test_a_flipped_bit_is_found_wherever_it_is(folder, opened, monkeypatch, table, most, where):
    """By the driver if files are small, else by the executors."""
    monkeypatch.setattr(store_home, "DRIVER_BYTES", most)
    segment = read_manifest(folder).segments(table)[0]
    path = folder / segment.path
    damaged = bytearray(path.read_bytes())
    damaged[int(len(damaged) * where)] ^= 1
    path.write_bytes(damaged)

    with pytest.raises(StoreError, match=f"{path.name} is damaged: its checksum is wrong; restore"):
        opened()


def test_a_store_of_another_version_is_named(folder, opened):
    path = folder / "manifests/00000003.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "format": 9}))

    with pytest.raises(StoreError, match=r"00000003\.json is of format 9, .* reads format 2 and before; use"):
        opened()


def test_a_page_that_changes_later_is_found_when_it_is_read(folder, opened):
    import pyarrow.parquet as pq

    kb, path = opened(), large_file(folder)
    chunk = pq.read_metadata(path).row_group(0).column(0)
    damaged = bytearray(path.read_bytes())
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    damaged[start + chunk.total_compressed_size - 1] ^= 1
    path.write_bytes(damaged)

    with pytest.raises(ReasonerError, match=r"Spark has failed: a file of the store was damaged after it was opened"):
        kb.query(f"SELECT ?x {{ ?x a <{E}Person> }}")


def test_executors_that_see_another_file_are_told_of(folder, opened, monkeypatch):
    """As on a cluster whose machines have folders of their own under the same path."""
    whole, path = store_home._paths, large_file(folder)
    other = path.parent.parent / "elsewhere" / path.name
    other.parent.mkdir()
    other.write_bytes(path.read_bytes()[:-1] + b"!")
    monkeypatch.setattr(store_home, "DRIVER_BYTES", -1)
    elsewhere = {str(path.resolve()): str(other.resolve())}
    monkeypatch.setattr(store_home, "_paths", lambda *given: [elsewhere.get(each, each) for each in whole(*given)])

    with pytest.raises(StoreError, match="another file for the executors; put the store on a file system that all of"):
        opened()


def test_facts_of_a_predicate_in_two_kinds_of_files_are_refused(folder, opened):
    """As another program might write them; who looks for the predicate would miss those in the shared file."""
    manifest = read_manifest(folder)
    first, *others = manifest.segments("facts")
    shared = write_segment(folder, "facts", 9, BASE, with_predicate(folder, "facts", first), mark="-odd")
    tables = {**manifest.tables, "facts": (first, *others, shared)}
    (folder / "manifests/00000003.json").write_bytes(replace(manifest, tables=tables).to_json())

    with pytest.raises(StoreError, match=r"all-odd\.parquet has facts of predicate \d+, which has files of its own"):
        opened()
