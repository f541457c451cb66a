"""What an inconsistency is: a constraint with a match."""

from __future__ import annotations

from dataclasses import dataclass

TextTriple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Violation:
    """A match of a constraint: the rule's name, the facts that match its body, and the axioms behind the rule."""

    rule: str
    triples: tuple[TextTriple, ...]
    sources: tuple[str, ...] = ()

    def __str__(self) -> str:
        facts = "; ".join(" ".join(triple) for triple in self.triples)
        because = f" ({', '.join(self.sources)})" if self.sources else ""
        return f"{self.rule}: {facts}{because}"
