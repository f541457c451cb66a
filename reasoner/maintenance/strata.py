"""The strata above equality, each with the plans that maintenance runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Generic

from reasoner.arrange import Options, stratum_rules
from reasoner.engine import Engine, F, M, P
from reasoner.program import EncodedProgram
from reasoner.rules.encode import EncodedRule, Triple, is_variable
from reasoner.rules.levels import Levels, SplitSet
from reasoner.vocabulary import OCCURS, TYPE


class MaintainedStratum(Generic[F, P, M]):
    """One stratum's rules, compiled in each of the ways that an algorithm asks for, when it first does.

    ``intake`` are the splits whose explicit facts change together with the stratum, ``settled`` those below it. A
    rule that can write above its own level is a nonrecursive rule of every stratum above as well, so that each
    stratum has all rules that derive its facts; if ``spans`` there are such rules among its own. ``lost_rules`` are
    rules that it had before the change and has no more, ``new_rules`` those of its rules that it had not.
    """

    def __init__(
        self,
        engine: Engine[F, P, M],
        levels: Levels,
        level: int,
        end: int | None,
        rules: dict[EncodedRule, bool],
        *,
        spans: bool,
    ) -> None:
        self._engine = engine
        self._levels = levels
        self.level = level
        self.intake = levels.matching(lambda at: level <= at and (end is None or at < end))
        self.settled = levels.matching(lambda at: at < level)
        self.spans = spans
        self.rules = tuple(rules)
        self.lost_rules: tuple[EncodedRule, ...] = ()
        self.new_rules: tuple[EncodedRule, ...] = ()
        self.recursive_rules = tuple(rule for rule, recursive in rules.items() if recursive)
        self.nonrecursive_rules = tuple(
            rule for rule, recursive in rules.items() if not recursive and _is_evaluated(rule)
        )

    @cached_property
    def every(self) -> P:
        return self._engine.compile((*self.nonrecursive_rules, *self.recursive_rules))

    @cached_property
    def kept(self) -> P:
        """The rules that the stratum had before the change as well."""
        return self._without_new((*self.nonrecursive_rules, *self.recursive_rules)) if self.new_rules else self.every

    @cached_property
    def recursive_kept(self) -> P:
        """The recursive rules among these: new rules have no instance to lose."""
        return self._without_new(self.recursive_rules) if self.new_rules else self.recursive

    @cached_property
    def recursive(self) -> P:
        return self._engine.compile(self.recursive_rules)

    @cached_property
    def nonrecursive(self) -> P:
        return self._engine.compile(self.nonrecursive_rules)

    @cached_property
    def backward(self) -> P:
        return self._engine.compile_backward((*self.nonrecursive_rules, *self.recursive_rules))

    @cached_property
    def backward_nonrecursive(self) -> P:
        return self._engine.compile_backward(self.nonrecursive_rules)

    @cached_property
    def recursive_with_own(self) -> P:
        """The recursive rules, which tell which of their atoms read the stratum itself."""
        return self._engine.compile(self._marked())

    @cached_property
    def backward_recursive(self) -> P:
        return self._engine.compile_backward(self._marked())

    @property
    def is_recursive(self) -> bool:
        return bool(self.recursive_rules)

    @cached_property
    def reads_mixed(self) -> bool:
        """Whether an atom of a recursive rule can match facts of the stratum as well as facts below it."""
        return any(
            self._own(atom) and (is_variable(atom[1]) or (atom[1] == TYPE and is_variable(atom[2])))
            for rule in self.recursive_rules
            for atom in rule.body
        )

    def _without_new(self, rules: tuple[EncodedRule, ...]) -> P:
        new = frozenset(self.new_rules)
        return self._engine.compile(rule for rule in rules if rule not in new)

    def own_heads(self, heads: F) -> F:
        """Return the heads that are facts of this stratum, and not of one below or above that a rule writes too."""
        return self._engine.of_splits(heads, self.intake) if self.spans else heads

    def _own(self, atom: Triple) -> bool:
        return self._levels.highest(atom) >= self.level

    def _marked(self) -> list[EncodedRule]:
        return [replace(rule, own=tuple(map(self._own, rule.body))) for rule in self.recursive_rules]


def maintained_strata(
    engine: Engine[F, P, M],
    program: EncodedProgram,
    options: Options,
    representative: Callable[[int], int] | None = None,
) -> tuple[SplitSet, tuple[MaintainedStratum[F, P, M], ...]]:
    """Return the splits below all strata that are maintained, and these strata in order.

    With equality, the rules that feed owl:sameAs are not among them. The constants of rules are those under the given
    representatives, which change no constant that makes a split.
    """
    levels = program.levels
    lowest = 1 if options.equality else 0
    by_level: dict[int, dict[EncodedRule, bool]] = {}
    spanning: dict[EncodedRule, bool] = {}
    for stratum in program.strata:
        rules = stratum_rules(stratum, options, representative)
        rules = {rule: recursive for rule, recursive in rules.items() if not _asks(rule)}
        if stratum.level >= lowest:
            by_level[stratum.level] = rules
        else:
            spanning |= _wide(rules, stratum.level, levels)
    if spanning:
        # The core writes facts above it, so that there is something to derive from the first level on.
        by_level.setdefault(lowest, {})
    starts = sorted(by_level)
    base = levels.matching(lambda level: lowest <= level and all(level < start for start in starts))
    strata = []
    for level, end in zip(starts, [*starts[1:], None], strict=False):
        rules = by_level[level]
        wide = _wide(rules, level, levels)
        together = {**spanning, **rules}
        strata.append(MaintainedStratum(engine, levels, level, end, together, spans=bool(spanning or wide)))
        spanning |= wide
    return base, tuple(strata)


def rewritten_strata(
    engine: Engine[F, P, M],
    program: EncodedProgram,
    options: Options,
    before: Callable[[int], int],
    after: Callable[[int], int],
) -> tuple[MaintainedStratum[F, P, M], ...]:
    """Return the strata of a program whose constants, none of which makes a split, are rewritten by a change."""
    _, old_strata = maintained_strata(engine, program, options, before)
    _, new_strata = maintained_strata(engine, program, options, after)
    for old, new in zip(old_strata, new_strata, strict=True):
        was, now = frozenset(old.rules), frozenset(new.rules)
        new.lost_rules = tuple(rule for rule in old.rules if rule not in now and _is_evaluated(rule))
        new.new_rules = tuple(rule for rule in new.rules if rule not in was and _is_evaluated(rule))
    return new_strata


def _is_evaluated(rule: EncodedRule) -> bool:
    """Tell whether a rule is not merely an explicit fact."""
    return bool(rule.body or rule.negative)


def _wide(rules: dict[EncodedRule, bool], level: int, levels: Levels) -> dict[EncodedRule, bool]:
    """Return the rules that can write above their own level, where they are not recursive."""
    return {rule: False for rule in rules if rule.head is not None and levels.highest(rule.head) > level}


def _asks(rule: EncodedRule) -> bool:
    return any(atom[1] == OCCURS for atom in rule.body)
