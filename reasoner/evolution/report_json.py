"""The report of an evolution as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from reasoner.evolution.report import Evolution, StepReport
from reasoner.rules.printer import print_rule
from reasoner.violation import Violation


def report_as_json(evolution: Evolution, *, explain: bool = False) -> str:
    """Return the report as one JSON object; explicit facts are written out, inferred ones counted.

    With ``explain`` the violations that appeared have proofs, as lines of text, as far as they are known.
    """
    return json.dumps(
        {
            "script": evolution.script,
            "applied": evolution.applied,
            "undo": evolution.is_undo,
            "consistent": evolution.is_consistent,
            "steps": [_step(step, explain) for step in evolution.steps],
        },
        ensure_ascii=False,
        indent=1,
    )


def _step(step: StepReport, explain: bool) -> dict[str, Any]:
    return {
        "step": step.name,
        "before": asdict(step.before),
        "after": asdict(step.after),
        "axioms": {"gained": step.axioms_gained, "lost": step.axioms_lost},
        "rules": {"gained": step.rules_gained, "lost": step.rules_lost},
        "readings": {"gained": step.readings_gained, "lost": step.readings_lost},
        "affected": [{"name": fact.name, "is_class": fact.is_class} for fact in step.affected],
        "facts": [asdict(fact) for fact in step.facts],
        "classes": {
            "merged": [{"before": old, "after": new} for old, new in step.classes_merged],
            "split": [{"before": old, "after": new} for old, new in step.classes_split],
        },
        "violations": {
            "appeared": [_violation(violation, explain) for violation in step.violations_appeared],
            "went": [_violation(violation, False) for violation in step.violations_went],
        },
        "explicit": {"added": step.change.added, "removed": step.change.removed},
        "own rules": {
            "added": [print_rule(rule) for rule in step.change.rules_added],
            "removed": [print_rule(rule) for rule in step.change.rules_removed],
        },
        "notes": step.change.notes,
        "strategy": step.strategy,
        "reason": step.reason,
        "seconds": step.seconds,
    }


def _violation(violation: Violation, explain: bool) -> dict[str, object]:
    told = violation.as_dict()
    if explain and violation.explainer is not None:
        told["proofs"] = [list(proof.lines()) for proof in violation.explain()]
    return told
