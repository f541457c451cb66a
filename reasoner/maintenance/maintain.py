"""Bringing (pi, I) up to date after a change of explicit facts, and of rules with them.

    1  the facts that can have a part in deriving equalities, the *core*, are maintained by B/F under rewriting; this
       gives the new mapping, and the facts of the core that leave and join I
    2  above the core equality plays no part any more: I is there the plain materialisation of the rules over the normal
       form of the explicit facts. What is explicit under the old mapping and not under the new one is removed, and the
       other way round
    3  the strata above the core are maintained by a plain strategy, one after the other, from these changes

Most programs derive equalities from few predicates, so that the core is small, and negation, which never feeds
equality, is always above it. A change in which predicates or classes become equal or different moves facts from one
split to another: then the whole program is taken as the core, where its rules are positive.

Where rules change as well:

    4  a rule instance over I is lost if its rule is: all heads of the rules that go are doubtful
    5  the core of the new rules is maintained by the rules that stay, with the doubtful heads of its splits among what
       is removed; then the rules that are new to it are evaluated once, and all that follows is inserted
    6  each stratum of the new rules takes the doubtful heads of its splits as lost, and evaluates the rules that are
       new to it once

The strata, and the border between them and the core, are those of the new rules alone. That is sound, because the old
rules are asked for nothing but what they derived from all of I, which is known: a fact of I that no rule that goes has
derived has a derivation by rules that stay, from facts that were derived before it. Those are rules of the new program,
so that its strata come in an order in which it can be told what they lose. Once pi is known, I is the plain
materialisation of the rules over the normal form of the explicit facts, inside the core as well as above it; so a split
may change sides, from the core to the strata or back, with its facts as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic

from reasoner.maintenance.core import Core, CoreChange, NotMaintainableError, compiled_core
from reasoner.maintenance.core_closures import GrowingClosures
from reasoner.maintenance.program import (
    Change,
    Maintained,
    MaintenanceProgram,
    Strategy,
    changes_sides,
    explicit_change,
    irreflexive_change,
    maintain_core,
    maintain_strata,
    raw_of_splits,
    with_notes,
    with_stated,
)
from reasoner.maintenance.rule_difference import RuleDifference, may_write, readings_under
from reasoner.maintenance.strata import is_evaluated
from reasoner.maintenance.update import Update, Work
from reasoner.reasoning.engine import Engine, F, M, P
from reasoner.reasoning.materialise import Computation, Materialisation, StratumFixpoint, closures_in
from reasoner.reasoning.program import EncodedStratum
from reasoner.rules.encode import EncodedRule, is_variable
from reasoner.terms.term import SAME


def maintain(
    program: MaintenanceProgram[F, P, M],
    strategy: Strategy[F, P, M],
    change: Change[F],
    facts: F,
    representatives: M,
    work: Work,
    *,
    before: MaintenanceProgram[F, P, M] | None = None,
    overdelete: bool = False,
) -> Maintained[F, M]:
    """Return (pi, I) under the rules of ``program`` after a change, given the state before it.

    ``before`` are the rules that gave that state, if they are others. ``overdelete`` says that the core is maintained
    by DRed and not by B/F. Raises ``NotMaintainableError`` where only starting over is right.
    """
    old = program if before is None else before
    old.require_no_occurrences(facts, representatives)
    whole = with_stated(old, program, change)
    result = _Transition(old, program, strategy, whole, facts, representatives, work, overdelete).result()
    if not program.options.equality:
        return result
    program.require_no_occurrences(result.facts, result.representatives)
    return with_notes(program, whole, facts, representatives, result)


class _Transition(Generic[F, P, M]):
    """One change on its way from the old rules to the new ones; ``mapping`` and ``facts`` are (pi, I) before it."""

    def __init__(
        self,
        before: MaintenanceProgram[F, P, M],
        program: MaintenanceProgram[F, P, M],
        strategy: Strategy[F, P, M],
        change: Change[F],
        facts: F,
        mapping: M,
        work: Work,
        overdelete: bool,
    ) -> None:
        self.before = before
        self.program = program
        self.engine = program.engine
        self.strategy = strategy
        self.change = irreflexive_change(program, change)
        self.facts = facts
        self.mapping = mapping
        self.work = work
        self.overdelete = overdelete

    @property
    def keeps_rules(self) -> bool:
        return self.before is self.program

    def result(self) -> Maintained[F, M]:
        program, change, mapping = self.program, self.change, self.mapping
        if not program.options.equality:
            update = Update(self.engine, self.facts, change.after, mapping, change.removed, change.added, self.work)
            return self._through_strata(update)
        if not program.core.is_whole and not program.has_moved_splits(mapping):
            result = self._above_core()
            if result is not None:
                return result
        core = program.core if program.core.is_whole else program.whole
        removed = self.engine.normalise(change.removed, mapping)
        return Maintained(*self._through_core(core, removed, change.added, self.facts))

    def _above_core(self) -> Maintained[F, M] | None:
        """Maintain the core, then the strata above; None if facts pass from one to the other by equality."""
        engine, program, change, old = self.engine, self.program, self.change, self.mapping
        splits = program.core.splits
        removed = engine.of_splits(engine.normalise(change.removed, old), splits)
        added = raw_of_splits(engine, change.added, old, splits)
        if self.keeps_rules and engine.is_empty(removed) and engine.is_empty(added):
            gone, come = explicit_change(engine, change, old, old)
            return self._through_strata(Update(engine, self.facts, change.after, old, gone, come, self.work))
        inner = engine.covering(self.facts, splits)
        after, new = self._through_core(program.core, removed, added, inner)  # 1
        if new is not old and (program.has_moved_splits(new) or changes_sides(engine, change, old, new, splits)):
            return None
        gone, come = explicit_change(engine, change, old, new)  # 2
        gone, come = engine.of_splits(gone, program.above), engine.of_splits(come, program.above)
        update = Update(engine, self.facts, change.after, new, gone, come, self.work)
        if after is not inner:
            update.delete(engine.of_splits(engine.difference(inner, after), splits))
            update.add(engine.of_splits(engine.difference(after, inner), splits))
        return self._through_strata(update)

    def _through_strata(self, update: Update[F, P, M]) -> Maintained[F, M]:
        engine, program = self.engine, self.program
        if self.keeps_rules:
            strata = program.strata_between(self.mapping, update.representatives)
            return maintain_strata(program, self.strategy, update, strata)  # 3
        rules = RuleDifference(self.before, program, self.mapping, update.representatives)
        orphaned = engine.of_splits(self._heads_of(rules.lost_in(program.base)), program.base)  # 4
        orphaned = engine.difference(orphaned, update.removed)
        update.delete(engine.difference(orphaned, update.explicit_among(orphaned)))
        result = maintain_strata(program, self.strategy, update, rules.strata)  # 6
        if not rules.rewritten:
            rules.keep_plans()
        return result

    def _through_core(self, core: Core[F, P], removed: F, added: F, facts: F) -> tuple[F, M]:
        """Return facts and mapping after the change of the rules of a core and of its explicit facts."""
        engine, program, mapping, kept = self.engine, self.program, self.mapping, core
        if not self.keeps_rules:
            was, now = readings_under(self.before, mapping), readings_under(program, mapping)
            lost = [rule for rule in was - now if is_evaluated(rule) and may_write(rule, core.splits)]
            removed = engine.union(removed, engine.of_splits(self._heads_of(lost), core.splits))  # 4
            kept = _core_of(engine, core, (rule for rule in core.rules.rules if self.before.has_rule(rule)))  # 5
        if not engine.is_empty(removed) or not engine.is_empty(added):
            change = CoreChange(self.change.after, removed, added)
            facts, mapping = maintain_core(program, kept, change, facts, mapping, self.work, overdelete=self.overdelete)
        return (facts, mapping) if kept is core else self._with_new_rules(core, kept, facts, mapping)

    def _with_new_rules(self, core: Core[F, P], kept: Core[F, P], facts: F, mapping: M) -> tuple[F, M]:
        engine, started = self.engine, self.engine.instances
        before = Computation(engine, kept.prepared, Materialisation(facts, mapping)).arrangement(kept.rules)
        state = Computation(engine, core.prepared, Materialisation(facts, mapping))
        closed = dict.fromkeys(closures_in(engine, before.modules, facts), engine.empty())
        fixpoint = StratumFixpoint(state, core.rules, GrowingClosures(engine, closed))
        new = [rule for rule in fixpoint.arrangement.joined if rule not in before.rules]
        derived = engine.evaluate(engine.compile(new), facts)
        fixpoint.run(engine.union(derived, fixpoint.added_by_modules(facts, engine.empty())))
        if state.occurrences:
            raise NotMaintainableError("a rule asks which terms occur")
        self.work.core = "dred" if self.overdelete else "bf"
        self.work.count("equality: new rules", engine.instances - started, state.result.rounds)
        return state.result.facts, state.result.representatives

    def _heads_of(self, lost: Sequence[EncodedRule]) -> F:
        """Return what rules have derived; an equality of two members of one class is the class c = c."""
        engine, started = self.engine, self.engine.instances
        heads = engine.evaluate(engine.compile(lost), self.facts)
        equating = [rule for rule in lost if rule.head and (rule.head[1] == SAME or is_variable(rule.head[1]))]
        if equating and self.program.options.equality:
            plans, nothing = engine.compile(equating), engine.empty()
            heads = engine.union(heads, engine.heads_using(plans, nothing, self.facts, self.facts, self.mapping))
        self.work.count("lost rules", engine.instances - started)
        return heads


def _core_of(engine: Engine[F, P, M], core: Core[F, P], rules: Iterable[EncodedRule]) -> Core[F, P]:
    """Return a core with only some of its rules."""
    kept = tuple(rules)
    if len(kept) == len(core.rules.rules):
        return core
    stratum = EncodedStratum((), kept, frozenset(constant for rule in kept for constant in rule.constants))
    return compiled_core(engine, core.prepared.program, stratum, core.splits, modules=core.prepared.options.modules)
