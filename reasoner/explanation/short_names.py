"""Short names for the terms of a proof, no two terms with the same one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from reasoner.rules.prefixes import PREDECLARED, choose_prefixes, readable_name, shorten
from reasoner.rules.printer import print_term

_LONGEST = 30


class ShortNames:
    """Names for people: the last part of an IRI where that is unambiguous, a prefixed name where it is not.

    >>> names = ShortNames(["<http://e.org/a>", "<http://e.org/p#x>", "<http://e.org/q#x>", "<http://e.org/q#y>"])
    >>> [names.of("<http://e.org/a>"), names.of("<http://e.org/q#x>"), names.of("<http://e.org/p#x>")]
    ['a', 'org:x', 'http://e.org/p#x']
    """

    def __init__(self, terms: Iterable[str]) -> None:
        distinct = tuple(dict.fromkeys(terms))
        prefixes = choose_prefixes(distinct)
        by_name: dict[str, list[str]] = defaultdict(list)
        for term in distinct:
            by_name[_first_choice(term)].append(term)
        self._names = {term: name for name, terms in by_name.items() for term in terms if len(terms) == 1}
        for terms in by_name.values():
            if len(terms) > 1:
                self._names.update({term: _second_choice(term, prefixes) for term in terms})

    def of(self, term: str) -> str:
        """Return the name of a term, shortened in the middle if it is long."""
        name = self._names.get(term) or _first_choice(term)
        if len(name) <= _LONGEST:
            return name
        half = (_LONGEST - 1) // 2
        return f"{name[: _LONGEST - 1 - half]}…{name[-half:]}"


def _first_choice(term: str) -> str:
    return readable_name(term) if term.startswith("<") else print_term(term, PREDECLARED)


def _second_choice(term: str, prefixes: dict[str, str]) -> str:
    short = shorten(term, prefixes)
    return short[1:-1] if short.startswith("<") else short
