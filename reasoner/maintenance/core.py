"""The part of a program that feeds owl:sameAs, maintained by B/F under rewriting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from reasoner.arrange import Options, Prepared, arrange, stratum_rules
from reasoner.engine import Engine, F, M, P
from reasoner.maintenance.backward_forward import BackwardForward
from reasoner.maintenance.work import Work
from reasoner.materialise import Materialisation, State, StratumFixpoint
from reasoner.program import EncodedProgram, EncodedStratum
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
    engine: Engine[F, P, M], program: EncodedProgram, strata: tuple[EncodedStratum, ...], splits: SplitSet
) -> Core[F, P]:
    """Compile strata as one."""
    rules = tuple(rule for stratum in strata for rule in stratum.rules)
    constants = frozenset(constant for stratum in strata for constant in stratum.constants)
    together = EncodedStratum((), rules, constants)
    plain = Options(equality=True, modules=False)
    arrangement = arrange(engine, stratum_rules(together, plain), plain, occurrences=False)
    prepared = Prepared(program, plain, {together: arrangement})
    return Core(prepared, together, engine.compile_backward(arrangement.joined), splits)


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
        state = State(engine, core.prepared, Materialisation(facts, representatives))
        arrangement = state.arrangement(core.rules)
        ready = arrangement is core.prepared.arrangements[core.rules]
        run = BackwardForward(
            engine,
            core.prepared,
            core.rules,
            arrangement.every,
            core.backward if ready else engine.compile_backward(arrangement.joined),
            engine.difference(change.explicit, change.added),
            facts,
            representatives,
            core.splits,
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
        state = State(engine, core.prepared, Materialisation(facts, representatives))
        try:
            StratumFixpoint(state, core.rules).run(change.added, lambda _: work.between_rounds())
        finally:
            work.count("equality: insert", engine.instances - before, state.result.rounds)
        occurrences = occurrences or state.occurrences
        facts, representatives = state.result.facts, state.result.representatives
    return facts, representatives, occurrences
