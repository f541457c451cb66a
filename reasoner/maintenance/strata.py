"""The strata above equality, each with the plans that maintenance runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Generic

from reasoner.reasoning.arrange import Options, stratum_rules
from reasoner.reasoning.engine import Engine, F, M, P
from reasoner.reasoning.program import EncodedProgram
from reasoner.rules.encode import EncodedRule, Triple
from reasoner.rules.levels import Levels, SplitSet
from reasoner.terms.term import OCCURS

# The plans of a stratum that depend on its rules alone.
_PLANS = (
    *("every", "recursive", "nonrecursive", "backward", "backward_nonrecursive"),
    *("recursive_with_own", "backward_recursive", "reads_mixed"),
)


class MaintainedStratum(Generic[F, P, M]):
    """One stratum's rules, compiled in each of the ways that an algorithm asks for, when it first does.

    ``intake`` are the splits whose explicit facts change together with the stratum, ``settled`` those below it. A
    rule that can write above its own level is a nonrecursive rule of every stratum above as well, so that each
    stratum has all rules that derive its facts; if ``spans`` there are such rules among its own. ``lost_rules`` are
    rules that it had before the change and has no more, ``new_rules`` those of its rules that it had not;
    ``rearranged`` says that what was remembered of the stratum's derivations does not hold for it any more.

    A rule over stored facts is recursive if one of its own atoms can read the stratum. The readings of one rule differ
    in that: where ``?x ?p ?y`` may read the stratum, the reading that takes it for an equality reads only below it.
    """

    def __init__(
        self,
        engine: Engine[F, P, M],
        levels: Levels,
        level: int,
        end: int | None,
        rules: Iterable[EncodedRule],
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
        self.rearranged = False
        self._every_before: P | None = None
        self.recursive_rules, self.nonrecursive_rules = self._told_apart(self.rules)

    def exchanged(self, leaving: Collection[EncodedRule], joining: Sequence[EncodedRule]) -> MaintainedStratum[F, P, M]:
        """Return the same stratum with some other rules, which write on no other level."""
        changed = copy(self)
        changed._every_before = None
        for name in (*_PLANS, "kept", "recursive_kept"):
            changed.__dict__.pop(name, None)
        engine, plans = self._engine, self.__dict__
        if "every" in plans:
            changed.every = engine.exchange(self.every, leaving, joining)
            changed._every_before = None if len(_without(self.rules, leaving)) < len(self.rules) else self.every
        if "backward" in plans:
            changed.backward = engine.exchange_backward(self.backward, leaving, joining)
        changed.rules = (*_without(self.rules, leaving), *joining)
        recursive, nonrecursive = self._told_apart(joining)
        changed.recursive_rules = (*_without(self.recursive_rules, leaving), *recursive)
        changed.nonrecursive_rules = (*_without(self.nonrecursive_rules, leaving), *nonrecursive)
        return changed

    def changing(self, lost: Sequence[EncodedRule], new: Sequence[EncodedRule]) -> MaintainedStratum[F, P, M]:
        """Return the stratum on the way from other rules to its own; it has the plans that were made already."""
        changed = copy(self)
        changed.lost_rules, changed.new_rules, changed.rearranged = tuple(lost), tuple(new), True
        changed.spans = self.spans or any(self._levels.is_wild(rule.head) for rule in lost if rule.head)
        return changed

    def keep_plans_of(self, changed: MaintainedStratum[F, P, M]) -> None:
        """Take over the plans that the same stratum has made while its rules changed."""
        for name in _PLANS:
            if name in changed.__dict__:
                self.__dict__.setdefault(name, changed.__dict__[name])
        self._every_before = None

    @property
    def is_changing(self) -> bool:
        """Whether its derivations differ by more than what the facts below and the explicit facts tell."""
        return self.rearranged or bool(self.lost_rules or self.new_rules)

    @cached_property
    def every(self) -> P:
        return self._engine.compile((*self.nonrecursive_rules, *self.recursive_rules))

    @cached_property
    def kept(self) -> P:
        """The rules that the stratum had before the change as well."""
        if not self.new_rules:
            return self.every
        return self._every_before or self._engine.exchange(self.every, self.new_rules, ())

    @cached_property
    def recursive_kept(self) -> P:
        """The recursive rules among these: new rules have no instance to lose."""
        return self._engine.exchange(self.recursive, self.new_rules, ()) if self.new_rules else self.recursive

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
        wild = self._levels.is_wild
        return any(self._own(atom) and wild(atom) for rule in self.recursive_rules for atom in rule.body)

    @property
    def is_wild(self) -> bool:
        """Whether an atom of its rules can match facts of several splits."""
        return any(self._levels.is_wild(atom) for rule in self.rules for atom in rule.atoms)

    def own_heads(self, heads: F) -> F:
        """Return the heads that are facts of this stratum, and not of one below or above that a rule writes too."""
        return self._engine.of_splits(heads, self.intake) if self.spans else heads

    def _told_apart(self, rules: Iterable[EncodedRule]) -> tuple[tuple[EncodedRule, ...], tuple[EncodedRule, ...]]:
        """Return the rules that read the stratum itself, and those that read only below it."""
        recursive: list[EncodedRule] = []
        nonrecursive: list[EncodedRule] = []
        for rule in filter(is_evaluated, rules):
            (recursive if any(map(self._own, rule.body)) else nonrecursive).append(rule)
        return tuple(recursive), tuple(nonrecursive)

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
    by_level: dict[int, list[EncodedRule]] = {}
    spanning: list[EncodedRule] = []
    for stratum in program.strata:
        rules = [rule for rule in stratum_rules(stratum, options, representative) if not _asks(rule)]
        if stratum.level >= lowest:
            by_level[stratum.level] = rules
        else:
            spanning += _wide(rules, stratum.level, levels)
    if spanning:
        # The core writes facts above it, so that there is something to derive from the first level on.
        by_level.setdefault(lowest, [])
    starts = sorted(by_level)
    base = levels.matching(lambda level: lowest <= level and all(level < start for start in starts))
    strata = []
    for level, end in zip(starts, [*starts[1:], None], strict=False):
        rules = by_level[level]
        wide = _wide(rules, level, levels)
        together = dict.fromkeys((*spanning, *rules))
        strata.append(MaintainedStratum(engine, levels, level, end, together, spans=bool(spanning or wide)))
        spanning += wide
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
        new.lost_rules = tuple(rule for rule in old.rules if rule not in now and is_evaluated(rule))
        new.new_rules = tuple(rule for rule in new.rules if rule not in was and is_evaluated(rule))
    return new_strata


def _without(rules: tuple[EncodedRule, ...], leaving: Collection[EncodedRule]) -> tuple[EncodedRule, ...]:
    """Return the rules that are not leaving; most of them differ by their heads, which are cheap to compare."""
    heads = {rule.head for rule in leaving}
    return tuple(rule for rule in rules if rule.head not in heads or rule not in leaving)


def is_evaluated(rule: EncodedRule) -> bool:
    """Tell whether a rule is not merely an explicit fact."""
    return bool(rule.body or rule.negative)


def _wide(rules: Iterable[EncodedRule], level: int, levels: Levels) -> list[EncodedRule]:
    """Return the rules that can write above their own level."""
    return [rule for rule in rules if rule.head is not None and levels.highest(rule.head) > level]


def _asks(rule: EncodedRule) -> bool:
    return any(atom[1] == OCCURS for atom in rule.body)
