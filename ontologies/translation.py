"""What a translator gives back: ``Translation`` (the rules) and ``LeftOut`` (axioms that became no rule, and why)."""

from __future__ import annotations

from dataclasses import dataclass

from reasoner.rules.rule import Rule


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An axiom, or a part of one, that lies outside a profile, and the reason."""

    axiom_text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Translation:
    """The rules of an ontology and what they do not cover.

    ``value_equality`` asks the engine to treat literals of equal value as equal terms.
    """

    rules: tuple[Rule, ...]
    left_out: tuple[LeftOut, ...] = ()
    value_equality: bool = False
