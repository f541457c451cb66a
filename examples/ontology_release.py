"""Release a new version of an ontology: rehearse a script on the data, apply it step by step, and take a step back."""

from __future__ import annotations

from pathlib import Path

from reasoner import Reasoner
from reasoner.evolution.report import InconsistentEvolutionError

DATA = Path(__file__).parent / "data"
SCRIPT = DATA / "release-2.evolve"
HASTY = "prefix : <http://uni.example/>  add DisjointClasses(:Staff :Student)"


def main() -> None:
    """Try a change that contradicts the data, then rehearse and apply a script that puts first things first."""
    kb = Reasoner(profile="dlp")
    kb.load(DATA / "staff.ttl")

    print("in haste, staff are no students:")
    try:
        kb.evolve(HASTY)
    except InconsistentEvolutionError as error:
        (step,) = error.evolution.steps
        (violation,) = step.violations_appeared
        print("  refused: " + " and ".join(" ".join(triple) for triple in violation.triples))

    print("all steps, rehearsed:")
    for step in kb.evolve(SCRIPT, dry_run=True).steps:
        gained, lost = len(step.axioms_gained), len(step.axioms_lost)
        change = step.after.inferred - step.before.inferred
        print(f"  {step.name}: axioms +{gained} -{lost}, inferred facts {change:+}")

    evolution = kb.evolve(SCRIPT)
    print(f"applied: {evolution.applied}, consistent: {evolution.is_consistent}")
    print("teachers: " + ", ".join(row["x"] for row in kb.select("?x a <http://uni.example/Teacher>")))
    print(f"taken back: {kb.undo_evolution().name}; still applied: {[entry.name for entry in kb.evolutions()]}")


if __name__ == "__main__":
    main()
