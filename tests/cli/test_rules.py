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
    assert "# SubClassOf(:Mother :Parent)" in run("rules", family, "-p", "dlp").out


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


def test_the_maintenance_program_of_a_change_knows_the_predicates_that_it_brings(run, tmp_path):
    data, patch, coming, going = (tmp_path / name for name in ("data.nt", "change.rdfp", "new.txt", "old.txt"))
    data.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n")
    subproperty = "<http://www.w3.org/2000/01/rdf-schema#subPropertyOf>"
    patch.write_text(f"TX .\nA <http://e.org/p> {subproperty} <http://e.org/unseen> .\nTC .\n")
    coming.write_text("[new] ?x <http://e.org/derived> ?y :- ?x <http://e.org/unseen> ?y .")
    going.write_text("[old] ?x <http://e.org/gone> ?y :- ?x <http://e.org/p> ?y .")
    kb = Reasoner("rdfs")
    kb.load(data)
    kb.load_rules(going)
    change = kb.transaction()
    change.apply_patch(patch)
    change.add_rules(coming.read_text())
    change.remove_rules(going.read_text())

    outcome = run(
        *("rules", data, "-p", "rdfs", "--rules", going, "--maintenance"),
        *("--patch", patch, "--add-rules", coming, "--remove-rules", going),
    )

    assert without_sources(parse_rules(outcome.out)) == without_sources(kb.maintenance_rules(change))
    assert "for one change of facts and rules" in outcome.lines[0]
    written = {rule.head.predicate for rule in parse_rules(outcome.out)}
    assert {f"<urn:x-maintenance:plus:http://e.org/{name}>" for name in ("unseen", "derived")} <= written
    assert "<urn:x-maintenance:minus:http://e.org/gone>" in written


def test_a_change_without_the_maintenance_program_is_an_error(run, tmp_path):
    outcome = run("rules", "--patch", tmp_path / "change.rdfp")

    assert outcome.status == 2
    assert "say --maintenance as well" in outcome.err


def test_a_change_that_cannot_be_read_is_named(run, tmp_path):
    outcome = run("rules", "-p", "none", "--maintenance", "--add-rules", tmp_path / "none.txt")

    assert outcome.status == 2
    assert "cannot read" in outcome.err and "none.txt" in outcome.err
