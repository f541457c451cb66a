"""``reasoner diff``: from any syntax to any other, and on to ``reasoner evolve``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from loaders.load import read_triples
from ontologies.evolution.blank_parts import isomorphic_graphs
from ontologies.read import read_ontology
from tests.cli.conftest import Outcome, run
from tests.ontologies.zoo import FUNCTIONAL, OWLXML, TURTLE

__all__ = ["run"]

Run = Callable[..., Outcome]


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Path, Path]:
    old, new = tmp_path / "zoo-1.ofn", tmp_path / "zoo-2.ttl"
    old.write_text(FUNCTIONAL)
    new.write_text(TURTLE.replace(":Lion", ":Panthera") + " :Zebra rdfs:subClassOf :Animal .")
    return old, new


def test_a_difference_turns_one_file_into_the_other(run: Run, versions: tuple[Path, Path], tmp_path: Path):
    old, new = versions
    script, after = tmp_path / "zoo.evolve", tmp_path / "after.nt"

    told = run("diff", old, new, "-o", script)
    evolved = run("evolve", old, script, "-o", after, "--allow-inconsistent", "-q", "-p", "none")

    assert (told.status, told.out) == (0, "")
    assert (evolved.status, evolved.err) == (0, "")
    assert isomorphic_graphs(read_triples(after), read_ontology(new).triples)


def test_renames_are_found_when_asked_for(run: Run, versions: tuple[Path, Path]):
    old = versions[0].with_suffix(".ttl")
    old.write_text(TURTLE)

    outcome = run("diff", old, versions[1], "--detect-renames", "--exit-code", "-q")

    assert outcome.status == 1
    assert outcome.lines[-2:] == ["  rename :Lion to :Panthera", "  add SubClassOf(:Zebra :Animal)"]
    assert "remove" not in outcome.out


@pytest.mark.parametrize("text", [FUNCTIONAL, OWLXML])
def test_the_same_ontology_in_another_syntax_is_no_difference_in_axioms(run: Run, tmp_path: Path, text: str):
    first, second = tmp_path / "first.owl", tmp_path / "second.owl"
    first.write_text(text)
    second.write_text(text + "\n")

    outcome = run("diff", first, second, "--exit-code")

    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err.startswith("no difference")


def test_a_missing_file_is_an_error_of_one_line(run: Run, tmp_path: Path):
    outcome = run("diff", tmp_path / "none.ttl", tmp_path / "none.ttl")

    assert outcome.status == 2
    assert "none.ttl" in outcome.err and outcome.err.count("\n") == 1
