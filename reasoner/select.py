"""Answering triple patterns over a materialised store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from reasoner.errors import ReasonerError
from reasoner.rules.encode import EncodedRule, EncodedTerm, encode_rule
from reasoner.rules.parser import parse_patterns
from reasoner.rules.rule import Rule
from reasoner.rules.term import Variable


class AnswerSource(Protocol):
    """A store that matches an encoded pattern."""

    def id_of(self, text: str) -> int: ...

    def answers(self, query: EncodedRule, asked: tuple[EncodedTerm, ...]) -> list[tuple[str, ...]]: ...


def select(store: AnswerSource, patterns: str, variables: Sequence[str] | None = None) -> list[dict[str, str]]:
    """Return the distinct answers to patterns, by variable; all variables are asked for unless some are named."""
    body, negative, conditions = parse_patterns(patterns)
    query = Rule("query", None, body, negative, conditions)
    order = list(dict.fromkeys(term.name for atom in body for term in atom if isinstance(term, Variable)))
    asked = [name.lstrip("?") for name in variables] if variables is not None else order
    if unknown := [name for name in asked if name not in order]:
        bound = ", ".join("?" + name for name in order) or "no variable"
        raise ReasonerError(f"no pattern binds ?{unknown[0]}: the patterns bind {bound}")
    id_of: Callable[[str], int] = store.id_of
    terms = tuple(-1 - order.index(name) for name in asked)
    return [dict(zip(asked, row, strict=True)) for row in store.answers(encode_rule(query, id_of), terms)]
