"""The strategies by name: how the strata above equality are brought up to date.

Keeping closures of transitive predicates up to date without any memory from one change to the next.

Hu, Motik, Horrocks: Modular Materialisation of Datalog Programs, 2019, maintain the external facts X_R of a transitive
module by counters. Where the closure is isolated (no other recursive rule writes R), a fact of R is external if it is
explicit or has a nonrecursive derivation, which can be asked when it matters:

    1  lost <- facts of R that lose an explicit fact or a nonrecursive instance, and are not external any more
    2  D <- D + the facts of R that no chain of external facts derives any more
    3  gained <- facts that become external and that R lacks
    4  A <- A + gained + what chains with them derive

External facts do not depend on R, so that line 2 needs no overdeletion, which the paper proposes to avoid in section 8.
They are asked for near the lost ones only, or where that is more than all there are, all are computed.
"""

from __future__ import annotations

from typing import Any

from reasoner.maintenance.counting import DerivationTrace, StratumTrace, maintain_by_counting, traced_materialisation
from reasoner.maintenance.declarative import maintain_declaratively
from reasoner.maintenance.dred import maintain_by_dred
from reasoner.maintenance.dredc import AskedSupport, counted_materialisation, maintain_by_dredc, maintain_modules
from reasoner.maintenance.fbf import maintain_by_fbf
from reasoner.maintenance.modular_strata import IsolatedClosure, ModularStratum, modular_strata
from reasoner.maintenance.program import MaintenanceProgram, Strategy
from reasoner.maintenance.rule_difference import counterpart
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.update import Update
from reasoner.reasoning.engine import F, M, Multiset, P
from reasoner.rules.encode import is_variable

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

    def __init__(self, memory: DerivationTrace[Any], strata: Strata[Any, Any, Any] | None = None) -> None:
        self.before = memory
        self.memory: DerivationTrace[Any] | None = None
        self._strata = strata

    def __call__(self, update: Update[F, P, M], program: MaintenanceProgram[F, P, M], strata: Strata[F, P, M]) -> None:
        traces = [self._trace_of(stratum, at) for at, stratum in enumerate(strata)]
        pairs = zip(strata, traces, strict=True)
        self.memory = DerivationTrace(tuple(maintain_by_counting(update, stratum, trace) for stratum, trace in pairs))

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
        trace = memory if isinstance(memory, DerivationTrace) else trace_of(program, explicit, facts, mapping)
        return Counting(trace, program.strata_between(mapping, mapping) if rules_change else None)
    known: Any = None if isinstance(memory, DerivationTrace) else memory
    return CountedDRed(counters_of(program, explicit, facts, mapping) if known is None else known)


def is_memory_of(name: str, memory: object) -> bool:
    """Tell whether a strategy with memory can go on from something that was remembered."""
    return memory is not None and isinstance(memory, DerivationTrace) == (name == "counting")


def counters_of(program: MaintenanceProgram[F, P, M], explicit: F, facts: F, mapping: M) -> Multiset[F]:
    """Return the nonrecursive counters above equality, given explicit facts as they were added and (pi, I)."""
    engine, strata = program.engine, program.strata_between(mapping, mapping)
    explicit = engine.union(explicit, program.stated)
    if program.options.equality:
        explicit = engine.normalise(engine.irreflexive(explicit), mapping)
    return counted_materialisation(engine, strata, facts, explicit)


def trace_of(program: MaintenanceProgram[F, P, M], explicit: F, facts: F, mapping: M) -> DerivationTrace[F]:
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


# Computing this many external facts costs no more than finding out which are near.
_FEW = 50_000

# A closure that other recursive rules write is left to joins, which delete less, until it has more facts than this.
_JOINS_UP_TO = 20_000


def maintain_with_modules(update: Update[F, P, M], stratum: ModularStratum[F, P, M], depth: int | None = None) -> None:
    """Bring the facts of one stratum up to date: isolated closures exactly, then the other rules by FBF of a depth.

    Where another closure is large, the other rules are maintained by algorithm 3 of the paper.
    """
    for isolated in stratum.isolated:
        maintain_closure(update, isolated)
    count = update.engine.count
    if any(count(update.facts, closure.predicate) > _JOINS_UP_TO for closure in stratum.entangled):
        rest = stratum.beside_all
        maintain_modules(update, rest, stratum.entangled, AskedSupport(update, rest))
    else:
        maintain_by_fbf(update, stratum.beside_isolated, depth)


def maintain_closure(update: Update[F, P, M], isolated: IsolatedClosure[P]) -> None:
    """Bring the facts of an isolated closure up to date, given the changes below it."""
    engine, closure, splits = update.engine, isolated.closure, isolated.splits
    with update.phase("delete"):
        facts = update.facts
        heads = engine.changed_heads(isolated.kept, facts, facts, update.deleted, update.added)
        heads = engine.union(heads, engine.evaluate(isolated.lost, facts))
        doubtful = engine.union(engine.of_splits(update.removed, splits), engine.of_splits(heads, splits))
        lost = engine.difference(doubtful, _external_among(update, isolated, doubtful))  # 1
        if not engine.is_empty(lost):
            external, nearby = _external_facts(update, isolated, lost)
            update.delete(engine.unsupported(closure, facts, lost, external, nearby=nearby))  # 2
    with update.phase("insert"):
        current = update.current
        heads = engine.changed_heads(isolated.kept, current, current, update.added, update.deleted)
        heads = engine.union(heads, engine.evaluate(isolated.new, current))
        gained = engine.union(engine.of_splits(update.added_explicit, splits), engine.of_splits(heads, splits))
        gained = engine.difference(gained, current)  # 3
        if not engine.is_empty(gained):
            update.add(engine.derived_by_new_edges(closure, current, gained))  # 4


def _external_facts(update: Update[F, P, M], isolated: IsolatedClosure[P], lost: F) -> tuple[F, bool]:
    """Return the external facts that can take the place of lost ones, and whether they are only those nearby."""
    engine, closure = update.engine, isolated.closure
    cost = _cost_of_all(update, isolated)
    near = engine.neighbourhood(closure, update.facts, lost, cost) if cost > _FEW else None
    if near is not None:
        return _external_among(update, isolated, near), True
    given = engine.explicit_of(update.explicit, update.representatives, closure.predicate)
    derived = engine.of_splits(engine.evaluate(isolated.forward, update.current), isolated.splits)
    return engine.union(given, derived), False


def _external_among(update: Update[F, P, M], isolated: IsolatedClosure[P], facts: F) -> F:
    """Return the facts that are explicit after the change, or have a nonrecursive derivation."""
    engine = update.engine
    if engine.is_empty(facts):
        return facts
    explicit = update.explicit_among(facts)
    rest = engine.difference(facts, explicit)
    if not isolated.writers or engine.is_empty(rest):
        return explicit
    return engine.extend(explicit, engine.derivable(isolated.backward, update.current, update.current, rest))


def _cost_of_all(update: Update[F, P, M], isolated: IsolatedClosure[P]) -> int:
    """Estimate what computing all external facts costs: the explicit ones, and the largest relation of each rule."""
    engine, facts = update.engine, update.facts
    cost = engine.count(update.explicit, isolated.closure.predicate)
    for rule in isolated.writers:
        sizes = (engine.size(facts) if is_variable(p) else engine.count(facts, p) for _, p, _ in rule.body)
        cost += max(sizes, default=0)
    return cost
