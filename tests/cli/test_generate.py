"""``reasoner generate``: data sets by name, each with options of its own."""

from __future__ import annotations

import gzip
import sys

import pytest

from reasoner.cli.generate import load_generators
from reasoner.rules.errors import ReasonerError


def test_the_list_has_every_data_set_with_its_parameters(run):
    outcome = run("generate", "--list")

    assert outcome.status == 0
    for generator in load_generators().GENERATORS.values():
        assert f"{generator.name}: {generator.description}" in outcome.lines
        for parameter in generator.parameters:
            assert f"--{parameter.name.replace('_', '-')} " in outcome.out


@pytest.mark.parametrize("name", load_generators().GENERATORS)
def test_the_help_of_a_data_set_has_its_parameters(run, name):
    outcome = run("generate", name, "--help")

    assert outcome.status == 0
    for parameter in load_generators().GENERATORS[name].parameters:
        assert f"--{parameter.name.replace('_', '-')}" in outcome.out


def test_the_ontology_goes_beside_the_facts(run, tmp_path):
    outcome = run("generate", "chain", "--length", "7", "-o", tmp_path / "chain.nt")

    assert outcome.status == 0
    assert outcome.out == ""
    assert len((tmp_path / "chain.nt").read_text().splitlines()) == 7
    assert "TransitiveProperty" in (tmp_path / "chain-ontology.nt").read_text()
    assert "7 triples to" in outcome.err


def test_the_ontology_goes_where_it_is_wanted(run, tmp_path):
    run("generate", "chain", "-o", tmp_path / "chain.nt.gz", "--ontology", tmp_path / "axioms.nt", "-q")

    assert (tmp_path / "axioms.nt").exists()
    assert gzip.decompress((tmp_path / "chain.nt.gz").read_bytes()).count(b"\n") == 1000


def test_standard_output_gets_ontology_and_facts(run, stdin):
    text = run("generate", "bach").out

    stdin(text)
    inferred = run("materialise", "-", "--inferred-only").out
    assert "<http://example.org/bach#Johannes> <http://example.org/bach#ancestorOf> " in inferred


def test_the_seed_decides_the_data_set(run):
    first, again, other = (run("generate", "dag", "--nodes", "9", "--edges", "9", "--seed", s).out for s in (1, 1, 2))

    assert first == again
    assert first != other


def test_parameters_with_choices_are_options_too(run):
    assert run("generate", "cliques", "--count", "1", "--size", "5", "--shape", "star").status == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lubn"], "unknown data set 'lubn', did you mean lubm?"),
        ([], "name a data set"),
        (["chain", "--length", "x"], "length must be a whole number, not 'x'"),
        (["chain", "--length", "-1"], "length"),
        (["cliques", "--shape", "cube"], "shape must be one of"),
        (["chain", "--width", "3"], "--width"),
        (["chain", "-o", "chain.ttl"], "must end in one of"),
        (["chain", "-o", "no/such/folder/chain.nt"], "cannot write no/such/folder/chain.nt"),
    ],
)
def test_bad_usage_takes_one_line(run, words, message):
    outcome = run("generate", *words)

    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_without_the_folder_it_is_said_that_the_installation_is_not_whole(tmp_path):
    with pytest.raises(ReasonerError, match="install it again"):
        load_generators(tmp_path)


def test_generators_are_not_loaded_under_the_name_of_another_project():
    assert load_generators().__name__ == "reasoner_datasets"
    assert sys.modules["reasoner_datasets"] is load_generators()
