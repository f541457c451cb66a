"""DRed with nonrecursive counters and pluggable modules, stratum by stratum.

Hu, Motik, Horrocks: Modular Materialisation of Datalog Programs, 2019, algorithm 3. C_nr counts the nonrecursive
derivations of a fact, an explicit fact being one; D, A and Pi[I+, I- : P, N] are those of DRed. The functions of the
transitive and the symmetric-transitive modules (algorithms 4-9) are the engine's.

    17  for each stratum s
    overdelete:
    23      delta <- E- + Pi_nr[I : D - A, A - D], and these leave C_nr
    24-25   delta <- delta + Diff_i[I, D - A, A - D], for each module i
    26      while delta is not empty
    28          delta_i <- Del_i[I - (D - A), I + A, delta - delta_i, C_nr], for each module i
    29          D <- D + delta
    30          delta <- all delta_i
    rederive and insert:
    32      delta <- E+ + Pi_nr[(I - D) + A : A - D, D - A], and these join C_nr
    33-34   delta_i <- Red_i[I, (I - D) + A, D - A], for each module i
    35      delta <- delta + delta_i + Diff_i[(I - D) + A, A - D, D - A]
    36      while delta is not empty
    37          A <- A + delta
    39          delta_i <- Add_i[(I - D) + A, (I - D) + A, delta - delta_i], for each module i
    40          delta <- all delta_i

Deviation: in lines 23 and 25 too only facts with a zero counter are deleted, since nothing would bring the others back.
The rules that no module is made for are evaluated one round in lines 28 and 39, over all of delta, and rederive in one
step in line 34, which comes to the same. Neither X_R nor C_R is kept: X_R is all facts with a counter where no other
recursive rule writes R, elsewhere line 34 walks over all facts that are left; a component is a row of the closed R. Del
looks chains up in I, which is closed, instead of in I - D, which need not be. D, A and I - D are kept disjoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, Protocol

from reasoner.maintenance.dred import lost_at_first
from reasoner.maintenance.modular_strata import ModularStratum
from reasoner.maintenance.strata import MaintainedStratum
from reasoner.maintenance.update import Update
from reasoner.reasoning.engine import Engine, F, M, Multiset, P
from reasoner.reasoning.modules import Closure


class Support(Protocol[F]):
    """What is known of the nonrecursive derivations of a stratum's facts: C_nr, or whatever answers for it."""

    def lose(self) -> F:
        """Take out the nonrecursive derivations that the changes below end; return the heads of all that they end."""
        ...

    def gain(self) -> F:
        """Put in the nonrecursive derivations that the changes below begin; return the heads of all that they begin."""
        ...

    def among(self, facts: F) -> F:
        """Return the facts that have a derivation."""
        ...

    def external(self, closure: Closure) -> F | None:
        """Return the external facts X_R of a module, or None where nonrecursive derivations do not tell."""
        ...


def maintain_by_dredc(update: Update[F, P, M], stratum: ModularStratum[F, P, M], counters: Multiset[F]) -> Multiset[F]:
    """Bring the facts of one stratum up to date, given the changes below it; return the counters after the change.

    Where rules change, or because of others are recursive no more or now, their derivations are counted anew.
    """
    rest = stratum.without_closures
    if rest.is_changing:
        maintain_modules(update, rest, stratum.closures, AskedSupport(update, rest))
        return _recounted(update, rest, counters)
    isolated = [module.closure for module in stratum.isolated]
    support = CountedSupport(update, rest, isolated, counters)
    maintain_modules(update, rest, stratum.closures, support)
    return support.counters


def counted_materialisation(
    engine: Engine[F, P, M], strata: Iterable[MaintainedStratum[F, P, M]], facts: F, explicit: F
) -> Multiset[F]:
    """Return C_nr of a materialisation: ``facts`` are all of it, ``explicit`` those explicit or stated by a rule, both
    over representatives."""
    counters = engine.multiset(engine.empty())
    for stratum in strata:
        counters = counters.plus(_counted_stratum(engine, stratum, facts, explicit))
    return counters


def maintain_modules(
    update: Update[F, P, M], rest: MaintainedStratum[F, P, M], closures: Sequence[Closure], support: Support[F]
) -> None:
    """Bring the facts of one stratum up to date; ``rest`` are the rules that are not of the closures."""
    run = _Modules(update, rest, closures, support)
    with update.phase("delete"):
        run.overdelete()
    with update.phase("rederive"):
        rederived = run.rederived()
    with update.phase("insert"):
        run.insert(rederived)


class _Modules(Generic[F, P, M]):
    """Algorithm 3 on one stratum; ``gone`` are the facts of the stratum in D."""

    def __init__(
        self,
        update: Update[F, P, M],
        rest: MaintainedStratum[F, P, M],
        closures: Sequence[Closure],
        support: Support[F],
    ) -> None:
        self.update = update
        self.engine = update.engine
        self.rest = rest
        self.closures = closures
        self.support = support
        self.gone = self._safe = update.engine.empty()

    def overdelete(self) -> None:
        """Move all facts without nonrecursive derivations that rest on what has gone to D."""
        engine, update, rest = self.engine, self.update, self.rest
        delta = self._doubtful(self.support.lose())  # 23-25
        last = {closure: engine.empty() for closure in self.closures}  # 22
        while not engine.is_empty(delta):  # 26
            update.work.end_round()
            found = engine.changed_heads(rest.recursive_kept, update.surviving, update.ever, delta)  # 28
            update.delete(delta)  # 29
            self.gone = engine.extend(self.gone, delta)
            following = self._doubtful(rest.own_heads(found))
            for closure in self.closures:
                edges = engine.difference(delta, last[closure])
                if engine.count(edges, closure.predicate):
                    last[closure] = self._doubtful(engine.derived_by_edges(closure, update.facts, edges))  # 28
                    following = engine.union(following, last[closure])
            delta = following  # 30

    def _doubtful(self, facts: F) -> F:
        """Return the facts that are not in D and have no nonrecursive derivation; no fact is asked about twice."""
        engine = self.engine
        facts = engine.difference(engine.difference(facts, self.gone), self._safe)
        safe = self.support.among(facts)
        self._safe = engine.extend(self._safe, safe)
        return engine.difference(facts, safe)

    def rederived(self) -> dict[Closure | None, F]:
        """Return what each module derives again, and under None what the other rules do."""
        engine, update = self.engine, self.update
        found: dict[Closure | None, F] = {}
        for closure in self.closures:
            found[closure] = engine.empty()
            if engine.count(self.gone, closure.predicate):
                external = self.support.external(closure)
                found[closure] = engine.rederived(closure, update.surviving, self.gone, external)  # 34
        backward = self.rest.backward_recursive
        found[None] = engine.derivable(backward, update.surviving, update.ever, self.gone)
        return found

    def insert(self, rederived: dict[Closure | None, F]) -> None:
        """Add what is rederived, explicit, or new because of changes below, and all that follows."""
        engine, update, rest = self.engine, self.update, self.rest
        delta = engine.difference(self.support.gain(), update.current)  # 32, 35
        for found in rederived.values():
            delta = engine.union(delta, found)
        last = {closure: rederived[closure] for closure in self.closures}
        while not engine.is_empty(delta):  # 36
            update.work.end_round()
            before = update.current
            update.add(delta)  # 37
            following = engine.changed_heads(rest.recursive, update.current, update.current, delta)  # 39
            following = engine.difference(rest.own_heads(following), update.current)
            for closure in self.closures:
                edges = engine.difference(delta, last[closure])
                last[closure] = engine.empty()
                if engine.count(edges, closure.predicate):
                    closed = engine.extend(before, engine.difference(delta, edges))
                    derived = engine.derived_by_new_edges(closure, closed, edges)  # 39
                    last[closure] = engine.difference(derived, edges)
                    following = engine.union(following, last[closure])
            delta = following  # 40


class CountedSupport(Generic[F, P, M]):
    """C_nr as counters that are kept from one change to the next."""

    def __init__(
        self,
        update: Update[F, P, M],
        stratum: MaintainedStratum[F, P, M],
        isolated: Sequence[Closure],
        counters: Multiset[F],
    ) -> None:
        self.counters = counters
        self._update = update
        self._stratum = stratum
        self._isolated = isolated

    def lose(self) -> F:
        update, engine, stratum = self._update, self._update.engine, self._stratum
        facts, gone, come = update.facts, update.deleted, update.added
        lost = _own(engine, stratum, engine.counted_changes(stratum.nonrecursive, facts, facts, gone, come))
        lost = lost.plus(engine.multiset(engine.of_splits(update.removed, stratum.intake)))
        self.counters = self.counters.minus(lost)
        heads = engine.changed_heads(stratum.recursive, facts, facts, gone, come)
        return engine.union(lost.facts, stratum.own_heads(heads))

    def gain(self) -> F:
        update, engine, stratum = self._update, self._update.engine, self._stratum
        facts, gone, come = update.current, update.deleted, update.added
        gained = _own(engine, stratum, engine.counted_changes(stratum.nonrecursive, facts, facts, come, gone))
        gained = gained.plus(engine.multiset(engine.of_splits(update.added_explicit, stratum.intake)))
        self.counters = self.counters.plus(gained)
        heads = engine.changed_heads(stratum.recursive, facts, facts, come, gone)
        return engine.union(gained.facts, stratum.own_heads(heads))

    def among(self, facts: F) -> F:
        return self.counters.occurring(facts, 1)

    def external(self, closure: Closure) -> F | None:
        return self.counters.facts if closure in self._isolated else None


class AskedSupport(Generic[F, P, M]):
    """C_nr without any memory: whether a fact is explicit or has a nonrecursive derivation is asked when it matters."""

    def __init__(self, update: Update[F, P, M], stratum: MaintainedStratum[F, P, M]) -> None:
        self._update = update
        self._stratum = stratum

    def lose(self) -> F:
        return lost_at_first(self._update, self._stratum)

    def gain(self) -> F:
        update, engine, stratum = self._update, self._update.engine, self._stratum
        facts = update.current
        heads = engine.changed_heads(stratum.kept, facts, facts, update.added, update.deleted)
        if stratum.new_rules:
            heads = engine.union(heads, engine.evaluate(engine.compile(stratum.new_rules), facts))
        return engine.union(engine.of_splits(update.added_explicit, stratum.intake), stratum.own_heads(heads))

    def among(self, facts: F) -> F:
        update, engine = self._update, self._update.engine
        if engine.is_empty(facts):
            return facts
        explicit = update.explicit_among(facts)
        rest = engine.difference(facts, explicit)
        backward = self._stratum.backward_nonrecursive
        return engine.extend(explicit, engine.derivable(backward, update.surviving, update.ever, rest))

    def external(self, closure: Closure) -> F | None:
        return None


def _counted_stratum(
    engine: Engine[F, P, M], stratum: MaintainedStratum[F, P, M], facts: F, explicit: F
) -> Multiset[F]:
    """Count the explicit facts and the nonrecursive rule instances of one stratum."""
    heads = engine.counted_heads(stratum.nonrecursive, facts)
    return _own(engine, stratum, heads).plus(engine.multiset(engine.of_splits(explicit, stratum.intake)))


def _recounted(update: Update[F, P, M], stratum: MaintainedStratum[F, P, M], counters: Multiset[F]) -> Multiset[F]:
    engine = update.engine
    explicit = engine.normalise(update.explicit, update.representatives)
    counters = counters.without(engine.of_splits(counters.facts, stratum.intake))
    return counters.plus(_counted_stratum(engine, stratum, update.current, explicit))


def _own(engine: Engine[F, P, M], stratum: MaintainedStratum[F, P, M], heads: Multiset[F]) -> Multiset[F]:
    """Return the heads that are facts of the stratum."""
    return heads.without(engine.difference(heads.facts, stratum.own_heads(heads.facts)))
