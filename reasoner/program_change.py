"""A program after a change of a few rules, with the strata that it leaves alone as they were."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from reasoner.program import EncodedProgram, EncodedStratum
from reasoner.rules.encode import EncodedRule, encode_rule, is_variable
from reasoner.rules.levels import Levels
from reasoner.rules.rule import Rule

# So many rules are found faster by looking through all than by making an index of all.
_FEW = 4

# The rules that leave a stratum, and those that join it.
_Exchange = tuple[list[EncodedRule], list[EncodedRule]]


@dataclass(frozen=True, slots=True)
class ProgramChange:
    """A program after a change; ``lost`` and ``gained`` are the rules in which it differs by what they say.

    ``keeps_levels`` says that its strata are those before the change, rules apart.
    """

    program: EncodedProgram
    lost: tuple[EncodedRule, ...]
    gained: tuple[EncodedRule, ...]
    keeps_levels: bool = False

    @classmethod
    def between(cls, before: EncodedProgram, after: EncodedProgram) -> ProgramChange:
        """Compare two programs, rule by rule."""
        was, now = dict.fromkeys(before.rules), dict.fromkeys(after.rules)
        lost = tuple(rule for rule in was if rule not in now)
        return cls(after, lost, tuple(rule for rule in now if rule not in was))


def change_program(before: EncodedProgram, going: Iterable[Rule], coming: Iterable[Rule]) -> ProgramChange | None:
    """Return a program after a change of rules that leaves its splits on their levels; None if that cannot be.

    A rule may go wherever it is: the levels stay right, if not as low as they could be. One may come if it reads
    nothing above the level that it writes and negates nothing on it. Names that are new to the program are on the level
    that they were on without being named. Takes the time of what changes, and of the strata that it is in.
    """
    old = [encode_rule(rule, before.terms.id_of) for rule in going]
    new = [encode_rule(rule, before.terms.id_of) for rule in coming]
    if any(rule.head is not None and before.levels.is_wild(rule.head) for rule in (*old, *new)):
        return None
    # Names are noted, so that it is noticed when they become equal to others.
    levels = before.levels.naming(atom for rule in new for atom in rule.atoms)
    if not all(_fits(rule, levels, equality=before.equality) for rule in new):
        return None
    exchanges: dict[int | None, _Exchange] = {}
    for rules, side in ((old, 0), (new, 1)):
        for rule in rules:
            level = None if rule.head is None else levels.highest(rule.head)
            exchanges.setdefault(level, ([], []))[side].append(rule)
    constraints = _exchanged(before.constraints, *exchanges.pop(None, ([], [])))
    strata = {stratum.level: stratum for stratum in before.strata}
    for level, exchange in exchanges.items():
        if level not in strata:
            return None
        strata[level] = _changed_stratum(strata[level], exchange, levels)
    after = replace(before, strata=tuple(strata.values()), constraints=constraints, levels=levels)
    return _difference(before, after, old, new)


def _difference(
    before: EncodedProgram, after: EncodedProgram, old: Sequence[EncodedRule], new: Sequence[EncodedRule]
) -> ProgramChange:
    """Tell which rules are in one program only: what goes may be said by another rule as well."""
    untouched = frozenset(before.strata).intersection(after.strata)
    was: Collection[EncodedRule]
    now: Collection[EncodedRule]
    was, now = (
        [
            *program.constraints,
            *(rule for stratum in program.strata if stratum not in untouched for rule in stratum.rules),
        ]
        for program in (before, after)
    )
    if len(old) + len(new) > _FEW:
        was, now = dict.fromkeys(was), dict.fromkeys(now)
    lost = tuple(rule for rule in dict.fromkeys(old) if rule in was and rule not in now)
    gained = tuple(rule for rule in dict.fromkeys(new) if rule not in was)
    return ProgramChange(after, lost, gained, keeps_levels=True)


def _fits(rule: EncodedRule, levels: Levels, *, equality: bool) -> bool:
    """Tell whether a rule reads only what is known once its level is reached."""
    if rule.head is None:
        return True
    level = levels.highest(rule.head)
    # Level 0 feeds owl:sameAs, which an inequality reads as a negation does.
    unequal = equality and any(name == "!=" and any(map(is_variable, terms)) for name, terms in rule.conditions)
    if unequal and level == 0:
        return False
    return all(levels.highest(atom) <= level for atom in rule.body) and all(
        levels.highest(atom) < level for atom in rule.negative
    )


def _changed_stratum(stratum: EncodedStratum, exchange: _Exchange, levels: Levels) -> EncodedStratum:
    leaving, joining = exchange
    recursive = [rule for rule in joining if any(levels.highest(atom) == stratum.level for atom in rule.body)]
    nonrecursive = [rule for rule in joining if rule not in recursive]
    constants = (constant for rule in joining for constant in rule.constants)
    return EncodedStratum(
        _exchanged(stratum.nonrecursive, leaving, nonrecursive),
        _exchanged(stratum.recursive, leaving, recursive),
        # That a constant is still named here by no rule does no harm.
        stratum.constants.union(constants),
        stratum.level,
    )


def _exchanged(
    rules: tuple[EncodedRule, ...], leaving: Iterable[EncodedRule], joining: Iterable[EncodedRule]
) -> tuple[EncodedRule, ...]:
    """Take one occurrence out for each rule that leaves; others may say the same."""
    left = list(rules)
    for rule in leaving:
        if rule in left:
            left.remove(rule)
    return (*left, *joining)
