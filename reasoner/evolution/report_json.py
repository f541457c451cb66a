"""The report of an evolution as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from reasoner.evolution.report import Evolution, StepReport
from reasoner.rules.printer import print_rule
from reasoner.violation import Violation


def report_as_json(evolution: Evolution) -> str:
    """Return the report as one JSON object; explicit facts are written out, inferred ones counted."""
    return json.dumps(
        {
            "script": evolution.script,
            "applied": evolution.applied,
            "consistent": evolution.is_consistent,
            "steps": [_step(step) for step in evolution.steps],
        },
        ensure_ascii=False,
        indent=1,
    )


def _step(step: StepReport) -> dict[str, Any]:
    return {
        "step": step.name,
        "before": asdict(step.before),
        "after": asdict(step.after),
        "axioms": {"gained": step.axioms_gained, "lost": step.axioms_lost},
        "rules": {"gained": step.rules_gained, "lost": step.rules_lost},
        "splits": step.splits,
        "facts": [asdict(fact) for fact in step.facts],
        "classes": {
            "merged": [{"before": old, "after": new} for old, new in step.classes_merged],
            "split": [{"before": old, "after": new} for old, new in step.classes_split],
        },
        "violations": {
            "appeared": [_violation(violation) for violation in step.violations_appeared],
            "went": [_violation(violation) for violation in step.violations_went],
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


def _violation(violation: Violation) -> dict[str, object]:
    return {"rule": violation.rule, "triples": violation.triples, "sources": violation.sources}
