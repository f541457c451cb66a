"""Property paths as SPARQL writes them, for people who look at a plan."""

from __future__ import annotations

from reasoner.sparql.algebra import Alternative, Closure, Inverse, Link, NegatedSet, Path, Sequence


def path_text(path: Path) -> str:
    """Write a path, with as many brackets as it needs.

    >>> path_text(Closure(Sequence(Link("<p>"), Inverse(Link("<q>"))), zero=False, many=True))
    '(<p>/^<q>)+'
    """
    match path:
        case Link(predicate):
            return predicate
        case Inverse(inner):
            return f"^{_bracketed(inner)}"
        case Sequence(first, second):
            return f"{_bracketed(first)}/{_bracketed(second)}"
        case Alternative(first, second):
            return f"{_bracketed(first)}|{_bracketed(second)}"
        case Closure(inner, zero, many):
            return _bracketed(inner) + ("*" if zero and many else "?" if zero else "+")
        case NegatedSet(forward, backward):
            names = [*(forward or ()), *(f"^{name}" for name in backward or ())]
            return f"!({'|'.join(names)})"


def _bracketed(path: Path) -> str:
    text = path_text(path)
    return f"({text})" if isinstance(path, Sequence | Alternative | Closure) else text
