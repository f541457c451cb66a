"""``reasoner classes``: who equals whom."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def links(tmp_path):
    same = "<http://www.w3.org/2002/07/owl#sameAs>"
    path = tmp_path / "links.nt"
    pairs = ["ab", "cd", "de", "ef"]
    path.write_text("".join(f"<http://e.org/{one}> {same} <http://e.org/{other}> .\n" for one, other in pairs))
    return path


def terms(names: str) -> list[str]:
    return [f"<http://e.org/{name}>" for name in names]


def test_classes_come_largest_first_one_a_line(run, links):
    assert [line.split("\t") for line in run("classes", links).lines] == [terms("cdef"), terms("ab")]


def test_classes_are_given_as_json(run, links):
    assert json.loads(run("classes", links, "--json").out) == [terms("cdef"), terms("ab")]


def test_a_class_begins_with_its_representative(run, links):
    from reasoner import Reasoner

    kb = Reasoner()
    kb.load(links)

    assert {line.split("\t")[0] for line in run("classes", links).lines} == {members[0] for members in kb.classes()}


def test_no_equality_gives_no_line(run, links):
    assert run("classes", links, "--equality", "none").out == ""
