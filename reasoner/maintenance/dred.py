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

DRed under rewriting: B/F with equality in which no proof is looked for before a fact is given up.

The overdeletion is that of Motik, Nenov, Piro, Horrocks: Combining Rewriting and Incremental Maintenance for Datalog
Programs with Equality, 2015, algorithm 1, with nothing checked; what follows it is the rederivation and insertion of
their Maintenance of Datalog Materialisations Revisited, 2019, algorithm 4. An equality class c is the fact c = c.

    1  D <- pi(E-)
    2  repeat
    3      D <- D + facts of I - D that mention c, for c = c new in D
                + heads of the rule instances over I - D with a body atom that is new in D
                + facts of closures that chains with a fact that is new in D derive
    4  pi' <- pi with the classes c = c in D taken apart
    5  R <- explicit facts that D stands for
            + facts of D about whole classes that follow from I - D in one step, or by a chain of a closure
            + heads of all instances over I - D of the rules with a constant of a class that was taken apart
    6  insert R into (pi', I - D)

The facts of I - D mention no term of a class that was taken apart, so that rules derive facts about such terms only
from R, or by a constant of their own: that is why line 5 has to look at no members.
"""

from __future__ import annotations

from reasoner.maintenance.core import Core, CoreChange, core_under
from reasoner.maintenance.core_closures import GrowingClosures, LostChains, of_predicate
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.update import Update, Work
from reasoner.reasoning.engine import Engine, F, M, P
from reasoner.reasoning.materialise import Computation, Materialisation, StratumFixpoint, closures_in
from reasoner.reasoning.modules import Closure


def maintain_core_by_dred(
    engine: Engine[F, P, M],
    core: Core[F, P],
    change: CoreChange[F],
    facts: F,
    representatives: M,
    work: Work,
) -> tuple[F, M, bool]:
    """Return facts and mapping after a change of explicit facts, and whether a rule came to ask which terms occur."""
    before = engine.instances
    core, arrangement, closures = core_under(engine, core, facts, representatives)
    chains = LostChains(closures)
    deleted, delta = engine.empty(), change.removed  # 1
    while not engine.is_empty(delta):  # 2
        deleted = engine.union(deleted, delta)
        whole = engine.difference(facts, engine.difference(deleted, delta))
        rest = engine.difference(facts, deleted)
        found = engine.of_splits(engine.mentioning(rest, delta, representatives), core.splits)  # 3
        lost = engine.stored(delta)
        heads = engine.heads_using(arrangement.every, rest, lost, whole, representatives)
        heads = engine.union(heads, chains.through(lost))
        delta = engine.difference(engine.union(found, heads), deleted)
        work.count("equality: delete", engine.instances - before, 1)
        before = engine.instances
        work.between_rounds()
    surviving = engine.difference(facts, deleted)
    mapping = engine.replace_classes(representatives, engine.identity(), deleted)  # 4
    state = Computation(engine, core.prepared, Materialisation(surviving, mapping))
    closed: dict[Closure, F] = {}
    fixpoint = StratumFixpoint(state, core.rules, GrowingClosures(engine, closed))
    rederived = engine.standing_for(change.explicit, representatives, deleted)  # 5
    whole_classes = engine.difference(engine.stored(deleted), engine.mentioning(deleted, deleted, representatives))
    ready = fixpoint.arrangement is core.prepared.arrangements[core.rules]
    backward = core.backward if ready else engine.compile_backward(fixpoint.arrangement.joined)
    open_facts = engine.difference(whole_classes, rederived)
    derived = engine.derivable(backward, surviving, surviving, open_facts)
    apart = {
        constant
        for constant in core.rules.constants
        if engine.class_size(representatives, constant) != engine.class_size(mapping, constant)
    }
    for closure in closures_in(engine, fixpoint.arrangement.modules, surviving):
        if closure in closures.all:
            gone = of_predicate(engine, deleted, closure)
            closed[closure] = engine.rederived(closure, surviving, gone, None)
        else:
            closed[closure] = engine.close(closure, surviving, None)
        derived = engine.union(derived, closed[closure])
    if apart:
        changed = [rule for rule in fixpoint.arrangement.joined if not apart.isdisjoint(rule.constants)]
        derived = engine.union(derived, engine.evaluate(engine.compile(changed), surviving))
    work.count("equality: rederive", engine.instances - before)
    before = engine.instances
    found = engine.union(engine.union(rederived, derived), change.added)
    try:
        fixpoint.run(found, lambda _: work.between_rounds())  # 6
    finally:
        work.count("equality: insert", engine.instances - before, state.result.rounds)
    return state.result.facts, state.result.representatives, state.occurrences


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
