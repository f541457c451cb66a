"""Compiling a program for maintenance that has most of its rules in common with another: what they share is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reasoner.engine import F, M, P
from reasoner.maintenance.core import prepare_core
from reasoner.maintenance.program import MaintenanceProgram, prepare_maintenance, reads_equality, says_reflexive
from reasoner.maintenance.strata import MaintainedStratum, is_evaluated
from reasoner.program import EncodedStratum
from reasoner.program_change import ProgramChange
from reasoner.rules.encode import EncodedRule


def change_maintenance(before: MaintenanceProgram[F, P, M], change: ProgramChange) -> MaintenanceProgram[F, P, M]:
    """Compile the program after a change, given that before it."""
    engine, options, program = before.engine, before.options, change.program
    lost = [rule for rule in change.lost if rule.head is not None]
    gained = [rule for rule in change.gained if rule.head is not None]
    if not change.keeps_levels or not before.is_plain or not all(map(_is_easy, (*lost, *gained))):
        return prepare_maintenance(engine, program, options)
    known = {stratum.level: stratum for stratum in before.program.strata}
    changed = {stratum.level: stratum for stratum in program.strata if stratum is not known[stratum.level]}
    core = before.core
    if options.equality and 0 in changed:
        core = prepare_core(engine, program, (changed[0],), core.splits)
    strata = tuple(
        _exchanged(stratum, changed[stratum.level], lost, gained) if stratum.level in changed else stratum
        for stratum in before.strata
    )
    modular: Any = before.cache.get("modular", {})
    return replace(
        before,
        program=program,
        core=core,
        strata=strata,
        constants=before.constants.union(constant for rule in gained for constant in rule.constants),
        readings=before.readings.difference(lost).union(gained),
        cache={"modular": {stratum: modular[stratum] for stratum in strata if stratum in modular}},
        _whole=None,
        _rules=None,
    )


def _is_easy(rule: EncodedRule) -> bool:
    """Tell whether a rule is its only reading, and does nothing but derive facts from facts."""
    return is_evaluated(rule) and not reads_equality(rule) and not says_reflexive(rule)


def _exchanged(
    stratum: MaintainedStratum[F, P, M],
    rules: EncodedStratum,
    lost: list[EncodedRule],
    gained: list[EncodedRule],
) -> MaintainedStratum[F, P, M]:
    here = frozenset(rules.rules)
    return stratum.exchanged(lost, [rule for rule in gained if rule in here])
