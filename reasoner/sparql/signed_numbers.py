"""Numbers with a sign in rdflib's grammar, kept as they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def signs_as_written() -> Iterator[None]:
    """Let the grammar keep ``+1.50``, ``-01`` and ``-1.0e6`` as they are, for as long as the context lasts.

    By itself it drops the plus of decimals and doubles, writes negative integers and doubles in another way, and fails
    at negative decimals. Whoever uses this holds the lock of the grammar.
    """
    from rdflib.plugins.sparql import parser

    signs: list[tuple[Any, str]] = [
        (parser.DECIMAL_POSITIVE, "+"),
        (parser.DOUBLE_POSITIVE, "+"),
        (parser.INTEGER_NEGATIVE, "-"),
        (parser.DECIMAL_NEGATIVE, "-"),
        (parser.DOUBLE_NEGATIVE, "-"),
    ]
    before = [element.parseAction for element, _ in signs]
    try:
        for element, sign in signs:
            element.set_parse_action(_signed(sign))
        yield
    finally:
        for (element, _), actions in zip(signs, before, strict=True):
            element.parseAction = actions


def _signed(sign: str) -> Callable[[Any], Any]:
    from rdflib.term import Literal

    return lambda tokens: Literal(sign + str(tokens[0]), datatype=tokens[0].datatype)
