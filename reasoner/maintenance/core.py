"""The part of a program that feeds owl:sameAs, maintained by B/F under rewriting.

Transitive predicates are closed and maintained by their module (Hu, Motik, Horrocks: Modular Materialisation of Datalog
Programs, 2019, section 5), also where their terms are merged or a class of them falls apart. What is symmetric, or has
an inverse, is so by joins, with one rule instance a fact. A module never reads rdf:type: where that is transitive, all
rules are left to joins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from reasoner.maintenance.backward_forward import BackwardForward
from reasoner.maintenance.core_closures import CoreClosures, GrowingClosures
from reasoner.maintenance.update import Work
from reasoner.reasoning.arrange import Arrangement, Options, Prepared, arrange, stratum_rules
from reasoner.reasoning.engine import Engine, F, M, P
from reasoner.reasoning.materialise import Computation, Materialisation, StratumFixpoint, closures_in
from reasoner.reasoning.program import EncodedProgram, EncodedStratum
from reasoner.rules.levels import SplitSet


class NotMaintainableError(Exception):
    """The change must be materialised from scratch; the message says why."""


@dataclass(slots=True, eq=False)
class CoreChange(Generic[F]):
    """A change of explicit facts as a core sees it: ``explicit`` are all explicit facts after the change, ``removed``
    facts over representatives that may be explicit no more, ``added`` facts as given that are explicit now.
    """

    explicit: F
    removed: F
    added: F


@dataclass(frozen=True, slots=True, eq=False)
class Core(Generic[F, P]):
    """Positive rules as one stratum, compiled for maintenance under rewriting, and the splits of their facts."""

    prepared: Prepared[P]
    rules: EncodedStratum
    backward: P
    splits: SplitSet

    @property
    def is_whole(self) -> bool:
        """Whether the facts of every split belong to the core."""
        return self.splits.is_everything


def prepare_core(
    engine: Engine[F, P, M],
    program: EncodedProgram,
    strata: tuple[EncodedStratum, ...],
    splits: SplitSet,
    *,
    modules: bool,
) -> Core[F, P]:
    """Compile strata as one."""
    rules = tuple(rule for stratum in strata for rule in stratum.rules)
    constants = frozenset(constant for stratum in strata for constant in stratum.constants)
    together = EncodedStratum((), rules, constants)
    options = _options(modules=modules)
    together.readings[options.equality] = {rule: True for stratum in strata for rule in stratum_rules(stratum, options)}
    return compiled_core(engine, program, together, splits, modules=modules)


def compiled_core(
    engine: Engine[F, P, M], program: EncodedProgram, rules: EncodedStratum, splits: SplitSet, *, modules: bool
) -> Core[F, P]:
    """Compile the rules of a core."""
    options = _options(modules=modules)
    arrangement = arrange(engine, stratum_rules(rules, options), options, occurrences=False)
    prepared = Prepared(program, options, {rules: arrangement})
    return Core(prepared, rules, engine.compile_backward(arrangement.joined), splits)


def _options(*, modules: bool) -> Options:
    return Options(equality=True, modules=modules, components=False)


def core_under(
    engine: Engine[F, P, M], core: Core[F, P], facts: F, representatives: M
) -> tuple[Core[F, P], Arrangement[P], CoreClosures[F, P, M]]:
    """Return a core with its rules under a mapping, and its closures; none, and all joins, if one reads rdf:type."""
    arrangement = Computation(engine, core.prepared, Materialisation(facts, representatives)).arrangement(core.rules)
    closures = CoreClosures(engine, arrangement.modules, facts)
    if not closures.read_type:
        return core, arrangement, closures
    by_joins = compiled_core(engine, core.prepared.program, core.rules, core.splits, modules=False)
    return core_under(engine, by_joins, facts, representatives)


def maintain_core_by_bf(
    engine: Engine[F, P, M],
    core: Core[F, P],
    change: CoreChange[F],
    facts: F,
    representatives: M,
    work: Work,
) -> tuple[F, M, bool]:
    """Return facts and mapping after a change of explicit facts: deletion by B/F, then semi-naive insertion.

    The third result tells whether a rule came to ask which terms occur.
    """
    occurrences = False
    before = engine.instances
    if not engine.is_empty(change.removed):
        chosen, arrangement, closures = core_under(engine, core, facts, representatives)
        ready = arrangement is chosen.prepared.arrangements[chosen.rules]
        run = BackwardForward(
            engine,
            chosen.prepared,
            chosen.rules,
            arrangement.every,
            chosen.backward if ready else engine.compile_backward(arrangement.joined),
            engine.difference(change.explicit, change.added),
            facts,
            representatives,
            chosen.splits,
            closures,
        )
        try:
            deletion = run.delete(change.removed, work.between_rounds)
        finally:
            work.count("equality: check", run.checking)
            work.count("equality: delete", engine.instances - before - run.checking, run.rounds)
        occurrences = run.proved.occurrences
        facts, representatives = deletion.facts, deletion.representatives
    if not engine.is_empty(change.added):
        before = engine.instances
        state = Computation(engine, core.prepared, Materialisation(facts, representatives))
        modules = state.arrangement(core.rules).modules
        closed = dict.fromkeys(closures_in(engine, modules, facts), engine.empty())
        fixpoint = StratumFixpoint(state, core.rules, GrowingClosures(engine, closed))
        try:
            fixpoint.run(change.added, lambda _: work.between_rounds())
        finally:
            work.count("equality: insert", engine.instances - before, state.result.rounds)
        occurrences = occurrences or state.occurrences
        facts, representatives = state.result.facts, state.result.representatives
    return facts, representatives, occurrences
