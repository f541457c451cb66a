"""What the search for proofs needs from a store, and what it gets."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from reasoner.rules.encode import EncodedRule, EncodedTerm, Triple, is_variable
from reasoner.terms.term import SAME, TextTriple

Fact = tuple[int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """A rule instance over representatives.

    ``values`` are those of the rule's variables, by number; ``body`` has a fact for each body atom. The atoms at the
    positions ``equations`` say c = c: over the terms that the representatives stand for, any equality in a class.
    """

    rule: EncodedRule
    values: tuple[int, ...]
    head: Fact
    body: tuple[Fact, ...]
    equations: frozenset[int]


class Derivations(Protocol):
    """Rule instances over the stored facts, found by their heads."""

    @property
    def is_cut(self) -> bool:
        """Whether any instance was left out because there were too many."""
        ...

    def instances(self, heads: Collection[Fact]) -> list[Instance]:
        """Return the instances that have one of some facts as head; if one rule has very many for one fact, those
        with the most explicit body facts."""
        ...


class ProofSource(Protocol):
    """A materialised store. Facts over representatives are called normal."""

    @property
    def equality(self) -> bool:
        """Whether equal terms are rewritten to representatives."""
        ...

    def encoded(self, triple: TextTriple) -> Fact | None:
        """Return the ids of a triple, None if one of its terms is unknown."""
        ...

    def text(self, id: int) -> str: ...

    def representative(self, id: int) -> int: ...

    def members(self, id: int) -> list[int]:
        """Return the class of a term, which may be the term alone."""
        ...

    def is_stored(self, normal: Fact) -> bool:
        """Tell whether a normal fact is in the materialisation; reflexive equalities never are, with ``equality``."""
        ...

    def spellings(self, literal: int) -> list[int]:
        """Return the literals that are known to have the value of one, itself first; of another term, that term."""
        ...

    def explicit_forms(self, normal: Collection[Fact]) -> dict[Fact, list[Fact]]:
        """Return the explicit facts that normal facts stand for."""
        ...

    def mentioning(self, term: int) -> list[Fact]:
        """Return the normal facts that mention a representative; for a class of one, an explicit fact is enough."""
        ...

    def derivations(self, rules: Sequence[EncodedRule], *, most: int | None) -> Derivations:
        """Prepare looking up instances of rules, of one rule for one fact at most ``most``."""
        ...


def instance_of(rule: EncodedRule, values: tuple[int, ...], representative: dict[int, int], equality: bool) -> Instance:
    """Apply a rule under values of its variables; ``representative`` tells where its constants have moved to."""

    def value(term: EncodedTerm) -> int:
        return values[-1 - term] if is_variable(term) else representative.get(term, term)

    def fact(atom: Triple) -> Fact:
        return value(atom[0]), value(atom[1]), value(atom[2])

    assert rule.head is not None
    body = tuple(fact(atom) for atom in rule.body)
    equations = frozenset(i for i, (s, p, o) in enumerate(body) if equality and p == SAME and s == o)
    return Instance(rule, values, fact(rule.head), body, equations)


def is_by_value(source: ProofSource, fact: Fact) -> bool:
    """Tell whether a fact is the equality of two literals of one value, which needs no proof (dt-eq)."""
    s, p, o = fact
    return p == SAME and s != o and o in source.spellings(s)
