"""B/F with equality: deletion from a rewritten materialisation by backward and forward chaining, in bulk.

Motik, Nenov, Piro, Horrocks: Combining Rewriting and Incremental Maintenance for Datalog Programs with Equality, 2015,
algorithms 1 to 7, a frontier at a time. Facts of D, O, C, S are over the representatives of pi, those of P and Y over
the representatives of gamma, the mapping that is rebuilt. An equality class c is the fact c = c in these sets.

    delete(E-):                                                                                        [1-17]
        frontier <- pi(E-)
        while frontier is not empty
            check(frontier)
            S <- S + facts of frontier of which no member is proved
            lost <- facts of frontier of which some member is not proved
            next <- facts of I - O that mention c, for c = c in lost                                    [9-11]
                    + heads of the rule instances over I - O with a body atom in lost                    [13-15]
                    + facts of closures that chains with a fact of lost derive
            D, O <- D + frontier, O + lost;  frontier <- next - D
        pi <- gamma on the classes that were checked;  I <- (I - (D - P)) + pi(P)                         [18-21]

    check(goals):                                                                                      [22-35]
        glimpse(goals);  open <- facts of goals of which some member is not proved
        while todo <- open * H is not empty
            H <- H - todo
            bodies <- body facts of the rule instances over I - S with a head in todo                    [32-35]
            glimpse(bodies);  open <- facts of open + bodies of which some member is not proved

    glimpse(frontier):
        while frontier <- frontier - C is not empty
            C <- C + frontier;  saturate(frontier)
            open <- facts of frontier of which some member is not proved
            for each closure R with a fact in open, C <- C + the facts by which chains can lead to it;  saturate(these)
            open <- facts of open + these of which some member is not proved
            frontier <- c = c for the classes c of terms in open                                        [29-31]
                        + body facts of a few rule instances over I - S for each head in open            [32-35]
            H <- H + facts of open with more rule instances

    saturate(new):                                                                                     [36-58]
        add to P, under gamma, the explicit facts and the delayed facts that new stands for, and all that follows from
        P by the rules under gamma; what follows but stands for no checked fact is delayed in Y          [59]
        closures prove the checked facts that chains of P derive, and nothing else

Deviation: P is kept in normal form by the same code that materialises, so that the paper's outdated facts and its set V
are one delta. Explicit facts are found by the terms of a class, never by enumerating all that a fact stands for (line
40); reflexive equalities are virtual, so that lines 12, 25-28, 37-39 and 47 are gone: a term is in a class of two or
more only through an equality that a fact or a rule gave it. Depth-first search stops at the first proof; a frontier at
a time would look at all rule instances of a fact with a million of them. So one instance over explicit facts is tried
first for each open fact, then a few over I, and a few for the facts of their bodies in turn. H are the facts of C that
have more; these are looked at only if that was not enough for somebody who asks for them. Rules that say that a
predicate is transitive are no rules of these instances: their closures are as ``core_closures`` says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from reasoner.maintenance.core_closures import CoreClosures, LostChains, ProvedChains, of_predicate
from reasoner.reasoning.arrange import Prepared
from reasoner.reasoning.engine import Engine, F, M, P
from reasoner.reasoning.materialise import Computation, Materialisation, StratumFixpoint, closures_in
from reasoner.reasoning.program import EncodedStratum
from reasoner.rules.levels import SplitSet

# So many rule instances of a fact are looked at before the others are: most facts have fewer, and for one that has many
# a few are usually enough.
_FEW = 8


@dataclass(slots=True)
class Deletion(Generic[F, M]):
    """What a deletion gives: the new (pi, I), and the facts that left and joined I."""

    facts: F
    representatives: M
    removed: F
    added: F
    checked: int
    doubtful: int


class BackwardForward(Generic[F, P, M]):
    """One run of the algorithm; ``rules`` is the program as one stratum, ``forward`` and ``backward`` are its plans,
    and ``splits`` those of its facts. ``checking`` counts the rule instances that looking for proofs took.
    """

    def __init__(
        self,
        engine: Engine[F, P, M],
        prepared: Prepared[P],
        rules: EncodedStratum,
        forward: P,
        backward: P,
        explicit: F,
        facts: F,
        representatives: M,
        splits: SplitSet,
        closures: CoreClosures[F, P, M],
    ) -> None:
        empty = engine.empty()
        self.engine = engine
        self.explicit = explicit
        self.facts = facts
        self.representatives = representatives
        self.plans = forward
        self.backward = backward
        self.splits = splits
        self.rounds = self.checking = 0
        self.doubtful = self.processed = self.checked = self.glimpsed = self.disproved = self.delayed = empty  # 1
        self.proved = Computation(engine, prepared, Materialisation(empty, engine.identity()))  # 2
        self.closures = closures
        self.chains = ProvedChains(engine, lambda: self.checked, representatives)
        self.forward = StratumFixpoint(self.proved, rules, self.chains)

    def delete(self, removed: F, between_rounds: Callable[[], None] = lambda: None) -> Deletion[F, M]:
        """Return (pi, I) without the given explicit facts, which have left ``explicit`` already."""
        engine = self.engine
        chains = LostChains(self.closures)
        frontier = engine.normalise(removed, self.representatives)  # 3-4
        while not engine.is_empty(frontier):  # 5
            self.rounds += 1
            before = engine.instances
            self.check(frontier)  # 6
            self.checking += engine.instances - before
            self.disproved = engine.union(self.disproved, self._unproved(frontier, wholly=True))  # 7
            lost = self._unproved(frontier, wholly=False)  # 8
            rest = engine.difference(self.facts, self.processed)
            found = engine.of_splits(engine.mentioning(rest, lost, self.representatives), self.splits)  # 9-11
            lost = engine.stored(lost)
            old = engine.difference(rest, lost)
            heads = engine.heads_using(self.plans, old, lost, rest, self.representatives)  # 13-15
            heads = engine.union(heads, chains.through(lost))
            self.doubtful = engine.union(self.doubtful, frontier)
            self.processed = engine.union(self.processed, lost)  # 16
            frontier = engine.difference(engine.union(found, heads), self.doubtful)
            between_rounds()
        return self._propagated()  # 17

    def check(self, goals: F) -> None:
        """Find out for each of the goals which of its members can still be proved."""
        engine = self.engine
        self._glimpse(goals)
        wanted = self._unproved(goals, wholly=False)
        while not engine.is_empty(todo := engine.common(wanted, self.glimpsed)):
            self.glimpsed = engine.difference(self.glimpsed, todo)
            rest = engine.difference(self.facts, self.disproved)
            bodies = engine.difference(engine.bodies_of(self.backward, rest, todo), self.disproved)  # 32-35
            self._glimpse(bodies)
            wanted = self._unproved(engine.union(wanted, bodies), wholly=False)

    def _glimpse(self, frontier: F) -> None:
        """Look for proofs of each fact of the frontier, and of the facts that it rests on, by a few rule instances."""
        engine = self.engine
        while not engine.is_empty(frontier := engine.difference(frontier, self.checked)):
            self.checked = engine.union(self.checked, frontier)  # 22
            self.saturate(frontier)  # 23
            unproved = self._prove_at_a_glance(self._unproved(frontier, wholly=False))  # 24
            unproved = self._prove_by_chains(unproved)
            classes = engine.classes_of_terms(unproved, self.representatives)  # 29-31
            rest = engine.difference(self.facts, self.disproved)
            bodies, having_more = engine.few_bodies_of(self.backward, rest, unproved, _FEW)  # 32-35
            self.glimpsed = engine.union(self.glimpsed, having_more)
            frontier = engine.union(classes, engine.difference(bodies, self.disproved))

    def _prove_at_a_glance(self, unproved: F) -> F:
        """Try one rule instance over explicit facts for each fact; return the facts that this does not prove.

        Most facts that are still provable are provable so. All their other instances then need not be looked at, as
        depth-first search would not look at them. Explicit facts of which a term is represented by another are no
        facts over representatives; they are left to the search.
        """
        engine = self.engine
        if engine.is_empty(unproved):
            return unproved
        near = engine.one_body_each(self.backward, self.explicit, unproved)
        near = engine.difference(near, engine.union(self.checked, engine.difference(near, self.facts)))
        if engine.is_empty(near):
            return unproved
        self.checked = engine.union(self.checked, near)
        self.saturate(near)
        # An explicit fact about a class may stand for others that are not explicit: these are open now.
        return self._unproved(engine.union(unproved, near), wholly=False)

    def _prove_by_chains(self, unproved: F) -> F:
        """Check the facts by which chains of a closure can lead to unproved facts; return what is not proved by them.

        The explicit ones among them are checked first, since they are proofs by themselves.
        """
        engine = self.engine
        for closure in self.closures.all:
            goals = of_predicate(engine, unproved, closure)
            if engine.is_empty(goals):
                continue
            declared = self.closures.declarations(closure, self.facts)
            unproved = engine.union(unproved, self._check_new(declared))
            steps = engine.steps_between(closure, self.facts, goals)
            stated = engine.standing_for(self.explicit, self.representatives, steps)
            open_facts = self._check_new(engine.normalise(stated, self.representatives))
            unproved = self._unproved(engine.union(unproved, open_facts), wholly=False)
            goals = of_predicate(engine, unproved, closure)
            if not engine.is_empty(goals):
                steps = engine.steps_between(closure, self.facts, goals)
                unproved = engine.union(unproved, self._check_new(steps))
                unproved = self._unproved(unproved, wholly=False)
        return unproved

    def _check_new(self, facts: F) -> F:
        """Check those of some facts of I that are not checked or disproved yet; return the ones that are unproved."""
        engine = self.engine
        new = engine.difference(engine.difference(facts, self.checked), self.disproved)
        if engine.is_empty(new):
            return new
        self.checked = engine.union(self.checked, new)
        self.saturate(new)
        return self._unproved(new, wholly=False)

    def saturate(self, new: F) -> None:
        """Prove what follows from explicit facts by way of checked facts."""
        engine = self.engine
        stated = engine.standing_for(self.explicit, self.representatives, new)  # 36-40
        ready, self.delayed = engine.split_by_form(self.delayed, self.representatives, new)
        proved = self.proved.result.facts
        closures = closures_in(engine, self.forward.arrangement.modules, proved)
        chained = self.chains.among(closures, proved, new)
        self.forward.run(engine.union(engine.union(stated, ready), chained), gate=self._gate)  # 41-58

    def _gate(self, derived: F) -> F:
        inside, outside = self.engine.split_by_form(derived, self.representatives, self.checked)  # 59
        self.delayed = self.engine.union(self.delayed, outside)
        return inside

    def _unproved(self, facts: F, *, wholly: bool) -> F:
        """Return the facts of which some member, or every member, is not proved (algorithm 3)."""
        proved = self.proved.result
        return self.engine.unproved(facts, proved.facts, proved.representatives, self.representatives, wholly=wholly)

    def _propagated(self) -> Deletion[F, M]:
        engine, proved = self.engine, self.proved.result
        mapping = engine.replace_classes(self.representatives, proved.representatives, self.checked)  # 18-19
        removed = engine.difference(engine.stored(self.doubtful), proved.facts)  # 20
        left = engine.difference(self.facts, removed)
        added = engine.difference(engine.normalise(proved.facts, mapping), left)  # 21
        return Deletion(
            facts=engine.extend(left, added),
            representatives=mapping,
            removed=removed,
            added=added,
            checked=engine.size(self.checked),
            doubtful=engine.size(self.doubtful),
        )
