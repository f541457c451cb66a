"""What an inconsistency is: a constraint with a match."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reasoner.explanation.proof import Proof

TextTriple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Violation:
    """A match of a constraint: the rule's name, the facts that match its body, and the axioms behind the rule.

    ``explainer`` proves facts of the state that the violation was found in; it is no part of what a violation is.
    """

    rule: str
    triples: tuple[TextTriple, ...]
    sources: tuple[str, ...] = ()
    explainer: Callable[[TextTriple], Proof | None] | None = field(default=None, compare=False, repr=False)

    def explain(self) -> tuple[Proof, ...]:
        """Return a proof of each of the facts that together break the constraint."""
        if self.explainer is None:
            from reasoner.errors import ReasonerError

            raise ReasonerError(
                f"this violation of {self.rule} cannot be explained: it went with its commit, or too many were "
                "rejected at once; ask Reasoner.violations, or look at the first of those that were rejected"
            )
        return tuple(proof for triple in self.triples if (proof := self.explainer(triple)) is not None)

    def as_dict(self) -> dict[str, object]:
        """Return what is violated, for JSON."""
        return {"rule": self.rule, "triples": self.triples, "sources": self.sources}

    def __str__(self) -> str:
        facts = "; ".join(" ".join(triple) for triple in self.triples)
        because = f" ({', '.join(self.sources)})" if self.sources else ""
        return f"{self.rule}: {facts}{because}"
