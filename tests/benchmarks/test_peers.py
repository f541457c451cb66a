"""Peers on Java and in Python: fetched, given our rules, compared; what cannot be had is told."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from benchmarks import java_peers, reasoning_peers
from benchmarks.data import DataFolder
from benchmarks.java_peers import JavaLibrary, UnavailablePeerError, jena_rules
from benchmarks.measure import Bench
from benchmarks.reasoning_peers import PYTHON, PythonPeer
from benchmarks.sheet import Sheet
from reasoner.rules.parser import parse_rules

LIBRARY = JavaLibrary("nothing", "1.0", "org.example", ("nothing-core",))
PREFIX = "PREFIX e: <http://e.org/>\n"


def test_rules_are_written_for_jena_and_constraints_left_out():
    rules = parse_rules(f"{PREFIX}?x a e:C :- ?x e:p ?y, ?y a e:D . false :- ?x a e:C, ?x a e:E .")
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"

    assert jena_rules(rules) == (
        f"[rule0: (?x <http://e.org/p> ?y), (?y {kind} <http://e.org/D>) -> (?x {kind} <http://e.org/C>)]\n"
    )


@pytest.mark.parametrize("body", ["?x e:p ?y, not ?x e:q ?y", "?x e:p ?y, ?y > 1"])
def test_what_jena_cannot_be_given_is_refused(body):
    with pytest.raises(ValueError, match="not exported"):
        jena_rules(parse_rules(f"{PREFIX}?x e:r ?y :- {body} ."))


def test_a_library_needs_java_and_maven(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda command: None if command == "mvn" else "/bin/true")

    with pytest.raises(UnavailablePeerError, match="no mvn"):
        LIBRARY.jars(tmp_path)


def test_a_library_that_cannot_be_fetched_is_named(tmp_path, monkeypatch):
    def fail(command, **_):
        raise subprocess.CalledProcessError(1, command)

    monkeypatch.setattr(shutil, "which", lambda _: "/bin/true")
    monkeypatch.setattr(java_peers.subprocess, "run", fail)

    with pytest.raises(UnavailablePeerError, match=r"could not fetch nothing 1\.0"):
        LIBRARY.jars(tmp_path)


def test_a_library_that_is_there_is_not_fetched_again(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    (tmp_path / "nothing-1.0").mkdir()
    (tmp_path / "nothing-1.0" / "nothing.jar").touch()

    assert LIBRARY.jars(tmp_path) == tmp_path / "nothing-1.0"


def test_a_peer_that_cannot_be_had_is_skipped_with_the_reason_and_the_others_are_compared(tmp_path, monkeypatch):
    monkeypatch.setattr(reasoning_peers, "JENA", LIBRARY)
    monkeypatch.setattr(reasoning_peers, "RULEWERK", LIBRARY)
    monkeypatch.setattr(reasoning_peers, "PYTHON", (PythonPeer("nothing-rdf", "nothing_rdf", "", "owl2rl"),))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    data = DataFolder(tmp_path / "data")
    small = data.get("subclass-axioms", axioms=5, instances=20)
    monkeypatch.setattr(data, "get", lambda *_, **__: small)
    sheet, *figures = reasoning_peers.run(Bench(data, repeat=1, quick=True))

    assert isinstance(sheet, Sheet)
    assert [row[0] for row in sheet.rows] == ["owlrl", "nothing-rdf", "Jena", "VLog"]
    assert sheet.rows[1][-1] == "skipped: nothing-rdf is not installed (pip install nothing-rdf)"
    assert {row[-1] for row in sheet.rows[2:]} == {"skipped: there is no java on this machine"}
    assert len(figures) == 1


@pytest.mark.parametrize("peer", PYTHON, ids=lambda peer: peer.package)
def test_a_peer_in_python_derives_what_we_do(tmp_path, monkeypatch, peer):
    pytest.importorskip(peer.module, reason=f"{peer.package} is not installed")
    monkeypatch.setattr(reasoning_peers, "JENA", LIBRARY)
    monkeypatch.setattr(reasoning_peers, "RULEWERK", LIBRARY)
    monkeypatch.setattr(reasoning_peers, "PYTHON", (peer,))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    data = DataFolder(tmp_path / "data")
    small = data.get("subclass-axioms", axioms=5, instances=20)
    monkeypatch.setattr(data, "get", lambda *_, **__: small)

    sheet, *figures = reasoning_peers.run(Bench(data, repeat=1, quick=True))

    assert isinstance(sheet, Sheet)
    assert [row[0] for row in sheet.rows][:2] == ["owlrl", peer.package]
    assert len(figures) == 2
