"""Prefixes: the names that are always known, and the shortest way to write an IRI with given ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from reasoner.rules.term import OWL, RDF, RDFS, XSD

PREDECLARED: Mapping[str, str] = {"rdf": RDF, "rdfs": RDFS, "owl": OWL, "xsd": XSD}

# A local name that every reader of prefixed names takes without escapes.
_PLAIN_LOCAL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_NAMESPACE = re.compile(r"(.+[/#:])([^/#:]+)")


def shorten(constant: str, prefixes: Mapping[str, str]) -> str:
    """Write an IRI constant as a prefixed name if one of the prefixes allows it, else leave it as it is.

    >>> shorten("<http://www.w3.org/2002/07/owl#sameAs>", PREDECLARED)
    'owl:sameAs'
    >>> shorten("<http://example.org/a>", PREDECLARED)
    '<http://example.org/a>'
    """
    if not constant.startswith("<"):
        return constant
    text = constant[1:-1]
    best = ""
    for prefix, namespace in prefixes.items():
        if text.startswith(namespace) and _PLAIN_LOCAL.fullmatch(text, len(namespace)):
            short = f"{prefix}:{text[len(namespace) :]}"
            best = min(best or short, short, key=lambda name: (len(name), name))
    return best or constant


def readable_name(constant: str, prefixes: Mapping[str, str] = PREDECLARED) -> str:
    """Return a name for people: prefixed if possible, else the last part of the IRI, else the constant as it is.

    >>> readable_name("<http://example.org/people#Parent>")
    'Parent'
    """
    short = shorten(constant, prefixes)
    if short != constant or not constant.startswith("<"):
        return short
    match = _NAMESPACE.fullmatch(constant[1:-1])
    return match[2] if match else constant


def choose_prefixes(constants: Iterable[str], declared: Mapping[str, str] | None = None) -> dict[str, str]:
    """Choose a prefix for every namespace that two or more of the IRI constants share, in a fixed order.

    The predeclared prefixes come first, then the ``declared`` ones that shorten a constant. For any other the name is
    the last word of the namespace if it has one, numbered where that is taken.
    """
    chosen = dict(PREDECLARED)
    counts: dict[str, int] = {}
    distinct = sorted(set(constants))
    for name, namespace in (declared or {}).items():
        if name not in chosen and namespace not in chosen.values():
            alone = {name: namespace}
            if any(shorten(constant, alone) != constant for constant in distinct):
                chosen[name] = namespace
    for constant in distinct:
        match = _NAMESPACE.fullmatch(constant[1:-1]) if constant.startswith("<") else None
        if match and _PLAIN_LOCAL.fullmatch(match[2]):
            counts[match[1]] = counts.get(match[1], 0) + 1
    for namespace, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if count > 1 and namespace not in chosen.values():
            chosen[_unused_prefix(namespace, chosen)] = namespace
    return chosen


def _unused_prefix(namespace: str, taken: Mapping[str, str]) -> str:
    words = [word.lower() for word in re.findall(r"[A-Za-z]+", namespace.partition("://")[2] or namespace)]
    word = next((word for word in reversed(words) if 1 < len(word) <= 12 and word not in ("owl", "rdf")), "ns")
    return (
        word
        if word not in taken
        else next(name for number in range(1, len(taken) + 2) if (name := f"{word}{number}") not in taken)
    )
