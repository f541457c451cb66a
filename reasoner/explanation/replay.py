"""Forward replay: what follows from explicit facts within the reach of a backward search, round by round.

Classes are rebuilt from nothing, as B/F does when it checks facts (Motik et al., Combining Rewriting and Incremental
Materialisation Maintenance for Datalog Programs with Equality, 2015, algorithm 5, ``saturate``): in each round the rule
instances in reach are matched with the facts proved before, terms compared by the equalities proved before, and what
they give is proved in this round. Every fact therefore rests on facts and equalities of earlier rounds only.

The round of a fact is the least height of its proofs; of the instances that give it in that round, the one is kept that
takes the fewest steps.

Deviation: facts are proved as they are written, not over the representatives of the classes being rebuilt, because a
proof is about what was written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from reasoner.explanation.forest import PendingUnions
from reasoner.explanation.match import InstanceMatcher, Knowledge
from reasoner.explanation.reach import Reach
from reasoner.explanation.source import Fact, Instance, ProofSource, is_by_value
from reasoner.explanation.witness import Application, StepKey, Witness, step_key, written
from reasoner.vocabulary import OCCURS, SAME

# An equality that stands between a premise and a proved fact costs a chain and a replacement.
_REPLACEMENT = 2


@dataclass(frozen=True, slots=True)
class Goal:
    """The fact to prove, as it is written and over representatives."""

    fact: Fact
    normal: Fact


@dataclass(frozen=True, slots=True)
class Found:
    """How a goal was reached: in which round, and from which witness by replacing equal terms (None: by a chain)."""

    goal: Goal
    round: int
    witness: Witness | None
    known: Knowledge


@dataclass(slots=True)
class Replay:
    """One replay; steps with a key in ``forbidden`` are not taken."""

    source: ProofSource
    reach: Reach
    goal: Goal
    forbidden: Collection[StepKey] = ()
    known: Knowledge = field(init=False)
    round: int = 0
    _fresh: dict[tuple[Fact, Fact], Witness] = field(default_factory=dict)
    _waiting: list[Witness] = field(default_factory=list)
    _is_due: bool = False
    # The labels of proved facts, by normal fact, made anew in each round.
    _proved: dict[Fact, set[Fact]] = field(default_factory=dict)

    def run(self) -> Found | None:
        """Replay until the goal is proved; None if it never is."""
        self.known = Knowledge(self.source, frozenset(self.goal.fact))
        self._start()
        woken = self._install()
        # No fact wakes a rule without a body.
        woken |= {instance: None for instance in self.reach.instances if not instance.body}
        while (found := self._found()) is None and (woken or self._is_due):
            self.round += 1
            self._apply(woken)
            woken = self._install()
        return found

    def _start(self) -> None:
        for normal, forms in self.reach.explicit.items():
            for form in forms:
                self._offer(normal, Witness(form, 0, 1, is_explicit=True))
            if is_by_value(self.source, normal):
                self._offer(normal, Witness(normal, 0, 1))

    def _apply(self, instances: Iterable[Instance]) -> None:
        """Match instances with what is known, and offer their heads."""
        pending = PendingUnions()
        for instance in instances:
            if self._is_settled(instance.head) or not self._is_matchable(instance):
                continue
            matcher = InstanceMatcher(self.known, instance, pending, self.reach.members)
            is_link = self._is_class(instance.head)
            label = self.known.forest.label
            for values, premises in matcher.matches():
                assert instance.rule.head is not None
                head = written(instance.rule.head, values)
                ends = label(head[0]), label(head[2])
                if is_link and matcher.is_over_budget and pending.find(ends[0]) == pending.find(ends[1]):
                    continue
                application = Application(instance, values, premises)
                witness = Witness(head, self.round, self._size(application), application)
                if self._offer(instance.head, witness) and is_link:
                    pending.unite(*ends)

    def _is_settled(self, normal: Fact) -> bool:
        """Tell whether a fact is proved that stands for itself only."""
        return bool(self.known.witnesses.get(normal)) and all(len(self.reach.members(term)) == 1 for term in normal)

    def _is_matchable(self, instance: Instance) -> bool:
        known, equations = self.known.witnesses, instance.equations
        return all(at in equations or known.get(fact) for at, fact in enumerate(instance.body))

    def _size(self, application: Application) -> int:
        size = 1
        for at, premise in enumerate(application.premises):
            if premise is None:
                size += _REPLACEMENT
            else:
                size += premise.size + _REPLACEMENT * (premise.fact != application.required(at))
        return size

    def _offer(self, normal: Fact, witness: Witness) -> bool:
        """Keep a witness for the end of the round, unless there is a smaller one, or the fact is proved already, be it
        with equal terms: then that proof is lower. Tell whether there is a witness now."""
        key = (normal, witness.fact)
        if self._is_proved(normal, witness.fact):
            return True
        if key in self._fresh and self._fresh[key].size <= witness.size:
            return True
        if self.forbidden and step_key(witness, self.source.representative, is_link=self._is_class(normal)) in (
            self.forbidden
        ):
            return False
        self._fresh[key] = witness
        return True

    def _is_proved(self, normal: Fact, fact: Fact) -> bool:
        known = self.known
        if self._is_class(normal) and fact[1] == SAME and fact[0] != fact[2]:
            return known.forest.are_equal(fact[0], fact[2])
        if normal not in self._proved:
            self._proved[normal] = {known.labels(witness) for witness in known.witnesses[normal]}
        return known.labels(fact) in self._proved[normal]

    def _install(self) -> dict[Instance, None]:
        """Make what the round gave known; return the instances that may apply because of it."""
        woken: dict[Instance, None] = {}
        fresh, self._fresh = self._fresh, {}
        self._proved.clear()
        for (normal, fact), witness in fresh.items():
            self.known.witnesses[normal][fact] = witness
            self._wake(woken, normal)
            for term in fact:
                self._note(woken, term, witness)
            if self._is_class(normal):
                self._waiting.append(witness)
        self._link(woken)
        return woken

    def _link(self, woken: dict[Instance, None]) -> None:
        """Unite the terms of proved equalities.

        A predicate may turn out to be equal to owl:sameAs; its facts are equalities from the next round on, so that
        they play no part in showing that.
        """
        forest = self.known.forest
        waiting = [(witness, forest.are_equal(witness.fact[1], SAME)) for witness in self._waiting]
        self._waiting = [witness for witness, is_equality in waiting if not is_equality]
        merged: dict[int, None] = {}
        for witness, is_equality in waiting:
            s, p, o = witness.fact
            if is_equality and s != o:
                link = witness
                if p != SAME:
                    link = Witness((s, SAME, o), self.round, witness.size + 1, Application(None, (), (witness,)))
                if forest.link(s, o, link):
                    merged[self.source.representative(s)] = None
        for representative in merged:
            self._wake_class(woken, representative)
        self._is_due = bool(merged and self._waiting)

    def _wake(self, woken: dict[Instance, None], normal: Fact) -> None:
        woken.update(dict.fromkeys(self.reach.readers.get(normal, ())))

    def _wake_class(self, woken: dict[Instance, None], representative: int) -> None:
        self._wake(woken, (representative, SAME, representative))
        for normal in self.reach.facts_about.get(representative, ()):
            self._wake(woken, normal)

    def _note(self, woken: dict[Instance, None], term: int, witness: Witness) -> None:
        """Remember the first fact that mentions a term; owl:sameAs is in the first c = c."""
        for occurring in (term, SAME):
            if occurring not in self.known.occurrences:
                self.known.occurrences[occurring] = witness
                c = self.source.representative(occurring)
                self._wake(woken, (c, OCCURS, c))

    def _is_class(self, normal: Fact) -> bool:
        return self.source.equality and normal[1] == SAME and normal[0] == normal[2]

    def _found(self) -> Found | None:
        """Tell how the goal is reached with what is known."""
        known, (s, p, o) = self.known, self.goal.fact
        if self._is_class(self.goal.normal):
            stated = known.witnesses[self.goal.normal].get(self.goal.fact)
            reached = known.forest.are_equal(s, o) if s != o else s in known.occurrences
            if stated or (reached and known.forest.are_equal(p, SAME)):
                return Found(self.goal, self.round, stated, known)
        wanted = known.labels(self.goal.fact)
        witnesses = [w for w in known.witnesses[self.goal.normal].values() if known.labels(w.fact) == wanted]
        if not witnesses:
            return None

        def cost(witness: Witness) -> int:
            return witness.size + _REPLACEMENT * (witness.fact != self.goal.fact)

        return Found(self.goal, self.round, min(witnesses, key=cost), known)
