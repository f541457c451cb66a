"""DRed: overdelete, rederive in one step, insert, stratum by stratum, with negation.

Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited, 2019, algorithm 4. Pi[I+, I- : P, N]
are the heads of the rule instances with positive atoms in I+ and negative atoms not in I-, of which some positive atom
is in P or some negative atom in N.

    40  for each stratum s
    41      overdelete
    42      R <- facts of D that are explicit, or derived by one instance of a rule of s over [I - (D - A), I + A]
    43      insert
    overdelete:
    46      N <- E- + Pi[I : D - A, A - D]
    47      loop
    48          delta <- N - D
    49          if delta is empty, stop
    50          N <- Pi_recursive[I - (D - A), I + A : delta]
    51          D <- D + delta
    insert:
    53      N <- R + E+ + Pi[(I - D) + A : A - D, D - A]
    54      loop
    55          delta <- N - ((I - D) + A)
    56          if delta is empty, stop
    57          A <- A + delta
    58          N <- Pi_recursive[(I - D) + A : delta]

Rules that a change of representatives takes away or brings lose and gain all their instances in lines 46 and 53.

Deviation: as the paper's last remark on the algorithm allows, D, A and I - D are kept disjoint in line 57 (see
``Update``), so that D - A is D, and A - D is A.
"""

from __future__ import annotations

from reasoner.engine import F, M, P
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.update import Update


def maintain_by_dred(update: Update[F, P, M], stratum: MaintainedStratum[F, P, M]) -> None:
    """Bring the facts of one stratum up to date, given the changes below it."""
    before = update.deleted
    with update.phase("delete"):
        overdelete(update, stratum)  # 41
    with update.phase("rederive"):
        rederived = rederivable(update, stratum, update.engine.difference(update.deleted, before))  # 42
    with update.phase("insert"):
        insert(update, stratum, rederived)  # 43


def overdelete(update: Update[F, P, M], stratum: MaintainedStratum[F, P, M]) -> None:
    """Move all facts that rest on what has gone to D."""
    engine = update.engine
    found = lost_at_first(update, stratum)  # 46
    while True:
        delta = engine.difference(found, update.deleted)  # 48
        if engine.is_empty(delta):  # 49
            return
        update.work.end_round()
        if stratum.is_recursive:
            found = engine.changed_heads(stratum.recursive_kept, update.surviving, update.ever, delta)  # 50
            found = stratum.own_heads(found)
        else:
            found = engine.empty()
        update.delete(delta)  # 51


def lost_at_first(update: Update[F, P, M], stratum: MaintainedStratum[F, P, M]) -> F:
    """Return what loses an explicit fact or a rule instance by the changes of the explicit facts and below."""
    engine = update.engine
    given = engine.of_splits(update.removed, stratum.intake)
    heads = engine.empty()
    if update.has_changed:
        heads = engine.changed_heads(stratum.kept, update.facts, update.facts, update.deleted, update.added)
    if stratum.lost_rules:
        heads = engine.union(heads, engine.evaluate(engine.compile(stratum.lost_rules), update.facts))
    return engine.union(given, stratum.own_heads(heads))


def rederivable(update: Update[F, P, M], stratum: MaintainedStratum[F, P, M], facts: F) -> F:
    """Return the facts that are explicit, or follow from what survives in one step."""
    engine = update.engine
    if engine.is_empty(facts):
        return facts
    explicit = update.explicit_among(facts)
    rest = engine.difference(facts, explicit)
    derived = engine.derivable(stratum.backward, update.surviving, update.ever, rest)
    return engine.extend(explicit, derived)


def insert(update: Update[F, P, M], stratum: MaintainedStratum[F, P, M], rederived: F) -> None:
    """Add what is rederived, explicit, or new because of changes below, and all that follows."""
    engine = update.engine
    given = engine.of_splits(update.added_explicit, stratum.intake)
    current = update.current
    found = engine.empty()
    if update.has_changed:
        found = engine.changed_heads(stratum.kept, current, current, update.added, update.deleted)  # 53
    if stratum.new_rules:
        found = engine.union(found, engine.evaluate(engine.compile(stratum.new_rules), current))
    found = engine.union(engine.union(rederived, given), stratum.own_heads(found))
    while True:
        delta = engine.difference(found, update.current)  # 55
        if engine.is_empty(delta):  # 56
            return
        update.work.end_round()
        update.add(delta)  # 57
        found = engine.empty()
        if stratum.is_recursive:
            current = update.current
            found = stratum.own_heads(engine.changed_heads(stratum.recursive, current, current, delta))  # 58
