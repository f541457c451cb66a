"""Opening costs the manifest: facts and terms are read when somebody looks at them, and nothing else changes."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from reasoner import Reasoner
from reasoner.columnar import persisted
from reasoner.columnar.persisted import StoredTable
from reasoner.store.file_system import StoreError
from reasoner.store.folder import read_manifest
from reasoner.store.local_disk import LocalDisk

E = "http://e.org/"
P, Q, R = (f"<{E}{name}>" for name in "pqr")
RULES = f"?x {R} ?y :- ?x {P} ?y ."


@pytest.fixture(autouse=True)
def _small_stores_are_treated_as_large_ones(monkeypatch):
    monkeypatch.setattr(persisted, "_FEWEST", 1)
    monkeypatch.setattr(persisted, "_TERMS_READ_AT_ONCE", 0)


def _node(name: object) -> str:
    return f"<{E}{name}>"


def _facts(predicate: str, size: int) -> list[tuple[str, str, str]]:
    return [(_node(n), predicate, _node(n % 7)) for n in range(size)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with two asserted predicates, one of which a rule copies."""
    with Reasoner.open(tmp_path / "store", create=True, profile="none") as kb:
        kb.add_rules(RULES)
        kb.add(_facts(P, 300) + _facts(Q, 200))
        kb.materialise()
    return tmp_path / "store"


def _closure(explicit: set[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    return explicit | {(s, R, o) for s, p, o in explicit if p == P}


def _is_read(kb: Reasoner, predicate: str, name: str = "facts") -> bool:
    table = getattr(kb.store.state, name).table(kb.store.dictionary.lookup(predicate))
    assert isinstance(table, StoredTable)
    return bool(table.held_runs)


def test_opening_reads_no_facts_and_no_terms(folder):
    with Reasoner.open(folder) as kb:
        assert len(kb.store.dictionary) == 305
        assert "_texts" not in vars(kb.store.dictionary)
        assert len(kb.store.state.explicit) == 500
        assert len(kb.store.state.facts) == 800
        assert not any(_is_read(kb, p) for p in (P, Q, R))


def test_a_query_reads_the_predicates_that_it_asks_for(folder):
    with Reasoner.open(folder, read_only=True) as kb:
        assert len(list(kb.query(f"SELECT ?x {{ ?x {Q} {_node(3)} }}"))) == 29
        assert _is_read(kb, Q)
        assert not _is_read(kb, P)
        assert not _is_read(kb, R)
        assert not kb.store.dictionary.is_indexed


def test_an_update_leaves_what_it_does_not_touch_in_its_file(folder):
    with Reasoner.open(folder) as kb:
        with kb.transaction() as change:
            change.add([(_node("new"), Q, _node("newer"))])
        assert not _is_read(kb, R)
    with Reasoner.open(folder) as kb:
        # What has changed since its file was written is put together at once.
        assert not isinstance(kb.store.state.facts.table(kb.store.dictionary.lookup(Q)), StoredTable)
        assert not _is_read(kb, R)
        assert set(kb.triples()) == {*_facts(P, 300), *_facts(Q, 200), *_facts(R, 300)} | {
            (_node("new"), Q, _node("newer"))
        }


@pytest.mark.parametrize("first", ["explicit", "facts"])
def test_facts_that_are_all_explicit_share_their_memory_whichever_is_read_first(folder, first):
    with Reasoner.open(folder, read_only=True) as kb:
        state, predicate = kb.store.state, kb.store.dictionary.lookup(P)
        assert getattr(state, first).table(predicate).size == 300
        read = getattr(state, first).table(predicate).runs

        assert state.explicit.table(predicate).runs[0] is state.facts.table(predicate).runs[0] is read[0]


def test_files_of_equal_checksums_and_other_content_are_not_shared(folder, monkeypatch):
    monkeypatch.setattr(persisted.SegmentFiles, "may_be_same", lambda *_: True)
    with Reasoner.open(folder, read_only=True) as kb:
        state, dictionary = kb.store.state, kb.store.dictionary
        p, q = dictionary.lookup(P), dictionary.lookup(Q)
        one, other = state.facts.table(p), state.explicit.table(q)
        assert isinstance(one, StoredTable) and isinstance(other, StoredTable)
        assert one.files is not None and other.files is not None
        for read_before in (False, True):
            twin = StoredTable(q, other.files)
            if read_before:
                assert twin.runs
            assert one.files is not None
            mine = StoredTable(p, one.files, twin)
            assert mine.runs[0] is not twin.runs[0]
            assert mine.size == 300


def test_files_that_are_removed_after_the_opening_can_still_be_read(folder):
    """A vacuum of another process may come before this one has looked at anything."""
    with Reasoner.open(folder, read_only=True) as reader:
        for path in (folder / "data").rglob("*.parquet"):
            path.unlink()
        assert set(reader.triples()) == {*_facts(P, 300), *_facts(Q, 200), *_facts(R, 300)}


@pytest.mark.parametrize("table", ["dictionary", "explicit", "facts"])
@pytest.mark.parametrize("at_once", [True, False])
def test_damage_is_found_at_once_in_a_small_store_and_at_the_first_look_in_a_large_one(
    folder, monkeypatch, table, at_once
):
    if not at_once:
        monkeypatch.setattr(persisted, "_CHECKED_AT_ONCE", 0)
    for path in (folder / "data" / table).glob("*.parquet"):
        data = bytearray(path.read_bytes())
        data[len(data) // 3] ^= 255
        path.write_bytes(data)

    if at_once:
        with pytest.raises(StoreError, match="checksum is wrong"):
            Reasoner.open(folder, read_only=True)
        return
    with Reasoner.open(folder, read_only=True) as kb, pytest.raises(StoreError, match="checksum is wrong"):
        kb.store.dictionary.text(0) if table == "dictionary" else getattr(kb.store.state, table).columns()


@pytest.mark.parametrize("table", ["dictionary", "explicit", "facts"])
def test_a_torn_file_is_found_at_once_in_any_store(folder, monkeypatch, table):
    monkeypatch.setattr(persisted, "_CHECKED_AT_ONCE", 0)
    path = next((folder / "data" / table).glob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-1])

    with pytest.raises(StoreError, match="is torn"):
        Reasoner.open(folder, read_only=True)


def test_a_manifest_that_a_vacuum_removes_before_it_is_read_is_a_version_that_is_missing(folder, monkeypatch):
    with Reasoner.open(folder) as kb, kb.transaction() as change:
        change.add([(_node("new"), Q, _node("newer"))])
    read = LocalDisk.read

    def vacuumed(disk, path):
        path.unlink()
        return read(disk, path)

    monkeypatch.setattr(LocalDisk, "read", vacuumed)
    with pytest.raises(StoreError, match="has no version 1; it has 2"):
        read_manifest(folder, 1)


def test_a_table_that_is_sent_elsewhere_is_read_first(folder):
    with Reasoner.open(folder, read_only=True) as kb:
        table = kb.store.state.facts.table(kb.store.dictionary.lookup(P))
        sent = pickle.loads(pickle.dumps(table))

        assert type(sent) is not StoredTable
        assert np.array_equal(sent.keys(), table.keys())


@pytest.mark.parametrize("seed", range(8))
def test_what_is_opened_is_what_was_written_after_any_updates(tmp_path, seed):
    """Facts come and go, and the store is opened again, with some of its files read and others not."""
    draw = random.Random(seed)
    expected: set[tuple[str, str, str]] = set()
    with Reasoner.open(tmp_path / "store", create=True, profile="none") as kb:
        kb.add_rules(RULES)
    for _ in range(6):
        with Reasoner.open(tmp_path / "store") as kb:
            for _ in range(draw.randint(1, 3)):
                facts = {(_node(draw.randrange(9)), draw.choice((P, Q)), _node(draw.randrange(9))) for _ in range(20)}
                gone = set(draw.sample(sorted(expected), min(len(expected), draw.randrange(12)))) - facts
                with kb.transaction() as change:
                    change.add(sorted(facts))
                    change.remove(sorted(gone))
                expected = (expected - gone) | facts
                if draw.random() < 0.5:
                    assert set(kb.triples()) == _closure(expected)
    closure = _closure(expected)
    with Reasoner.open(tmp_path / "store", read_only=True) as kb:
        assert len(kb.store.state.facts) == len(closure)
        assert set(kb.triples()) == closure


def test_opening_and_asking_import_no_pandas(folder):
    """It takes longer to import than a large store to open."""
    program = (
        "import sys\n"
        "from reasoner import Reasoner\n"
        "kb = Reasoner.open(sys.argv[1], read_only=True)\n"
        f"assert kb.query('ASK {{ {_node(1)} {P} {_node(1)} }}')\n"
        "print('pandas' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
