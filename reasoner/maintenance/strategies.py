"""The strategies by name: how the strata above equality are brought up to date."""

from __future__ import annotations

from typing import Any

from reasoner.engine import F, M, P
from reasoner.maintenance.core import NotMaintainableError
from reasoner.maintenance.counting import maintain_by_counting
from reasoner.maintenance.declarative import DeclarativeMaintenance
from reasoner.maintenance.dred import maintain_by_dred
from reasoner.maintenance.fbf import maintain_by_fbf
from reasoner.maintenance.maintain import MaintenanceProgram, Strategy
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.trace import Trace, traced_materialisation
from reasoner.maintenance.update import Update
from reasoner.rules.encode import equality_readings

STRATEGIES = ("auto", "bf", "fbf", "dred", "counting", "declarative", "rematerialise")

# Strategies that remember something from one change to the next, and so are chosen when a store is made.
WITH_MEMORY = ("counting",)

Strata = tuple[MaintainedStratum[F, P, M], ...]

# How deep fbf searches for proofs if nobody says so.
DEPTH = 2


def strategy_of(name: str, depth: int | None = None) -> Strategy[Any, Any, Any]:
    """Return the strategy of a name; ``depth`` is how far fbf searches backward before it gives a fact up for lost."""
    if name == "declarative":
        return _declaratively
    if name == "dred":
        return _by_dred
    if name == "fbf":
        limit = DEPTH if depth is None else depth
        return lambda update, _, strata: _by_fbf(update, strata, limit)
    return lambda update, _, strata: _by_fbf(update, strata, None)


class Counting:
    """Recursive counting; ``memory`` is the trace before it is called, and the new one after it."""

    def __init__(self, memory: Trace[Any]) -> None:
        self.memory: Trace[Any] | None = None
        self._before = memory

    def __call__(self, update: Update[F, P, M], program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M]) -> None:
        pairs = zip(strata, self._before.strata, strict=True)
        self.memory = Trace(tuple(maintain_by_counting(update, stratum, trace) for stratum, trace in pairs))


def trace_of(program: MaintenanceProgram[F, P, M], explicit: F, facts: F, mapping: M) -> Trace[F]:
    """Return the trace of the strata above equality, given explicit facts as they were added and (pi, I)."""
    engine, strata = program.engine, program.strata_between(mapping, mapping)
    explicit = engine.union(explicit, program.stated)
    if program.options.equality:
        explicit = engine.normalise(engine.irreflexive(explicit), mapping)
    below = engine.of_splits(facts, strata[0].settled) if strata else engine.empty()
    return traced_materialisation(engine, strata, below, explicit)[1]


def _by_dred(update: Update[F, P, M], program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M]) -> None:
    for stratum in strata:
        maintain_by_dred(update, stratum)


def _by_fbf(update: Update[F, P, M], strata: Strata[F, P, M], depth: int | None) -> None:
    for stratum in strata:
        maintain_by_fbf(update, stratum, depth)


def _declaratively(update: Update[F, P, M], program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M]) -> None:
    """Let the maintenance program tell what all strata lose and gain; facts of the core are explicit to it."""
    if strata is not program.strata:
        raise NotMaintainableError(
            "constants of rules are equal to others, which the declarative program does not know"
        )
    engine = update.engine
    if "declarative" not in program.cache:
        program.cache["declarative"] = DeclarativeMaintenance(engine, _plain_rules(program), program.program.terms)
    maintenance: Any = program.cache["declarative"]
    explicit = engine.normalise(update.explicit, update.representatives)
    explicit = engine.union(explicit, engine.of_splits(update.current, program.core.splits))
    removed, added = engine.union(update.removed, update.deleted), engine.union(update.added_explicit, update.added)
    with update.phase("evaluate"):
        lost, gained = maintenance.maintain(explicit, update.facts, removed, added)
    update.delete(engine.difference(lost, update.deleted))
    update.add(engine.difference(gained, update.current))


def _plain_rules(program: MaintenanceProgram[F, P, M]) -> list[Any]:
    """Return the rules of the strata as they were written, if none of them reads equality or has other constants."""
    rules = {rule: None for stratum in program.strata for rule in stratum.rules}
    if program.options.equality and any(equality_readings(rule) != [rule] for rule in rules):
        raise NotMaintainableError("a rule reads owl:sameAs, which the declarative program takes for a plain predicate")
    return [rule.origin for rule in rules]
