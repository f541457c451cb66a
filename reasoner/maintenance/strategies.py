"""The strategies by name: how the strata above equality are brought up to date."""

from __future__ import annotations

from typing import Any

from reasoner.engine import F, M, Multiset, P
from reasoner.maintenance.closure_modules import maintain_with_modules
from reasoner.maintenance.counting import maintain_by_counting
from reasoner.maintenance.declarative_strategy import maintain_declaratively
from reasoner.maintenance.dred import maintain_by_dred
from reasoner.maintenance.dredc import counted_materialisation, maintain_by_dredc
from reasoner.maintenance.fbf import maintain_by_fbf
from reasoner.maintenance.modular_strata import ModularStratum, modular_strata
from reasoner.maintenance.program import MaintenanceProgram, Strategy
from reasoner.maintenance.rule_difference import counterpart
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.trace import StratumTrace, Trace, traced_materialisation
from reasoner.maintenance.update import Update

STRATEGIES = ("auto", "bf", "fbf", "dred", "dredc", "counting", "declarative", "rematerialise")

# Strategies that ``auto`` lets race for a change in which something is lost, the usual one first; where nothing is lost
# they all do the same.
RUNNERS = ("bf", "dred", "fbf")

# Strategies that do the same as one another in the core of equality.
SAME_IN_CORE = ("bf", "fbf")

# Strategies that remember something from one change to the next, so that a store can be made for them.
WITH_MEMORY = ("counting", "dredc")

Strata = tuple[MaintainedStratum[F, P, M], ...]

# How deep fbf searches for proofs if nobody says so.
DEPTH = 2


def strategy_of(name: str, depth: int | None = None) -> Strategy[Any, Any, Any]:
    """Return the strategy of a name; ``depth`` is how far fbf searches backward before it gives a fact up for lost."""
    if name == "declarative":
        return maintain_declaratively
    if name == "dred":
        return _by_dred
    if name == "fbf":
        limit = DEPTH if depth is None else depth
        return lambda update, program, strata: _by_fbf(update, program, strata, limit)
    return lambda update, program, strata: _by_fbf(update, program, strata, None)


class Counting:
    """Recursive counting; ``before`` is the trace of the state before, ``memory`` that after it was called.

    If rules change, ``strata`` are those that the trace is of.
    """

    def __init__(self, memory: Trace[Any], strata: Strata[Any, Any, Any] | None = None) -> None:
        self.before = memory
        self.memory: Trace[Any] | None = None
        self._strata = strata

    def __call__(self, update: Update[F, P, M], program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M]) -> None:
        traces = [self._trace_of(stratum, at) for at, stratum in enumerate(strata)]
        pairs = zip(strata, traces, strict=True)
        self.memory = Trace(tuple(maintain_by_counting(update, stratum, trace) for stratum, trace in pairs))

    def _trace_of(self, stratum: MaintainedStratum[Any, Any, Any], at: int) -> StratumTrace[Any] | None:
        """Return what is remembered of a stratum, which need not be where it was when rules change."""
        if stratum.is_changing:
            return None
        if self._strata is None:
            return self.before.strata[at]
        old = counterpart(stratum, self._strata)
        return None if old is None else self.before.strata[self._strata.index(old)]


class CountedDRed:
    """DRed with modules; ``before`` are the nonrecursive counters, ``memory`` those after it was called."""

    def __init__(self, memory: Multiset[Any]) -> None:
        self.before = memory
        self.memory: Multiset[Any] | None = None

    def __call__(self, update: Update[F, P, M], program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M]) -> None:
        counters = self.before
        for stratum in _modular(program, strata):
            counters = maintain_by_dredc(update, stratum, counters)
        # A predicate that no rule writes any more leaves no stratum behind that would count it.
        counters = counters.without(update.engine.of_splits(counters.facts, program.base))
        self.memory = counters


def strategy_with_memory(
    name: str,
    memory: object,
    program: MaintenanceProgram[F, P, M],
    explicit: F,
    facts: F,
    mapping: M,
    *,
    rules_change: bool = False,
) -> Counting | CountedDRed:
    """Return a strategy with what it remembers of a state under a program, which is computed if that is not known."""
    if name == "counting":
        trace = memory if isinstance(memory, Trace) else trace_of(program, explicit, facts, mapping)
        return Counting(trace, program.strata_between(mapping, mapping) if rules_change else None)
    known: Any = None if isinstance(memory, Trace) else memory
    return CountedDRed(counters_of(program, explicit, facts, mapping) if known is None else known)


def is_memory_of(name: str, memory: object) -> bool:
    """Tell whether a strategy with memory can go on from something that was remembered."""
    return memory is not None and isinstance(memory, Trace) == (name == "counting")


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
        if update.concerns(stratum):
            maintain_by_dred(update, stratum)


def _by_fbf(
    update: Update[F, P, M], program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M], depth: int | None
) -> None:
    if not program.options.modules:
        for plain in strata:
            if update.concerns(plain):
                maintain_by_fbf(update, plain, depth)
        return
    for stratum in _modular(program, strata):
        if update.concerns(stratum.stratum):
            maintain_with_modules(update, stratum, depth)


def _modular(program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M]) -> tuple[ModularStratum[F, P, M], ...]:
    """Return strata with their modules; those of strata of the program itself are kept."""
    kept: Any = program.cache.setdefault("modular", {})
    own, missing = frozenset(program.strata), [stratum for stratum in strata if stratum not in kept]
    made = dict(zip(missing, modular_strata(program.engine, missing), strict=True))
    kept |= {stratum: modular for stratum, modular in made.items() if stratum in own}
    return tuple(made[stratum] if stratum in made else kept[stratum] for stratum in strata)
