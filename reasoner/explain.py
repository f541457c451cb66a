"""Proofs: why a triple holds, down to explicit facts.

The search goes backward level by level: the rule instances that derive an open fact are looked up in I, their body
facts are opened in turn, and after every level whatever is now provable from explicit facts is proved. The first proof
found is therefore one of least height, and a cyclic justification is never taken for a proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from reasoner.errors import ReasonerError
from reasoner.program import EncodedProgram
from reasoner.rules.encode import EncodedRule
from reasoner.rules.term import SAME_AS
from reasoner.violation import TextTriple

Fact = tuple[int, int, int]

_MOST_FACTS = 200_000


@dataclass(frozen=True, slots=True)
class Proof:
    """One step: ``triple`` holds by ``rule`` because of the premises; a leaf is explicit and has no rule."""

    triple: TextTriple
    rule: str | None = None
    sources: tuple[str, ...] = ()
    premises: tuple[Proof, ...] = ()

    @property
    def leaves(self) -> tuple[TextTriple, ...]:
        """The explicit facts that the proof rests on, each once."""
        if self.rule is None:
            return (self.triple,)
        return tuple(dict.fromkeys(leaf for premise in self.premises for leaf in premise.leaves))

    def lines(self, depth: int = 0) -> Iterator[str]:
        """Yield the proof as an indented tree."""
        reason = "explicit" if self.rule is None else f"by {self.rule}"
        if self.sources:
            reason += f" ({'; '.join(self.sources)})"
        yield f"{'  ' * depth}{' '.join(self.triple)}    [{reason}]"
        for premise in self.premises:
            yield from premise.lines(depth + 1)

    def __str__(self) -> str:
        return "\n".join(self.lines())


@dataclass(frozen=True, slots=True)
class EqualityStep:
    """One equality of a chain: explicit, or the head of an instance of ``rule`` over explicit facts (as texts) and
    inferred ones (over representatives)."""

    triple: TextTriple
    rule: EncodedRule | None = None
    premises: tuple[TextTriple | Fact, ...] = ()


class ProofSource(Protocol):
    """A store in which rule instances can be looked up by their heads."""

    def normal_fact(self, triple: TextTriple) -> Fact | None:
        """Return the fact over representatives that stands for a triple, None if it does not hold."""
        ...

    def explicit_form(self, fact: Fact) -> TextTriple | None:
        """Return an explicit fact that a fact over representatives stands for."""
        ...

    def text_of(self, fact: Fact) -> TextTriple: ...

    def derivations(self, rules: Sequence[EncodedRule], fact: Fact) -> list[tuple[EncodedRule, tuple[Fact, ...]]]:
        """Return the rule instances over the stored facts that have a fact as head."""
        ...

    def equality_steps(self, rules: Sequence[EncodedRule], left: str, right: str) -> list[EqualityStep] | None:
        """Return a shortest chain of equalities, explicit or derived by a rule, from one term to another."""
        ...

    def is_explicit(self, triple: TextTriple) -> bool: ...


def explain(store: ProofSource, program: EncodedProgram, triple: TextTriple) -> Proof | None:
    """Return a proof of least height of a triple, None if it does not hold."""
    if store.is_explicit(triple):
        return Proof(triple)
    fact = store.normal_fact(triple)
    if fact is None:
        return None
    rules = [rule for stratum in program.strata for rule in stratum.rules]
    search = _Search(store, rules)
    if fact[0] == fact[2] and triple[0] != triple[2] and triple[1] == SAME_AS:
        return search.chain(triple)
    return search.renamed(triple, search.prove(fact))


@dataclass(slots=True)
class _Search:
    store: ProofSource
    rules: Sequence[EncodedRule]
    proofs: dict[Fact, Proof] = field(default_factory=dict)
    instances: dict[Fact, list[tuple[EncodedRule, tuple[Fact, ...]]]] = field(default_factory=dict)
    chaining: set[frozenset[str]] = field(default_factory=set)

    def prove(self, goal: Fact) -> Proof:
        frontier = {goal}
        while goal not in self.proofs:
            if not frontier or len(self.instances) > _MOST_FACTS:
                raise ReasonerError(f"no proof of {' '.join(self.store.text_of(goal))} within {_MOST_FACTS:,} facts")
            frontier = self._open(frontier)
            self._settle()
        return self.proofs[goal]

    def _open(self, frontier: set[Fact]) -> set[Fact]:
        """Look up what derives the facts of the frontier; return the body facts that are new."""
        found: set[Fact] = set()
        for fact in frontier:
            explicit = self.store.explicit_form(fact)
            if explicit is not None:
                self.instances[fact] = []
                self.proofs[fact] = self._leaf(fact, explicit)
                continue
            self.instances[fact] = self.store.derivations(self.rules, fact)
            found.update(premise for _, body in self.instances[fact] for premise in body)
        return found - set(self.instances)

    def renamed(self, triple: TextTriple, proof: Proof) -> Proof:
        """Conclude a triple from one that has equal terms in the place of some."""
        if proof.triple == triple:
            return proof
        pairs = dict.fromkeys(
            (found, wanted) for found, wanted in zip(proof.triple, triple, strict=True) if found != wanted
        )
        steps = tuple(step for found, wanted in pairs for step in self._equality(found, wanted))
        return Proof(triple, "eq-rep", ("equal terms replace one another",), (proof, *steps))

    def chain(self, triple: TextTriple) -> Proof:
        """Prove that two terms are equal."""
        steps = self._equality(triple[0], triple[2])
        if len(steps) == 1 and steps[0].triple == triple:
            return steps[0]
        return Proof(triple, "eq-trans", ("equality is symmetric and transitive",), tuple(steps))

    def _equality(self, left: str, right: str) -> list[Proof]:
        """Prove the steps of a chain of equalities, each on its own."""
        pair = frozenset((left, right))
        if pair in self.chaining:
            return [Proof((left, SAME_AS, right), "eq-trans", ("shown where it is first used",))]
        steps = self.store.equality_steps(self.rules, left, right)
        if steps is None:
            # The rules that made the class used facts about other members, whose names are gone by rewriting.
            return [Proof((left, SAME_AS, right), "eq-trans", ("derived for their class as a whole",))]
        self.chaining.add(pair)
        proofs = [Proof(step.triple) if step.rule is None else self._derived(step, step.rule) for step in steps]
        self.chaining.discard(pair)
        return proofs

    def _derived(self, step: EqualityStep, rule: EncodedRule) -> Proof:
        # A search of its own, because this one may be in the middle of opening the same facts.
        search = _Search(self.store, self.rules, chaining=self.chaining)
        premises = tuple(
            Proof(premise) if isinstance(premise[0], str) else search.prove(premise)
            for premise in dict.fromkeys(step.premises)
        )
        return Proof(step.triple, rule.origin.name, rule.origin.sources, premises)

    def _leaf(self, fact: Fact, explicit: TextTriple) -> Proof:
        return self.renamed(self.store.text_of(fact), Proof(explicit))

    def _settle(self) -> None:
        """Prove what follows from proved facts, in rounds, so that lower proofs come first."""
        while True:
            new: dict[Fact, Proof] = {}
            for fact, instances in self.instances.items():
                if fact in self.proofs:
                    continue
                for rule, body in instances:
                    if all(premise in self.proofs for premise in body):
                        premises = tuple(self.proofs[premise] for premise in dict.fromkeys(body))
                        new[fact] = Proof(self.store.text_of(fact), rule.origin.name, rule.origin.sources, premises)
                        break
            if not new:
                return
            self.proofs.update(new)
