"""Blank nodes of a conclusion, which say that there is something: told apart from terms, and matched as variables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

from reasoner.rules.term import Term, Variable
from reasoner.violation import TextTriple

# No parser reads a blank node with this in its label, so that none of a store begins with it.
EXISTENTIAL = "?"
_START = f"_:{EXISTENTIAL}"

Pattern = tuple[Term, Term, Term]
Item = TypeVar("Item")


def is_existential(term: str) -> bool:
    """Tell whether a term is a blank node of a conclusion."""
    return term.startswith(_START)


def with_existentials(triples: Iterable[TextTriple]) -> list[TextTriple]:
    """Return the triples of a conclusion, each once, with its blank nodes marked."""

    def marked(term: str) -> str:
        return _START + term[2:] if term.startswith("_:") else term

    return list(dict.fromkeys((marked(s), p, marked(o)) for s, p, o in triples))


def patterns_of(triples: Iterable[TextTriple]) -> list[Pattern]:
    """Return triples as patterns, in which what exists is a variable."""

    def term(text: str) -> Term:
        return Variable(text[2:]) if is_existential(text) else text

    return [(term(s), term(p), term(o)) for s, p, o in triples]


def existentials_of(part: Any) -> list[str]:
    """Return the blank nodes of a conclusion in an axiom, an expression or a triple, each once.

    >>> existentials_of(("_:?x", ("<urn:p>", "_:?y"), "_:?x"))
    ['_:?x', '_:?y']
    """
    found: list[str] = []
    waiting = [part]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            found += [item] if is_existential(item) else []
        elif isinstance(item, tuple):
            waiting += reversed(item)
        elif hasattr(item, "__dataclass_fields__"):
            waiting += [getattr(item, name) for name in reversed(item.__dataclass_fields__)]
    return list(dict.fromkeys(found))


def connected(items: Iterable[Item], links: Callable[[Item], Iterable[Hashable]]) -> list[list[Item]]:
    """Return items in groups that share links, directly or through others; an item without links is a group alone."""
    groups: list[list[Item]] = []
    place: dict[Hashable, int] = {}
    for item in items:
        keys = list(links(item))
        known = sorted({place[key] for key in keys if key in place})
        target = known[0] if known else len(groups)
        if not known:
            groups.append([])
        for other in known[1:]:
            groups[target] += groups[other]
            groups[other] = []
            place.update({key: target for key, group in place.items() if group == other})
        groups[target].append(item)
        place.update(dict.fromkeys(keys, target))
    return [group for group in groups if group]


def renamed(part: Any, names: dict[str, str]) -> Any:
    """Return an axiom, an expression or a tuple with some of its terms replaced."""
    if isinstance(part, str):
        return names.get(part, part)
    if isinstance(part, tuple):
        return tuple(renamed(item, names) for item in part)
    if hasattr(part, "__dataclass_fields__"):
        return type(part)(*(renamed(getattr(part, name), names) for name in part.__dataclass_fields__))
    return part
