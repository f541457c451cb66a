"""Maintaining (pi, I): deletion by B/F, then insertion by semi-naive evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from reasoner.arrange import Options, Prepared, arrange, stratum_rules
from reasoner.engine import Engine, F, M, P
from reasoner.maintenance.backward_forward import BackwardForward
from reasoner.materialise import Materialisation, State, StratumFixpoint
from reasoner.program import EncodedProgram, EncodedStratum


class NotMaintainableError(Exception):
    """The change must be materialised from scratch; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class MaintenanceProgram(Generic[F, P]):
    """A positive program as one stratum, compiled for maintenance.

    ``stated`` are the heads of its rules without a body; ``obstacle`` says why it cannot be maintained.
    """

    prepared: Prepared[P]
    rules: EncodedStratum
    backward: P
    stated: F
    obstacle: str | None


@dataclass(slots=True)
class Maintained(Generic[F, M]):
    """(pi, I) after a change, and the work that it took."""

    facts: F
    representatives: M
    doubtful: int = 0
    checked: int = 0
    rounds: int = 0


def prepare_maintenance(engine: Engine[F, P, M], program: EncodedProgram, options: Options) -> MaintenanceProgram[F, P]:
    """Compile a program for maintenance."""
    rules = tuple(rule for stratum in program.strata for rule in stratum.rules)
    constants = frozenset(constant for stratum in program.strata for constant in stratum.constants)
    whole = EncodedStratum((), rules, constants)
    plain = Options(equality=options.equality, modules=False)
    obstacle = "a rule has a negated atom" if any(rule.negative for rule in rules) else None
    if any(name == "!=" for rule in rules for name, _ in rule.conditions):
        obstacle = "a rule tells terms apart by !="
    arrangement = arrange(engine, stratum_rules(whole, plain), plain, occurrences=False)
    facts = engine.compile(rule for rule in rules if not rule.body)
    stated = engine.evaluate(facts, engine.empty())
    prepared = Prepared(program, plain, {whole: arrangement})
    return MaintenanceProgram(prepared, whole, engine.compile_backward(arrangement.joined), stated, obstacle)


def maintain(
    engine: Engine[F, P, M],
    program: MaintenanceProgram[F, P],
    explicit: F,
    facts: F,
    representatives: M,
    removed: F,
    added: F,
) -> Maintained[F, M]:
    """Return (pi, I) after ``removed`` has left and ``added`` has joined the explicit facts.

    ``explicit`` are the explicit facts after the change, ``facts`` and ``representatives`` the state before it. Raises
    ``NotMaintainableError`` where only starting over is right.
    """
    if program.obstacle is not None:
        raise NotMaintainableError(program.obstacle)
    result = Maintained(facts, representatives)
    state = State(engine, program.prepared, Materialisation(facts, representatives))
    arrangement = state.arrangement(program.rules)
    if arrangement.sleeping and engine.any_match(arrangement.probes, facts):
        raise NotMaintainableError("a rule asks which terms occur")
    if not engine.is_empty(removed):
        kept = engine.union(engine.difference(explicit, added), program.stated)
        ready = arrangement is program.prepared.arrangements[program.rules]
        backward = program.backward if ready else engine.compile_backward(arrangement.joined)
        run = BackwardForward(
            engine,
            program.prepared,
            program.rules,
            arrangement.every,
            backward,
            kept,
            facts,
            representatives,
        )
        deletion = run.delete(removed)
        if run.proved.occurrences:
            raise NotMaintainableError("a rule asks which terms occur")
        result = Maintained(deletion.facts, deletion.representatives, deletion.doubtful, deletion.checked)
    if not engine.is_empty(added):
        state = State(engine, program.prepared, Materialisation(result.facts, result.representatives))
        StratumFixpoint(state, program.rules).run(added)
        if state.occurrences:
            raise NotMaintainableError("a rule asks which terms occur")
        result.facts, result.representatives = state.result.facts, state.result.representatives
        result.rounds = state.result.rounds
    return result
