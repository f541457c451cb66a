"""What is wrong with tables of rules is named with its file and a remedy, and earlier versions can still be read."""

from __future__ import annotations

import pytest

from reasoner import Reasoner, StoreError
from reasoner.store.folder import read_manifest
from tests.notation import fact
from tests.store.contents import files_of
from tests.store.stored_rules import as_format_one, tampered

SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
RULE = "[mine] ?x <http://e.org/q> ?y :- ?x <http://e.org/p> ?y ."


@pytest.fixture
def folder(tmp_path):
    with Reasoner.open(tmp_path / "kb", create=True, profile="dlp") as kb:
        kb.add([("<http://e.org/A>", SUBCLASS, "<http://e.org/B>"), ("<http://e.org/B>", SUBCLASS, "<http://e.org/C>")])
        kb.add_rules(RULE)
        kb.materialise()
    return tmp_path / "kb"


def commit(folder):
    with Reasoner.open(folder) as kb:
        kb.update("INSERT DATA { <http://e.org/a> a <http://e.org/A> }")


@pytest.mark.parametrize("table", ["rules", "parameters"])
def test_a_torn_or_missing_file_is_named_before_anything_is_written(folder, table):
    path = folder / read_manifest(folder).segments(table)[0].path
    whole = path.read_bytes()
    for damage, message in ((whole[:-7], "is torn"), (whole[:40] + b"x" + whole[41:], "is damaged"), (None, "missing")):
        path.unlink() if damage is None else path.write_bytes(damage)
        before = files_of(folder)
        with pytest.raises(StoreError, match=f"{path.name} .*{message}.*; restore the file from a copy, or open an ea"):
            commit(folder)
        assert files_of(folder) == before
    with Reasoner.open(folder, version=1) as kb:
        assert kb.own_rules() == ()


def test_a_rule_of_ones_own_that_cannot_be_read_is_named(folder):
    path = tampered(folder, "rules", lambda rows: [row | {"text": row["text"] + " oops"} for row in rows])
    with pytest.raises(StoreError, match=rf"{path.name} is damaged: rule 0 cannot be read: version 2:1:\d+: .*restore"):
        Reasoner.open(folder)


def test_a_rule_of_ones_own_in_a_manifest_of_earlier_days_that_cannot_be_read_is_named(folder):
    as_format_one(folder)
    path = folder / "manifests/00000002.json"
    path.write_text(path.read_text().replace("?x <http://e.org/q>", "?x oops"))
    with pytest.raises(StoreError, match=r"00000002\.json has a rule that cannot be read: version 2:1:"):
        Reasoner.open(folder)


def _template(text):
    return lambda rows: [row if row["own"] else row | {"text": text} for row in rows]


def _parameters(**values):
    """Let the first row have another value of a column, or be left out."""
    return lambda rows: [rows[0] | values, *rows[1:]] if values else rows[1:]


DAMAGES = {
    "a text that is no rule": ("rules", _template("?x a"), "rules", "rule 1 cannot be read"),
    "two rules": ("rules", _template("?x a $1 :- ?x a $2 . ?x a ?y :- ?y a ?x ."), "rules", "expected one rule"),
    "a place without a number": ("rules", _template("?x a $one :- ?x a $2 ."), "rules", r"has a number, from \$1 on"),
    "too many places": ("rules", _template("?x a $1 :- ?x a $2, ?x a $3 ."), "rules", "more places than the 2"),
    "too few places": ("rules", _template("?x a ?y :- ?x a $1, ?x a ?y ."), "rules", "has 1 places for 2"),
    "two texts of a number": ("rules", lambda rows: [*rows, rows[1] | {"text": "?x a ?x ."}], "rules", "has two texts"),
    "a text of two numbers": ("rules", lambda rows: [*rows, rows[1] | {"rule": 9}], "rules", "have the same text"),
    "an id of no term": ("parameters", _parameters(id=999), "parameters", "rule 1 has 999, which is the id of no term"),
    "a negative id": ("parameters", _parameters(id=-3), "parameters", "rule 1 has -3, which is the id of no term"),
    "a constant that is missing": ("parameters", _parameters(), "parameters", "row 0 of rule 1 lacks a constant"),
    "constants of no template": ("parameters", _parameters(rule=0), "parameters", "rule 0 has constants, and is no"),
    "no constants at all": ("parameters", lambda rows: [], "rules", "more places than the 0"),
    "a rule twice": (
        "parameters",
        lambda rows: [*rows, *(row | {"row": 7} for row in rows[:2])],
        "parameters",
        "row 7 of rule 1 is there twice",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_rows_that_do_not_fit_together_are_named_before_the_first_commit_and_keep_nobody_from_asking(folder, damage):
    table, change, named, message = DAMAGES[damage]
    path = tampered(folder, table, change)
    wrong = path.name if named == table else read_manifest(folder).segments(named)[0].path
    before = files_of(folder)
    if message not in ("has two texts", "have the same text"):
        with Reasoner.open(folder, read_only=True) as kb:
            assert fact("no such fact") not in set(kb.triples())
    with pytest.raises(StoreError, match=f"{wrong} is damaged: .*{message}.*; restore the file from a copy"):
        commit(folder)
    assert files_of(folder) == before
