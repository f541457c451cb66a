"""Backward search: the rule instances over representatives that a fact can rest on, level by level.

A level opens all facts that the level before found: it looks up the rule instances that derive them. With a fact come
the classes c = c of its terms, because a proof may need any equality in them. Proofs of height h lie within h levels.

Where levels grow too large, the search goes on depth first, along the instances with the fewest facts of which nothing
is known yet: it then finds a proof soon, but not always one of least height.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from reasoner.explanation.source import Derivations, Fact, Instance, ProofSource, is_by_value
from reasoner.rules.encode import EncodedRule
from reasoner.vocabulary import OCCURS, SAME

# So many facts are opened level by level; after that, the search goes depth first.
_MOST_FACTS = 1_000
# Instances of one rule for one fact; there is little to learn from more.
_MOST_INSTANCES = 64
# Facts that one step of the depth-first search opens, at least.
_STEP = 250


class Reach:
    """What the backward search has found so far from some normal facts. ``levels`` were opened in full."""

    def __init__(self, source: ProofSource, rules: Sequence[EncodedRule], goals: Sequence[Fact]) -> None:
        self._source = source
        self._rules = rules
        self._goals = goals
        self._begin(_MOST_INSTANCES)

    def _begin(self, most: int | None) -> None:
        self.levels = 0
        self.explicit: dict[Fact, list[Fact]] = {}
        self.readers: dict[Fact, list[Instance]] = defaultdict(list)
        self.facts_about: dict[int, list[Fact]] = defaultdict(list)
        self._most = most
        self._derivations: Derivations = self._source.derivations(self._rules, most=most)
        self._classes: dict[int, list[int]] = {}
        self._instances: dict[Fact, list[Instance]] = {}
        self._frontier: dict[Fact, None] = {}
        self._plausible: set[Fact] = set()
        self._unsettled: dict[Instance, int] = {}
        self._path: list[Fact] = []
        self._discover(self._goals)

    @property
    def is_wide(self) -> bool:
        """Whether all facts of all levels so far are open."""
        return len(self._instances) <= _MOST_FACTS

    @property
    def fact_count(self) -> int:
        """How many facts are open."""
        return len(self._instances)

    @property
    def is_exhausted(self) -> bool:
        """Whether there is nothing left to open."""
        return not self._frontier

    def is_plausible(self, fact: Fact) -> bool:
        """Tell whether a normal fact follows from explicit ones if all equalities are taken for granted."""
        return fact in self._plausible

    @property
    def instances(self) -> Iterable[Instance]:
        return (instance for found in self._instances.values() for instance in found)

    def members(self, representative: int) -> list[int]:
        """Return the class of a representative."""
        if representative not in self._classes:
            self._classes[representative] = self._source.members(representative)
        return self._classes[representative]

    def deepen(self) -> bool:
        """Open more facts; tell whether there were any."""
        if not self._frontier:
            if not self._derivations.is_cut:
                return False
            self._begin(None)
            return True
        if len(self._instances) + len(self._frontier) <= _MOST_FACTS:
            self._open(list(self._frontier))
            self.levels += 1
        else:
            self._go_deep(max(_STEP, len(self._instances) - _MOST_FACTS))
        return True

    def _go_deep(self, count: int) -> None:
        """Open so many facts on the way to making the goal plausible; once it is, any that are left, classes first."""
        if self._is_goal_plausible:
            self._open(sorted(self._frontier, key=lambda fact: fact[0] != fact[2] or fact[1] != SAME)[:count])
            return
        for _ in range(count):
            while self._path and (self._path[-1] not in self._frontier or self._path[-1] in self._plausible):
                self._path.pop()
            if not self._path:
                self._path = self._promising()
            fact = self._path.pop()
            self._open([fact])
            if self._is_goal_plausible or not self._frontier:
                return
            self._path += self._missing(fact)[0] if self._missing(fact) else []

    @property
    def _is_goal_plausible(self) -> bool:
        return any(goal in self._plausible for goal in self._goals)

    def _promising(self) -> list[Fact]:
        """Return a fact to open: go from the goal to premises that are not plausible yet, by the instances that have
        the fewest of them."""
        seen: set[Fact] = set()
        waiting = list(self._goals)
        while waiting:
            fact = waiting.pop()
            if fact in self._frontier:
                return [fact]
            if fact not in seen:
                seen.add(fact)
                waiting += [missing for body in reversed(self._missing(fact)) for missing in body]
        return [next(iter(self._frontier))]

    def _missing(self, fact: Fact) -> list[list[Fact]]:
        """Return what is not plausible of the body of each instance that derives a fact, the least first."""
        bodies = [
            [
                part
                for at, part in enumerate(instance.body)
                if at not in instance.equations and not self.is_plausible(part)
            ]
            for instance in self._instances[fact]
        ]
        return sorted(bodies, key=len)

    def _open(self, facts: Collection[Fact]) -> None:
        for fact in facts:
            del self._frontier[fact]
            self._instances[fact] = []
        found = self._derivations.instances([fact for fact in facts if fact[1] != OCCURS])
        for instance in found:
            self._instances[instance.head].append(instance)
        self._discover(self._read(found))
        for instance in found:
            needed = {fact for at, fact in enumerate(instance.body) if at not in instance.equations}
            self._unsettled[instance] = len(needed - self._plausible)
        self._settle(instance.head for instance in found if not self._unsettled[instance])
        asked = [fact[0] for fact in facts if fact[1] == OCCURS]
        self._discover(fact for term in asked for fact in self._source.mentioning(term))

    def _read(self, instances: Iterable[Instance]) -> Iterable[Fact]:
        """Note who reads which facts, and yield the facts."""
        for instance in instances:
            for fact in dict.fromkeys(instance.body):
                self.readers[fact].append(instance)
            yield from (fact for at, fact in enumerate(instance.body) if at not in instance.equations)
            for at in instance.equations:
                c = instance.body[at][0]
                occurs = (c, OCCURS, c)
                self.readers[occurs].append(instance)
                yield occurs
                yield from ((term, SAME, term) for term in (c, SAME) if len(self.members(term)) > 1)

    def _discover(self, facts: Iterable[Fact]) -> None:
        """Put facts that are new on the frontier, with the classes of their terms; look up which are explicit."""
        new: dict[Fact, None] = {}
        for fact in facts:
            if fact in self.explicit or fact in new:
                continue
            new[fact] = None
            for term in dict.fromkeys(fact if fact[1] != OCCURS else fact[:1]):
                if len(self.members(term)) > 1:
                    self.facts_about[term].append(fact)
                    same = (term, SAME, term)
                    if same not in self.explicit:
                        new[same] = None
        # Stored c = c facts are unknown to a store without rewriting, and its facts about owl:sameAs are plain ones.
        self.explicit.update(self._source.explicit_forms([fact for fact in new if fact[1] != OCCURS]))
        self.explicit.update({fact: [] for fact in new if fact[1] == OCCURS})
        self._frontier.update(new)
        self._settle(fact for fact in new if self.explicit[fact] or is_by_value(self._source, fact))

    def _settle(self, facts: Iterable[Fact]) -> None:
        """Mark facts as plausible, and what follows from them."""
        waiting = list(facts)
        while waiting:
            fact = waiting.pop()
            if fact in self._plausible:
                continue
            self._plausible.add(fact)
            for instance in self.readers.get(fact, ()):
                if instance in self._unsettled and any(
                    fact == other for at, other in enumerate(instance.body) if at not in instance.equations
                ):
                    self._unsettled[instance] -= 1
                    if not self._unsettled[instance]:
                        waiting.append(instance.head)
