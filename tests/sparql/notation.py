"""Stores and answers of tests in few characters."""

from __future__ import annotations

from collections import Counter

from reasoner import Reasoner
from reasoner.requests import query

PREFIX = (
    "PREFIX : <http://e.org/> PREFIX owl: <http://www.w3.org/2002/07/owl#> "
    "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
)
SHORT = {"<http://www.w3.org/2002/07/owl#sameAs>": "same"}


def term(word: str) -> str:
    """Read a term: a name, digits, a quoted string, or ``same``."""
    if word == "same":
        return "<http://www.w3.org/2002/07/owl#sameAs>"
    if word.isdigit():
        return f'"{word}"^^<http://www.w3.org/2001/XMLSchema#integer>'
    return word if word[0] in '"_<' else f"<http://e.org/{word}>"


def store(facts: str, **settings: str) -> Reasoner:
    """Make a store of facts, separated by commas."""
    kb = Reasoner(profile="none", **settings)
    kb.add(tuple(map(term, fact.split())) for fact in facts.split(",") if fact.strip())
    return kb


def short(text: str | None) -> str | None:
    """Write a term the way ``term`` reads it."""
    if text is None:
        return None
    if text in SHORT:
        return SHORT[text]
    return (
        text.removeprefix("<http://e.org/")
        .removesuffix(">")
        .removesuffix('"^^<http://www.w3.org/2001/XMLSchema#integer')
        .removeprefix('"' if text.endswith("integer>") else "\0")
    )


def ask(kb: Reasoner, text: str, **settings: object) -> Counter[tuple[str | None, ...]]:
    """Return the answers to a SELECT, each with how often it is one."""
    result = query(kb, PREFIX + text, terms="text", **settings)
    return Counter(tuple(map(short, row)) for row in result)
