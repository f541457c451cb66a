"""From what a replay found to a proof: chains of equalities are looked up, and steps become ``Proof`` values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from reasoner.explanation.match import Knowledge
from reasoner.explanation.proof import Proof
from reasoner.explanation.replay import Found
from reasoner.explanation.source import Fact
from reasoner.explanation.witness import StepKey, Witness, step_key
from reasoner.rules.rule import Rule
from reasoner.rules.term import Variable
from reasoner.violation import TextTriple
from reasoner.vocabulary import SAME

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
