"""Violations of constraints for people, with the proofs of their facts if asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from reasoner.explain import proof_tree
from reasoner.short_terms import ShortTerms
from reasoner.violation import Violation


def print_violations(
    violations: Iterable[Violation], stream: TextIO, names: ShortTerms, *, explain: bool = False
) -> None:
    """Print the rule, the triples that break it, the axioms behind the rule, and perhaps why each triple holds."""
    for violation in violations:
        print(f"{violation.rule}:", file=stream)
        if explain and violation.explainer is not None:
            for proof in violation.explain():
                for line in proof_tree(proof, names):
                    print(f"    {line}", file=stream)
        else:
            for triple in violation.triples:
                print(f"    {names.triple(triple)}", file=stream)
        for source in violation.sources:
            print(f"    by {names.text(' '.join(source.split()))}", file=stream)
