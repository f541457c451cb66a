"""The intermediate representation of rules: ``Atom``, ``Builtin`` and ``Rule``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reasoner.errors import UnsafeRuleError
from reasoner.rules.term import Term, Variable


@dataclass(frozen=True, slots=True)
class Atom:
    """A triple pattern."""

    subject: Term
    predicate: Term
    object: Term

    def __iter__(self) -> Iterator[Term]:
        return iter((self.subject, self.predicate, self.object))

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(term.name for term in self if isinstance(term, Variable))


@dataclass(frozen=True, slots=True)
class Builtin:
    """A condition over terms that reads no facts, such as ``?x < 5``; ``name`` is a key of ``literals.BUILTINS``."""

    name: str
    arguments: tuple[Term, ...]

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(term.name for term in self.arguments if isinstance(term, Variable))


@dataclass(frozen=True, slots=True)
class Rule:
    """``head :- body, not negative, conditions``, named after the W3C rule or the axiom that it implements.

    A rule without a head is a constraint: each match of its body is a violation. Safe by construction: every
    variable of the head, of a negative atom or of a condition occurs in a positive body atom. ``sources`` are the
    axioms that the rule comes from, as readable text.
    """

    name: str
    head: Atom | None
    body: tuple[Atom, ...]
    negative: tuple[Atom, ...] = ()
    conditions: tuple[Builtin, ...] = ()
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        bound = frozenset(name for atom in self.body for name in atom.variables)
        used: list[Atom | Builtin] = [*self.negative, *self.conditions, *([self.head] if self.head else [])]
        if unbound := frozenset(name for part in used for name in part.variables) - bound:
            raise UnsafeRuleError(self.name, unbound)

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(name for atom in self.body for name in atom.variables)

    @property
    def constants(self) -> frozenset[str]:
        """The constants of all atoms and conditions."""
        atoms = (*self.body, *self.negative, *([self.head] if self.head else []))
        terms = [term for atom in atoms for term in atom]
        terms += [term for condition in self.conditions for term in condition.arguments]
        return frozenset(term for term in terms if isinstance(term, str))
