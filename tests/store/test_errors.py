"""What is wrong with a folder is named with its file and a remedy; who may only read never writes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from reasoner import Reasoner, ReasonerError, StoreError
from reasoner.store.folder import is_store, read_manifest
from tests.notation import fact
from tests.store.conftest import FAMILY
from tests.store.contents import files_of, over_ids, over_texts


@pytest.fixture
def folder(tmp_path):
    with Reasoner.open(tmp_path / "kb", create=True, profile="none") as kb:
        kb.add(FAMILY)
        kb.materialise()
        kb.remove(FAMILY[0])
    return tmp_path / "kb"


def test_a_store_error_is_an_error_of_the_reasoner():
    assert issubclass(StoreError, ReasonerError)


def test_what_is_no_store_cannot_be_opened(tmp_path):
    with pytest.raises(StoreError, match="nowhere does not exist; name the folder of a store, or create one"):
        Reasoner.open(tmp_path / "nowhere")
    with pytest.raises(StoreError, match="has no file CURRENT"):
        Reasoner.open(tmp_path)
    with pytest.raises(StoreError, match="does not exist"):
        Reasoner.open(tmp_path / "nowhere", create=True, read_only=True)
    assert not (tmp_path / "nowhere").exists()


def test_a_store_is_made_only_in_a_folder_without_other_files(tmp_path, folder):
    (tmp_path / "thesis.txt").write_text("do not touch")
    with pytest.raises(StoreError, match="holds other files; name a new or an empty folder"):
        Reasoner.open(tmp_path, create=True)
    with pytest.raises(StoreError, match=r"thesis\.txt is a file"):
        Reasoner.open(tmp_path / "thesis.txt", create=True)
    with pytest.raises(StoreError, match="is a store already; open it, or name another folder"):
        Reasoner().save(folder)


def test_creating_a_store_that_is_there_opens_it(folder):
    with Reasoner.open(folder, create=True) as kb:
        assert kb.profile == "none" and len(kb.store.state.explicit) == len(FAMILY) - 1


def test_a_store_has_its_own_settings(folder):
    with pytest.raises(StoreError, match="was made with profile 'none', not 'dlp'; open it without profile"):
        Reasoner.open(folder, profile="dlp")
    with Reasoner.open(folder, profile="none", equality="rewrite") as kb:
        assert kb.version == 3


def test_a_format_of_another_version_is_named(folder):
    path = folder / "manifests/00000003.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "format": 9}))
    with pytest.raises(StoreError, match=r"00000003\.json is of format 9, .* reads format 2 and before; use"):
        Reasoner.open(folder)


def test_a_missing_file_is_named_and_earlier_versions_can_be_read(folder):
    segment = read_manifest(folder).segments("explicit")[-1]
    (folder / segment.path).unlink()
    with pytest.raises(
        StoreError, match=f"{segment.path} is missing; restore the file from a copy, or open an earlier"
    ):
        Reasoner.open(folder)
    with Reasoner.open(folder, version=2) as kb:
        assert len(kb.store.state.explicit) == len(FAMILY)


@pytest.mark.parametrize("table", ["dictionary", "explicit", "facts", "representatives"])
def test_a_torn_file_is_named(folder, table):
    path = folder / read_manifest(folder).segments(table)[0].path
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])
    with pytest.raises(StoreError, match=f"parquet is torn: it has {len(whole) - 7:,} of {len(whole):,} bytes"):
        Reasoner.open(folder)
    path.write_bytes(whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
    with pytest.raises(StoreError, match="is damaged: its checksum is wrong; restore"):
        Reasoner.open(folder)


def test_a_torn_manifest_is_named_wherever_it_is_cut(folder):
    path = folder / "manifests/00000003.json"
    whole = path.read_bytes()
    for length in range(0, len(whole) - 1, 101):
        path.write_bytes(whole[:length])
        with pytest.raises(StoreError, match=r"00000003\.json is torn"):
            Reasoner.open(folder)
    path.write_bytes(whole.replace(b'"profile": "none"', b'"profile": "rdfs"'))
    with pytest.raises(StoreError, match=r"00000003\.json is damaged: its checksum is wrong"):
        Reasoner.open(folder)


def test_a_manifest_cannot_point_outside_its_folder(folder):
    path = folder / "manifests/00000003.json"
    fields = json.loads(path.read_bytes())
    fields["tables"]["explicit"][0]["path"] = "../../secret"
    del fields["crc"]
    path.write_text(json.dumps(fields))
    with pytest.raises(StoreError, match="is no manifest of format 2"):
        Reasoner.open(folder)


def test_a_damaged_pointer_is_named_with_the_version_that_it_could_be(folder):
    (folder / "CURRENT").write_text("")
    with pytest.raises(StoreError, match=r"CURRENT is damaged: '' is no version; .* such as 3"):
        Reasoner.open(folder)
    (folder / "CURRENT").write_text("17")
    with pytest.raises(StoreError, match=r"has no version 17; it has 1, 2, 3"):
        Reasoner.open(folder)


def test_a_version_that_is_not_there_is_named_with_those_that_are(folder):
    with pytest.raises(StoreError, match=r"has no version 9; it has 1, 2, 3"):
        Reasoner.open(folder, version=9)


def test_a_second_writer_is_refused_until_the_first_one_closes(folder):
    with Reasoner.open(folder) as kb:
        with pytest.raises(StoreError, match=f"is being written by process {os.getpid()} on .*read_only=True"):
            Reasoner.open(folder)
        with Reasoner.open(folder, read_only=True) as reader:
            assert over_ids(reader) == over_ids(kb)
    with Reasoner.open(folder) as kb:
        assert kb.version == 3


def test_a_second_process_is_refused_and_a_killed_one_leaves_no_lock(folder):
    code = (
        "import sys, time; from reasoner import Reasoner\n"
        "kb = Reasoner.open(sys.argv[1]); print('open', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout.readline() == "open\n"
        with pytest.raises(StoreError, match=f"is being written by process {writer.pid} "):
            Reasoner.open(folder)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    assert str(writer.pid) in (folder / "LOCK").read_text()
    with Reasoner.open(folder) as kb:
        assert kb.version == 3


def test_a_forgotten_reasoner_gives_its_lock_up(folder):
    import gc

    kb = Reasoner.open(folder)
    assert kb.version == 3
    del kb
    gc.collect()
    with Reasoner.open(folder) as kb:
        assert kb.version == 3


def test_an_error_while_opening_gives_the_lock_up(folder):
    for _ in range(2):
        with pytest.raises(StoreError, match="was made with profile"):
            Reasoner.open(folder, profile="dlp")
    with Reasoner.open(folder) as kb:
        assert kb.version == 3


CHANGES = {
    "add": lambda kb: kb.add([fact("x y z")]),
    "add rules": lambda kb: kb.add_rules("?x <y> ?x :- ?x <p> ?z ."),
    "remove": lambda kb: kb.remove(FAMILY[1]),
    "update": lambda kb: kb.update("INSERT DATA { <http://e.org/a> <http://e.org/b> 1 }"),
    "schema": lambda kb: kb.remove(fact("p type owl"), strategy="rematerialise"),
    "vacuum": lambda kb: kb.vacuum(),
}


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("state", ["read only", "old version", "closed"])
def test_who_may_only_read_changes_nothing_on_disk_or_in_memory(folder, how, state):
    settings = {"read only": {"read_only": True}, "old version": {"version": 2}, "closed": {}}[state]
    files = files_of(folder)
    kb = Reasoner.open(folder, **settings)
    if state == "closed":
        kb.close()
    before = over_texts(kb)
    with pytest.raises(StoreError, match="is open for reading only, or closed; open it without read_only and version"):
        CHANGES[how](kb)
    assert over_texts(kb) == before
    assert kb.own_rules() == ()
    kb.materialise()
    session = kb.dynamic()
    ticket = session.submit(add=fact("x y z"))
    with pytest.raises(StoreError, match="is open for reading only"):
        session.run()
    assert ticket.has_failed
    assert over_texts(kb) == before
    kb.close()
    assert files_of(folder) == files


def test_a_reader_makes_no_lock_file(folder):
    (folder / "LOCK").unlink()
    folder.chmod(0o555)
    try:
        with Reasoner.open(folder, read_only=True) as kb:
            assert len(kb.classes()) == 1
        assert not (folder / "LOCK").exists()
    finally:
        folder.chmod(0o755)


def test_a_reasoner_in_memory_has_no_versions(tmp_path):
    with Reasoner() as kb:
        assert kb.version is None
        with pytest.raises(StoreError, match="in memory only; save it to a folder, and open that"):
            kb.versions()
        with pytest.raises(StoreError, match="in memory only"):
            kb.vacuum()
    assert not is_store(tmp_path)


def test_a_block_that_ends_in_an_error_keeps_what_was_committed_and_nothing_else(folder):
    with pytest.raises(RuntimeError, match="stop"), Reasoner.open(folder) as kb:
        kb.remove(FAMILY[1])
        kb.add([fact("never kept either")])
        raise RuntimeError("stop")
    with Reasoner.open(folder) as kb:
        explicit = set(kb.store.texts(kb.store.state.explicit))
        assert FAMILY[1] not in explicit and fact("never kept either") not in explicit


def test_the_current_version_cannot_be_vacuumed(folder):
    with Reasoner.open(folder) as kb:
        with pytest.raises(StoreError, match="keep=0 would remove the current version; keep 1 or more"):
            kb.vacuum(keep=0)
        assert kb.vacuum(keep=99).versions == 0
