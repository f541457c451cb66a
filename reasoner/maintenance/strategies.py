"""The strategies by name: how the strata above equality are brought up to date."""

from __future__ import annotations

from typing import Any

from reasoner.engine import F, M, Multiset, P
from reasoner.maintenance.closure_modules import maintain_with_modules
from reasoner.maintenance.core import NotMaintainableError
from reasoner.maintenance.counting import maintain_by_counting
from reasoner.maintenance.declarative import DeclarativeMaintenance
from reasoner.maintenance.dred import maintain_by_dred
from reasoner.maintenance.dredc import counted_materialisation, maintain_by_dredc
from reasoner.maintenance.fbf import maintain_by_fbf
from reasoner.maintenance.maintain import MaintenanceProgram, Strategy
from reasoner.maintenance.modular_strata import ModularStratum, modular_strata
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.trace import Trace, traced_materialisation
from reasoner.maintenance.update import Update
from reasoner.rules.encode import equality_readings

STRATEGIES = ("auto", "bf", "fbf", "dred", "dredc", "counting", "declarative", "rematerialise")

# Strategies that remember something from one change to the next, so that a store can be made for them.
WITH_MEMORY = ("counting", "dredc")

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
        return lambda update, program, strata: _by_fbf(update, program, strata, limit)
    return lambda update, program, strata: _by_fbf(update, program, strata, None)


class Counting:
    """Recursive counting; ``before`` is the trace of the state before, ``memory`` that after it was called."""

    def __init__(self, memory: Trace[Any]) -> None:
        self.before = memory
        self.memory: Trace[Any] | None = None

    def __call__(self, update: Update[F, P, M], program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M]) -> None:
        pairs = zip(strata, self.before.strata, strict=True)
        self.memory = Trace(tuple(maintain_by_counting(update, stratum, trace) for stratum, trace in pairs))


class CountedDRed:
    """DRed with modules; ``before`` are the nonrecursive counters, ``memory`` those after it was called."""

    def __init__(self, memory: Multiset[Any]) -> None:
        self.before = memory
        self.memory: Multiset[Any] | None = None

    def __call__(self, update: Update[F, P, M], program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M]) -> None:
        counters = self.before
        for stratum in _modular(program, strata):
            counters = maintain_by_dredc(update, stratum, counters)
        self.memory = counters


def strategy_with_memory(
    name: str, memory: object, program: MaintenanceProgram[F, P, M], explicit: F, facts: F, mapping: M
) -> Counting | CountedDRed:
    """Return a strategy with what it remembers of a state, which is computed if that is not known."""
    if name == "counting":
        return Counting(memory if isinstance(memory, Trace) else trace_of(program, explicit, facts, mapping))
    known: Any = None if isinstance(memory, Trace) else memory
    return CountedDRed(counters_of(program, explicit, facts, mapping) if known is None else known)


def counters_of(program: MaintenanceProgram[F, P, M], explicit: F, facts: F, mapping: M) -> Multiset[F]:
    """Return the nonrecursive counters above equality, given explicit facts as they were added and (pi, I)."""
    engine, strata = program.engine, program.strata_between(mapping, mapping)
    explicit = engine.union(explicit, program.stated)
    if program.options.equality:
        explicit = engine.normalise(engine.irreflexive(explicit), mapping)
    return counted_materialisation(engine, strata, facts, explicit)


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


def _by_fbf(
    update: Update[F, P, M], program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M], depth: int | None
) -> None:
    if not program.options.modules:
        for plain in strata:
            maintain_by_fbf(update, plain, depth)
        return
    for stratum in _modular(program, strata):
        maintain_with_modules(update, stratum, depth)


def _modular(program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M]) -> tuple[ModularStratum[F, P, M], ...]:
    """Return strata with their modules; those of the program itself are kept."""
    if strata is not program.strata:
        return modular_strata(program.engine, strata)
    if "modular" not in program.cache:
        program.cache["modular"] = modular_strata(program.engine, strata)
    kept: Any = program.cache["modular"]
    return tuple(kept)


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
