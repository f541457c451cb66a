"""One step taken: its transaction, recorded if there is a journal, and what it did."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ontologies.evolution.compile_step import compile_step
from ontologies.evolution.script import AddRules, Remark, Script, Step
from ontologies.evolution.working import Change
from reasoner.constraint_policy import explained_now
from reasoner.errors import ReasonerError, UnstratifiableError
from reasoner.evolution.apply_change import ExactChange, apply_exact, exact
from reasoner.evolution.measure import measured, moment
from reasoner.evolution.store_facts import StoreFacts
from reasoner.rules.printer import print_rule
from reasoner.rules.stratify import stratify

if TYPE_CHECKING:
    from reasoner.evolution.journal import Entry, Journal
    from reasoner.evolution.report import StepReport
    from reasoner.reasoner import Reasoner


@dataclass(frozen=True, slots=True)
class Course:
    """How steps are taken: by which strategy, under which policy about constraints, and on which record.

    Without a journal a step is rehearsed on a store that is to be thrown away; so what proves its violations is taken
    out of it there and then, if they are to be explained.
    """

    strategy: str = "auto"
    constraints: str | None = None
    journal: Journal | None = None
    explain: bool = True


def take_step(kb: Reasoner, step: Step, script: Script, course: Course) -> StepReport:
    """Take one step of a script."""
    kb._materialised()
    change = compile_step(step, StoreFacts(kb))
    whole = exact(kb, change)
    prefixes, journal = dict(script.prefixes), course.journal
    recorded: AbstractContextManager[None] = nullcontext()
    if journal is not None and change:
        recorded = journal.recording(kb, step.name, script.file, whole, prefixes)
    try:
        return _taken(kb, step.name, change, whole, prefixes, course, recorded)
    except UnstratifiableError as error:
        raise _placed(error, kb, step) from error


def take_back(kb: Reasoner, entry: Entry, change: ExactChange, course: Course) -> StepReport:
    """Take a recorded step back; ``change`` is what it did, in the terms of the store."""
    inverse, journal = change.inverse, course.journal
    added, removed = (tuple((s, p, o) for s, p, o, _ in side) for side in (inverse.added, inverse.removed))
    told = Change(added, removed, inverse.rules_added, inverse.rules_removed)
    recorded: AbstractContextManager[None] = nullcontext() if journal is None else journal.undoing(kb, entry)
    return _taken(kb, entry.name, told, inverse, dict(entry.prefixes), course, recorded)


def _taken(
    kb: Reasoner,
    name: str,
    change: Change,
    whole: ExactChange,
    prefixes: Mapping[str, str],
    course: Course,
    recorded: AbstractContextManager[None],
) -> StepReport:
    before = moment(kb)
    with recorded:
        delta = apply_exact(kb, whole, course.strategy, course.constraints)
    report = measured(name, change, before, delta, moment(kb), dict(prefixes))
    if course.journal is not None:
        return report
    found = report.violations_appeared
    known = explained_now(found) if course.explain else [replace(violation, explainer=None) for violation in found]
    return replace(report, violations_appeared=tuple(known))


def _placed(error: UnstratifiableError, kb: Reasoner, step: Step) -> ReasonerError:
    """Say where in the script the rule is with which the rules cannot be stratified, as far as that can be told."""
    rules = list(kb.rules())
    adding = [statement for statement in step.statements if isinstance(statement, AddRules)]
    for statement in adding:
        rules += statement.rules
        try:
            stratify(rules, equality=kb.equality == "rewrite")
        except UnstratifiableError:
            return statement.place.error(str(error), print_rule(statement.rules[0]))
    # It takes other changes of the step as well.
    blamed = (*adding[-1:], *(statement for statement in step.statements if not isinstance(statement, Remark)))
    return blamed[0].place.error(f"after the step {step.name!r}, {error}")
