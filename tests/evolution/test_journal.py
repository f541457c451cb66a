"""A journal that was changed, cut or put in another order is noticed before anything is taken back by it."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest

from reasoner import Reasoner, ReasonerError
from reasoner.evolution.journal import Journal
from reasoner.store.manifest import Manifest
from tests.evolution.ontology_strategies import PREFIX, turtle


@pytest.fixture
def path(tmp_path: Path) -> Path:
    kb, journal = zoo(), tmp_path / "journal.jsonl"
    kb.keep_evolutions_in(journal)
    kb.evolve(PREFIX + 'step "one" add SubClassOf(:Animal :Being) step "two" add { :tom :likes :milk . }')
    return journal


def zoo() -> Reasoner:
    kb = Reasoner("dlp")
    kb.add(turtle(":Cat rdfs:subClassOf :Animal . :tom a :Cat . "))
    return kb


def names(journal: Path, *, after: bool = True) -> list[str]:
    """Name the steps that stand by a journal, in a store as they left it or as it was before them."""
    kb = zoo()
    if after:
        kb.add(turtle(":Animal rdfs:subClassOf :Being . :tom :likes :milk . "))
    kb.keep_evolutions_in(journal)
    return [entry.name for entry in kb.evolutions()]


def test_what_was_written_is_read(path):
    assert names(path) == ["one", "two"]
    copy = path.with_name("copy.jsonl")
    Journal.in_memory(path).save(copy)
    assert names(copy) == ["one", "two"]
    assert copy.read_bytes() == path.read_bytes()


def test_any_other_byte_is_noticed_or_changes_nothing(path):
    data = path.read_bytes()
    noticed = 0
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        try:
            assert names(path) == ["one", "two"], place
        except ReasonerError:
            noticed += 1
    assert noticed > len(data) - 20


@pytest.mark.parametrize("order", [(1, 2, 3), (0, 2, 3), (0, 1, 3), (2, 3, 0, 1), (0, 1, 2, 3, 2, 3)])
def test_a_line_that_is_missing_or_elsewhere_is_noticed(path, order):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[number] for number in order))

    with pytest.raises(ReasonerError, match=r"journal.jsonl:\d: this line or one before it is not as it was written"):
        names(path)


def test_a_line_without_an_end_was_never_written(path):
    path.write_bytes(path.read_bytes()[:-3])

    # The store tells then whether the second step took effect.
    assert names(path) == ["one", "two"]
    assert names(path, after=False) == ["one"]


def test_a_journal_of_an_earlier_release_is_read_and_goes_on_with_checksums(path):
    plain = [json.loads(line) for line in path.read_text().splitlines()]
    for line in plain:
        del line["crc"]
    path.write_text("".join(json.dumps(line) + "\n" for line in plain))
    assert names(path) == ["one", "two"]
    kb = zoo()
    kb.keep_evolutions_in(path)
    kb.evolve(PREFIX + 'step "three" add SubClassOf(:Being :Thing)')
    assert names(path) == ["one", "two", "three"]

    path.write_text(path.read_text().replace("milk", "beer"))

    with pytest.raises(ReasonerError, match=r"journal.jsonl:5: this line or one before it"):
        names(path)


@pytest.mark.parametrize(
    "line",
    [
        {"begin": 1},
        {"begin": "1", "undo": 1},
        {"begin": 1, "undo": [1]},
        {"end": 1},
        {"end": [1], "applied": True},
        {"begin": 1, "step": "x", "script": "", "time": "", "added": [["<a:b>"]], "removed": [], "rules added": []},
        {
            "begin": 1,
            "step": "x",
            "script": "",
            "time": "",
            "added": [["<a:b>", "<a:b>", 1, None]],
            "removed": [],
            "rules added": [],
            "rules removed": [],
        },
        {
            "begin": 1,
            "step": "x",
            "script": "",
            "time": "",
            "added": [],
            "removed": [],
            "context": [[1]],
            "rules added": [],
            "rules removed": [],
        },
        {
            "begin": 1,
            "step": "x",
            "script": "",
            "time": "",
            "added": [],
            "removed": [],
            "prefixes": [[1]],
            "rules added": [],
            "rules removed": [],
        },
        {
            "begin": 1,
            "step": "x",
            "script": "",
            "time": "",
            "added": [],
            "removed": [],
            "rules added": [7],
            "rules removed": [],
        },
    ],
)
def test_a_line_that_says_too_little_is_no_line_of_a_journal(tmp_path, line):
    path = tmp_path / "journal.jsonl"
    path.write_text(json.dumps(line) + "\n")

    with pytest.raises(ReasonerError, match=r"journal.jsonl:1: this is no line of a journal of evolutions; restore"):
        names(path)


def test_a_line_that_could_not_be_synchronised_is_read_again(path, monkeypatch):
    kb = zoo()
    kb.keep_evolutions_in(path)
    assert [entry.name for entry in kb.evolutions()] == ["one", "two"]

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", fail)
        with pytest.raises(ReasonerError, match=r"journal.jsonl cannot be written: No space left on device; the store"):
            kb.evolve(PREFIX + 'step "three" add { :tom :likes :fish . }')
    kb.evolve(PREFIX + 'step "four" add { :tom :likes :mice . }')

    assert [entry.name for entry in kb.evolutions()] == ["one", "two", "four"]
    assert names(path) == ["one", "two", "four"]


def stored(folder: Path) -> list[bytes]:
    """Make a store with two steps and a later commit that takes back a part of the second; return the journal."""
    with Reasoner.open(folder, create=True, profile="dlp") as kb:
        kb.add(turtle(":Cat rdfs:subClassOf :Animal . :tom a :Cat . "))
        kb.evolve(PREFIX + 'step "one" add SubClassOf(:Animal :Being) step "two" add { :tom :likes :milk, :fish . }')
    with Reasoner.open(folder) as kb:
        kb.remove(turtle(":tom :likes :milk . "))
    return (folder / "evolution.jsonl").read_bytes().splitlines(keepends=True)


def steps_of(folder: Path) -> list[str]:
    with Reasoner.open(folder, read_only=True) as kb:
        return [entry.name for entry in kb.evolutions()]


@pytest.mark.parametrize("kept", [0, 1, 2, 3])
def test_the_journal_of_a_store_that_was_cut_at_the_end_of_a_line_is_noticed(tmp_path, kept):
    folder = tmp_path / "kb"
    lines = stored(folder)
    assert len(lines) == 4 and steps_of(folder) == ["one", "two"]
    journal = folder / "evolution.jsonl"

    journal.write_bytes(b"".join(lines[:kept]))
    with pytest.raises(ReasonerError, match=r"evolution.jsonl: lines at its end are missing"):
        steps_of(folder)
    with Reasoner.open(folder) as kb, pytest.raises(ReasonerError, match=r"evolution.jsonl: lines at its end"):
        kb.update(PREFIX + "INSERT DATA { :tom :likes :mice }")

    # What the error advises: removed, earlier steps are forgotten, and the store goes on.
    journal.unlink()
    with Reasoner.open(folder) as kb:
        assert kb.evolutions() == []
        kb.evolve(PREFIX + 'step "three" add { :tom :likes :mice . }')
    assert steps_of(folder) == ["three"]


def test_a_store_without_a_mark_of_its_journal_is_read_as_before(tmp_path):
    folder = tmp_path / "kb"
    lines = stored(folder)
    with Reasoner.open(folder) as kb:
        marks = [Manifest.from_json(path.read_bytes(), path).journal for path in (folder / "manifests").glob("*.json")]
        assert kb.evolutions() and None in marks and (sum(map(len, lines)), zlib.crc32(b"".join(lines))) in marks
    with Reasoner.open(folder) as kb:
        kb.save(tmp_path / "copy")
    # A copy has no journal.
    assert steps_of(tmp_path / "copy") == []
