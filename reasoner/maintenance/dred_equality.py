"""DRed under rewriting: B/F with equality in which no proof is looked for before a fact is given up.

The overdeletion is that of Motik, Nenov, Piro, Horrocks: Combining Rewriting and Incremental Maintenance for Datalog
Programs with Equality, 2015, algorithm 1, with nothing checked; what follows it is the rederivation and insertion of
their Maintenance of Datalog Materialisations Revisited, 2019, algorithm 4. An equality class c is the fact c = c.

    1  D <- pi(E-)
    2  repeat
    3      D <- D + facts of I - D that mention c, for c = c new in D
                + heads of the rule instances over I - D with a body atom that is new in D
    4  pi' <- pi with the classes c = c in D taken apart
    5  R <- explicit facts that D stands for
            + facts of D about whole classes that follow from I - D in one step
            + heads of all instances over I - D of the rules with a constant of a class that was taken apart
    6  insert R into (pi', I - D)

The facts of I - D mention no term of a class that was taken apart, so that rules derive facts about such terms only
from R, or by a constant of their own: that is why line 5 has to look at no members.
"""

from __future__ import annotations

from reasoner.engine import Engine, F, M, P
from reasoner.maintenance.core import Core, CoreChange
from reasoner.maintenance.work import Work
from reasoner.materialise import Materialisation, State, StratumFixpoint


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
    state = State(engine, core.prepared, Materialisation(facts, representatives))
    arrangement = state.arrangement(core.rules)
    deleted, delta = engine.empty(), change.removed  # 1
    while not engine.is_empty(delta):  # 2
        deleted = engine.union(deleted, delta)
        whole = engine.difference(facts, engine.difference(deleted, delta))
        rest = engine.difference(facts, deleted)
        found = engine.of_splits(engine.mentioning(rest, delta, representatives), core.splits)  # 3
        heads = engine.heads_using(arrangement.every, rest, engine.stored(delta), whole, representatives)
        delta = engine.difference(engine.union(found, heads), deleted)
        work.count("equality: delete", engine.instances - before, 1)
        before = engine.instances
        work.between_rounds()
    surviving = engine.difference(facts, deleted)
    mapping = engine.replace_classes(representatives, engine.identity(), deleted)  # 4
    state = State(engine, core.prepared, Materialisation(surviving, mapping))
    fixpoint = StratumFixpoint(state, core.rules)
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
