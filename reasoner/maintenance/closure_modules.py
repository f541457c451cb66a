"""Keeping closures of transitive predicates up to date without any memory from one change to the next.

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

from reasoner.engine import F, M, P
from reasoner.maintenance.dredc import AskedSupport, maintain_modules
from reasoner.maintenance.fbf import maintain_by_fbf
from reasoner.maintenance.modular_strata import IsolatedClosure, ModularStratum
from reasoner.maintenance.update import Update
from reasoner.rules.encode import is_variable

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
