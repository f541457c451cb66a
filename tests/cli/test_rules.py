"""``reasoner rules``: the program as text that can be read back."""

from __future__ import annotations

import pytest

from reasoner import Reasoner
from reasoner.cli.rules import print_program
from reasoner.rules.parser import parse_rules


def without_sources(rules):
    return {(rule.name, rule.head, rule.body, rule.negative, rule.conditions) for rule in rules}


@pytest.mark.parametrize("profile", ["owl2rl", "dlp", "rdfs"])
def test_the_output_reads_back_as_the_same_rules(run, family, profile):
    kb = Reasoner(profile)
    kb.load(family)

    outcome = run("rules", family, "--profile", profile)

    assert without_sources(parse_rules(outcome.out)) == without_sources(kb.rules())


def test_reasoning_with_the_printed_rules_gives_the_same_closure(run, family, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_text(run("rules", family, "-p", "dlp").out)

    again = run("materialise", family, "-p", "none", "--rules", rules, "-q")

    assert sorted(again.lines) == sorted(run("materialise", family, "-p", "dlp", "-q").lines)


def test_strata_are_comments_in_the_order_of_evaluation(run, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_text(
        """PREFIX : <http://e.org/>
        [lone] ?x a :Lone :- ?x a :Node, not ?x :path ?x .
        [base] ?x :path ?y :- ?x :edge ?y .
        [step] ?x :path ?z :- ?x :path ?y, ?y :edge ?z .
        [bad] false :- ?x a :Lone, ?x :edge ?y .
        """
    )

    lines = run("rules", "-p", "none", "--equality", "none", "--rules", rules).lines

    marks = [line.split("]")[0] for line in lines if line.startswith(("# stratum", "# constraints", "["))]
    assert marks == [
        "# stratum 1: rules that read lower strata only",
        "[base",
        "# stratum 1: recursive rules",
        "[step",
        "# stratum 2: rules that read lower strata only",
        "[lone",
        "# constraints",
        "[bad",
    ]


def test_the_axiom_of_a_rule_follows_it_as_a_comment(run, family):
    assert "# SubClassOf(<http://e.org/Mother> <http://e.org/Parent>)" in run("rules", family, "-p", "dlp").out


def test_without_data_the_rules_of_the_profile_itself_are_printed(run):
    outcome = run("rules")

    assert outcome.status == 0
    assert "[cax-sco]" in outcome.out
    assert "literals that have the same value are equal terms" in outcome.out


def test_no_rules_at_all_print_as_nothing_but_comments():
    assert parse_rules(print_program(Reasoner("none"))) == ()


def test_the_maintenance_program_reads_back_as_the_same_rules(run, family):
    kb = Reasoner("dlp")
    kb.load(family)

    outcome = run("rules", family, "--profile", "dlp", "--maintenance")

    assert without_sources(parse_rules(outcome.out)) == without_sources(kb.maintenance_rules())
    assert len(kb.maintenance_rules()) > 3 * len(kb.rules())
    assert "not " in outcome.out
