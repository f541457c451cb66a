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

    def equal_path(self, left: str, right: str) -> list[TextTriple] | None:
        """Return the explicit equalities that lead from one term to another."""
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
    proof = search.prove(fact)
    return _by_equality(store, triple, proof) if proof.triple != triple else proof


def _by_equality(store: ProofSource, triple: TextTriple, proof: Proof) -> Proof:
    """Conclude a triple from one that has an equal term in its place."""
    premises = [proof]
    for wanted, found in zip(triple, proof.triple, strict=True):
        if wanted != found:
            path = store.equal_path(found, wanted)
            if path is None:
                premises.append(Proof((wanted, "owl:sameAs", found), "equality that rules derived"))
            else:
                premises += [Proof(step) for step in path]
    return Proof(triple, "eq-rep", ("equal terms replace one another",), tuple(premises))


@dataclass(slots=True)
class _Search:
    store: ProofSource
    rules: Sequence[EncodedRule]
    proofs: dict[Fact, Proof] = field(default_factory=dict)
    instances: dict[Fact, list[tuple[EncodedRule, tuple[Fact, ...]]]] = field(default_factory=dict)

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

    def _leaf(self, fact: Fact, explicit: TextTriple) -> Proof:
        normal = self.store.text_of(fact)
        return Proof(explicit) if explicit == normal else _by_equality(self.store, normal, Proof(explicit))

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
