"""Programs compiled for maintenance, and the parts of the course that brings (pi, I) up to date with their help."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Generic

from reasoner.maintenance.core import Core, CoreChange, NotMaintainableError, maintain_core_by_bf, prepare_core
from reasoner.maintenance.dred import maintain_core_by_dred
from reasoner.maintenance.strata import MaintainedStratum, maintained_strata, rewritten_strata
from reasoner.maintenance.update import Update, Work
from reasoner.reasoning.arrange import Options, stratum_rules, waking_probe
from reasoner.reasoning.engine import Engine, F, M, P
from reasoner.reasoning.program import EncodedProgram
from reasoner.rules.encode import EncodedRule, is_variable
from reasoner.rules.levels import SplitSet
from reasoner.terms.term import OCCURS, SAME


@dataclass(slots=True, eq=False)
class MaintenanceProgram(Generic[F, P, M]):
    """A program compiled for maintenance: the core of equality, and the strata above it.

    ``base`` are the splits between the two, which hold explicit facts only; ``above`` those that are not of the core;
    ``stated`` the heads of the rules without a body; ``probes`` tell whether a rule asks which terms occur;
    ``readings`` are all rules over stored facts. ``cache`` is for what a strategy makes of the program once.
    """

    engine: Engine[F, P, M]
    program: EncodedProgram
    options: Options
    core: Core[F, P]
    base: SplitSet
    above: SplitSet
    strata: tuple[MaintainedStratum[F, P, M], ...]
    stated: F
    probes: P
    constants: frozenset[int]
    says_reflexive: bool
    readings: frozenset[EncodedRule]
    cache: dict[str, object] = field(default_factory=dict)
    _whole: Core[F, P] | None = field(default=None)
    _rules: frozenset[EncodedRule] | None = field(default=None)
    _plain: bool | None = field(default=None)

    @property
    def whole(self) -> Core[F, P]:
        """The whole program as its core."""
        if self._whole is None:
            rules = [rule for stratum in self.program.strata for rule in stratum.rules]
            moved = "predicates or classes of rules become equal or different"
            if any(rule.negative for rule in rules):
                raise NotMaintainableError(f"{moved}, and a rule has a negated atom")
            if any(name == "!=" for rule in rules for name, _ in rule.conditions):
                raise NotMaintainableError(f"{moved}, and a rule has !=")
            everything = self.program.levels.matching(lambda level: True)
            strata, modules = self.program.strata, self.options.modules
            self._whole = prepare_core(self.engine, self.program, strata, everything, modules=modules)
        return self._whole

    def has_rule(self, rule: EncodedRule) -> bool:
        """Tell whether the program has a rule, whatever it was called."""
        if self._rules is None:
            self._rules = frozenset(rule for stratum in self.program.strata for rule in stratum.rules)
        return rule in self._rules

    @property
    def is_plain(self) -> bool:
        """Whether every rule is its only reading, and none says that a constant equals itself."""
        if self._plain is None:
            self._plain = not self.says_reflexive and not any(map(reads_equality, self.readings))
        return self._plain

    def has_moved_splits(self, representatives: M) -> bool:
        """Tell whether a mapping changes a constant of the rules that makes a split: a predicate, a class."""
        levels = self.program.levels
        parts = (levels.predicates, levels.objects, *(objects.named for objects in levels.objects.values()))
        return any(self._moves(representatives, part) for part in parts)

    def strata_between(self, before: M, after: M) -> tuple[MaintainedStratum[F, P, M], ...]:
        """Return the strata with their constants under the new mapping, and the rules that this changes."""
        if not self._moves(before, self.constants) and not self._moves(after, self.constants):
            return self.strata
        of = self.engine.representative
        return rewritten_strata(
            self.engine, self.program, self.options, lambda id: of(before, id), lambda id: of(after, id)
        )

    def require_no_occurrences(self, facts: F, representatives: M) -> None:
        """Refuse if a rule asks which terms occur, or says so of a constant: only starting over can tell."""
        if self.says_reflexive:
            raise NotMaintainableError("a rule says that a constant equals itself")
        if self.engine.class_size(representatives, SAME) > 1:
            raise NotMaintainableError("owl:sameAs itself is equal to another term")
        probes = self.probes
        if self._moves(representatives, self.constants):
            of = self.engine.representative
            probes = self.engine.compile(_probes(self.program, self.options, lambda id: of(representatives, id)))
        if self.engine.any_match(probes, facts):
            raise NotMaintainableError("a rule asks which terms occur")

    def _moves(self, representatives: M, constants: Collection[int]) -> bool:
        return self.engine.moves(representatives, constants)


Strategy = Callable[[Update[F, P, M], MaintenanceProgram[F, P, M], tuple[MaintainedStratum[F, P, M], ...]], None]


@dataclass(frozen=True, slots=True)
class Change(Generic[F]):
    """Explicit facts before and after a change, and those that really left and joined them."""

    before: F
    after: F
    removed: F
    added: F


@dataclass(frozen=True, slots=True)
class Maintained(Generic[F, M]):
    """(pi, I) after a change."""

    facts: F
    representatives: M


def prepare_maintenance(
    engine: Engine[F, P, M], program: EncodedProgram, options: Options
) -> MaintenanceProgram[F, P, M]:
    """Compile a program for maintenance."""
    levels = program.levels
    lowest = 1 if options.equality else 0
    base, strata = maintained_strata(engine, program, options)
    below = tuple(stratum for stratum in program.strata if stratum.level < lowest)
    rules = [rule for stratum in program.strata for rule in stratum_rules(stratum, options)]
    bodyless = [rule for rule in rules if not rule.body and not rule.negative]
    stated = engine.evaluate(engine.compile(bodyless), engine.empty())
    return MaintenanceProgram(
        engine,
        program,
        options,
        core=prepare_core(
            engine, program, below, levels.matching(lambda level: level < lowest), modules=options.modules
        ),
        base=base,
        above=levels.matching(lambda level: level >= lowest),
        strata=strata,
        stated=stated,
        probes=engine.compile(_probes(program, options)),
        constants=frozenset(constant for stratum in program.strata for constant in stratum.constants),
        says_reflexive=options.equality and any(says_reflexive(rule) for rule in rules),
        readings=frozenset(rules),
    )


def _probes(
    program: EncodedProgram, options: Options, representative: Callable[[int], int] | None = None
) -> Iterator[EncodedRule]:
    """Yield the bodies of the rules that ask which terms occur, without that question."""
    for stratum in program.strata:
        for rule in stratum_rules(stratum, options, representative):
            probe = waking_probe(rule)
            if probe is not None:
                yield probe


def says_reflexive(rule: EncodedRule) -> bool:
    """Tell whether a rule with a body has a head such as a = a, which is noted and read by nobody."""
    head = rule.head
    return bool(rule.body or rule.negative) and head is not None and head[1] == SAME and head[0] == head[2] >= 0


def reads_equality(rule: EncodedRule) -> bool:
    """Tell whether a rule has other readings than itself, were there equality."""
    return any(p == SAME or is_variable(p) for _, p, _ in rule.body)


def with_stated(
    before: MaintenanceProgram[F, P, M], program: MaintenanceProgram[F, P, M], change: Change[F]
) -> Change[F]:
    """Return a change with the heads of rules without a body explicit for as long as there is such a rule."""
    engine, old, new = program.engine, before.stated, program.stated
    start, end = engine.union(change.before, old), engine.union(change.after, new)
    if before is program:
        return Change(start, end, engine.difference(change.removed, new), engine.difference(change.added, old))
    removed = engine.union(change.removed, engine.difference(old, new))
    added = engine.union(change.added, engine.difference(new, old))
    return Change(start, end, engine.difference(removed, end), engine.difference(added, start))


def irreflexive_change(program: MaintenanceProgram[F, P, M], change: Change[F]) -> Change[F]:
    """Return a change without the equalities c = c, which say nothing under rewriting."""
    if not program.options.equality:
        return change
    parts = (change.before, change.after, change.removed, change.added)
    return Change(*map(program.engine.irreflexive, parts))


def maintain_core(
    program: MaintenanceProgram[F, P, M],
    core: Core[F, P],
    change: CoreChange[F],
    facts: F,
    representatives: M,
    work: Work,
    *,
    overdelete: bool,
) -> tuple[F, M]:
    """Return facts and mapping after a change of the explicit facts of a core, by DRed or by B/F."""
    method = maintain_core_by_dred if overdelete else maintain_core_by_bf
    work.core = "dred" if overdelete else "bf"
    after, mapping, occurrences = method(program.engine, core, change, facts, representatives, work)
    if occurrences:
        raise NotMaintainableError("a rule asks which terms occur")
    return after, mapping


def changes_sides(engine: Engine[F, P, M], change: Change[F], before: M, after: M, splits: SplitSet) -> bool:
    """Tell whether the normal form of an explicit fact is in some splits under one mapping only."""
    for given in (change.before, change.after):
        moved = engine.facts_about(given, after, before)
        old, new = raw_of_splits(engine, moved, before, splits), raw_of_splits(engine, moved, after, splits)
        if not engine.is_empty(engine.difference(old, new)) or not engine.is_empty(engine.difference(new, old)):
            return True
    return False


def explicit_change(engine: Engine[F, P, M], change: Change[F], before: M, after: M) -> tuple[F, F]:
    """Return what is explicit in normal form no more, and what is so now, given the mappings before and after."""
    if before is after:
        old, new = engine.normalise(change.removed, before), engine.normalise(change.added, after)
    else:
        leaving = engine.union(change.removed, engine.facts_about(change.before, after, before))
        coming = engine.union(change.added, engine.facts_about(change.after, after, before))
        old, new = engine.normalise(leaving, before), engine.normalise(coming, after)
    still = engine.normalise(engine.standing_for(change.after, after, old), after)
    already = engine.normalise(engine.standing_for(change.before, before, new), before)
    return engine.difference(old, still), engine.difference(new, already)


def raw_of_splits(engine: Engine[F, P, M], facts: F, mapping: M, splits: SplitSet) -> F:
    """Return the facts whose normal form belongs to some splits."""
    return engine.split_by_form(facts, mapping, engine.of_splits(engine.normalise(facts, mapping), splits))[0]


def maintain_strata(
    program: MaintenanceProgram[F, P, M],
    strategy: Strategy[F, P, M],
    update: Update[F, P, M],
    strata: tuple[MaintainedStratum[F, P, M], ...],
) -> Maintained[F, M]:
    engine = program.engine
    gone, come = engine.of_splits(update.removed, program.base), engine.of_splits(update.added_explicit, program.base)
    update.delete(gone)
    # A rule that goes may have derived what is explicit now.
    update.add(engine.difference(come, update.current))
    update.removed = engine.difference(update.removed, gone)
    update.added_explicit = engine.difference(update.added_explicit, come)
    update.work.above = update.work.above or bool(strata)
    strategy(update, program, strata)
    return Maintained(update.current, update.representatives)


def with_notes(
    program: MaintenanceProgram[F, P, M],
    change: Change[F],
    facts: F,
    representatives: M,
    result: Maintained[F, M],
) -> Maintained[F, M]:
    """Bring the notes that terms occur up to date, which explicit facts c = c leave behind."""
    engine = program.engine
    changed = engine.union(change.removed, change.added)
    same = engine.size(engine.irreflexive(changed)) == engine.size(changed)
    if same and result.representatives is representatives:
        return result
    old = engine.of_splits(facts, SplitSet(frozenset({OCCURS}), {}))
    new = engine.reflexive_notes(engine.union(change.after, program.stated), result.representatives)
    rest = engine.difference(result.facts, old)
    return Maintained(engine.extend(rest, engine.difference(new, rest)), result.representatives)
