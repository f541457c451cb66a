"""``reasoner evolve`` on stores and on files: what it prints, writes, refuses and takes back."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest

from loaders.load import read_triples
from ontologies.evolution.blank_parts import isomorphic_graphs
from reasoner import Reasoner
from tests.cli.conftest import Outcome, run, stdin
from tests.evolution.ontology_strategies import PREFIX, iri, turtle

__all__ = ["run", "stdin"]

Run = Callable[..., Outcome]
DATA = ":Cat rdfs:subClassOf :Animal . :tom a :Cat . :Dog owl:disjointWith :Cat . :rex a :Dog . "
SCRIPT = PREFIX + 'step "dogs" add SubClassOf(:Dog :Animal) step "names" rename :tom to :tim'


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "zoo.nt"
    path.write_text("".join(f"{' '.join(triple)} .\n" for triple in turtle(DATA)))
    return path


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "change.evolve"
    path.write_text(SCRIPT)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Reasoner.open(tmp_path / "store", create=True, profile="dlp") as kb:
        kb.add(turtle(DATA))
        kb.materialise()
    return tmp_path / "store"


def explicit(folder: Path) -> set[tuple[str, str, str]]:
    with Reasoner.open(folder, read_only=True) as kb:
        return set(kb.store.texts(kb.store.state.explicit))


def test_a_dry_run_tells_what_would_happen_and_changes_nothing(run: Run, folder: Path, script: Path):
    outcome = run("evolve", folder, script, "--dry-run")

    assert (outcome.status, outcome.err) == (0, "")
    assert "axioms: 1 gained, 0 lost\n  +  SubClassOf(:Dog :Animal)" in outcome.out
    assert "  a :Animal" in outcome.out
    assert outcome.lines[-1] == "rehearsed: 2 steps; nothing was changed"
    assert explicit(folder) == set(turtle(DATA))


def test_a_store_is_changed_in_place_and_back(run: Run, folder: Path, script: Path):
    assert run("evolve", folder, script, "--step", "names").lines[-1] == "applied: 1 step"
    assert run("evolve", folder, script, "--step", "dogs", "-q").out == ""
    assert (iri("Dog"), "<http://www.w3.org/2000/01/rdf-schema#subClassOf>", iri("Animal")) in explicit(folder)

    undone = run("evolve", folder, "--undo", "--last", 2)

    assert undone.status == 0
    assert [line for line in undone.lines if line.startswith("step")] == [
        "step 'dogs', taken back",
        "step 'names', taken back",
    ]
    assert "axioms: 0 gained, 1 lost\n  -  SubClassOf(:Dog :Animal)" in undone.out
    assert undone.lines[-1] == "taken back: 2 steps"
    assert explicit(folder) == set(turtle(DATA))
    assert "no step to take back" in run("evolve", folder, "--undo").err


def test_the_report_is_there_as_json_and_as_a_picture(run: Run, folder: Path, script: Path, tmp_path: Path):
    outcome = run("evolve", folder, script, "-n", "--json", "--picture", tmp_path / "change.svg")
    report = json.loads(outcome.out)

    assert [step["step"] for step in report["steps"]] == ["dogs", "names"]
    assert report["steps"][0]["axioms"]["gained"] == ["SubClassOf(:Dog :Animal)"]
    assert (report["applied"], report["consistent"]) == (False, True)
    picture = ElementTree.parse(tmp_path / "change.svg").getroot()
    texts = ["".join(node.itertext()) for node in picture.iter() if node.tag.endswith("text")]
    assert "dogs" in texts and any("SubClassOf(:Dog :Animal)" in text for text in texts)


def test_an_inconsistent_outcome_is_refused_with_status_1_unless_allowed(run: Run, folder: Path, tmp_path: Path):
    bad = tmp_path / "bad.evolve"
    bad.write_text(PREFIX + "add ClassAssertion(:Dog :tom)")

    refused, rehearsed = run("evolve", folder, bad), run("evolve", folder, bad, "-n")

    assert (refused.status, rehearsed.status) == (1, 1)
    assert "violations that appear: 1" in refused.out and "--allow-inconsistent" in refused.err
    assert explicit(folder) == set(turtle(DATA))
    allowed = run("evolve", folder, bad, "--allow-inconsistent")
    assert (allowed.status, allowed.lines[-1]) == (0, "applied: 1 step; the store is INCONSISTENT now")


def test_files_are_written_anew_with_a_journal_and_can_be_taken_back(run: Run, data: Path, tmp_path: Path):
    change, after, back = tmp_path / "change.evolve", tmp_path / "after.nt", tmp_path / "back.nt"
    change.write_text(PREFIX + "add SubClassOf(:Dog ObjectSomeValuesFrom(:eats :Bone)) rename :tom to :tim")

    assert run("evolve", "--data", data, change, "-p", "dlp", "-o", after).status == 0
    assert (tmp_path / "after.nt.evolution.jsonl").exists()
    assert len(read_triples(after)) == len(turtle(DATA)) + 4
    assert run("evolve", after, "--undo", "-o", back, "-q").status == 0

    assert isomorphic_graphs(read_triples(back), turtle(DATA))
    assert "no step to take back" in run("evolve", back, "--undo", "-o", after).err


def test_rules_of_ones_own_are_written_if_asked_for(run: Run, data: Path, tmp_path: Path):
    change, rules = tmp_path / "change.evolve", tmp_path / "own.rules"
    change.write_text(PREFIX + "add rule [pet] ?x a :Pet :- ?x a :Cat .")
    told = run("evolve", data, change, "-o", tmp_path / "a.nt")
    run("evolve", data, change, "-o", tmp_path / "a.nt", "--write-rules", rules)

    assert "--write-rules" in told.err
    assert "[pet] ?x a org:Pet :- ?x a org:Cat ." in rules.read_text()


def test_a_script_comes_from_standard_input_and_triples_go_to_standard_output(run: Run, stdin, data: Path):
    stdin(SCRIPT)
    outcome = run("evolve", data, "-", "-o", "-")

    assert outcome.status == 0
    assert len(outcome.lines) == len(turtle(DATA)) + 1
    assert "applied: 2 steps" in outcome.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{data}"], "no script is named"),
        ([], "no script is named"),
        (["{folder}"], "no script is named"),
        (["{folder}", "{data}"], "no script is named"),
        (["{folder}", "{script}", "other.evolve"], "one script at a time"),
        (["{data}", "{script}"], "name a file with -o"),
        (["{data}", "{folder}", "{script}"], "changed in place"),
        (["{folder}", "{script}", "-o", "out.nt"], "changed in place"),
        (["{folder}", "{script}", "--step", "cats"], "has no step 'cats'"),
        (["{folder}", "--undo", "--step", "dogs"], "leave out --step"),
        (["{folder}", "--undo", "--last", "2"], "no step to take back"),
        (["{folder}", "--undo", "--last", "0"], "give 1 or more"),
        (["{folder}", "missing.evolve"], "cannot read missing.evolve"),
    ],
)
def test_wrong_words_are_errors_of_one_line(run: Run, words, message, data: Path, folder: Path, script: Path):
    given = [word.format(data=data, folder=folder, script=script) for word in words]

    outcome = run("evolve", *given)

    assert outcome.status == 2
    assert outcome.err.count("\n") == 1
    assert message in outcome.err


def test_an_error_in_a_script_names_its_place(run: Run, folder: Path, tmp_path: Path):
    path = tmp_path / "bad.evolve"
    path.write_text(PREFIX + "\nrename :Catt to :Feline")

    outcome = run("evolve", folder, path)

    assert outcome.status == 2
    assert f"{path}:3:1: nothing in the store is called {iri('Catt')}; did you mean {iri('Cat')}?" in outcome.err


@pytest.fixture
def apart(run: Run, folder: Path, tmp_path: Path) -> Path:
    """A store in which cats may be dogs since a step, and one of them is."""
    path = tmp_path / "apart.evolve"
    path.write_text(PREFIX + 'step "cats and dogs" remove DisjointClasses(:Cat :Dog)')
    assert run("evolve", folder, path, "-q").status == 0
    assert run("update", folder, f"INSERT DATA {{ {iri('tom')} a {iri('Dog')} }}", "-q").status == 0
    return folder


def test_taking_a_step_back_is_rehearsed_and_refused_as_a_script_is(run: Run, apart: Path):
    before = explicit(apart)

    rehearsed, refused = run("evolve", apart, "--undo", "-n"), run("evolve", apart, "--undo", "--explain")

    assert (rehearsed.status, refused.status) == (1, 1)
    assert "violations that appear: 1" in rehearsed.out and rehearsed.err == ""
    assert rehearsed.lines[-1].startswith("rehearsed: taking 1 step back; that would make the store INCONSISTENT")
    assert "not taken back; --allow-inconsistent takes it back regardless" in refused.err
    assert "step 'cats and dogs': 1 of 1 violation explained" in refused.out and refused.out.count("   asserted\n") == 2
    assert explicit(apart) == before

    allowed = run("evolve", apart, "--undo", "--allow-inconsistent")

    assert (allowed.status, allowed.lines[-1]) == (0, "taken back: 1 step; the store is INCONSISTENT now")
    assert explicit(apart) == {*turtle(DATA), *turtle(":tom a :Dog .")}


def test_proofs_of_violations_are_in_the_report_if_asked_for(run: Run, folder: Path, tmp_path: Path):
    bad = tmp_path / "bad.evolve"
    bad.write_text(PREFIX + "add ClassAssertion(:Dog :tom)")

    told, plain = (json.loads(run("evolve", folder, bad, "-n", "--json", *more).out) for more in (["--explain"], []))

    (violation,) = told["steps"][0]["violations"]["appeared"]
    assert len(violation["proofs"]) == 2 and "[explicit]" in violation["proofs"][0][0]
    assert "proofs" not in plain["steps"][0]["violations"]["appeared"][0]


def test_a_rule_that_cannot_be_stratified_is_named_with_its_place(run: Run, folder: Path, tmp_path: Path):
    path = tmp_path / "bad.evolve"
    path.write_text(
        PREFIX + "add rule [fine] ?x a :Pet :- ?x a :Cat .\nadd rule [odd] ?x a :B :- ?x a :Cat, not ?x a :B ."
    )

    outcome = run("evolve", folder, path)

    assert outcome.status == 2
    assert f"{path}:3:1: the rules cannot be stratified" in outcome.err and "[odd]" in outcome.err


def test_a_policy_of_the_store_does_not_stand_in_the_way_of_what_is_allowed(run: Run, apart: Path):
    with Reasoner.open(apart) as kb:
        kb.constraints = "reject"

    assert run("evolve", apart, "--undo").status == 1
    assert run("evolve", apart, "--undo", "--allow-inconsistent", "-q").status == 0
