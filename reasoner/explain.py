"""Proofs: why a triple holds, down to explicit facts, the shortest first.

The search goes backward over representatives, level by level (``explanation.reach``), and after every level forward
again over the terms as they are written (``explanation.replay``), which tells whether the goal is proved by now and
rebuilds the equalities that its proof needs. Short means: of least height, the most rule instances on a path to an
explicit fact; and then of few steps. Height is exact unless a fact rests on more than 64 instances of one rule or on
more than 1,000 facts, from where on promising instances are followed first. Steps are the fewest fact by fact; the
fewest of a whole proof, in which steps are shared, are NP-hard to find.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

from reasoner.errors import ReasonerError
from reasoner.explanation.build import build_proof
from reasoner.explanation.proof import Proof
from reasoner.explanation.reach import Reach
from reasoner.explanation.replay import Found, Goal, Replay
from reasoner.explanation.source import Fact, ProofSource
from reasoner.explanation.tree import proof_tree
from reasoner.explanation.witness import StepKey
from reasoner.program import EncodedProgram
from reasoner.rules.term import SAME_AS
from reasoner.violation import TextTriple
from reasoner.vocabulary import OCCURS, SAME

__all__ = ["Proof", "explain", "explanations", "proof_tree"]

# Levels that are opened in search of another proof, beyond those of the proof before.
_FURTHER_LEVELS = 4


def explain(source: ProofSource, program: EncodedProgram, triple: TextTriple) -> Proof | None:
    """Return the shortest proof of a triple, None if it does not hold; an explicit triple is its own proof."""
    return next(explanations(source, program, triple, most=1), None)


def explanations(source: ProofSource, program: EncodedProgram, triple: TextTriple, most: int = 5) -> Iterator[Proof]:
    """Yield different proofs of a triple, the shortest first; each has a rule instance or a leaf that no other has.

    For each step of a proof, the shortest proof without that step is a candidate for the next one, as in Reiter's
    hitting set tree (A Theory of Diagnosis from First Principles, 1987).

        1  Q <- {(shortest proof, {})}
        2  while Q is not empty
        3      take the shortest (P, F) out of Q;  yield P
        4      for each step k of P
        5          add (shortest proof without the steps F + {k}, F + {k}) to Q

    A proof that is not found a few levels deeper than the one before is given up.
    """
    goal = _goal(source, triple)
    if goal is None:
        yield from _of_other_spelling(source, program, triple, most)
        return
    rules = [rule for stratum in program.strata for rule in stratum.rules]
    search = _Search(source, Reach(source, rules, _seeds(source, goal)), goal)
    queue: list[_Candidate] = []
    search.offer(queue, frozenset(), None)  # 1
    if not queue:
        raise ReasonerError(f"no proof of {' '.join(triple)} was found; if it does hold, please report this")
    given: set[frozenset[StepKey]] = set()
    while queue and len(given) < most:  # 2
        best = heappop(queue)  # 3
        if best.keys not in given:
            given.add(best.keys)
            yield best.proof
        if len(given) < most:
            for key in sorted(best.keys, key=repr):  # 4
                search.offer(queue, best.forbidden | {key}, best.order[0] + _FURTHER_LEVELS)  # 5


def _of_other_spelling(source: ProofSource, program: EncodedProgram, triple: TextTriple, most: int) -> Iterator[Proof]:
    """Yield proofs of a triple that holds with another literal of the value of its object."""
    s, p, o = triple
    fact = source.encoded(triple)
    for spelling in source.spellings(fact[2])[1:] if fact is not None else ():
        other = source.text(spelling)
        if _goal(source, (s, p, other)) is not None:
            equal = Proof((other, SAME_AS, o), "dt-eq", ("literals of one value are equal",))
            for proof in explanations(source, program, (s, p, other), most):
                yield Proof(triple, "eq-rep-o", ("equal terms replace one another",), (proof, equal))
            return


@dataclass(frozen=True, slots=True)
class _Candidate:
    order: tuple[int, int, int]
    proof: Proof
    keys: frozenset[StepKey]
    forbidden: frozenset[StepKey]

    def __lt__(self, other: _Candidate) -> bool:
        return self.order < other.order


@dataclass(slots=True)
class _Search:
    source: ProofSource
    reach: Reach
    goal: Goal
    tried: set[frozenset[StepKey]] = field(default_factory=set)

    def offer(self, queue: list[_Candidate], forbidden: frozenset[StepKey], deepest: int | None) -> None:
        """Add the shortest proof without some steps to the queue, if there is one."""
        if forbidden in self.tried:
            return
        self.tried.add(forbidden)
        found = self._find(forbidden, deepest)
        if found is not None:
            proof, keys = build_proof(found)
            heappush(queue, _Candidate((proof.height, proof.size, len(self.tried)), proof, keys, forbidden))

    def _find(self, forbidden: frozenset[StepKey], deepest: int | None) -> Found | None:
        """Open levels until the goal is proved and no level that is not open could hold a lower proof.

        To open more than needed does no harm, so that the replays of a long search take no more than a multiple of the
        last one: after some levels, it is replayed only when there is a good part more to replay.
        """
        reach = self.reach
        found: Found | None = None
        enough = wanted = 0
        while True:
            deep_enough = reach.levels >= wanted or not reach.is_wide
            if reach.is_exhausted or (reach.fact_count >= enough and deep_enough and self._is_plausible()):
                found = Replay(self.source, reach, self.goal, forbidden).run()
                enough = reach.fact_count + reach.fact_count // 4
                wanted = found.round if found is not None else 0
                if found is not None and (wanted <= reach.levels or not reach.is_wide):
                    return found
            if found is None and deepest is not None and (reach.levels >= deepest or not reach.is_wide):
                return None
            if not reach.deepen():
                return found

    def _is_plausible(self) -> bool:
        """Tell whether a replay may prove the goal; of equalities that is not known beforehand."""
        _, p, _ = self.goal.normal
        return (self.source.equality and p == SAME) or self.reach.is_plausible(self.goal.normal)


def _goal(source: ProofSource, triple: TextTriple) -> Goal | None:
    """Return what there is to prove, None if the triple does not hold."""
    fact = source.encoded(triple)
    if fact is None:
        return None
    s, p, o = normal = (source.representative(fact[0]), source.representative(fact[1]), source.representative(fact[2]))
    if source.equality and p == SAME and s == o:
        holds = len(source.members(s)) > 1 or bool(source.mentioning(s))
    else:
        holds = source.is_stored(normal)
    return Goal(fact, normal) if holds else None


def _seeds(source: ProofSource, goal: Goal) -> list[Fact]:
    """Return the normal facts that the search begins with; c = c rests on facts that mention c."""
    s, p, o = goal.normal
    if not (source.equality and p == SAME and s == o and goal.fact[0] == goal.fact[2]):
        return [goal.normal]
    seeds: list[Fact] = [(s, OCCURS, s)]
    seeds += [(term, SAME, term) for term in dict.fromkeys(goal.normal) if len(source.members(term)) > 1]
    return seeds + [goal.normal] * bool(source.explicit_forms([goal.normal])[goal.normal])
