"""CURRENT is believed only as it was written, and a commit replaces only the version that it began from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import reasoner.columnar.home
from reasoner import Reasoner, StoreError
from reasoner.store.folder import current_version
from reasoner.store.local_disk import LocalDisk
from tests.notation import fact
from tests.store.contents import files_of, over_texts


@pytest.fixture
def folder(tmp_path):
    """A store of twelve versions."""
    with Reasoner.open(tmp_path / "kb", create=True, profile="none") as kb:
        for number in range(10):
            _add(kb, f"n{number}")
        assert kb.version == 12
    return tmp_path / "kb"


def _add(kb: Reasoner, name: str) -> None:
    with kb.transaction() as change:
        change.add(fact(f"{name} parent ann"))


def test_every_cut_of_current_is_found_or_harmless(folder):
    path = folder / "CURRENT"
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        try:
            with Reasoner.open(folder, read_only=True) as kb:
                assert kb.version == 12, whole[:length]
        except StoreError as error:
            assert "CURRENT" in str(error) and "write" in str(error)


def test_every_flipped_bit_of_current_is_found_or_harmless(folder):
    path = folder / "CURRENT"
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bit in range(8):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << bit)]) + whole[place + 1 :])
            try:
                assert current_version(folder) == 12
            except StoreError as error:
                assert "CURRENT is damaged" in str(error)


@pytest.mark.parametrize("text", ["1", "1\n", "10"])
def test_a_store_set_back_is_not_written_over(folder, text):
    (folder / "CURRENT").write_text(text)
    before = files_of(folder)

    with pytest.raises(StoreError, match=r"CURRENT says version 10?, but .*00000012\.json is there: write 12 into"):
        Reasoner.open(folder)

    assert files_of(folder) == before | {path: size for path, size in files_of(folder).items() if "LOCK" in str(path)}


def test_a_number_written_by_hand_is_taken_where_nothing_follows(folder):
    (folder / "CURRENT").write_text("12")

    with Reasoner.open(folder) as kb:
        _add(kb, "more")

    assert current_version(folder) == 13 and (folder / "CURRENT").read_text() != "13\n"


def test_what_is_left_of_a_commit_cut_short_is_in_nobodys_way(folder):
    newest = folder / "manifests/00000012.json"
    (folder / "manifests/00000013.json").write_bytes(newest.read_bytes()[:100])

    with Reasoner.open(folder) as kb:
        _add(kb, "more")
        assert kb.version == 13


def test_a_writer_that_was_overtaken_fails_and_nothing_is_lost(folder):
    slow = Reasoner.open(folder)
    (folder / "LOCK").unlink()
    with Reasoner.open(folder) as fast:
        _add(fast, "theirs")
        theirs = over_texts(fast)
    before = files_of(folder)

    with pytest.raises(StoreError, match=r"version 13 is current and not 12, .* open the store again and repeat"):
        _add(slow, "ours")

    assert fact("ours parent ann") not in set(slow.triples())
    assert {path: size for path, size in files_of(folder).items() if path in before} == before
    with Reasoner.open(folder, read_only=True) as kb:
        assert over_texts(kb) == theirs


def test_a_writer_that_is_overtaken_while_it_writes_fails_as_well(folder, monkeypatch):
    slow = Reasoner.open(folder)
    real = LocalDisk.sync

    def overtaken(disk, paths):
        real(disk, paths)
        monkeypatch.undo()
        (folder / "LOCK").unlink()
        with Reasoner.open(folder) as fast:
            _add(fast, "theirs")

    monkeypatch.setattr(LocalDisk, "sync", overtaken)
    with pytest.raises(StoreError, match="version 13 is current and not 12"):
        _add(slow, "ours")

    with Reasoner.open(folder, read_only=True) as kb:
        assert fact("theirs parent ann") in set(kb.triples())
        assert fact("ours parent ann") not in set(kb.triples())


def test_a_commit_interrupted_in_the_moment_it_takes_effect_is_followed_by_a_sound_one(folder, monkeypatch):
    kb = Reasoner.open(folder)
    real = reasoner.columnar.home.publish

    def interrupted(*given, **named):
        real(*given, **named)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(reasoner.columnar.home, "publish", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _add(kb, "lost")
    _add(kb, "found")

    with kb, Reasoner.open(folder, read_only=True) as reader:
        assert reader.version == 14
        assert over_texts(reader) == over_texts(kb)
        assert fact("found parent ann") in set(reader.triples())


def test_links_in_the_way_of_new_files_are_replaced_and_not_followed(folder, tmp_path):
    victim = tmp_path / "thesis.txt"
    victim.write_text("do not touch")

    with Reasoner.open(folder) as kb:
        (folder / ".CURRENT.new").symlink_to(victim)
        (folder / "manifests/00000013.json").symlink_to(victim)
        (folder / "data/explicit/00000013-added-all.parquet").symlink_to(victim)
        _add(kb, "more")

    assert victim.read_text() == "do not touch"
    with Reasoner.open(folder, read_only=True) as kb:
        assert kb.version == 13 and fact("more parent ann") in set(kb.triples())


@pytest.mark.parametrize("name", ["CURRENT", "LOCK", "data", "manifests", "data/explicit", "manifests/00000012.json"])
def test_a_store_with_links_in_it_is_not_opened(folder, tmp_path, name):
    (folder / name).rename(tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StoreError, match=f"{name} (is a symbolic link|cannot be written)"):
        Reasoner.open(folder)


@pytest.mark.parametrize("name", ["evolution.jsonl", "namespaces.json"])
def test_a_link_beside_the_versions_is_not_followed_either(folder, tmp_path, name):
    victim = tmp_path / "thesis.txt"
    victim.write_text("{}")
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(victim)

    with pytest.raises(StoreError, match=f"{name} is a symbolic link"):
        Reasoner.open(folder)

    assert victim.read_text() == "{}"


def test_the_folder_around_a_new_store_is_made_to_last(tmp_path, monkeypatch):
    synced = []
    real = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: (synced.append(str(Path(f"/proc/self/fd/{handle}").readlink())), real(handle))
    )

    Reasoner.open(tmp_path / "kb", create=True, profile="none").close()

    assert {str(tmp_path), str(tmp_path / "kb"), str(tmp_path / "kb/manifests")} <= set(synced)


def test_the_manifest_of_another_version_is_not_taken_for_the_one_asked_for(folder):
    one, other = (folder / f"manifests/{number:08d}.json" for number in (12, 7))
    one_text, other_text = one.read_bytes(), other.read_bytes()
    one.write_bytes(other_text)
    other.write_bytes(one_text)

    for version in (None, 7):
        with pytest.raises(StoreError, match=r"is the manifest of version \d+ and not of \d+: files were exchanged"):
            Reasoner.open(folder, read_only=True, version=version)
    with Reasoner.open(folder, read_only=True, version=11) as kb:
        assert kb.version == 11
