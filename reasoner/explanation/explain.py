"""Proofs: why a triple holds, down to explicit facts, the shortest first.

The search goes backward over representatives, level by level (``explanation.reach``), and after every level forward
again over the terms as they are written (``explanation.replay``), which tells whether the goal is proved by now and
rebuilds the equalities that its proof needs. Short means: of least height, the most rule instances on a path to an
explicit fact; and then of few steps. Height is exact unless a fact rests on more than 64 instances of one rule or on
more than 1,000 facts, from where on promising instances are followed first. Steps are the fewest fact by fact; the
fewest of a whole proof, in which steps are shared, are NP-hard to find.

From what a replay found to a proof: chains of equalities are looked up, and steps become ``Proof`` values.

Forward replay: what follows from explicit facts within the reach of a backward search, round by round.

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

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

from reasoner.explanation.match import (
    Application,
    InstanceMatcher,
    Knowledge,
    PendingUnions,
    Reach,
    StepKey,
    Witness,
    step_key,
    written,
)
from reasoner.explanation.proof import Proof, proof_tree
from reasoner.explanation.source import Fact, Instance, ProofSource, is_by_value
from reasoner.reasoning.program import EncodedProgram
from reasoner.rules.errors import ReasonerError
from reasoner.rules.rule import Rule
from reasoner.terms.term import OCCURS, SAME, SAME_AS, TextTriple, Variable

_PLACES = ("eq-rep-s", "eq-rep-p", "eq-rep-o")


def build_proof(found: Found) -> tuple[Proof, frozenset[StepKey]]:
    """Return the proof of a goal that was reached, and the keys of its steps.

    First all witnesses are gathered that the goal rests on, then they become steps, those of earlier rounds first, so
    that premises are there before they are needed: however high a proof is, nothing recurses.
    """
    builder = _Builder(found.known)
    goal, latest = found.goal, found.round
    needed = builder.gather(_goal_needs(found, builder))
    for witness in sorted(needed, key=lambda witness: (witness.round, witness.is_replaced)):
        builder.add(witness)
    if found.witness is not None:
        proof = builder.replaced(found.witness, goal.fact, latest)
    else:
        proof = builder.equality_by(goal.fact, latest)
    used = {step.triple for step in proof.steps}
    keys = {builder.key_of(witness) for witness in needed if builder.text_of(witness.fact) in used}
    return proof, frozenset(keys)


def _goal_needs(found: Found, builder: _Builder) -> Iterator[Witness]:
    goal, latest = found.goal, found.round
    if found.witness is not None:
        yield found.witness
        yield from builder.replacement_needs(found.witness.fact, goal.fact, latest)
    else:
        yield from builder.equality_needs(goal.fact[0], goal.fact[2], latest)
        yield from builder.replacement_needs((goal.fact[0], SAME, goal.fact[2]), goal.fact, latest)


@dataclass(slots=True)
class _Builder:
    known: Knowledge
    proofs: dict[Fact, Proof] = field(default_factory=dict)
    chains: dict[tuple[int, int, int], list[Witness]] = field(default_factory=dict)

    def gather(self, first: Iterable[Witness]) -> list[Witness]:
        """Return the witnesses that some rest on, themselves included."""
        gathered: dict[Witness, None] = {}
        waiting = list(first)
        while waiting:
            witness = waiting.pop()
            if witness not in gathered:
                gathered[witness] = None
                waiting += self._needs(witness)
        return list(gathered)

    def _needs(self, witness: Witness) -> Iterator[Witness]:
        application, latest = witness.application, witness.round - 1
        if application is None:
            return
        for at, premise in enumerate(application.premises):
            required = witness.fact if application.instance is None else application.required(at)
            if premise is None:
                yield from self.equality_needs(required[0], required[2], latest)
                yield from self.replacement_needs((required[0], SAME, required[2]), required, latest)
            else:
                yield premise
                yield from self.replacement_needs(premise.fact, required, latest)

    def replacement_needs(self, proved: Fact, required: Fact, latest: int) -> Iterator[Witness]:
        """Yield what replacing the terms of a fact needs besides that fact."""
        for old, new in zip(proved, required, strict=True):
            if old != new:
                yield from self.chain(old, new, latest)

    def equality_needs(self, left: int, right: int, latest: int) -> Iterable[Witness]:
        return [self.known.occurrences[left]] if left == right else self.chain(left, right, latest)

    def chain(self, left: int, right: int, latest: int) -> list[Witness]:
        key = (left, right, latest)
        if key not in self.chains:
            self.chains[key] = self.known.forest.chain(left, right, latest)
        return self.chains[key]

    def add(self, witness: Witness) -> None:
        """Make the step of a witness, all of whose premises are made, unless its fact is proved already by equality."""
        if witness.fact not in self.proofs:
            step = self._step(witness)
            self.proofs.setdefault(witness.fact, step)

    def _step(self, witness: Witness) -> Proof:
        triple, application, latest = self.text_of(witness.fact), witness.application, witness.round - 1
        if application is None:
            if witness.is_explicit:
                return Proof(triple)
            return Proof(triple, "dt-eq", ("literals of one value are equal",))
        if application.instance is None:
            premise = application.premises[0]
            assert premise is not None
            return self.renamed(self.proofs[premise.fact], premise.fact, witness.fact, latest)
        premises = []
        for at, found in enumerate(application.premises):
            required = application.required(at)
            if found is None:
                premises.append(self.equality_by(required, latest))
            else:
                premises.append(self.replaced(found, required, latest))
        origin = application.instance.rule.origin
        text = self.known.source.text
        names = dict.fromkeys(_variable_names(origin))
        binding = tuple((name, text(value)) for name, value in zip(names, application.values, strict=True))
        return Proof(triple, origin.name, origin.sources, tuple(premises), origin, binding)

    def replaced(self, witness: Witness, required: Fact, latest: int) -> Proof:
        """Prove a fact from a proved one that has equal terms in its places."""
        return self.renamed(self.proofs[witness.fact], witness.fact, required, latest)

    def renamed(self, proof: Proof, proved: Fact, required: Fact, latest: int) -> Proof:
        places = [place for place in range(3) if proved[place] != required[place]]
        if not places:
            return proof
        if required not in self.proofs:
            equalities = [self.equality(proved[place], required[place], latest) for place in places]
            name = ", ".join(_PLACES[place] for place in places)
            sources = ("equal terms replace one another",)
            self.proofs[required] = Proof(self.text_of(required), name, sources, (proof, *equalities))
        return self.proofs[required]

    def equality_by(self, fact: Fact, latest: int) -> Proof:
        """Prove an equality, whose predicate may be one that is equal to owl:sameAs."""
        left, _, right = fact
        return self.renamed(self.equality(left, right, latest), (left, SAME, right), fact, latest)

    def equality(self, left: int, right: int, latest: int) -> Proof:
        """Prove that two terms are equal by a chain of links."""
        if left == right:
            return self.reflexive(left)
        fact = (left, SAME, right)
        if fact not in self.proofs:
            links = self.chain(left, right, latest)
            names = []
            if any(link.fact[0] != before for link, before in zip(links, _walk(left, links), strict=True)):
                names.append("eq-sym")
            if len(links) > 1:
                names.append("eq-trans")
            sources = ("equality is symmetric and transitive",)
            premises = tuple(self.proofs[link.fact] for link in links)
            self.proofs[fact] = Proof(self.text_of(fact), ", ".join(names), sources, premises)
        return self.proofs[fact]

    def reflexive(self, term: int) -> Proof:
        """Prove c = c from a fact that mentions c."""
        fact = (term, SAME, term)
        if fact not in self.proofs:
            witness = self.known.occurrences[term]
            premise = self.proofs[witness.fact]
            if term not in witness.fact:
                premise = self.reflexive(witness.fact[0])
            self.proofs[fact] = Proof(self.text_of(fact), "eq-ref", ("everything equals itself",), (premise,))
        return self.proofs[fact]

    def key_of(self, witness: Witness) -> StepKey:
        source = self.known.source
        s, p, o = map(source.representative, witness.fact)
        return step_key(witness, source.representative, is_link=source.equality and p == SAME and s == o)

    def text_of(self, fact: Fact) -> TextTriple:
        text = self.known.source.text
        return text(fact[0]), text(fact[1]), text(fact[2])


def _walk(start: int, links: Iterable[Witness]) -> Iterator[int]:
    """Yield the term that each link of a chain is met at."""
    here = start
    for link in links:
        yield here
        here = link.fact[2] if link.fact[0] == here else link.fact[0]


def _variable_names(rule: Rule) -> Iterator[str]:
    """Yield the names of variables in the order in which encoding numbers them."""
    for atom in rule.body:
        yield from (term.name for term in atom if isinstance(term, Variable))


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
