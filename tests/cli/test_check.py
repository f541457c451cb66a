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
    assert "    :tom a :Cat" in outcome.lines


def test_the_axiom_behind_a_constraint_is_named(run, contradiction):
    outcome = run("check", contradiction, "--profile", "dlp")

    assert outcome.status == 1
    assert "    by DisjointClasses(:Cat :Dog)" in outcome.lines


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


@pytest.mark.parametrize(
    ("axioms", "words"), [(1, "1 axiom not considered: `reasoner profile` lists it"), (3, "3 axioms")]
)
def test_what_was_not_judged_is_counted_as_the_profile_counts_it(run, tmp_path, axioms, words):
    ontology = tmp_path / "ontology.ofn"
    parts = " ".join(
        f"SubClassOf(<http://e.org/A{n}> ObjectUnionOf(<http://e.org/B> <http://e.org/C>))" for n in range(axioms)
    )
    # Remarks about axioms are read with them, and are none.
    parts += ' SubClassOf(Annotation(<http://e.org/note> "x") <http://e.org/B> <http://e.org/C>)'
    ontology.write_text(f"Ontology({parts})")

    outcome = run("check", "--ontology", ontology)

    assert outcome.status == 0
    assert outcome.out.startswith(f"no violation under owl2rl; {words}")
    assert f"{axioms} finding" in run("profile", ontology).lines[-1]


def test_an_axiom_with_two_findings_is_one_axiom_not_considered(run, tmp_path):
    ontology = tmp_path / "ontology.ofn"
    sub, union = "ObjectComplementOf(<http://e.org/A>)", "ObjectUnionOf(<http://e.org/B> <http://e.org/C>)"
    ontology.write_text(f"Ontology(SubClassOf({sub} {union}))")

    assert "1 axiom not considered" in run("check", "--ontology", ontology).out
    assert run("profile", ontology).lines[-1] == "outside owl2rl: 2 findings about 1 axiom, in 1 axiom"


def test_without_a_profile_the_ontology_is_not_judged(run, contradiction):
    assert run("check", contradiction, "--profile", "none").out.startswith(
        "no violation under none; the ontology was not"
    )


def test_a_disjointness_stated_both_ways_is_one_violation(run, tmp_path):
    data = tmp_path / "data.ttl"
    data.write_text(
        "@prefix : <http://e.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
        ":x a :A, :B . :A owl:disjointWith :B . :B owl:disjointWith :A ."
    )

    assert run("check", data).lines[0] == "INCONSISTENT: 1 violation of constraints"


def test_patience_finds_what_no_constraint_of_the_profile_does(run, tmp_path):
    ontology = tmp_path / "ontology.ofn"
    a, b, c = (f"<http://e.org/{name}>" for name in "ABC")
    apart = f"DisjointClasses({a} {b}) DisjointClasses({a} {c})"
    ontology.write_text(
        f"Ontology(SubClassOf({a} ObjectUnionOf({b} {c})) {apart} ClassAssertion({a} <http://e.org/x>))"
    )

    plain, patient = (run("check", "--ontology", ontology, *more) for more in ((), ("--patience", "10")))

    assert plain.status == 0
    assert plain.out.endswith("lists it; constraints alone were asked, --patience S looks further\n")
    assert patient.status == 1
    assert patient.out.startswith("INCONSISTENT by looking further (10 s at most): ")


def test_patience_that_finds_nothing_says_that_it_looked(run, family):
    outcome = run("check", family, "--patience", "1")

    assert outcome.status == 0
    assert outcome.out == "consistent; looked further for 1 s at most, and found no contradiction\n"
