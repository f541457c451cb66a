"""What becomes of the strata when rules change: the rules that each loses and gains.

Compiling a program for maintenance that has most of its rules in common with another: what they share is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic

from reasoner.maintenance.core import prepare_core
from reasoner.maintenance.program import MaintenanceProgram, prepare_maintenance, reads_equality, says_reflexive
from reasoner.maintenance.strata import MaintainedStratum, is_evaluated, maintained_strata
from reasoner.reasoning.arrange import stratum_rules
from reasoner.reasoning.engine import F, M, P
from reasoner.reasoning.program import EncodedStratum, ProgramChange
from reasoner.rules.encode import EncodedRule
from reasoner.rules.levels import SplitSet


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
        core = prepare_core(engine, program, (changed[0],), core.splits, modules=core.prepared.options.modules)
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


Strata = tuple[MaintainedStratum[F, P, M], ...]


class RuleDifference(Generic[F, P, M]):
    """The rules over stored facts of two programs, each under a mapping: those that go, those that come.

    ``strata`` are those of the new program. A stratum without a counterpart among the old strata is ``rearranged``.
    """

    def __init__(
        self,
        before: MaintenanceProgram[F, P, M],
        program: MaintenanceProgram[F, P, M],
        old_mapping: M,
        new_mapping: M,
    ) -> None:
        self.rewritten = _moves(before, old_mapping) or _moves(program, new_mapping)
        old_strata, self._was = _under(before, old_mapping, rewritten=self.rewritten)
        self._own, self._now = _under(program, new_mapping, rewritten=self.rewritten)
        self._levels = program.program.levels
        self.lost = tuple(rule for rule in self._was - self._now if is_evaluated(rule))
        self._gained = frozenset(rule for rule in self._now - self._was if is_evaluated(rule))
        self._gained_heads = frozenset(rule.head for rule in self._gained)
        self.strata = tuple(self._changing(old_strata, stratum) for stratum in self._own)

    def lost_in(self, splits: SplitSet) -> list[EncodedRule]:
        """Return the rules that go and could write facts of some splits."""
        return [rule for rule in self.lost if may_write(rule, splits)]

    def keep_plans(self) -> None:
        """Give the strata of the new program the plans that have been made for them on the way."""
        for own, changed in zip(self._own, self.strata, strict=True):
            if own is not changed:
                own.keep_plans_of(changed)

    def _changing(self, old: Strata[F, P, M], stratum: MaintainedStratum[F, P, M]) -> MaintainedStratum[F, P, M]:
        lost = self.lost_in(stratum.intake)
        if not lost and any(stratum is known for known in old):
            return stratum
        # Few rules have a head of one that is gained, and to compare heads is cheap.
        new = [rule for rule in stratum.rules if rule.head in self._gained_heads and rule in self._gained]
        if not lost and not new and counterpart(stratum, old) is not None:
            return stratum
        return stratum.changing(lost, new)


def readings_under(program: MaintenanceProgram[F, P, M], mapping: M) -> frozenset[EncodedRule]:
    """Return all rules of a program over stored facts, with the constants that a mapping gives them."""
    if not _moves(program, mapping):
        return program.readings
    strata, of = program.program.strata, _representative(program, mapping)
    return frozenset(rule for stratum in strata for rule in stratum_rules(stratum, program.options, of))


def may_write(rule: EncodedRule, splits: SplitSet) -> bool:
    """Tell whether a rule can write facts of some splits; of a wild head that is taken for granted."""
    return rule.head is not None and splits.may_hold(rule.head)


def _under(
    program: MaintenanceProgram[F, P, M], mapping: M, *, rewritten: bool
) -> tuple[Strata[F, P, M], frozenset[EncodedRule]]:
    if not rewritten:
        return program.strata, program.readings
    of = _representative(program, mapping)
    _, strata = maintained_strata(program.engine, program.program, program.options, of)
    return strata, readings_under(program, mapping)


def _moves(program: MaintenanceProgram[F, P, M], mapping: M) -> bool:
    return program.engine.moves(mapping, program.constants)


def _representative(program: MaintenanceProgram[F, P, M], mapping: M) -> Callable[[int], int]:
    return lambda id: program.engine.representative(mapping, id)


def counterpart(stratum: MaintainedStratum[F, P, M], strata: Strata[F, P, M]) -> MaintainedStratum[F, P, M] | None:
    """Return the stratum among others that derives what this one does from the same facts below it, round by round.

    Where atoms are wild, which facts are below is a matter of all other rules, and nothing is taken for granted.
    """
    for other in strata:
        if other is stratum:
            return other
    if stratum.is_wild:
        return None
    rules, recursive = frozenset(stratum.rules), frozenset(stratum.recursive_rules)
    for other in strata:
        same_size = stratum.intake == other.intake and len(rules) == len(other.rules)
        if same_size and recursive == frozenset(other.recursive_rules) and rules == frozenset(other.rules):
            return other
    return None
