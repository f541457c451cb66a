"""Stores of the format before this one, which had rules of one's own in the manifest and no others anywhere."""

from __future__ import annotations

import json
import logging

import pytest

from reasoner import Reasoner
from tests.cli.conftest import run  # noqa: F401
from tests.store.contents import files_of, over_texts
from tests.store.stored_rules import as_format_one, other_rules, own_texts
from tests.store.test_rules import ANCESTORS, classes, subclass


@pytest.fixture
def folder(tmp_path):
    kb = classes(5)
    kb.add_rules(ANCESTORS)
    kb.save(tmp_path / "kb")
    as_format_one(tmp_path / "kb")
    return tmp_path / "kb"


def twin() -> Reasoner:
    kb = classes(5)
    kb.add_rules(ANCESTORS)
    return kb


def test_it_is_opened_and_asked_as_it_is(folder):
    before = files_of(folder)
    with Reasoner.open(folder) as kb:
        assert kb.is_materialised
        assert over_texts(kb) == over_texts(twin())
        assert [rule.name for rule in kb.own_rules()] == ["direct", "through others", "direct"]
    assert files_of(folder) == before


CHANGES = {
    "facts": lambda kb: kb.update("INSERT DATA { <http://e.org/a> a <http://e.org/C4> }"),
    "the ontology": lambda kb: kb.remove(subclass(4)),
    "a policy": lambda kb: setattr(kb, "constraints", "reject"),
}


@pytest.mark.parametrize("changed", CHANGES)
def test_its_first_commit_trusts_it_and_writes_all_rules_to_tables(folder, changed, caplog):
    expected = twin()
    with caplog.at_level(logging.WARNING), Reasoner.open(folder) as kb:
        for each in (kb, expected):
            CHANGES[changed](each)
        assert kb.version == 2 and not caplog.records
    fields = json.loads((folder / "manifests/00000002.json").read_bytes())
    assert fields["format"] == 2 and "rules" not in fields
    expected.save(folder.parent / "expected")
    assert own_texts(folder) == own_texts(folder.parent / "expected")
    assert other_rules(folder) == other_rules(folder.parent / "expected")
    with Reasoner.open(folder) as kb, Reasoner.open(folder, version=1) as old:
        assert over_texts(kb) == over_texts(expected)
        assert over_texts(old) == over_texts(twin())
        assert len(old.own_rules()) == 3


def test_rules_of_ones_own_can_be_changed_at_once(folder):
    with Reasoner.open(folder) as kb:
        kb.add_rules("[more] ?y <http://e/child> ?x :- ?x <http://e/parent> ?y .")
        assert kb.version == 2
    assert len(own_texts(folder)) == 3 and own_texts(folder)[-1].startswith("[more]")


def test_who_may_only_read_is_refused_as_ever(folder):
    with Reasoner.open(folder, read_only=True) as kb, pytest.raises(Exception, match="open for reading only"):
        kb.add_rules("[more] ?y <http://e/child> ?x :- ?x <http://e/parent> ?y .")


def test_the_command_tells_of_its_own_rules_and_of_all_once_they_are_known(folder, run):  # noqa: F811
    def lines() -> list[str]:
        return [line.strip() for line in run("info", folder).lines if "rule" in line]

    assert lines() == ["user rules                  3"]
    run("update", folder, "INSERT DATA { <http://e.org/a> a <http://e.org/C4> }")
    assert lines() == ["user rules                  3", "reasoned with               6 rules, 1 template"]
