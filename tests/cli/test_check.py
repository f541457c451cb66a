"""``reasoner check``: the verdict and what it rests on."""

from __future__ import annotations

import pytest


def test_consistent_data_give_0(run, family):
    outcome = run("check", family)

    assert (outcome.status, outcome.out) == (0, "consistent\n")


def test_inconsistent_data_give_1_with_rule_and_triples(run, contradiction):
    outcome = run("check", contradiction)

    assert outcome.status == 1
    assert outcome.lines[0] == "INCONSISTENT: 1 violation of constraints"
    assert outcome.lines[1] == "cax-dw:"
    assert (
        "    <http://e.org/tom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/Cat>" in outcome.lines
    )


def test_the_axiom_behind_a_constraint_is_named(run, contradiction):
    outcome = run("check", contradiction, "--profile", "dlp")

    assert outcome.status == 1
    assert "    by DisjointClasses(<http://e.org/Cat> <http://e.org/Dog>)" in outcome.lines


def test_the_profile_decides_what_is_inconsistent(run, contradiction):
    assert run("check", contradiction, "--profile", "rdfs").status == 0


def test_constraints_of_ones_own_are_checked(run, family, tmp_path):
    rules = tmp_path / "constraints.txt"
    rules.write_text("[no-mothers] false :- ?x a <http://e.org/Mother> .")

    outcome = run("check", family, "--profile", "none", "--rules", rules)

    assert outcome.status == 1
    assert "no-mothers:" in outcome.lines


@pytest.mark.parametrize(("most", "listed"), [("3", 3), ("50", 20)])
def test_at_most_so_many_violations_are_listed(run, tmp_path, most, listed):
    data = tmp_path / "data.nt"
    data.write_text("".join(f"<http://e.org/{n}> <http://e.org/p> <http://e.org/o> .\n" for n in range(20)))
    rules = tmp_path / "rules.txt"
    rules.write_text("[none] false :- ?x <http://e.org/p> ?y .")

    outcome = run("check", data, "--profile", "none", "--rules", rules, "--most", most)

    assert outcome.lines[0].startswith("INCONSISTENT: 20 violations")
    assert outcome.lines.count("none:") == listed
