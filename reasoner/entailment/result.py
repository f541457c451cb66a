"""The answer to a question about entailment: ``Entailment``, with a ``ConclusionPart`` for each thing asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasoner.terms.term import TextTriple

if TYPE_CHECKING:
    from reasoner.explanation.proof import Proof

Explain = Callable[[], "Proof | None"]


@dataclass(frozen=True, slots=True)
class ConclusionPart:
    """One axiom, or one group of triples, of a conclusion.

    ``reason`` says how it was shown, or what was missing; ``assumed`` are the facts about fresh terms that it was shown
    with, if any.
    """

    text: str
    entailed: bool
    reason: str
    assumed: tuple[TextTriple, ...] = ()
    _explain: Explain | None = field(default=None, repr=False, compare=False)

    def proof(self) -> Proof | None:
        """Return the proof of what the rules derive here, from the explicit facts and what is assumed.

        There is none for what is not entailed, and for what needed no derivation.
        """
        return self._explain() if self._explain else None

    def __str__(self) -> str:
        return f"{'entailed' if self.entailed else 'not entailed'}: {self.text}\n  {self.reason}"


@dataclass(frozen=True, slots=True)
class Entailment:
    """Whether premises entail a conclusion: true iff every part is entailed.

    ``ignored`` lists what says nothing about the world: the header of the conclusion, and under the direct semantics
    its declarations and annotations. ``inconsistency`` is why the premises entail everything, if they do.
    """

    parts: tuple[ConclusionPart, ...]
    ignored: tuple[str, ...] = ()
    inconsistency: str = ""

    def __bool__(self) -> bool:
        return bool(self.inconsistency) or all(part.entailed for part in self.parts)

    def improved(self, further: Entailment) -> Entailment:
        """Return this answer with those parts from another answer to the same question that are entailed only there."""
        if further.inconsistency:
            return further
        pairs = zip(self.parts, further.parts, strict=True)
        return Entailment(tuple(old if old.entailed else new for old, new in pairs), self.ignored)

    @property
    def missing(self) -> tuple[ConclusionPart, ...]:
        """The parts that are not entailed."""
        return () if self.inconsistency else tuple(part for part in self.parts if not part.entailed)

    def __str__(self) -> str:
        if self.inconsistency:
            return f"entailed, as everything is: the premises are inconsistent\n  {self.inconsistency}"
        lines = [str(part) for part in self.parts]
        lines += [f"ignored: {text}" for text in self.ignored]
        return "\n".join([f"{'entailed' if self else 'not entailed'}", *lines])

    def _repr_html_(self) -> str:
        from reasoner.explanation.notebook import HtmlTerms, framed, table

        names = HtmlTerms()
        if self.inconsistency:
            return framed("<b>entailed, as everything is: the premises are inconsistent</b> ", names.text(str(self)))
        rows = (
            ("yes" if part.entailed else "no", names.text(part.text), names.text(part.reason)) for part in self.parts
        )
        verdict = "entailed" if self else "not entailed"
        return framed(f"<b>{verdict}</b>", table(("entailed", "what was asked", "because"), rows))

    def to_json(self) -> str:
        """Return the answer as JSON."""
        return json.dumps(
            {
                "entailed": bool(self),
                "inconsistency": self.inconsistency or None,
                "parts": [
                    {
                        "text": part.text,
                        "entailed": part.entailed,
                        "reason": part.reason,
                        "assumed": [" ".join(triple) for triple in part.assumed],
                    }
                    for part in self.parts
                ],
                "ignored": list(self.ignored),
            },
            indent=2,
            ensure_ascii=False,
        )
