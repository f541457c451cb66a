"""What a replay has proved: facts over terms as they are written, each with the step that first gave it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reasoner.explanation.source import Fact, Instance
from reasoner.rules.encode import EncodedTerm, Triple, is_variable
from reasoner.vocabulary import SAME


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """A proved fact. ``application`` is None for what holds from the start: explicit facts and equal literals.

    ``size`` counts steps, those of premises each time they are used; alternatives of one round are chosen by it.
    """

    fact: Fact
    round: int
    size: int
    application: Application | None = None
    is_explicit: bool = False

    @property
    def is_replaced(self) -> bool:
        """Whether it is an equality whose predicate was replaced by owl:sameAs; it rests on one of the same round."""
        return self.application is not None and self.application.instance is None


@dataclass(frozen=True, slots=True, eq=False)
class Application:
    """A rule instance over written terms: the values of its variables, and for each body atom the witness that proves
    it, once equal terms are replaced; None where the atom is an equality that chains of links prove. Without an
    instance, the only premise proves the fact once equal terms are replaced."""

    instance: Instance | None
    values: tuple[int, ...]
    premises: tuple[Witness | None, ...]

    def required(self, at: int) -> Fact:
        """Return the fact that a body atom stands for."""
        assert self.instance is not None
        return written(self.instance.rule.body[at], self.values)


def written(atom: Triple, values: tuple[int, ...]) -> Fact:
    """Return an atom under values of its variables, by number."""

    def value(term: EncodedTerm) -> int:
        return values[-1 - term] if is_variable(term) else term

    return value(atom[0]), value(atom[1]), value(atom[2])


# What tells one step from another when further proofs are asked for.
StepKey = tuple[object, ...]


def step_key(witness: Witness, representative: Callable[[int], int], *, is_link: bool) -> StepKey:
    """Return what identifies the step of a witness.

    An instance that gives a plain fact is known by its values up to equality, because writing the same instance with
    equal terms proves nothing in another way; one that links two terms by the facts that it uses, in either order.
    """
    application = witness.application
    if application is None:
        return ("explicit" if witness.is_explicit else "dt-eq", witness.fact)
    if application.instance is None:
        return ("replaced", witness.fact)
    rule = application.instance.rule
    if is_link:
        used = frozenset(application.required(at) for at in range(len(rule.body)))
        return (rule, frozenset((witness.fact[0], SAME, witness.fact[2])), used)
    return (rule, tuple(map(representative, application.values)))
