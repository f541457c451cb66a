"""A store that was reasoned with other rules than its ontology has now is reasoned anew before the first change."""

from __future__ import annotations

import logging
from dataclasses import replace
from itertools import product

import pytest

import ontologies.translate
from datasets.registry import GENERATORS
from reasoner import InconsistentError, Reasoner
from reasoner.columnar.home import KeptRules
from reasoner.reasoner import EQUALITY, PROFILES
from tests.ontologies import zoo
from tests.ontologies.owl2rl_case import read
from tests.ontologies.owl2rl_cases import CASES
from tests.store.contents import files_of, over_texts
from tests.store.stored_rules import other_rules, tampered
from tests.store.test_rules import AXIOMS, classes, subclass

A, B, NEW = (f"<http://e.org/{name}>" for name in "abn")
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
DISJOINT = "<http://www.w3.org/2002/07/owl#disjointWith>"
ONTOLOGIES = {
    "zoo": read(zoo.TURTLE),
    "axioms": AXIOMS,
    **{name: list(GENERATORS[name].build().ontology_triples()) for name in ("bach", "lubm", "university-identities")},
}


@pytest.fixture
def warned(caplog):
    """Return what tells of warnings about stores."""
    caplog.set_level(logging.WARNING)
    return lambda: [record.getMessage() for record in caplog.records if record.name == "reasoner.store"]


@pytest.mark.parametrize("name", ONTOLOGIES)
@pytest.mark.parametrize(("profile", "equality"), list(product(PROFILES, EQUALITY)))
def test_an_ontology_has_the_same_rules_after_reopening(tmp_path, name, profile, equality, warned):
    kb = Reasoner(profile=profile, equality=equality)
    kb.add(ONTOLOGIES[name])
    reopened_and_changed(kb, tmp_path / "kb", warned)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_every_shape_of_axiom_has_the_same_rules_after_reopening(tmp_path, case, warned):
    for profile in ("owl2rl", "dlp"):
        kb = Reasoner(profile=profile)
        kb.add(case.facts)
        reopened_and_changed(kb, tmp_path / profile, warned)


def reopened_and_changed(kb: Reasoner, folder, warned) -> None:
    kb.save(folder)
    before = other_rules(folder)
    with Reasoner.open(folder) as opened:
        # RDFS with rewriting asks which terms occur, which can only be found out anew.
        strategy = "rematerialise" if (kb.profile, kb.equality) == ("rdfs", "rewrite") else "bf"
        with opened.transaction(strategy=strategy) as change:
            change.add((A, "<http://e.org/p>", B))
        # Reasoning anew would have been a version of its own.
        assert opened.version == 2
    assert warned() == [] and other_rules(folder) == before


def old_release(folder, monkeypatch, *more) -> Reasoner:
    """Write a store as a release would whose translator knows no subclasses of C3; return what is right of it."""
    real = ontologies.translate.translate

    def translate(ontology, profile):
        found = real(ontology, profile)
        kept = [rule for rule in found.rules if rule.head is None or rule.head.object != "<http://e.org/C3>"]
        return replace(found, rules=tuple(kept))

    facts = [(A, TYPE, "<http://e.org/C7>"), (B, TYPE, "<http://e.org/C2>"), *more]
    with monkeypatch.context() as patch:
        patch.setattr(ontologies.translate, "translate", translate)
        kb = classes(8)
        kb.add(facts)
        kb.save(folder)
    assert (A, TYPE, "<http://e.org/C3>") not in set(kb.triples())
    right = classes(8)
    right.add(facts)
    return right


CHANGES = {
    "a transaction": lambda kb: _in_transaction(kb, (NEW, TYPE, "<http://e.org/C6>")),
    "removal": lambda kb: kb.remove((B, TYPE, "<http://e.org/C2>")),
    "an axiom": lambda kb: kb.remove(subclass(5)),
    "sparql": lambda kb: kb.update(f"INSERT DATA {{ {NEW} a <http://e.org/C6> }}"),
    "rules": lambda kb: kb.add_rules(f"?x a {NEW} :- ?x a <http://e.org/C3> ."),
    "a session": lambda kb: _in_session(kb, (NEW, TYPE, "<http://e.org/C6>")),
    "a load": lambda kb: (kb.add([(NEW, TYPE, "<http://e.org/C6>")]), kb.materialise()),
}


def _in_transaction(kb: Reasoner, triple) -> None:
    with kb.transaction() as change:
        change.add(triple)


def _in_session(kb: Reasoner, triple) -> None:
    session = kb.dynamic()
    session.submit(add=triple)
    session.run()


@pytest.mark.parametrize("change", CHANGES)
def test_a_store_of_other_rules_is_reasoned_anew_before_it_is_changed(tmp_path, monkeypatch, warned, change):
    right = old_release(tmp_path / "kb", monkeypatch)
    with Reasoner.open(tmp_path / "kb") as kb:
        for each in (kb, right):
            CHANGES[change](each)
        assert over_texts(kb) == over_texts(right)
    if change != "a load":
        assert warned() == [
            f"{tmp_path / 'kb'} was reasoned with other rules than its ontology has now (2 came, 0 went): it is "
            "reasoned anew"
        ]
    right.save(tmp_path / "right")
    assert other_rules(tmp_path / "kb") == other_rules(tmp_path / "right")
    with Reasoner.open(tmp_path / "kb") as kb:
        assert over_texts(kb) == over_texts(right)
        count = len(warned())
        kb.remove((A, TYPE, "<http://e.org/C7>"))
        right.remove((A, TYPE, "<http://e.org/C7>"))
        assert over_texts(kb) == over_texts(right) and len(warned()) == count


def test_who_only_asks_sees_what_was_written_and_nothing_is_compared(tmp_path, monkeypatch, warned):
    old_release(tmp_path / "kb", monkeypatch)
    before = files_of(tmp_path / "kb")
    monkeypatch.setattr(KeptRules, "difference", None)
    for settings in ({}, {"read_only": True}, {"version": 1}):
        with Reasoner.open(tmp_path / "kb", **settings) as kb:
            assert (A, TYPE, "<http://e.org/C3>") not in set(kb.triples())
            assert kb.version == 1
    with Reasoner.open(tmp_path / "kb", read_only=True) as kb, pytest.raises(Exception, match="open for reading only"):
        kb.remove((A, TYPE, "<http://e.org/C7>"))
    assert (A, TYPE, "<http://e.org/C3>") not in set(kb.triples())
    assert files_of(tmp_path / "kb") == before and warned() == []


@pytest.mark.parametrize("how", ["detach", "remove_store"])
def test_who_goes_on_in_memory_only_is_told_as_well(tmp_path, monkeypatch, warned, how):
    right = old_release(tmp_path / "kb", monkeypatch)
    kb = Reasoner.open(tmp_path / "kb")
    getattr(kb, how)()
    for each in (kb, right):
        CHANGES["a transaction"](each)
    assert over_texts(kb) == over_texts(right)
    assert len(warned()) == 1


def test_rules_that_the_ontology_has_no_more_go_with_what_follows_by_them(tmp_path, warned):
    right = classes(8)
    right.add([(A, TYPE, "<http://e.org/C7>")])
    wrong = right_with_rule(f"?x a {NEW} :- ?x a <http://e.org/C3> .")
    wrong.save(tmp_path / "kb")
    # The rule of one's own becomes one that the ontology is taken to have had.
    tampered(tmp_path / "kb", "rules", lambda rows: [row | {"own": 0} for row in rows])
    with Reasoner.open(tmp_path / "kb") as kb:
        assert (A, TYPE, NEW) in set(kb.triples())
        for each in (kb, right):
            CHANGES["removal"](each)
            CHANGES["a transaction"](each)
        assert over_texts(kb) == over_texts(right)
    assert "(0 came, 1 went)" in warned()[0] and len(warned()) == 1


def right_with_rule(text: str) -> Reasoner:
    kb = classes(8)
    kb.add([(A, TYPE, "<http://e.org/C7>")])
    kb.add_rules(text)
    return kb


def test_names_variables_and_the_order_of_atoms_do_not_matter(tmp_path, warned):
    kb = Reasoner(profile="dlp")
    kb.add(ONTOLOGIES["lubm"])
    kb.save(tmp_path / "kb")

    def said_otherwise(row: dict) -> dict:
        head, _, body = row["text"].partition("] ")[2].removesuffix(" .").partition(" :- ")
        atoms = body.split(", ")
        # Atoms are told apart by their constants.
        if len({atom.split()[1] for atom in atoms}) == len(atoms):
            atoms.reverse()
        text = f"[other-{row['rule']}] {head} :- {', '.join(atoms)} ."
        return row | {"text": text.replace("?x", "?another")}

    tampered(tmp_path / "kb", "rules", lambda rows: [said_otherwise(row) for row in rows])
    with Reasoner.open(tmp_path / "kb") as kb:
        kb.update(f"INSERT DATA {{ {A} <http://e.org/p> 1 }}")
        assert kb.version == 2 and warned() == []


def test_violations_that_other_rules_show_are_rejected_as_those_of_anything_else(tmp_path, monkeypatch, warned):
    """Nothing is maintained by rules that the facts do not follow from, however often it is tried."""
    clash = ("<http://e.org/C3>", DISJOINT, "<http://e.org/C7>")
    old_release(tmp_path / "kb", monkeypatch, clash)
    before = files_of(tmp_path / "kb")
    with Reasoner.open(tmp_path / "kb", constraints="reject") as kb:
        for times in (1, 2):
            with pytest.raises(InconsistentError):
                CHANGES["a transaction"](kb)
            assert len(warned()) == times and files_of(tmp_path / "kb") == before
