"""The ways in which the names of one person can be linked, so that a reasoner finds them equal."""

from __future__ import annotations

from itertools import pairwise

from .dataset import DatasetError
from .draw import Draw
from .statements import SAME_AS, TYPE, statement
from .university_identities_ontology import HAS_IDENTIFIER, PERSON, PERSONAL_EMAIL, SOCIAL_SECURITY_NUMBER

Names = tuple[str, ...]
"""The terms that all stand for one person."""

LINKS = ("chain", "star", "tangle", "identifier", "mailbox", "number")
"""What makes the names of a person equal without anybody else's help."""


def link(names: Names, kind: str, key: str, draw: Draw) -> str:
    """Return statements that make ``names`` equal, by one of ``LINKS``; ``key`` must belong to this person alone."""
    first, *others = names
    match kind:
        case "chain":
            return "".join(_same(draw, *pair) for pair in pairwise(names))
        case "star":
            return "".join(_same(draw, first, other) for other in others)
        case "tangle":
            both = "".join(statement(first, SAME_AS, other) + statement(other, SAME_AS, first) for other in others)
            return both + "".join(statement(left, SAME_AS, right) for left, right in pairwise(others))
        case "identifier":
            return "".join(statement(name, HAS_IDENTIFIER, f"<http://identifiers.example.org/{key}>") for name in names)
        case "mailbox":
            return "".join(statement(name, PERSONAL_EMAIL, f'"{key}@mail.example.org"') for name in names)
        case "number":
            typed = "".join(statement(name, TYPE, PERSON) for name in names)
            return typed + "".join(statement(name, SOCIAL_SECURITY_NUMBER, f'"{key}"') for name in names)
    raise DatasetError(f"names are linked by one of {', '.join(LINKS)}, not {kind!r}")


def _same(draw: Draw, left: str, right: str) -> str:
    return statement(left, SAME_AS, right) if draw.below(2) else statement(right, SAME_AS, left)
