"""Stores on S3 and HDFS: versions are whole, one writer wins, and a process that is killed leaves what there was."""

from __future__ import annotations

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from reasoner import Reasoner, StoreError
from reasoner.store import folder as versions_of_folder
from reasoner.store.file_system import file_system, place_of
from tests.notation import fact
from tests.store.conftest import FAMILY, limits  # noqa: F401
from tests.store.contents import over_ids, over_texts

RULES = "?x <ancestor> ?y :- ?x <parent> ?y . ?x <ancestor> ?z :- ?x <ancestor> ?y, ?y <parent> ?z ."


@pytest.fixture
def url(base):
    """Return the URL of a store with two versions."""
    with Reasoner.open(base, create=True, profile="none") as kb:
        kb.add(FAMILY)
        kb.add_rules(RULES)
    return base


def commit(kb: Reasoner, *names: str) -> None:
    with kb.transaction() as change:
        for name in names:
            change.add(fact(f"{name} parent ann"))


def children(kb: Reasoner) -> set[str]:
    return {s for s, p, o in kb.triples() if p == "<parent>" and o == "<ann>"}


def test_everything_that_a_store_keeps_is_there_again(url, limits, tmp_path):  # noqa: F811
    """Random commits, against a store on the local disk; small limits let segments be merged and written anew."""
    draw = random.Random(7)
    with Reasoner.open(url) as kb, Reasoner.open(tmp_path / "kb", create=True, profile="none") as local:
        local.add(FAMILY)
        local.add_rules(RULES)
        for turn in range(12):
            both = [fact(f"n{draw.randrange(9)} parent n{draw.randrange(9)}") for _ in range(3)]
            for each in (kb, local):
                with each.transaction() as change:
                    for triple in both:
                        (change.remove if turn % 3 == 2 else change.add)(triple)
                each.update(f"INSERT DATA {{ GRAPH <http://e.org/g> {{ <http://e.org/{turn}> <http://e.org/p> 1 }} }}")
        kb.prefixes["e"] = "http://e.org/"
        commit(kb, "last")
        commit(local, "last")
        content = over_ids(kb)
        assert over_texts(kb) == over_texts(local) and kb.version == local.version
    with Reasoner.open(url) as kb:
        assert over_ids(kb) == content
        assert kb.prefixes["e"] == "http://e.org/"
        assert [each.number for each in kb.versions()] == list(range(1, kb.version + 1))
    with Reasoner.open(url, version=2) as kb:
        assert children(kb) == set()


def test_of_two_writers_at_once_one_loses_cleanly(url):
    """Both have written all of their data files when they meet at the commit."""
    with ThreadPoolExecutor(2) as pool:
        for turn in range(6):
            writers = [Reasoner.open(url), Reasoner.open(url)]
            version, start = writers[0].version, Barrier(2)

            def write(number, writers=writers, start=start, turn=turn):
                start.wait()
                try:
                    commit(writers[number], f"t{turn}w{number}")
                except StoreError as error:
                    return str(error)
                return None

            answers = list(pool.map(write, range(2)))
            assert answers.count(None) == 1
            winner = answers.index(None)
            assert "somebody else has written to the store" in answers[1 - winner]
            assert f"<t{turn}w{1 - winner}>" not in children(writers[1 - winner])
            with Reasoner.open(url, read_only=True) as kb:
                assert kb.version == version + 1
                assert over_texts(kb) == over_texts(writers[winner])
                assert f"<t{turn}w{winner}>" in children(kb) and f"<t{turn}w{1 - winner}>" not in children(kb)
            with pytest.raises(StoreError, match="somebody else has written"):
                commit(writers[1 - winner], "again")


DIE = """
import os, signal, sys
from reasoner import Reasoner
from reasoner.store.file_system import file_system, place_of
from tests.notation import fact
url, moment = sys.argv[1:]
kb = Reasoner.open(url)
files = type(file_system(place_of(url)))
create, write = files.create, files.write_new
written = 0
def die(): os.kill(os.getpid(), signal.SIGKILL)
def created(self, path, data):
    if moment == "before": die()
    answer = create(self, path, data)
    die()
def wrote(self, path, data):
    global written
    written += 1
    if moment == "data" and written == 2: die()
    write(self, path, data)
files.create, files.write_new = created, wrote
with kb.transaction() as change:
    change.add(fact("killed parent ann"))
"""


@pytest.mark.parametrize(("moment", "is_there"), [("data", False), ("before", False), ("after", True)])
def test_a_writer_that_is_killed_in_its_commit_leaves_a_whole_version(url, moment, is_there):
    with Reasoner.open(url, read_only=True) as kb:
        version, before = kb.version, over_texts(kb)
    ended = subprocess.run([sys.executable, "-c", DIE, url, moment], timeout=120, check=False)
    assert ended.returncode == -9

    with Reasoner.open(url) as kb:
        assert kb.version == version + is_there
        assert ("<killed>" in children(kb)) == is_there
        assert is_there or over_texts(kb) == before
        commit(kb, "next")
        assert kb.version == version + 1 + is_there
        content = over_texts(kb)
        kb.vacuum()
        needed = set(file_system(place_of(url)).files(place_of(url) / "data"))
        assert {f"data/{name}" for name in needed} == versions_of_folder.read_manifest(place_of(url)).paths
    with Reasoner.open(url, read_only=True) as kb:
        assert over_texts(kb) == content


def test_readers_see_whole_versions_while_others_write_and_tidy_up(url):
    done = Event()
    seen = []

    def read():
        while not done.is_set():
            with Reasoner.open(url, read_only=True) as kb:
                names = children(kb)
                pairs = {name.strip("<>ab") for name in names}
                assert names == {f"<{pair}{side}>" for pair in pairs for side in "ab"}
                assert len(pairs) == kb.version - 2
                seen.append(kb.version)

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        try:
            with Reasoner.open(url) as kb:
                for turn in range(10):
                    commit(kb, f"{turn}a", f"{turn}b")
                    kb.vacuum(keep=2)
        finally:
            done.set()
        for reader in readers:
            reader.result()
    assert len(set(seen)) > 1


def test_a_vacuum_leaves_what_a_commit_under_way_has_written(url, monkeypatch):
    slow, other = Reasoner.open(url), Reasoner.open(url)
    real = versions_of_folder._create_manifest

    def tidied_first(*given):
        monkeypatch.undo()
        other.vacuum()
        real(*given)

    monkeypatch.setattr(versions_of_folder, "_create_manifest", tidied_first)
    commit(slow, "slow")

    with Reasoner.open(url, read_only=True) as kb:
        assert over_texts(kb) == over_texts(slow)
    assert slow.vacuum().versions == 1


def test_a_writer_whose_number_was_used_and_removed_since_loses_as_well(url, monkeypatch):
    """The manifest of its version is free again, and older than the current one."""
    slow = Reasoner.open(url)
    files = type(file_system(place_of(url)))
    real = files.create

    def overtaken(*given):
        monkeypatch.undo()
        with Reasoner.open(url) as fast:
            commit(fast, "one")
            commit(fast, "two")
            fast.vacuum()
        return real(*given)

    monkeypatch.setattr(files, "create", overtaken)
    with pytest.raises(StoreError, match="somebody else has written to the store"):
        commit(slow, "slow")

    with Reasoner.open(url, read_only=True) as kb:
        assert children(kb) == {"<one>", "<two>"}
        assert [each.number for each in kb.versions()] == [kb.version]


def test_a_request_that_is_sent_twice_is_one_commit(url, monkeypatch):
    """An answer that is lost lets the client send the manifest again, which finds its own."""
    files = type(file_system(place_of(url)))
    real = files.create
    monkeypatch.setattr(files, "create", lambda *given: (real(*given), real(*given))[1])

    with Reasoner.open(url) as kb:
        version = kb.version
        commit(kb, "twice")
        assert kb.version == version + 1
    with Reasoner.open(url, read_only=True) as kb:
        assert "<twice>" in children(kb)


def test_a_damaged_file_is_named(url):
    folder = place_of(url)
    path = next(iter(sorted(versions_of_folder.read_manifest(folder).paths)))
    data = file_system(folder).read(folder / path).to_pybytes()
    file_system(folder).write_new(folder / path, data[:-1] + bytes([data[-1] ^ 1]))

    with pytest.raises(StoreError, match=f"{path} is damaged: its checksum is wrong"):
        Reasoner.open(url)
    file_system(folder).delete(folder / path)
    with pytest.raises(StoreError, match=f"{path} is missing"):
        Reasoner.open(url)


def test_a_copy_of_a_local_store_is_refused(base, tmp_path):
    with Reasoner.open(tmp_path / "kb", create=True, profile="none") as kb:
        kb.add(FAMILY)
    folder, local = place_of(base), place_of(tmp_path / "kb")
    for name in file_system(local).files(local):
        file_system(folder).write_new(folder / name, file_system(local).read(local / name))

    with pytest.raises(StoreError, match="is a copy of a store on a local disk"):
        Reasoner.open(base)


def test_a_store_is_saved_opened_by_its_other_names_and_removed(base):
    kb = Reasoner(profile="none")
    kb.add(FAMILY)
    with pytest.raises(StoreError, match="is no store"):
        Reasoner.open(base)
    kb.save(base + "/a store")
    with pytest.raises(StoreError, match="is a store already"):
        kb.save(base + "/a store/")
    with pytest.raises(StoreError, match="holds other files"):
        kb.save(base)

    again = Reasoner.open(base.replace("s3://", "s3a://") + "/a store")
    assert over_texts(again) == over_texts(kb)
    again.remove_store()
    assert file_system(place_of(base)).files(place_of(base)) == {}


def test_steps_of_evolution_are_kept_and_taken_back(url):
    with Reasoner.open(url) as kb:
        before = over_texts(kb)
        kb.evolve("rename <bob> to <rob>")
        kb.evolve("rename <rob> to <robert>")
        assert over_texts(kb) != before
    with Reasoner.open(url) as kb:
        assert len(kb.evolutions()) == 2
        kb.undo_evolution()
        kb.undo_evolution()
        assert over_texts(kb) == before and kb.evolutions() == []
