"""The intermediate representation of rules: ``Atom``, ``Builtin`` and ``Rule``.

Auxiliary classes, which rules need and answers never show.

``x Q x`` says that x belongs to the auxiliary class Q. As Q is a literal, which is no predicate of RDF, such a fact is
never an answer; and a variable predicate of a rule does not range over Q.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reasoner.rules.errors import UnsafeRuleError
from reasoner.terms.term import Term, Variable


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


_DATATYPE = "^^<urn:reasoner:auxiliary>"


def auxiliary(meaning: str) -> str:
    """Return the predicate of an auxiliary class, given what it means.

    >>> auxiliary("ObjectUnionOf(<A> <B>)")
    '"ObjectUnionOf(<A> <B>)"^^<urn:reasoner:auxiliary>'
    """
    from reasoner.terms.value import escape

    return f'"{escape(meaning)}"{_DATATYPE}'


def is_auxiliary(term: Term) -> bool:
    """Tell whether a term stands for an auxiliary class."""
    return isinstance(term, str) and term.endswith(_DATATYPE)


def meaning_of(predicate: str) -> str:
    """Return what an auxiliary class means.

    >>> meaning_of(auxiliary('DataHasValue(<p> "a")'))
    'DataHasValue(<p> "a")'
    """
    from reasoner.terms.value import unescape

    return unescape(predicate[1 : -len(_DATATYPE) - 1])
