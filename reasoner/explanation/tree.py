"""A proof as a tree for people: every step above what it rests on, terms with prefixes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reasoner.explanation.proof import Proof
from reasoner.short_terms import ShortTerms


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One line: what draws the tree, the fact or the condition, and why it holds."""

    guide: str
    fact: str
    reason: str
    asserted: bool = False

    def __str__(self) -> str:
        return f"{self.guide}{self.fact}   {self.reason}"


def proof_tree(proof: Proof, names: ShortTerms, *, sources: bool = True) -> Iterator[TreeLine]:
    """Yield the lines of a proof; what was shown already is not shown again, and ``sources`` names the axioms."""
    shown: set[Proof] = set()
    waiting: list[tuple[Proof | str, str, str]] = [(proof, "", "")]
    while waiting:
        step, guide, below = waiting.pop()
        if isinstance(step, str):
            holds = "does not hold" if step.startswith("not ") else "holds"
            yield TreeLine(guide, names.text(step), holds)
            continue
        again = step in shown and bool(step.premises)
        yield TreeLine(guide, names.triple(step.shown), _reason(step, names, again, sources), step.rule is None)
        if step in shown:
            continue
        shown.add(step)
        items: list[Proof | str] = [*dict.fromkeys(step.premises), *step.notes]
        last = len(items) - 1
        waiting += [
            (item, below + ("└── " if at == last else "├── "), below + ("    " if at == last else "│   "))
            for at, item in reversed(list(enumerate(items)))
        ]


def _reason(step: Proof, names: ShortTerms, again: bool, sources: bool) -> str:
    if again:
        return "shown above"
    if step.rule is None:
        return "asserted"
    because = "; ".join(names.text(" ".join(source.split())) for source in step.sources) if sources else ""
    # The rule of an axiom is mostly called like it.
    if because.startswith(f"{step.rule}("):
        return f"by {because}"
    return f"by {step.rule}: {because}" if because else f"by {step.rule}"
