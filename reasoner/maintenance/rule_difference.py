"""What becomes of the strata when rules change: the rules that each loses and gains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

from reasoner.arrange import stratum_rules
from reasoner.engine import F, M, P
from reasoner.maintenance.program import MaintenanceProgram
from reasoner.maintenance.strata import MaintainedStratum, is_evaluated, maintained_strata
from reasoner.rules.encode import EncodedRule
from reasoner.rules.levels import SplitSet

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
